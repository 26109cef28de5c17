//! Peers that send or open far more than a call needs, or stop half-way: what they cost is bounded, and given back.

use std::future::poll_fn;

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::raw::{FORMS, PATHS, answer, connect, in_form, next_call_is_served, request};
use crate::support::{World, within_bounds};
use crate::{ALONE, CALL_PEAK_MAX, LIMIT, check, settle, world};

/// Sends `bytes` again and again until the server has had enough, or `times` are reached, then leaves. It reads what comes
/// back, so that the server cannot wait for it.
async fn pour(address: &str, first: &[u8], bytes: &[u8], times: usize) {
    let (mut answers, mut stream) = TcpStream::connect(address).await.unwrap().into_split();
    let reading = tokio::spawn(async move {
        let mut seen = [0; 4096];
        while matches!(answers.read(&mut seen).await, Ok(1..)) {}
    });
    stream.write_all(first).await.unwrap();
    for _ in 0..times {
        if stream.write_all(bytes).await.is_err() {
            break;
        }
    }
    reading.abort();
}

/// The preface and an empty SETTINGS frame (RFC 9113, 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const CONTINUATION: u8 = 9;

/// A literal field without indexing, name and value as they are (RFC 7541, 6.2.2).
fn field(value_bytes: u8) -> Vec<u8> {
    let value = vec![b'v'; usize::from(value_bytes)];
    [&b"\0\x04long"[..], &[value_bytes], &value].concat()
}

#[tokio::test]
async fn flood_of_fields_or_frames_costs_no_more_than_a_call() {
    let _alone = ALONE.lock().await;
    let world = world().await;
    let head = b"POST /test.v1.Shapes/Echo HTTP/1.1\r\nhost: x\r\n".as_slice();
    let fields = field(100).repeat(150);
    let opened = [PREFACE, &frame(HEADERS, 0, 1, &fields)].concat();
    let rows: &[(&str, Vec<u8>, Vec<u8>)] = &[
        ("a field without end", [head, b"x: "].concat(), vec![b'x'; 10_000]),
        ("fields without end", head.to_vec(), b"x: y\r\n".repeat(1000)),
        ("names without end", head.to_vec(), [b"x".repeat(1000).as_slice(), b": y\r\n"].concat()),
        ("a path without end", b"POST /".to_vec(), vec![b'x'; 10_000]),
        (
            "chunks with extensions without end",
            [head, b"content-type: application/proto\r\ntransfer-encoding: chunked\r\n\r\n1;"].concat(),
            vec![b'x'; 10_000],
        ),
        (
            "trailers without end",
            [head, b"content-type: application/proto\r\ntransfer-encoding: chunked\r\n\r\n0\r\n"].concat(),
            b"x: y\r\n".repeat(1000),
        ),
        ("CONTINUATION without end", opened.clone(), frame(CONTINUATION, 0, 1, &fields)),
        ("empty CONTINUATION without end", opened, frame(CONTINUATION, 0, 1, b"").repeat(1000)),
        ("PING without end", PREFACE.to_vec(), frame(PING, 0, 0, &[7; 8]).repeat(1000)),
        ("SETTINGS without end", PREFACE.to_vec(), frame(SETTINGS, 0, 0, b"").repeat(1000)),
    ];
    for (what, first, bytes) in rows {
        check(what, 2 * CALL_PEAK_MAX, async || {
            pour(world.plain_address(), first, bytes, 1000).await;
            serves_on(&world).await;
        })
        .await;
    }
}

async fn serves_on(world: &World) {
    next_call_is_served(&connect(world.plain_address()).await).await;
}

#[tokio::test]
async fn promise_of_a_large_message_costs_nothing() {
    let _alone = ALONE.lock().await;
    let world = world().await;
    let limit = u32::try_from(LIMIT).unwrap();
    for (content_type, is_text) in FORMS {
        for length in [limit, limit + 1, u32::MAX] {
            let body: Bytes = in_form(&[&[0][..], &length.to_be_bytes(), b"few"].concat(), *is_text).into();
            check(&format!("promise of {length} in {content_type}"), CALL_PEAK_MAX, async || {
                let sender = connect(world.plain_address()).await;
                let seen = answer(&sender, request(PATHS[2], content_type), body.clone()).await.unwrap();
                assert!(seen.starts_with("200 "), "{seen}");
                next_call_is_served(&sender).await;
            })
            .await;
        }
    }
}

#[tokio::test]
async fn message_above_the_limit_costs_no_more_than_the_limit() {
    let _alone = ALONE.lock().await;
    let world = world().await;
    // A unary request of Connect has no length in front: it is counted as it comes.
    let body = Bytes::from(vec![0; 16 * LIMIT]);
    check("16 MiB in application/proto", 4 * LIMIT, async || {
        let sender = connect(world.plain_address()).await;
        let (response, mut stream) =
            sender.clone().send_request(request(PATHS[0], "application/proto"), false).unwrap();
        let mut left = body.clone();
        while !left.is_empty() {
            stream.reserve_capacity(left.len());
            let Some(Ok(room)) = poll_fn(|cx| stream.poll_capacity(cx)).await else { break };
            let _ = stream.send_data(left.split_to(room.min(left.len())), left.is_empty());
        }
        let status = response.await.unwrap().status();
        assert_eq!(status, http::StatusCode::TOO_MANY_REQUESTS);
        next_call_is_served(&sender).await;
    })
    .await;
}

#[tokio::test]
async fn calls_opened_and_left_are_given_back() {
    let _alone = ALONE.lock().await;
    let world = world().await;
    check("10,000 calls opened and reset", 8 * CALL_PEAK_MAX, async || {
        let sender = connect(world.plain_address()).await;
        for turn in 0..10_000 {
            // The server may end a connection that does this; the next call then takes another.
            let Ok(mut ready) = sender.clone().ready().await else { break };
            let head = request(PATHS[turn % PATHS.len()], FORMS[turn % FORMS.len()].0);
            let Ok((_response, mut stream)) = ready.send_request(head, false) else { break };
            stream.send_reset(h2::Reason::CANCEL);
            // Our own half shall not queue what it cannot send yet: it is counted as well.
            tokio::task::yield_now().await;
        }
        drop(sender);
        serves_on(&world).await;
    })
    .await;
}

#[tokio::test]
async fn peers_that_stop_half_way_are_given_back() {
    let _alone = ALONE.lock().await;
    let world = world().await;
    let bodies: &[(&str, &[u8])] = &[
        ("half a line", b"POST /test.v1.Sh"),
        ("half a head", b"POST /test.v1.Shapes/Echo HTTP/1.1\r\nhost: x\r\ncont"),
        (
            "half a body",
            b"POST /test.v1.Shapes/Echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/proto\r\n\
              content-length: 9\r\n\r\nhalf",
        ),
        ("half a preface", &PREFACE[..20]),
        ("a preface", PREFACE),
    ];
    for (what, bytes) in bodies {
        check(&format!("100 peers that send {what}"), 100 * PEER_BYTES_MAX, async || {
            let mut peers = Vec::new();
            for _ in 0..100 {
                let mut stream = TcpStream::connect(world.plain_address()).await.unwrap();
                stream.write_all(bytes).await.unwrap();
                peers.push(stream);
            }
            settle().await;
            serves_on(&world).await;
        })
        .await;
    }
}

/// What one connection may hold that has sent next to nothing.
const PEER_BYTES_MAX: usize = 48 << 10;

#[tokio::test]
async fn peer_that_stops_reading_costs_a_buffer_for_each_stream() {
    let _alone = ALONE.lock().await;
    let world = world().await;
    // The buffer in front of the transport and the one that is being written, each while it grows to twice the size.
    let per_stream = 5 * trunkline::Limits::default().stream_buffer_bytes_max;
    check("50 endless answers that nobody reads", 50 * per_stream + CALL_PEAK_MAX, async || {
        let sender = connect(world.plain_address()).await;
        let mut answers = Vec::new();
        for _ in 0..50 {
            let mut ready = sender.clone().ready().await.unwrap();
            let head = request("/test.v1.Shapes/Flood", FORMS[0].0);
            let (response, mut stream) = ready.send_request(head, false).unwrap();
            stream.send_data(Bytes::from([&b"\0\0\0\x03\xe8"[..], &[7; 1000]].concat()), true).unwrap();
            // The window of the client stays closed: nothing that has arrived is ever released.
            answers.push(response.await.unwrap().into_body());
        }
        settle().await;
        serves_on(&world).await;
    })
    .await;
}

#[tokio::test]
async fn connection_that_is_never_read_costs_a_buffer_for_each_stream() {
    let _alone = ALONE.lock().await;
    let world = world().await;
    let request =
        b"POST /test.v1.Shapes/Flood HTTP/1.1\r\nhost: x\r\ncontent-type: application/connect+proto\r\n\
                    content-length: 7\r\n\r\n\0\0\0\0\x02ab";
    check("an endless answer over HTTP/1.1 that nobody reads", 2 * CALL_PEAK_MAX, async || {
        let mut stream = TcpStream::connect(world.plain_address()).await.unwrap();
        stream.write_all(request).await.unwrap();
        within_bounds("the head", stream.read_u8()).await.unwrap();
        settle().await;
        serves_on(&world).await;
    })
    .await;
}
