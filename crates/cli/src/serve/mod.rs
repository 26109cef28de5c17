//! `trunkline serve`: binds, says where it listens and what to call, serves until it is told to stop.

mod page;
mod signal;

use std::io::{self, Write as _};
use std::process::ExitCode;

use tokio::net::TcpListener;
use trunkline::health::Health;
use trunkline::server::Bound;

use self::signal::Signals;
use crate::args::ServeArgs;
use crate::certificate::Identity;
use crate::failure::Failure;
use crate::hints::Hints;
use crate::service;

/// Serves until a signal comes.
pub(crate) async fn run(args: ServeArgs) -> Result<ExitCode, Failure> {
    // Before anything is said: whoever reads the first line may send a signal at once.
    let signals = Signals::listen()?;
    let identity = Identity::of(&args)?;
    let listener = bind(&args.listen).await?;
    let (bound, hints, health) = assemble(listener, identity.as_ref())?;
    if let (Some(identity), Some(path)) = (&identity, &args.tls_cert_out) {
        identity.write_certificate(path)?;
    }
    say(&greeting(&hints, &args));
    bound.serve_until(until_told(signals, health)).await;
    Ok(ExitCode::SUCCESS)
}

async fn bind(address: &str) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|error| {
        let advice = match error.kind() {
            io::ErrorKind::AddrInUse => "another port; `--listen 127.0.0.1:0` takes any free one",
            io::ErrorKind::PermissionDenied => "a port above 1023, such as `--listen 127.0.0.1:8080`",
            _ => "an address of this machine, such as `--listen 127.0.0.1:8080`",
        };
        Failure::new(format!("cannot listen on {address}")).seen(error).advice(advice)
    })
}

/// The server on its listener; the page needs the real port, so the listener comes first.
fn assemble(listener: TcpListener, identity: Option<&Identity>) -> Result<(Bound, Hints, Health), Failure> {
    let address = listener
        .local_addr()
        .map_err(|error| Failure::new("the listener does not tell its address").seen(error))?;
    let hints = Hints::new(address, identity.is_some());
    let (mut server, health) = service::server();
    server = server.page("/", "text/html; charset=utf-8", page::html(&hints, &service::listed()));
    if let Some(identity) = identity {
        server = server.tls(identity.server()?);
    }
    let bound = server
        .listen(listener)
        .map_err(|error| Failure::new(format!("cannot serve on {address}")).seen(error))?;
    Ok((bound, hints, health))
}

/// The lines of the start. The first is for programs, the rest for people.
fn greeting(hints: &Hints, args: &ServeArgs) -> String {
    let mut text = format!("listening on {}\n", hints.listening());
    text.push_str(
        "\ngRPC, gRPC-Web and Connect, HTTP/1.1 and HTTP/2, all on this port. Open it in a browser, or:\n\n",
    );
    text.push_str(&format!("  {}\n\n", hints.simplest().folded()));
    if args.tls_self_signed {
        text.push_str("The certificate is self-signed; -k makes curl accept it. ");
        text.push_str(&match &args.tls_cert_out {
            Some(path) => format!("Or trust it: curl --cacert {}\n", path.display()),
            None => "To trust it, add --tls-cert-out FILE.\n".to_owned(),
        });
    }
    text.push_str("Ctrl-C stops.\n");
    text
}

/// Ready when the first signal comes. A second one ends the process, whatever is still open.
async fn until_told(mut signals: Signals, health: Health) {
    signals.next().await;
    health.set_serving("", false);
    let seconds = trunkline::Limits::default().drain_timeout.as_secs();
    say_aside(&format!("stopping: open calls have {seconds} s to end; Ctrl-C again stops at once"));
    tokio::spawn(async move {
        signals.next().await;
        std::process::exit(FORCED_EXIT_CODE);
    });
}

/// What shells report for a program that Ctrl-C has ended.
const FORCED_EXIT_CODE: i32 = 130;

/// A closed stdout is no reason to stop serving.
fn say(text: &str) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

fn say_aside(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

#[cfg(test)]
mod tests;
