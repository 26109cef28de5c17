//! Connections that an application takes over (RFC 9110, 7.8), with our server inside of it or in front of it: another
//! protocol is spoken on them, calls go on beside them, and a shutdown ends them.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body as AxumBody;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use trunkline::Limits;
use trunkline::transport::tls::rustls;
use trunkline::transport::tls::rustls::pki_types::pem::PemObject;

use crate::raw::next_call_over_http1_is_served;
use crate::support::{ECHO, Over, certificate, provider, server, within_bounds};
use crate::tower::{behind, mounted, routes, sockets};

/// Speaks what is sent back in capitals after the switch, as a websocket would speak frames.
pub(crate) async fn upgrade(request: Request) -> Response {
    tokio::spawn(async move {
        let mut io = hyper_util::rt::TokioIo::new(hyper::upgrade::on(request).await.unwrap());
        let mut word = [0; 5];
        while io.read_exact(&mut word).await.is_ok() {
            io.write_all(&word.to_ascii_uppercase()).await.unwrap();
        }
    });
    let response = Response::builder().status(StatusCode::SWITCHING_PROTOCOLS);
    response.header("connection", "upgrade").header("upgrade", "shout").body(AxumBody::empty()).unwrap()
}

/// Answers in the protocol that was spoken before.
pub(crate) async fn decline() -> &'static str {
    "declined"
}

/// A request to switch, for `path`.
fn asking(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: shout\r\n\r\n")
}

/// Switches, and has a word said in capitals. What is sent with the request belongs to the new protocol already.
async fn check_switch(io: &mut (impl AsyncRead + AsyncWrite + Unpin), early: &str) {
    io.write_all(format!("{}{early}", asking("/upgrade")).as_bytes()).await.unwrap();
    let mut seen = Vec::new();
    while !seen.ends_with(b"\r\n\r\n") {
        seen.push(within_bounds("the head", io.read_u8()).await.unwrap());
    }
    let head = String::from_utf8_lossy(&seen).to_lowercase();
    assert!(head.starts_with("http/1.1 101 ") && head.contains("upgrade: shout"), "{head}");
    assert!(!head.contains("transfer-encoding") && !head.contains("content-length"), "{head}");
    for (word, expected) in [(&b"hello"[early.len()..], b"HELLO"), (b"again", b"AGAIN")] {
        io.write_all(word).await.unwrap();
        let mut said = [0; 5];
        within_bounds("the word", io.read_exact(&mut said)).await.unwrap();
        assert_eq!(&said, expected);
    }
}

#[tokio::test]
async fn application_takes_over_a_connection_and_calls_go_on_beside_it() {
    for port in [mounted().await, behind().await] {
        for early in ["", "hel"] {
            let mut stream = TcpStream::connect(&port.address).await.unwrap();
            check_switch(&mut stream, early).await;
            let http2 = sockets().find(|case| case.over == Over::Http2).unwrap();
            let channel = port.channel(&http2);
            let reply = channel.unary(&ECHO, Bytes::from_static(b"x"));
            assert_eq!(within_bounds("a call", reply).await.unwrap().into_message(), "x");
            check_word(&mut stream).await;
        }
    }
}

/// The connection still speaks the new protocol.
async fn check_word(io: &mut (impl AsyncRead + AsyncWrite + Unpin)) {
    io.write_all(b"still").await.unwrap();
    let mut said = [0; 5];
    within_bounds("the word", io.read_exact(&mut said)).await.unwrap();
    assert_eq!(&said, b"STILL");
}

#[tokio::test]
async fn request_to_switch_that_nobody_grants_is_answered_as_any_other() {
    let declined: &[(&str, &str, &str)] = &[
        ("/declined", "200 ", "declined"),
        ("/no/such", "404 ", ""),
        // A procedure never switches. Clients ask for h2c this way.
        ("/test.v1.Shapes/Join", "405 ", ""),
    ];
    for port in [mounted().await, behind().await] {
        for (path, status, body) in declined {
            let mut stream = TcpStream::connect(&port.address).await.unwrap();
            // The connection goes on as it was: the second request is read.
            let last = "GET /version HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
            stream.write_all(format!("{}{last}", asking(path)).as_bytes()).await.unwrap();
            let mut seen = Vec::new();
            within_bounds(path, stream.read_to_end(&mut seen)).await.unwrap();
            let text = String::from_utf8_lossy(&seen);
            assert!(text.starts_with(&format!("HTTP/1.1 {status}")) && text.contains(body), "{path}: {text}");
            assert!(text.ends_with("\r\n\r\n1.0"), "{path}: {text}");
        }
    }
}

/// The application behind a server that is told to stop by the sender.
async fn stoppable(limits: &Limits) -> (String, oneshot::Sender<()>, JoinHandle<()>) {
    let bound = server(&Arc::default(), limits).fallback(routes()).bind("127.0.0.1:0").await.unwrap();
    let address = bound.local_address().to_string();
    let (stop, stopped) = oneshot::channel();
    (address, stop, tokio::spawn(bound.serve_until(async { drop(stopped.await) })))
}

#[tokio::test]
async fn shutdown_waits_for_an_upgraded_connection() {
    let (address, stop, serving) = stoppable(&Limits::default()).await;
    let mut stream = TcpStream::connect(&address).await.unwrap();
    check_switch(&mut stream, "").await;
    stop.send(()).unwrap();
    // It is told by the listener that is gone.
    within_bounds("the listener", async {
        while TcpStream::connect(&address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    check_word(&mut stream).await;
    assert!(!serving.is_finished());
    drop(stream);
    within_bounds("shutdown", serving).await.unwrap();
}

#[tokio::test]
async fn shutdown_closes_an_upgraded_connection_that_never_ends() {
    let mut limits = Limits::default();
    limits.drain_timeout = Duration::from_millis(50);
    let (address, stop, serving) = stoppable(&limits).await;
    let mut stream = TcpStream::connect(&address).await.unwrap();
    check_switch(&mut stream, "").await;
    stop.send(()).unwrap();
    within_bounds("shutdown", serving).await.unwrap();
    assert_eq!(within_bounds("the close", stream.read(&mut [0; 1])).await.unwrap_or(0), 0);
}

#[tokio::test]
async fn upgraded_connection_counts_among_those_that_a_server_holds() {
    let mut limits = Limits::default();
    limits.connections_max = 1;
    let (address, _stop, _serving) = stoppable(&limits).await;
    let mut stream = TcpStream::connect(&address).await.unwrap();
    check_switch(&mut stream, "").await;
    let next = next_call_over_http1_is_served(&address);
    tokio::pin!(next);
    // The next one waits in the listen queue until the upgraded one is gone.
    assert!(tokio::time::timeout(Duration::from_millis(50), next.as_mut()).await.is_err());
    drop(stream);
    next.await;
}

#[tokio::test]
async fn application_takes_over_a_connection_of_tls() {
    let (certificate, server_tls) = certificate();
    let server = server(&Arc::default(), &Limits::default()).tls(server_tls).fallback(routes());
    let bound = server.bind("127.0.0.1:0").await.unwrap();
    let tcp = TcpStream::connect(bound.local_address()).await.unwrap();
    tokio::spawn(bound.serve());
    let mut roots = rustls::RootCertStore::empty();
    roots.add(PemObject::from_pem_slice(certificate.as_bytes()).unwrap()).unwrap();
    let config = rustls::ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
    let mut stream = connector.connect("localhost".try_into().unwrap(), tcp).await.unwrap();
    check_switch(&mut stream, "").await;
}
