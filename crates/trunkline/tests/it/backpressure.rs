//! Nobody produces what nobody reads, and leaving a stream stops its producer.

use std::sync::atomic::Ordering;

use bytes::Bytes;
use trunkline::{Limits, Streaming};

use crate::peers::envelope;
use crate::raw::{exchange, post};
use crate::support::{CHAT, COUNT, Case, ECHO, FLOOD, JOIN, Over, World, cases, within_bounds};

const MESSAGE_BYTES: usize = 1000;

fn message() -> Bytes {
    Bytes::from(vec![b'x'; MESSAGE_BYTES])
}

/// Lets every task of this thread run until none has anything to do.
async fn settle() {
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn producer_waits_for_a_reader_that_is_slow() {
    let world = World::new().await;
    let bound = 2 * Limits::default().stream_buffer_bytes_max / MESSAGE_BYTES;
    for case in cases().into_iter().filter(|case| case.over == Over::Memory) {
        world.shapes.made.store(0, Ordering::Relaxed);
        let mut stream = world.channel(&case).server_stream(&FLOOD, message()).await.unwrap().into_message();
        settle().await;
        let made = world.shapes.made.load(Ordering::Relaxed);
        assert!((1..=bound).contains(&made), "{case:?}: {made} messages were made for nobody");
        for _ in 0..made + 1 {
            assert_eq!(stream.message().await.unwrap().unwrap().len(), MESSAGE_BYTES, "{case:?}");
        }
        drop(stream);
        within_bounds(case, world.shapes.left.notified()).await;
    }
}

#[tokio::test]
async fn leaving_a_stream_stops_its_producer() {
    let world = World::new().await;
    for case in cases() {
        let channel = world.channel(&case);
        let mut stream = channel.server_stream(&FLOOD, message()).await.unwrap().into_message();
        for _ in 0..100 {
            assert!(within_bounds(case, stream.message()).await.unwrap().is_some(), "{case:?}");
        }
        drop(stream);
        within_bounds(case, world.shapes.left.notified()).await;
        settle().await;
        let made = world.shapes.made.load(Ordering::Relaxed);
        settle().await;
        assert_eq!(world.shapes.made.load(Ordering::Relaxed), made, "{case:?}: the producer has stopped");
        let next = within_bounds(case, channel.unary(&ECHO, Bytes::from_static(b"next"))).await;
        assert_eq!(next.unwrap().into_message(), "next", "{case:?}");
    }
}

#[tokio::test]
async fn sender_waits_for_a_handler_that_does_not_read() {
    let world = World::new().await;
    let bound = 3 * Limits::default().stream_buffer_bytes_max / MESSAGE_BYTES;
    for case in cases().into_iter().filter(|case| case.over == Over::Memory) {
        let mut call = world.channel(&case).bidi(&CHAT, trunkline::CallOptions::new());
        // The handler echoes, nobody reads the echoes, so it stops reading: the sender must come to a halt.
        let mut sent = 0;
        while within_turns(call.send(message())).await {
            sent += 1;
            assert!(sent <= 2 * bound, "{case:?}: {sent} messages went to nobody");
        }
        assert!(sent > 0, "{case:?}");
    }
}

/// Whether `work` ends within the turns that `settle` gives.
async fn within_turns(work: impl Future<Output = trunkline::Result<()>>) -> bool {
    tokio::select! {
        biased;
        done = work => done.is_ok(),
        () = settle() => false,
    }
}

#[tokio::test]
async fn messages_leave_although_the_source_pauses() {
    let world = World::new().await;
    for case in cases().into_iter().filter(Case::is_full_duplex) {
        let (sender, requests) = Streaming::channel(1);
        let (mut calls, mut replies) =
            world.channel(&case).bidi(&CHAT, trunkline::CallOptions::new()).split();
        let pump = tokio::spawn(async move { calls.send_all(requests).await });
        within_bounds(case, async {
            for turn in 0..10 {
                // One message, then the source is pending until its echo is here.
                sender.send(Bytes::from(format!("turn {turn}"))).await.unwrap();
                assert_eq!(replies.message().await.unwrap().unwrap(), format!("turn {turn}"), "{case:?}");
            }
            drop(sender);
            pump.await.unwrap().unwrap();
            assert!(replies.message().await.unwrap().is_none(), "{case:?}");
        })
        .await;
    }
}

#[tokio::test]
async fn many_small_messages_arrive_whole() {
    let world = World::new().await;
    for case in cases() {
        let channel = world.channel(&case);
        let requests = Streaming::from_iter((0..10_000).map(|_| Bytes::from_static(b"x")));
        let joined =
            within_bounds(case, channel.client_stream(&JOIN, trunkline::Request::new(requests))).await;
        assert_eq!(
            joined.unwrap_or_else(|error| panic!("{case:?}: {error}")).len(),
            2 * 10_000 - 1,
            "{case:?}"
        );
    }
}

#[tokio::test]
async fn long_answer_that_is_ready_at_once_arrives_whole() {
    let world = World::new().await;
    // More than may wait for the end of a request over HTTP/1.1, all of it ready in one turn.
    let message = Bytes::from([&[255][..], &vec![b'x'; 40_000]].concat());
    for case in cases() {
        let stream = within_bounds(case, world.channel(&case).server_stream(&COUNT, message.clone())).await;
        let mut stream = stream.unwrap().into_message();
        let mut count = 0;
        while let Some(next) = within_bounds(case, stream.message())
            .await
            .unwrap_or_else(|error| panic!("{case:?}: after {count}: {error}"))
        {
            assert_eq!(next.len(), message.len(), "{case:?}");
            count += 1;
        }
        assert_eq!(count, 255, "{case:?}");
    }
}

#[tokio::test]
async fn long_answer_to_a_request_that_is_here_already_arrives_whole() {
    let world = World::new().await;
    let message = [&[255][..], &vec![b'x'; 40_000]].concat();
    for (content_type, end) in [("connect", "\x02\0\0\0\x02{}"), ("grpc-web", "grpc-status: 0\r\n")] {
        // Head and body in one piece, so that the whole answer is made before anybody can begin to send it.
        let head = format!("content-type: application/{content_type}+proto\r\n");
        let request = post("/test.v1.Shapes/Count", &head, &envelope(0, &message));
        let answer = within_bounds(content_type, exchange(world.plain_address(), &request)).await.unwrap();
        let tail = &answer.body[answer.body.len().saturating_sub(200)..];
        assert!(answer.body.contains(end), "{content_type}: {tail}");
        assert!(answer.body.len() > 255 * message.len(), "{content_type}: {tail}");
    }
}
