#![allow(clippy::unwrap_used, reason = "in a test it is an assertion")]

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::*;
use crate::Server;
use crate::transport::hyper::client::Speak;
use crate::transport::tls::{ClientTls, Connector, ServerTls};

/// A server in clear text and one with TLS that wait for nothing longer than a moment.
async fn servers() -> ([SocketAddr; 2], ClientTls, JoinSet<()>) {
    let moment = Duration::from_millis(50);
    let limits = Limits { head_timeout: moment, handshake_timeout: moment, ..Limits::default() };
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (certificate, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let tls = ServerTls::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap();
    let plain = Server::new().limits(limits.clone()).bind("127.0.0.1:0").await.unwrap();
    let secure = Server::new().limits(limits).tls(tls).bind("127.0.0.1:0").await.unwrap();
    let addresses = [plain.local_address(), secure.local_address()];
    let mut serving = JoinSet::new();
    serving.spawn(plain.serve());
    serving.spawn(secure.serve());
    (addresses, ClientTls::trusting_pem(certificate.as_bytes()).unwrap(), serving)
}

/// Sends `bytes` and waits for the server to close.
async fn check(what: &str, mut io: impl AsyncRead + AsyncWrite + Unpin, bytes: &[u8]) {
    let closed = async {
        io.write_all(bytes).await.unwrap();
        let mut seen = Vec::new();
        // A reset is an end as well.
        let _ = io.read_to_end(&mut seen).await;
        assert!(!seen.starts_with(b"HTTP/1.1 200"), "{what}: {seen:?}");
    };
    assert!(timeout(Duration::from_secs(20), closed).await.is_ok(), "{what} is still open");
}

#[tokio::test]
async fn connection_that_does_not_say_what_it_wants_is_closed() {
    let ([plain, secure], trust, _serving) = servers().await;
    let rows: [&[u8]; 5] =
        [b"", b"PRI", b"PRI * HTTP/2.0\r\n\r\nSM\r\n", b"GET / HT", b"GET / HTTP/1.1\r\nhost: x\r\n"];
    for bytes in rows {
        let what = bytes.escape_ascii();
        check(&format!("plain {what}"), TcpStream::connect(plain).await.unwrap(), bytes).await;
        check(&format!("no handshake {what}"), TcpStream::connect(secure).await.unwrap(), bytes).await;
        for speak in [Speak::Http1, Speak::Http2] {
            let tcp = TcpStream::connect(secure).await.unwrap();
            let (stream, _) = Connector::new(&trust, speak).handshake("localhost", tcp).await.unwrap();
            check(&format!("TLS, chose {speak:?}, {what}"), stream, bytes).await;
        }
    }
}

#[tokio::test]
async fn peer_that_does_not_speak_what_it_chose_is_closed() {
    let ([_, secure], trust, _serving) = servers().await;
    let rows: [(Speak, &[u8]); 2] = [
        (Speak::Http1, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"),
        (Speak::Http2, b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"),
    ];
    for (speak, bytes) in rows {
        let tcp = TcpStream::connect(secure).await.unwrap();
        let (stream, _) = Connector::new(&trust, speak).handshake("localhost", tcp).await.unwrap();
        check(&format!("{speak:?}"), stream, bytes).await;
    }
}
