//! Streams that fill every window, and peers that read slowly or not at all.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use trunkline::{Channel, HttpVersion, Limits, Protocol};

use crate::peers::{envelope, peer};
use crate::raw::{PATHS, connect, next_call_is_served};
use crate::support::{ECHO, World, within_bounds};

/// The preface and an empty SETTINGS frame (RFC 9113, 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const WINDOW_UPDATE: u8 = 8;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

fn grant(stream: u32, bytes: u32) -> Vec<u8> {
    frame(WINDOW_UPDATE, 0, stream, &bytes.to_be_bytes())
}

/// A setting that lets each stream send `bytes` at first.
fn initial_window(bytes: u32) -> Vec<u8> {
    frame(SETTINGS, 0, 0, &[&[0, 4][..], &bytes.to_be_bytes()].concat())
}

/// A literal field without indexing, name and value as they are (RFC 7541, 6.2.2).
fn field(name: &str, value: &str) -> Vec<u8> {
    let length = |text: &str| u8::try_from(text.len()).unwrap();
    [&[0, length(name)], name.as_bytes(), &[length(value)], value.as_bytes()].concat()
}

/// The head of a call of gRPC.
fn head(path: &str, stream: u32) -> Vec<u8> {
    let fields = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", path),
        (":authority", "test"),
        ("content-type", "application/grpc+proto"),
        ("te", "trailers"),
    ];
    let block = fields.map(|(name, value)| field(name, value)).concat();
    frame(HEADERS, END_HEADERS, stream, &block)
}

/// Reads frames until `until` says that it is enough; it is told kind, flags and length.
async fn read_frames(stream: &mut TcpStream, mut until: impl FnMut(u8, u8, usize) -> bool) {
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await.unwrap();
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let mut payload = vec![0; length];
        stream.read_exact(&mut payload).await.unwrap();
        if until(head[3], head[4], length) {
            return;
        }
    }
}

/// Calls at once, each with a body of two times `SHARE` and a bit: as much as a stream sends before the next one's turn.
const CALLS: u32 = 8;
const SHARE: u32 = 64 << 10;

/// Answers a first call, behind which the client knows that its streams may send nothing at first. Then it lets every stream
/// send a share at once, and, when all have come, the rest. Tells when every body has ended.
async fn grant_twice(mut stream: TcpStream, ended: Arc<Notify>) {
    let mut preface = vec![0; PREFACE.len() - 9];
    stream.read_exact(&mut preface).await.unwrap();
    read_frames(&mut stream, |kind, flags, _| kind == DATA && flags & END_STREAM != 0).await;
    let block =
        [field(":status", "200"), field("content-type", "application/grpc"), field("grpc-status", "0")];
    let answer = frame(HEADERS, END_HEADERS | END_STREAM, 1, &block.concat());
    let first = [initial_window(0), grant(0, 1 << 24), answer].concat();
    stream.write_all(&first).await.unwrap();
    let mut heads = 0;
    let all_heads = |kind, _: u8, _: usize| {
        heads += u32::from(kind == HEADERS);
        heads == CALLS
    };
    read_frames(&mut stream, all_heads).await;
    let to_all = |bytes| (0..CALLS).flat_map(|call| grant(2 * call + 3, bytes)).collect::<Vec<_>>();
    stream.write_all(&to_all(SHARE)).await.unwrap();
    let mut seen = 0;
    let all_shares = |kind, _: u8, length| {
        seen += if kind == DATA { length } else { 0 };
        seen == (CALLS * SHARE) as usize
    };
    read_frames(&mut stream, all_shares).await;
    stream.write_all(&to_all(2 * SHARE)).await.unwrap();
    let mut ends = 0;
    let all_ends = |kind, flags, _: usize| {
        ends += u32::from(kind == DATA && flags & END_STREAM != 0);
        ends == CALLS
    };
    read_frames(&mut stream, all_ends).await;
    ended.notify_one();
    let _ = stream.read_u8().await;
}

#[tokio::test]
async fn bodies_that_fill_every_window_go_on_when_it_opens() {
    let ended = Arc::new(Notify::new());
    let told = Arc::clone(&ended);
    let server = peer(move |stream| grant_twice(stream, Arc::clone(&told))).await;
    let mut limits = Limits::default();
    limits.stream_buffer_bytes_max = 1 << 20;
    let builder = Channel::builder(&server.target).protocol(Protocol::Grpc).http(HttpVersion::Http2);
    let channel = builder.limits(limits).connect_lazy().unwrap();
    let first = within_bounds("first", channel.unary(&ECHO, Bytes::new())).await;
    assert!(first.is_err(), "an answer without a message");
    let message = Bytes::from(vec![7; 2 * SHARE as usize]);
    let mut calls = JoinSet::new();
    for _ in 0..CALLS {
        let (channel, message) = (channel.clone(), message.clone());
        calls.spawn(async move { channel.unary(&ECHO, message).await });
    }
    within_bounds("every body ends", ended.notified()).await;
}

#[tokio::test]
async fn peer_that_takes_no_bytes_is_left_after_the_write_timeout() {
    let mut limits = Limits::default();
    limits.write_timeout = Duration::from_millis(50);
    let world = World::with_limits(limits).await;
    let mut stream = TcpStream::connect(world.plain_address()).await.unwrap();
    // Its windows are open as wide as they go, so that nothing but its socket holds the answer up.
    let widest = (1 << 31) - 1;
    let call = [
        PREFACE,
        &initial_window(widest),
        &grant(0, widest - 65_535),
        &head("/test.v1.Shapes/Flood", 1),
        &frame(DATA, END_STREAM, 1, &envelope(0, &[7; 10_000])),
    ]
    .concat();
    stream.write_all(&call).await.unwrap();
    within_bounds("the handler ends", world.shapes.left.notified()).await;
    // What is in the socket's buffers still comes; behind it the connection ends, in whatever way.
    let drain = async {
        let mut seen = vec![0; 1 << 16];
        while let Ok(1..) = stream.read(&mut seen).await {}
    };
    within_bounds("the connection ends", drain).await;
    next_call_is_served(&connect(world.plain_address()).await).await;
}

#[tokio::test]
async fn ten_thousand_calls_left_after_their_first_answer_are_not_held_against_the_caller() {
    let world = World::new().await;
    let sender = connect(world.plain_address()).await;
    let body = Bytes::from(envelope(0, b"\x01m"));
    for turn in 0..10_000 {
        let mut ready = within_bounds(turn, sender.clone().ready()).await.unwrap();
        let request = crate::raw::request(PATHS[3], "application/grpc+proto");
        let (response, mut stream) = ready.send_request(request, false).unwrap();
        stream.send_data(body.clone(), false).unwrap();
        let response = within_bounds(turn, response).await.unwrap();
        stream.send_reset(h2::Reason::CANCEL);
        drop(response);
    }
    // On the same connection.
    next_call_is_served(&sender).await;
}
