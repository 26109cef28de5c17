//! Peers that send or read a byte at a time, or stop: what they asked for is answered all the same, or ends at its deadline,
//! and nobody else waits for them.

use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use trunkline::{CallOptions, Channel, Code, HttpVersion, Protocol, Request};

use crate::peers::{envelope, peer};
use crate::raw::{FORMS, PATHS, connect, in_form, next_call_is_served, post, request};
use crate::support::{CHAT, ECHO, World, within_bounds};

#[tokio::test]
async fn request_of_a_byte_at_a_time_is_answered_over_http1() {
    let world = World::new().await;
    for (content_type, is_text) in FORMS.iter().filter(|(form, _)| *form != "application/grpc+proto") {
        let body = in_form(&[envelope(0, b"one"), envelope(0, b"two")].concat(), *is_text);
        let request = post(PATHS[2], &format!("content-type: {content_type}\r\n"), &body);
        let mut stream = TcpStream::connect(world.plain_address()).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let mut seen = Vec::new();
        let work = async {
            for byte in &request {
                stream.write_all(&[*byte]).await.unwrap();
                tokio::task::yield_now().await;
            }
            stream.read_to_end(&mut seen).await.unwrap();
        };
        within_bounds(content_type, work).await;
        let text = String::from_utf8_lossy(&seen);
        let has = if *is_text { "dvbmUsdHdv" } else { "one,two" };
        assert!(text.contains(has), "{content_type}: {text}");
    }
}

#[tokio::test]
async fn request_of_a_byte_a_frame_is_answered_over_http2() {
    let world = World::new().await;
    let sender = connect(world.plain_address()).await;
    for (content_type, is_text) in FORMS {
        let body = in_form(&[envelope(0, b"one"), envelope(0, b"two")].concat(), *is_text);
        let mut ready = sender.clone().ready().await.unwrap();
        let (response, mut stream) = ready.send_request(request(PATHS[2], content_type), false).unwrap();
        for (index, byte) in body.iter().enumerate() {
            stream.send_data(Bytes::copy_from_slice(&[*byte]), index + 1 == body.len()).unwrap();
            tokio::task::yield_now().await;
        }
        let response = within_bounds(content_type, response).await.unwrap();
        assert_eq!(response.status(), 200, "{content_type}");
        next_call_is_served(&sender).await;
    }
}

#[tokio::test]
async fn answer_read_a_little_at_a_time_arrives_whole() {
    let world = World::new().await;
    let message = [&[100][..], &[b'x'; 1999]].concat();
    let whole = 100 * (5 + message.len());
    // Over HTTP/2 the window opens by a few bytes at a time; over HTTP/1.1 the socket is read so.
    let sender = connect(world.plain_address()).await;
    let mut ready = sender.clone().ready().await.unwrap();
    let (response, mut stream) =
        ready.send_request(request(PATHS[1], "application/grpc+proto"), false).unwrap();
    stream.send_data(envelope(0, &message).into(), true).unwrap();
    let mut body = within_bounds("head", response).await.unwrap().into_body();
    let mut seen = 0;
    while let Some(data) = within_bounds("data", body.data()).await {
        let length = data.unwrap().len();
        seen += length;
        for step in (0..length).step_by(100) {
            body.flow_control().release_capacity(100.min(length - step)).unwrap();
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(seen, whole);
    next_call_is_served(&sender).await;

    let mut stream = TcpStream::connect(world.plain_address()).await.unwrap();
    let head = "content-type: application/connect+proto\r\n";
    stream.write_all(&post(PATHS[1], head, &envelope(0, &message))).await.unwrap();
    let mut seen = 0;
    let mut piece = [0; 100];
    while let count @ 1.. = within_bounds("piece", stream.read(&mut piece)).await.unwrap() {
        seen += count;
        tokio::task::yield_now().await;
    }
    assert!(seen > whole, "{seen} of {whole}");
}

#[tokio::test]
async fn handler_of_a_peer_that_stops_reading_ends_at_its_deadline() {
    let world = World::new().await;
    let message = envelope(0, &[7; 10_000]);
    for (content_type, name) in
        [("application/grpc+proto", "grpc-timeout"), ("application/connect+proto", "connect-timeout-ms")]
    {
        let value = if name == "grpc-timeout" { "100m" } else { "100" };
        let sender = connect(world.plain_address()).await;
        let mut head = request("/test.v1.Shapes/Flood", content_type);
        head.headers_mut().insert(name, value.parse().unwrap());
        let mut ready = sender.clone().ready().await.unwrap();
        let (response, mut stream) = ready.send_request(head, false).unwrap();
        stream.send_data(message.clone().into(), true).unwrap();
        let _body = within_bounds(content_type, response).await.unwrap().into_body();
        // Nobody else waits meanwhile: not for the handler, and not for the windows of that connection.
        next_call_is_served(&connect(world.plain_address()).await).await;
        within_bounds(content_type, world.shapes.left.notified()).await;
    }
    let mut stream = TcpStream::connect(world.plain_address()).await.unwrap();
    let head = "content-type: application/connect+proto\r\nconnect-timeout-ms: 100\r\n";
    stream.write_all(&post("/test.v1.Shapes/Flood", head, &message)).await.unwrap();
    within_bounds("HTTP/1.1", world.shapes.left.notified()).await;
}

#[tokio::test]
async fn server_that_stops_reading_is_bounded_by_the_deadline() {
    let deaf = peer(|stream| async move {
        let _stream = stream;
        std::future::pending::<()>().await;
    })
    .await;
    let message = Bytes::from(vec![7; 3 << 20]);
    for (protocol, http) in [
        (Protocol::Grpc, HttpVersion::Http2),
        (Protocol::Connect, HttpVersion::Http1),
        (Protocol::GrpcWeb, HttpVersion::Http1),
    ] {
        let channel = Channel::builder(&deaf.target).protocol(protocol).http(http).connect_lazy().unwrap();
        let timeout = Duration::from_millis(100);
        let unary = channel.unary(&ECHO, Request::new(message.clone()).with_timeout(timeout));
        let error = within_bounds(protocol, unary).await.unwrap_err();
        assert_eq!(error.code(), Code::DeadlineExceeded, "{protocol}: {error}");
        let mut call = channel.bidi(&CHAT, CallOptions::new().with_timeout(timeout));
        let sending = async {
            loop {
                if let Err(error) = call.send(message.clone()).await {
                    return error;
                }
            }
        };
        let error = within_bounds(protocol, sending).await;
        assert_eq!(error.code(), Code::DeadlineExceeded, "{protocol}: {error}");
    }
}
