//! Every shape, over everything that carries it.

use bytes::Bytes;
use trunkline::{Code, Error, Streaming};

use crate::support::{CHAT, COUNT, Case, ECHO, JOIN, World, cases, within_bounds};

fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

#[tokio::test]
async fn unary_answers() {
    let world = World::new().await;
    for case in cases() {
        let channel = world.channel(&case);
        for message in ["", "hello", &"x".repeat(100_000)] {
            let response = within_bounds(case, channel.unary(&ECHO, bytes(message))).await;
            assert_eq!(
                response.unwrap_or_else(|error| panic!("{case:?}: {error}")).into_message(),
                message,
                "{case:?}"
            );
        }
    }
}

#[tokio::test]
async fn unary_calls_at_once_share_a_channel() {
    let world = World::new().await;
    for case in cases() {
        let channel = world.channel(&case);
        let mut calls = tokio::task::JoinSet::new();
        for number in 0..50 {
            let channel = channel.clone();
            calls
                .spawn(async move { (number, channel.unary(&ECHO, bytes(&format!("call {number}"))).await) });
        }
        while let Some(done) = within_bounds(case, calls.join_next()).await {
            let (number, response) = done.unwrap();
            assert_eq!(response.unwrap().into_message(), format!("call {number}"), "{case:?}");
        }
    }
}

#[tokio::test]
async fn server_stream_gives_all_messages_in_order() {
    let world = World::new().await;
    for case in cases() {
        for (times, size) in [(0_u8, 1_usize), (1, 1), (200, 10), (20, 50_000)] {
            let mut message = vec![b'm'; size];
            message[0] = times;
            let channel = world.channel(&case);
            let seen = within_bounds(case, collect(&channel, message.clone())).await.unwrap();
            assert_eq!(seen.len(), usize::from(times), "{case:?}");
            assert!(seen.iter().all(|seen| *seen == message), "{case:?}");
        }
    }
}

async fn collect(channel: &trunkline::Channel, message: Vec<u8>) -> Result<Vec<Bytes>, Error> {
    let mut stream = channel.server_stream(&COUNT, Bytes::from(message)).await?.into_message();
    let mut seen = Vec::new();
    while let Some(message) = stream.message().await? {
        seen.push(message);
    }
    assert!(stream.trailers().is_some(), "the end has been seen, so there are trailers");
    assert!(stream.message().await?.is_none(), "the end repeats");
    Ok(seen)
}

#[tokio::test]
async fn client_stream_is_joined() {
    let world = World::new().await;
    for case in cases() {
        let channel = world.channel(&case);
        for (messages, joined) in [(vec![], ""), (vec!["one"], "one"), (vec!["a", "b", "c"], "a,b,c")] {
            let requests = Streaming::from_iter(messages.into_iter().map(bytes).collect::<Vec<_>>());
            let response = within_bounds(case, channel.client_stream(&JOIN, request(requests))).await;
            assert_eq!(response.unwrap().into_message(), joined, "{case:?}");
        }
    }
}

fn request<T>(requests: Streaming<T>) -> trunkline::Request<Streaming<T>> {
    trunkline::Request::new(requests)
}

#[tokio::test]
async fn client_stream_larger_than_every_buffer_arrives_whole() {
    let world = World::new().await;
    for case in cases() {
        let channel = world.channel(&case);
        let requests = Streaming::from_iter((0..40).map(|_| Bytes::from(vec![b'x'; 50_000])));
        let response = within_bounds(case, channel.client_stream(&JOIN, request(requests))).await;
        assert_eq!(response.unwrap().len(), 40 * 50_001 - 1, "{case:?}");
    }
}

#[tokio::test]
async fn request_stream_that_fails_ends_the_call_with_its_code() {
    let world = World::new().await;
    for case in cases() {
        let channel = world.channel(&case);
        let requests =
            Streaming::new(futures_stream(vec![Ok(bytes("one")), Err(Error::out_of_range("no more"))]));
        let error = within_bounds(case, channel.client_stream(&JOIN, request(requests))).await.unwrap_err();
        assert_eq!((error.code(), error.message()), (Code::OutOfRange, "no more"), "{case:?}");
        assert!(!error.is_from_peer(), "{case:?}");
        let response = within_bounds(case, channel.unary(&ECHO, bytes("next"))).await;
        assert_eq!(response.unwrap().into_message(), "next", "{case:?}: the next call is served");
    }
}

fn futures_stream<T: Send + 'static>(items: Vec<Result<T, Error>>) -> Streaming<T> {
    Streaming::unfold(items.into_iter(), async |mut items| match items.next() {
        Some(Ok(item)) => Ok(Some((item, items))),
        Some(Err(error)) => Err(error),
        None => Ok(None),
    })
}

#[tokio::test]
async fn bidi_half_duplex_answers_after_the_last_request() {
    let world = World::new().await;
    for case in cases() {
        let mut call = world.channel(&case).bidi(&CHAT, trunkline::CallOptions::new());
        within_bounds(case, async {
            for message in ["a", "b"] {
                call.send(bytes(message)).await.unwrap();
            }
            call.close();
            assert_eq!(call.message().await.unwrap().unwrap(), "a");
            assert_eq!(call.message().await.unwrap().unwrap(), "b");
            assert!(call.message().await.unwrap().is_none());
            assert!(call.trailers().is_some());
            let error = call.send(bytes("c")).await.unwrap_err();
            assert_eq!(error.code(), Code::FailedPrecondition, "sending after close");
        })
        .await;
    }
}

#[tokio::test]
async fn bidi_full_duplex_takes_turns() {
    let world = World::new().await;
    for case in cases().into_iter().filter(Case::is_full_duplex) {
        let options = trunkline::CallOptions::new().with_metadata("echo", "early").unwrap();
        let mut call = world.channel(&case).bidi(&CHAT, options);
        within_bounds(case, async {
            // The headers come before any message: the client has sent nothing yet.
            assert_eq!(call.headers().await.unwrap().value("echoed"), Some("early"), "{case:?}");
            for turn in 0..100 {
                let message = format!("turn {turn}");
                call.send(bytes(&message)).await.unwrap();
                assert_eq!(call.message().await.unwrap().unwrap(), message, "{case:?}");
            }
            call.close();
            assert!(call.message().await.unwrap().is_none(), "{case:?}");
        })
        .await;
    }
}

#[tokio::test]
async fn bidi_error_arrives_after_the_messages_before_it() {
    let world = World::new().await;
    for case in cases().into_iter().filter(Case::is_full_duplex) {
        let mut call = world.channel(&case).bidi(&CHAT, trunkline::CallOptions::new());
        within_bounds(case, async {
            call.send(bytes("one")).await.unwrap();
            call.send(bytes("fail")).await.unwrap();
            assert_eq!(call.message().await.unwrap().unwrap(), "one", "{case:?}");
            let error = call.message().await.unwrap_err();
            assert_eq!((error.code(), error.message()), (Code::Aborted, "as asked"), "{case:?}");
            assert!(error.is_from_peer(), "{case:?}");
        })
        .await;
    }
}

#[tokio::test]
async fn connect_get_carries_calls_without_side_effects() {
    let world = World::new().await;
    for case in cases().into_iter().filter(|case| case.protocol == trunkline::Protocol::Connect) {
        let channel = world.channel_with(&case, |builder| builder.use_get(true));
        let response = within_bounds(case, channel.unary(&ECHO, Bytes::from_static(b"\x00\xff?&=%"))).await;
        assert_eq!(response.unwrap().into_message(), &b"\x00\xff?&=%"[..], "{case:?}");
    }
}

#[tokio::test]
async fn compressed_requests_and_responses_come_out_as_they_went_in() {
    let world = World::new().await;
    for case in cases() {
        let channel = world
            .channel_with(&case, |builder| builder.send_compressed(trunkline::compress::Gzip::default()));
        for message in ["small", &"long and dull ".repeat(10_000)] {
            let response = within_bounds(case, channel.unary(&ECHO, bytes(message))).await;
            assert_eq!(response.unwrap().into_message(), message, "{case:?}");
        }
    }
}

#[tokio::test]
async fn half_duplex_answers_wait_for_the_last_request() {
    let world = World::new().await;
    for case in cases().into_iter().filter(|case| !case.is_full_duplex()) {
        let mut call = uncompressed(&world, &case).bidi(&CHAT, trunkline::CallOptions::new());
        within_bounds(case, async {
            // Far more than every buffer on the way: if answers were written meanwhile, both sides would wait for ever.
            for _ in 0..30 {
                call.send(Bytes::from(vec![b'x'; 100_000])).await.unwrap();
            }
            let early = tokio::time::timeout(std::time::Duration::from_millis(20), call.headers()).await;
            assert!(early.is_err(), "{case:?}: no answer before the last request");
            call.close();
            for _ in 0..30 {
                assert_eq!(call.message().await.unwrap().unwrap().len(), 100_000, "{case:?}");
            }
            assert!(call.message().await.unwrap().is_none(), "{case:?}");
        })
        .await;
    }
}

#[tokio::test]
async fn half_duplex_answers_above_the_limit_end_the_call() {
    let mut limits = trunkline::Limits::default();
    limits.half_duplex_bytes_max = 50_000;
    let world = World::with_limits(limits).await;
    for case in cases().into_iter().filter(|case| !case.is_full_duplex()) {
        let channel = uncompressed(&world, &case);
        let mut call = channel.bidi(&CHAT, trunkline::CallOptions::new());
        within_bounds(case, async {
            // The server refuses the rest at some point: sending may fail, receiving says why.
            for _ in 0..10 {
                if call.send(Bytes::from(vec![b'x'; 20_000])).await.is_err() {
                    break;
                }
            }
            call.close();
            let error = loop {
                match call.message().await {
                    Ok(message) => assert!(message.is_some(), "{case:?}: the call cannot end well"),
                    Err(error) => break error,
                }
            };
            assert_eq!(error.code(), Code::ResourceExhausted, "{case:?}: {error}");
            assert!(error.is_from_peer(), "{case:?}: {error}");
        })
        .await;
        let next = within_bounds(case, channel.unary(&ECHO, bytes("next"))).await;
        assert_eq!(next.unwrap().into_message(), "next", "{case:?}");
    }
}

/// A channel that takes answers at their full size.
fn uncompressed(world: &World, case: &Case) -> trunkline::Channel {
    world.channel_with(case, |builder| builder.accept_compressed(trunkline::compress::Compressions::none()))
}
