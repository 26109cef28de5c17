//! Bodies that inflate to far more than the limit, in both directions, in every compression.

use bytes::Bytes;
use trunkline::compress::{Brotli, Compression, Deflate, Gzip, Snappy, Zstd};
use trunkline::{Channel, Code, HttpVersion, Limits, Protocol};

use crate::peers::{bytes_peer, envelope, response};
use crate::raw::{PATHS, answer, connect, next_call_is_served, request};
use crate::support::ECHO;
use crate::{ALONE, CALL_PEAK_MAX, LIMIT, MIB, check, world};

/// A body of each compression that inflates to that many zeros.
fn bombs(bytes: usize) -> Vec<(&'static str, Bytes)> {
    let zeros = vec![0; bytes];
    let all: [&dyn Compression; 5] =
        [&Gzip::new(9), &Deflate::new(9), &Zstd::default(), &Brotli::default(), &Snappy::default()];
    let bomb = |compression: &&dyn Compression| {
        let mut body = bytes::BytesMut::new();
        compression.compress(&zeros, &mut body);
        (compression.name(), Bytes::copy_from_slice(&body))
    };
    all.iter().map(bomb).collect()
}

/// What inflating up to the limit may take: the message, its buffer while it grows to twice the size, and what has arrived,
/// which may be copied once as well.
const fn bomb_peak_max(arrived: usize) -> usize {
    3 * LIMIT + 2 * arrived + CALL_PEAK_MAX
}

#[tokio::test]
async fn bomb_in_a_request_costs_no_more_than_the_limit() {
    let _alone = ALONE.lock().await;
    let world = world().await;
    let forms = [
        ("application/proto", "content-encoding", "resource_exhausted"),
        ("application/connect+proto", "connect-content-encoding", "resource_exhausted"),
        ("application/grpc+proto", "grpc-encoding", "\"grpc-status\": \"8\""),
        ("application/grpc-web+proto", "grpc-encoding", "grpc-status\": \"8\""),
    ];
    for size in [10 * MIB, 64 * MIB] {
        for (name, body) in bombs(size) {
            for (content_type, header, expected) in forms {
                let what =
                    format!("{} MiB of {name} in {} KiB, {content_type}", size >> 20, body.len() >> 10);
                let is_unary = content_type == "application/proto";
                let body = if is_unary { body.clone() } else { envelope(1, &body).into() };
                let path = if is_unary { PATHS[0] } else { PATHS[1] };
                check(&what, bomb_peak_max(body.len()), async || {
                    let sender = connect(world.plain_address()).await;
                    let mut head = request(path, content_type);
                    head.headers_mut().insert(header, name.parse().unwrap());
                    let seen = answer(&sender, head, body.clone()).await.unwrap();
                    assert!(seen.contains(expected), "{what}: {seen}");
                    next_call_is_served(&sender).await;
                })
                .await;
            }
        }
    }
}

#[tokio::test]
async fn bomb_in_a_response_costs_no_more_than_the_limit() {
    let _alone = ALONE.lock().await;
    let mut limits = Limits::default();
    limits.message_bytes_max = LIMIT;
    for (name, body) in bombs(64 * MIB) {
        let unary = format!("content-type: application/proto\r\ncontent-encoding: {name}\r\n");
        let web = format!("content-type: application/grpc-web+proto\r\ngrpc-encoding: {name}\r\n");
        for (protocol, headers, body) in
            [(Protocol::Connect, unary, body.to_vec()), (Protocol::GrpcWeb, web, envelope(1, &body))]
        {
            let what = format!("response, 64 MiB of {name} in {} KiB, {protocol}", body.len() >> 10);
            let peer = bytes_peer(response(200, &headers, &body)).await;
            let builder = Channel::builder(&peer.target).protocol(protocol).http(HttpVersion::Http1);
            let builder = builder.limits(limits.clone());
            check(&what, bomb_peak_max(body.len()), async || {
                let channel = builder.clone().connect_lazy().unwrap();
                let error = channel.unary(&ECHO, Bytes::from_static(b"x")).await.unwrap_err();
                assert_eq!(error.code(), Code::ResourceExhausted, "{what}: {error}");
            })
            .await;
        }
    }
}
