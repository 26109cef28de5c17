//! Calls that end before their time: deadlines, callers that leave, panics, shutdown.

use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use trunkline::{Code, Limits, Request};

use crate::support::{CHAT, Case, ECHO, HANG, PANIC, World, cases, server, within_bounds};

#[tokio::test]
async fn deadline_ends_a_call_that_never_answers() {
    let world = World::new().await;
    for case in cases() {
        let channel = world.channel(&case);
        let request = Request::new(Bytes::new()).with_timeout(Duration::from_millis(50));
        let error = within_bounds(case, channel.unary(&HANG, request)).await.unwrap_err();
        assert_eq!(error.code(), Code::DeadlineExceeded, "{case:?}: {error}");
        within_bounds(case, world.shapes.left.notified()).await;
        let response = within_bounds(case, channel.unary(&ECHO, Bytes::from_static(b"next"))).await;
        assert_eq!(response.unwrap().into_message(), "next", "{case:?}");
    }
}

#[tokio::test]
async fn deadline_ends_a_stream_that_is_waited_on() {
    let world = World::new().await;
    for case in cases().into_iter().filter(Case::is_full_duplex) {
        let options = trunkline::CallOptions::new().with_timeout(Duration::from_millis(50));
        let mut call = world.channel(&case).bidi(&CHAT, options);
        let error = within_bounds(case, call.message()).await.unwrap_err();
        assert_eq!(error.code(), Code::DeadlineExceeded, "{case:?}: {error}");
    }
}

#[tokio::test]
async fn handler_is_told_when_the_caller_leaves() {
    let world = World::new().await;
    for case in cases() {
        let channel = world.channel(&case);
        let call = tokio::spawn({
            let channel = channel.clone();
            async move { channel.unary(&HANG, Bytes::new()).await }
        });
        within_bounds(case, world.shapes.begun.notified()).await;
        call.abort();
        within_bounds(case, world.shapes.left.notified()).await;
        let response = within_bounds(case, channel.unary(&ECHO, Bytes::from_static(b"next"))).await;
        assert_eq!(response.unwrap().into_message(), "next", "{case:?}");
    }
}

#[tokio::test]
async fn panic_ends_its_own_call_and_nothing_else() {
    let world = World::new().await;
    for case in cases() {
        let channel = world.channel(&case);
        let error = within_bounds(case, channel.unary(&PANIC, Bytes::new())).await.unwrap_err();
        assert_eq!(error.code(), Code::Internal, "{case:?}: {error}");
        assert!(!error.message().contains("on purpose"), "{case:?}: the text of a panic stays at home");
        let response = within_bounds(case, channel.unary(&ECHO, Bytes::from_static(b"next"))).await;
        assert_eq!(response.unwrap().into_message(), "next", "{case:?}");
    }
}

#[tokio::test]
async fn shutdown_lets_calls_end_and_then_returns() {
    let shapes = std::sync::Arc::default();
    let bound = server(&shapes, &Limits::default()).bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}", bound.local_address());
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(bound.serve_until(async { drop(stopped.await) }));
    let channel = trunkline::Channel::connect(&target).await.unwrap();
    let mut call = channel.bidi(&CHAT, trunkline::CallOptions::new());
    within_bounds("shutdown", async {
        call.send(Bytes::from_static(b"before")).await.unwrap();
        assert_eq!(call.message().await.unwrap().unwrap(), "before");
        stop.send(()).unwrap();
        call.send(Bytes::from_static(b"while draining")).await.unwrap();
        assert_eq!(call.message().await.unwrap().unwrap(), "while draining");
        call.close();
        assert!(call.message().await.unwrap().is_none());
        serving.await.unwrap();
        let error = channel.unary(&ECHO, Bytes::new()).await.unwrap_err();
        assert_eq!(error.code(), Code::Unavailable, "{error}");
    })
    .await;
}

#[tokio::test]
async fn shutdown_returns_although_a_call_never_ends() {
    let shapes = std::sync::Arc::<crate::support::Shapes>::default();
    let mut limits = Limits::default();
    limits.drain_timeout = Duration::from_millis(50);
    let bound = server(&shapes, &limits).bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}", bound.local_address());
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(bound.serve_until(async { drop(stopped.await) }));
    let channel = trunkline::Channel::connect(&target).await.unwrap();
    let call = tokio::spawn(async move { channel.unary(&HANG, Bytes::new()).await });
    within_bounds("shutdown", async {
        shapes.begun.notified().await;
        stop.send(()).unwrap();
        serving.await.unwrap();
        let error = call.await.unwrap().unwrap_err();
        assert_eq!(error.code(), Code::Unavailable, "{error}");
        assert!(!error.is_from_peer());
    })
    .await;
}

#[tokio::test]
async fn peer_that_no_longer_answers_is_given_up() {
    let mut limits = Limits::default();
    limits.ping_interval = Duration::from_millis(20);
    limits.ping_timeout = Duration::from_millis(20);
    let world = World::with_limits(limits).await;
    let mut vanished = tokio::net::TcpStream::connect(world.plain_address()).await.unwrap();
    // The preface and an empty SETTINGS frame (RFC 9113, 3.4), and never a word again.
    vanished.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
    let mut seen = Vec::new();
    // A close or a reset: either way the server has let go.
    let _ = within_bounds("ping", vanished.read_to_end(&mut seen)).await;
    assert!(seen.windows(9).any(|frame| frame[..5] == [0, 0, 8, 6, 0]), "it was asked first: {seen:?}");
    for case in cases() {
        let response =
            within_bounds(case, world.channel(&case).unary(&ECHO, Bytes::from_static(b"next"))).await;
        assert_eq!(response.unwrap().into_message(), "next", "{case:?}");
    }
}
