//! What a caller sees when there is no server, or not the one expected. The code says what; the chain of sources why.

use std::error::Error as StdError;
use std::io;

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use trunkline::transport::tls::{ClientTls, ServerTls};
use trunkline::{Channel, Code, Error, HttpVersion, Protocol};

use crate::support::{ECHO, World, certificates, within_bounds};

fn io_source(error: &Error) -> Option<io::ErrorKind> {
    let mut next: Option<&(dyn StdError + 'static)> = error.source();
    while let Some(current) = next {
        if let Some(io) = current.downcast_ref::<io::Error>() {
            return Some(io.kind());
        }
        next = current.source();
    }
    None
}

/// A port on which nobody listens.
async fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port()
}

#[tokio::test]
async fn refused_connection_is_unavailable_with_its_source() {
    let target = format!("http://127.0.0.1:{}", closed_port().await);
    let connect = within_bounds("connect", Channel::connect(&target)).await.unwrap_err();
    let lazy = Channel::builder(&target).connect_lazy().unwrap();
    let call = within_bounds("call", lazy.unary(&ECHO, Bytes::new())).await.unwrap_err();
    for error in [connect, call] {
        assert_eq!(error.code(), Code::Unavailable, "{error}");
        assert!(error.message().contains(&target["http://".len()..]), "{error}");
        assert!(!error.is_from_peer());
        assert_eq!(io_source(&error), Some(io::ErrorKind::ConnectionRefused), "{error:?}");
    }
}

#[tokio::test]
async fn unknown_host_is_unavailable_with_its_source() {
    let error = within_bounds("dns", Channel::connect("http://no-such-host.invalid:80")).await.unwrap_err();
    assert_eq!(error.code(), Code::Unavailable, "{error}");
    assert!(error.message().contains("no-such-host.invalid"), "{error}");
    assert!(io_source(&error).is_some(), "{error:?}");
}

#[tokio::test]
async fn certificate_that_is_not_trusted_is_unavailable_with_its_source() {
    let (server_tls, _) = certificates();
    let (_, other) = certificates();
    let shapes = std::sync::Arc::default();
    let bound =
        crate::support::server(&shapes, &trunkline::Limits::default()).tls(server_tls).bind("127.0.0.1:0");
    let bound = bound.await.unwrap();
    let target = format!("https://localhost:{}", bound.local_address().port());
    let serving = tokio::spawn(bound.serve());
    let error = within_bounds("tls", Channel::builder(&target).tls(other).connect()).await.unwrap_err();
    assert_eq!(error.code(), Code::Unavailable, "{error}");
    assert!(error.message().contains("TLS handshake"), "{error}");
    assert!(error.message().to_lowercase().contains("certificate"), "{error}");
    serving.abort();
}

#[tokio::test]
async fn target_that_is_no_url_is_invalid() {
    let rows = ["", "ftp://host", "http://", "https://host:port", "unix:", "http://a b"];
    for target in rows {
        let error = Channel::builder(target).connect_lazy().unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument, "{target:?}: {error}");
        assert!(error.message().contains(&format!("{target:?}")), "{error}");
    }
}

/// A peer that answers every connection with fixed bytes, after the first read, and closes.
async fn scripted(answer: Vec<u8>) -> (u16, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let task = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut seen = [0; 4096];
            let _ = stream.read(&mut seen).await;
            let _ = stream.write_all(&answer).await;
        }
    });
    (port, task)
}

#[tokio::test]
async fn connection_cut_in_the_middle_is_unavailable() {
    for answer in
        [&b""[..], b"HTTP/1.1 200 OK\r\ncontent-type: application/proto\r\ncontent-length: 10\r\n\r\nabc"]
    {
        let (port, task) = scripted(answer.to_vec()).await;
        let builder = Channel::builder(&format!("http://127.0.0.1:{port}"));
        let channel = builder.protocol(Protocol::Connect).http(HttpVersion::Http1).connect_lazy().unwrap();
        let error = within_bounds("cut", channel.unary(&ECHO, Bytes::new())).await.unwrap_err();
        assert_eq!(error.code(), Code::Unavailable, "{error}");
        assert!(error.source().is_some());
        task.abort();
    }
}

#[tokio::test]
async fn http2_goaway_and_reset_come_back_as_codes() {
    // An empty SETTINGS frame, then what the row says (RFC 9113, 6.4, 6.5, 6.8).
    let settings = b"\x00\x00\x00\x04\x00\x00\x00\x00\x00".to_vec();
    let rows: &[(&str, &[u8], Code)] = &[
        ("REFUSED_STREAM", b"\x00\x00\x04\x03\x00\x00\x00\x00\x01\x00\x00\x00\x07", Code::Unavailable),
        ("CANCEL", b"\x00\x00\x04\x03\x00\x00\x00\x00\x01\x00\x00\x00\x08", Code::Canceled),
        (
            "ENHANCE_YOUR_CALM",
            b"\x00\x00\x04\x03\x00\x00\x00\x00\x01\x00\x00\x00\x0b",
            Code::ResourceExhausted,
        ),
        (
            "INADEQUATE_SECURITY",
            b"\x00\x00\x04\x03\x00\x00\x00\x00\x01\x00\x00\x00\x0c",
            Code::PermissionDenied,
        ),
        ("INTERNAL_ERROR", b"\x00\x00\x04\x03\x00\x00\x00\x00\x01\x00\x00\x00\x02", Code::Internal),
        (
            "GOAWAY",
            b"\x00\x00\x08\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
            Code::Unavailable,
        ),
    ];
    for (name, frame, code) in rows {
        let (port, task) = http2_peer([settings.as_slice(), frame].map(<[u8]>::to_vec)).await;
        let channel = Channel::builder(&format!("http://127.0.0.1:{port}")).connect_lazy().unwrap();
        let error = within_bounds(name, channel.unary(&ECHO, Bytes::new())).await.unwrap_err();
        assert_eq!(error.code(), *code, "{name}: {error}");
        assert!(!error.is_from_peer(), "{name}");
        assert!(error.source().is_some(), "{name}");
        task.abort();
    }
}

/// A peer that sends SETTINGS, waits for the first HEADERS frame, sends the answer, and keeps the connection.
async fn http2_peer([settings, answer]: [Vec<u8>; 2]) -> (u16, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let task = tokio::spawn(async move {
        let mut kept = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            stream.write_all(&settings).await.unwrap();
            let mut preface = [0; 24];
            stream.read_exact(&mut preface).await.unwrap();
            loop {
                let mut head = [0; 9];
                if stream.read_exact(&mut head).await.is_err() {
                    break;
                }
                let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
                let mut payload = vec![0; length];
                stream.read_exact(&mut payload).await.unwrap();
                if head[3] == 1 {
                    stream.write_all(&answer).await.unwrap();
                    break;
                }
            }
            kept.push(stream);
        }
    });
    (port, task)
}

#[tokio::test]
async fn channel_connects_again_after_the_server_came_back() {
    let world = World::new().await;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    listener.set_nonblocking(true).unwrap();
    let serve = |listener: std::net::TcpListener| {
        let server = crate::support::server(&world.shapes, &trunkline::Limits::default());
        tokio::spawn(server.listen(TcpListener::from_std(listener).unwrap()).unwrap().serve())
    };
    let first = serve(listener.try_clone().unwrap());
    for (protocol, http) in [(Protocol::Grpc, HttpVersion::Http2), (Protocol::Connect, HttpVersion::Http1)] {
        let builder = Channel::builder(&format!("http://{address}")).protocol(protocol).http(http);
        let channel = builder.connect().await.unwrap();
        assert!(within_bounds("first", channel.unary(&ECHO, Bytes::new())).await.is_ok());
        if protocol == Protocol::Grpc {
            first.abort();
            // The old connection is gone, the listen queue is still there, and another server takes it over.
            let second = serve(listener.try_clone().unwrap());
            let again = within_bounds("again", async {
                loop {
                    match channel.unary(&ECHO, Bytes::new()).await {
                        Ok(_) => break,
                        Err(error) => assert_eq!(error.code(), Code::Unavailable, "{error}"),
                    }
                    tokio::task::yield_now().await;
                }
            });
            again.await;
            drop(second);
        }
    }
}

#[tokio::test]
async fn tls_to_a_server_in_clear_text_says_what_to_try() {
    let world = World::new().await;
    let (_, tls) = certificates();
    let target = format!("https://{}", world.plain_address());
    let error = within_bounds("tls", Channel::builder(&target).tls(tls).connect()).await.unwrap_err();
    assert_eq!(error.code(), Code::Unavailable, "{error}");
    assert!(error.message().contains("then the target starts with http://"), "{error}");
}

#[tokio::test]
async fn certificate_of_an_authority_in_the_place_of_a_servers_says_so() {
    let mut made = rcgen::CertificateParams::new(["localhost".to_owned()]).unwrap();
    made.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = made.self_signed(&key).unwrap().pem();
    let tls = ServerTls::from_pem(certificate.as_bytes(), key.serialize_pem().as_bytes()).unwrap();
    let bound = crate::support::server(&std::sync::Arc::default(), &trunkline::Limits::default()).tls(tls);
    let bound = bound.bind("127.0.0.1:0").await.unwrap();
    let target = format!("https://localhost:{}", bound.local_address().port());
    let serving = tokio::spawn(bound.serve());
    let trusting = ClientTls::trusting_pem(certificate.as_bytes()).unwrap();
    let error = within_bounds("tls", Channel::builder(&target).tls(trusting).connect()).await.unwrap_err();
    assert!(error.message().contains("marked as an authority"), "{error}");
    serving.abort();
}

#[tokio::test]
async fn certificate_can_be_replaced_while_the_server_runs() {
    let made = || rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (old, new) = (made(), made());
    let (old_pem, new_pem) = (old.cert.pem(), new.cert.pem());
    let (old_key, new_key) = (old.signing_key.serialize_pem(), new.signing_key.serialize_pem());
    let tls = ServerTls::from_pem(old_pem.as_bytes(), old_key.as_bytes()).unwrap();
    let server =
        crate::support::server(&std::sync::Arc::default(), &trunkline::Limits::default()).tls(tls.clone());
    let bound = server.bind("127.0.0.1:0").await.unwrap();
    let target = format!("https://localhost:{}", bound.local_address().port());
    let serving = tokio::spawn(bound.serve());
    let connect = async |pem: &str| {
        let trusting = ClientTls::trusting_pem(pem.as_bytes()).unwrap();
        within_bounds("connect", Channel::builder(&target).tls(trusting).connect()).await
    };
    let standing = connect(&old_pem).await.unwrap();
    assert!(connect(&new_pem).await.is_err());
    // What cannot be used changes nothing.
    assert_eq!(
        tls.replace_pem(new_pem.as_bytes(), old_key.as_bytes()).unwrap_err().code(),
        Code::InvalidArgument
    );
    assert!(connect(&old_pem).await.is_ok());
    tls.replace_pem(new_pem.as_bytes(), new_key.as_bytes()).unwrap();
    assert!(connect(&new_pem).await.is_ok());
    assert!(connect(&old_pem).await.is_err());
    let reply = within_bounds("standing", standing.unary(&ECHO, Bytes::from_static(b"still here"))).await;
    assert_eq!(reply.unwrap().into_message(), "still here", "a connection that stands keeps its certificate");
    serving.abort();
}
