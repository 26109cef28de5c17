//! Calls over a Unix socket.

use bytes::Bytes;
use trunkline::{Channel, Code, HttpVersion, Limits, Protocol};

use crate::support::{ECHO, FACTS, server, within_bounds};

/// A path of this test's own, removed with all in it.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("trunkline-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
async fn every_protocol_goes_over_a_socket() {
    let folder = Folder::new("protocols");
    let path = folder.0.join("s");
    let bound = server(&std::sync::Arc::default(), &Limits::default()).bind_unix(&path).await.unwrap();
    assert_eq!(bound.path(), path);
    let serving = tokio::spawn(bound.serve());
    for protocol in [Protocol::Grpc, Protocol::GrpcWeb, Protocol::Connect] {
        for http in [HttpVersion::Http1, HttpVersion::Http2] {
            if protocol == Protocol::Grpc && http == HttpVersion::Http1 {
                continue;
            }
            let builder = Channel::builder(&format!("unix:{}", path.display())).protocol(protocol).http(http);
            let channel = builder.connect().await.unwrap();
            let reply =
                within_bounds(protocol, channel.unary(&ECHO, Bytes::from_static(b"hi"))).await.unwrap();
            assert_eq!(reply.into_message(), "hi", "{protocol} {http:?}");
            let facts =
                within_bounds(protocol, channel.unary(&FACTS, Bytes::new())).await.unwrap().into_message();
            let facts = String::from_utf8(facts.to_vec()).unwrap();
            assert!(facts.contains("tls:false peer:none local:none"), "{facts}");
        }
    }
    serving.abort();
    assert!(serving.await.is_err());
    assert!(!path.exists(), "the socket's file goes with its server");
}

#[tokio::test]
async fn left_over_socket_is_taken_over_and_a_living_one_is_not() {
    let folder = Folder::new("left-over");
    let path = folder.0.join("s");
    // A listener that is dropped leaves its file.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let first = server(&std::sync::Arc::default(), &Limits::default()).bind_unix(&path).await.unwrap();
    let second = server(&std::sync::Arc::default(), &Limits::default()).bind_unix(&path).await.unwrap_err();
    assert_eq!(second.code(), Code::Unavailable);
    assert!(second.message().contains("unix:"), "{second}");
    drop(first);
    std::fs::write(&path, "a file of somebody").unwrap();
    let third = server(&std::sync::Arc::default(), &Limits::default()).bind_unix(&path).await.unwrap_err();
    assert_eq!(third.code(), Code::Unavailable);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "a file of somebody", "it is left alone");
}

#[tokio::test]
async fn socket_that_is_not_there_is_unavailable() {
    let folder = Folder::new("missing");
    let target = format!("unix:{}", folder.0.join("none").display());
    let error = within_bounds("connect", Channel::connect(&target)).await.unwrap_err();
    assert_eq!(error.code(), Code::Unavailable);
    assert!(error.message().contains(&target), "{error}");
}
