//! The server that the runner drives: it reads one request for a server, serves until it is told to stop, and says
//! where.
//!
//! It decides how the server is set up. What the procedures answer is decided in `service` and `respond`.

#![forbid(unsafe_code)]

mod respond;
mod service;

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use trunkline::transport::tls::ServerTls;
use trunkline::{Limits, Server};
use trunkline_conformance::proto::connectrpc::conformance::v1::{
    ConformanceServiceServer, ServerCompatRequest, ServerCompatResponse,
};
use trunkline_conformance::{frame, http2, suite};

/// Time for calls to end after the runner has told the server to stop; it kills a server 5 s after that.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// Whatever keeps the server from serving, for the person who reads the log.
type Fault = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("trunkline-conformance-server: {fault}");
            ExitCode::FAILURE
        }
    }
}

/// The whole life of the server.
///
/// # Errors
/// The runner asks for nothing, or for what we do not have, the command line likewise, or the server cannot be bound.
async fn run() -> Result<(), Fault> {
    let http2 = http2::chosen(std::env::args().skip(1))?;
    suite::register();
    let asked = frame::read::<ServerCompatRequest>(&mut tokio::io::stdin()).await?;
    let asked = asked.ok_or("the runner ended before it asked for a server")?;
    let stop = stop_signal()?;
    let bound = server(&asked)?.http2(http2).bind("127.0.0.1:0").await?;
    let address = bound.local_address();
    let answer = ServerCompatResponse {
        host: address.ip().to_string(),
        port: u32::from(address.port()),
        pem_cert: if asked.use_tls { asked.server_creds.cert.clone() } else { Vec::new() },
        ..ServerCompatResponse::default()
    };
    frame::write(&mut tokio::io::stdout(), &answer).await?;
    bound.serve_until(stop).await;
    Ok(())
}

/// The server that was asked for. All protocols and HTTP versions are on the same port, so those need no choice.
///
/// # Errors
/// TLS without usable credentials, or client certificates that cannot be checked.
fn server(asked: &ServerCompatRequest) -> Result<Server, Fault> {
    let mut limits = Limits::default();
    // The suite wants to see compression, also where it does not pay.
    limits.compress_bytes_min = 0;
    limits.drain_timeout = DRAIN_TIMEOUT;
    if asked.message_receive_limit != 0 {
        limits.message_bytes_max = usize::try_from(asked.message_receive_limit)?;
    }
    let server = Server::new().limits(limits).service(ConformanceServiceServer::new(service::Conformance));
    if !asked.use_tls {
        return Ok(server);
    }
    let credentials = asked.server_creds.as_option().ok_or("TLS was asked for without a certificate")?;
    let tls = ServerTls::from_pem(&credentials.cert, &credentials.key)?;
    if asked.client_tls_cert.is_empty() {
        return Ok(server.tls(tls));
    }
    Ok(server.tls(tls.require_client_certificates(&asked.client_tls_cert)?))
}

/// Ready when the runner wants the server to end. The end of the standard input does not say so.
#[cfg(unix)]
fn stop_signal() -> io::Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        terminate.recv().await;
    })
}

/// Ready when the runner wants the server to end. The end of the standard input does not say so.
#[cfg(not(unix))]
fn stop_signal() -> io::Result<impl Future<Output = ()> + Send> {
    Ok(async {
        // Where there is no signal to wait for, the process is ended from outside.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}

#[cfg(test)]
mod tests;
