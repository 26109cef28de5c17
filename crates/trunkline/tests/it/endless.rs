//! Servers that say nothing, or never stop: a deadline or a limit ends the call.

use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use trunkline::{Channel, Code, HttpVersion, Protocol, Request};

use crate::peers::{PROTO, WEB, over_http1, peer, response, unary};
use crate::support::{ECHO, within_bounds};

#[tokio::test]
async fn server_that_says_nothing_is_bounded_by_the_deadline() {
    let silent = peer(|mut stream| async move {
        let mut seen = [0; 4096];
        while matches!(stream.read(&mut seen).await, Ok(1..)) {}
    })
    .await;
    let https = silent.target.replace("http", "https");
    for (target, protocol, http) in [
        (&silent.target, Protocol::Grpc, HttpVersion::Http2),
        (&silent.target, Protocol::Connect, HttpVersion::Http1),
        (&silent.target, Protocol::GrpcWeb, HttpVersion::Http1),
        (&https, Protocol::Grpc, HttpVersion::Http2),
        (&https, Protocol::Connect, HttpVersion::Http1),
    ] {
        let what = format!("{target} {protocol}");
        let channel = Channel::builder(target).protocol(protocol).http(http).connect_lazy().unwrap();
        // Twice: the call that gave up must not stand in the way of the next.
        for _ in 0..2 {
            let request = Request::new(Bytes::new()).with_timeout(Duration::from_millis(50));
            let error = within_bounds(&what, channel.unary(&ECHO, request)).await.unwrap_err();
            assert_eq!(error.code(), Code::DeadlineExceeded, "{what}: {error}");
        }
    }
}

#[tokio::test]
async fn flood_of_interim_responses_is_bounded_by_the_deadline() {
    let flooding = peer(|mut stream| async move {
        let mut seen = [0; 4096];
        let _ = stream.read(&mut seen).await;
        while stream.write_all(b"HTTP/1.1 103 X\r\nlink: x\r\n\r\n").await.is_ok() {}
    })
    .await;
    let channel = over_http1(&flooding.target, Protocol::Connect, false);
    let request = Request::new(Bytes::new()).with_timeout(Duration::from_millis(50));
    let error = within_bounds("interim", channel.unary(&ECHO, request)).await.unwrap_err();
    assert_eq!(error.code(), Code::DeadlineExceeded, "{error}");
}

#[tokio::test]
async fn body_without_end_is_bounded_by_the_limit() {
    let rows = [
        (PROTO, Protocol::Connect, Code::ResourceExhausted),
        ("content-type: text/html\r\n", Protocol::Connect, Code::Unknown),
        (WEB, Protocol::GrpcWeb, Code::Internal),
    ];
    for (headers, protocol, code) in rows {
        let endless = peer(move |mut stream| async move {
            let mut seen = [0; 4096];
            let _ = stream.read(&mut seen).await;
            let _ = stream.write_all(&response(200, headers, b"")).await;
            while stream.write_all(&[0xff; 4096]).await.is_ok() {}
        })
        .await;
        let channel = over_http1(&endless.target, protocol, false);
        let error = within_bounds(headers, unary(&channel)).await.unwrap_err();
        assert_eq!(error.code(), code, "{headers}: {error}");
    }
}
