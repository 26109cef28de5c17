//! Each compression, in every protocol over every transport: what goes in comes out, and a bomb is an error like any other.

use std::sync::Arc;

use bytes::Bytes;
use trunkline::compress::{Brotli, Compressions, Deflate, Gzip, Snappy, Zstd};
use trunkline::{ChannelBuilder, Code, Limits};

use crate::support::{ECHO, World, cases, server, within_bounds};

/// Sets what a channel compresses with.
type Choice = fn(ChannelBuilder) -> ChannelBuilder;

const CHOICES: [(&str, Choice); 5] = [
    ("gzip", |builder| builder.send_compressed(Gzip::default())),
    ("deflate", |builder| builder.send_compressed(Deflate::default())),
    ("zstd", |builder| builder.send_compressed(Zstd::default())),
    ("br", |builder| builder.send_compressed(Brotli::default())),
    ("snappy", |builder| builder.send_compressed(Snappy::default())),
];

#[tokio::test]
async fn compressed_requests_and_responses_come_out_as_they_went_in() {
    let world = World::new().await;
    for case in cases() {
        for (name, choice) in CHOICES {
            let what = format!("{case:?} {name}");
            let channel = world.channel_with(&case, choice);
            for message in [Bytes::from_static(b"small"), Bytes::from("long and dull ".repeat(10_000))] {
                let response = within_bounds(&what, channel.unary(&ECHO, message.clone())).await;
                assert_eq!(
                    response.unwrap_or_else(|error| panic!("{what}: {error}")).into_message(),
                    message
                );
            }
        }
    }
}

#[tokio::test]
async fn bomb_is_resource_exhausted_and_the_next_call_is_served() {
    let mut limits = Limits::default();
    limits.message_bytes_max = 1 << 20;
    let world = World::with_limits(limits).await;
    let bomb = Bytes::from(vec![0; 10 << 20]);
    for case in cases() {
        for (name, choice) in CHOICES {
            let what = format!("{case:?} {name}");
            let channel = world.channel_with(&case, choice);
            let outcome = within_bounds(&what, channel.unary(&ECHO, bomb.clone())).await;
            let error = outcome.expect_err(&what);
            assert_eq!(error.code(), Code::ResourceExhausted, "{what}: {error}");
            assert!(error.is_from_peer(), "{what}: {error}");
            let next = within_bounds(&what, channel.unary(&ECHO, Bytes::from_static(b"next"))).await;
            assert_eq!(next.unwrap_or_else(|error| panic!("{what}: {error}")).into_message(), "next");
        }
    }
}

#[tokio::test]
async fn bomb_of_a_server_is_resource_exhausted() {
    let world = World::new().await;
    let mut limits = Limits::default();
    limits.message_bytes_max = 100_000;
    for case in cases() {
        for (name, choice) in CHOICES {
            let what = format!("{case:?} {name}");
            let channel = world.channel_with(&case, |builder| choice(builder).limits(limits.clone()));
            let outcome = within_bounds(&what, channel.unary(&ECHO, Bytes::from(vec![0; 3 << 20]))).await;
            let error = outcome.expect_err(&what);
            assert_eq!(error.code(), Code::ResourceExhausted, "{what}: {error}");
            assert!(!error.is_from_peer(), "{what}: {error}");
        }
    }
}

#[tokio::test]
async fn compression_that_the_server_does_not_know_is_unimplemented() {
    for case in cases() {
        let mut known = Compressions::none();
        known.push(Arc::new(Zstd::default()));
        let server = server(&Arc::default(), &Limits::default()).compressions(known);
        let builder = case.builder("memory").send_compressed(Brotli::default());
        let channel = trunkline::testkit::pair_with(server, builder);
        let message = Bytes::from(vec![b'x'; 10_000]);
        let error = within_bounds(case, channel.unary(&ECHO, message)).await.unwrap_err();
        assert_eq!(error.code(), Code::Unimplemented, "{case:?}: {error}");
        assert!(error.message().contains("zstd"), "{case:?}: {error}");
    }
}
