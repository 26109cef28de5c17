//! Callers that mean harm: every flag, every cut, calls opened and reset by the thousand. The server answers or resets,
//! stays up, and serves the next call.

use std::future::poll_fn;
use std::task::Poll;

use bytes::Bytes;
use trunkline::{CallOptions, Channel, Code, Request};

use crate::raw::{FORMS, PATHS, answer, connect, in_form, next_call_is_served, request};
use crate::support::{CHAT, Case, ECHO, FLOOD, Over, World, cases, within_bounds};

#[tokio::test]
async fn every_flag_but_none_is_refused() {
    let world = World::new().await;
    let sender = connect(world.plain_address()).await;
    for (content_type, is_text) in FORMS {
        for path in PATHS {
            for flags in 0..=u8::MAX {
                let body = in_form(&[&[flags][..], b"\0\0\0\x02\x01m"].concat(), *is_text);
                let what = format!("{content_type} {path} {flags:#04x}");
                // A unary procedure is no Connect stream.
                let unsupported = content_type.contains("connect") && *path == PATHS[0];
                let expected: &[&str] = match flags {
                    _ if unsupported => &["415 "],
                    0 => &["\"grpc-status\": \"0\"", "grpc-status: 0", "{}", "AAAAA"],
                    _ => &["\"grpc-status\": \"13\"", "grpc-status: 13", "\"internal\"", "gAAAA"],
                };
                let seen =
                    within_bounds(&what, answer(&sender, request(path, content_type), body.into())).await;
                let seen = seen.unwrap_or_else(|error| panic!("{what}: {error}"));
                assert!(expected.iter().any(|part| seen.contains(part)), "{what}: {seen}");
            }
            next_call_is_served(&sender).await;
        }
    }
}

#[tokio::test]
async fn every_promised_length_is_judged_before_it_is_awaited() {
    let world = World::new().await;
    let sender = connect(world.plain_address()).await;
    let limit = u32::try_from(trunkline::Limits::default().message_bytes_max).unwrap();
    // A length that could come is awaited, and cut by the end; one that could not is refused.
    for (length, code) in [(1, 13), (limit, 13), (limit + 1, 8), (1 << 31, 8), (u32::MAX, 8)] {
        for path in PATHS {
            let body = [&[0][..], &length.to_be_bytes()].concat();
            let what = format!("{path} {length}");
            let seen = answer(&sender, request(path, "application/grpc"), body.into());
            let seen = within_bounds(&what, seen).await.unwrap();
            assert!(seen.contains(&format!("\"grpc-status\": \"{code}\"")), "{what}: {seen}");
        }
    }
    next_call_is_served(&sender).await;
}

#[tokio::test]
async fn body_cut_at_any_byte_is_answered_in_every_form() {
    let whole = b"\0\0\0\0\x02\x01m\0\0\0\0\x03\x01mn";
    let world = World::new().await;
    let sender = connect(world.plain_address()).await;
    for (content_type, is_text) in FORMS {
        let whole = in_form(whole, *is_text);
        for path in PATHS {
            for cut in 0..=whole.len() {
                let what = format!("{content_type} {path} cut at {cut}");
                let body = Bytes::copy_from_slice(&whole[..cut]);
                // Ended there: an answer. Reset there: nothing to answer to.
                let seen =
                    within_bounds(&what, answer(&sender, request(path, content_type), body.clone())).await;
                let seen = seen.unwrap_or_else(|error| panic!("{what}: {error}"));
                assert!(seen.starts_with("200 ") || seen.starts_with("415 "), "{what}: {seen}");
                let mut ready = sender.clone().ready().await.unwrap();
                let (response, mut stream) = ready.send_request(request(path, content_type), false).unwrap();
                let _ = stream.send_data(body, false);
                stream.send_reset(h2::Reason::CANCEL);
                drop(within_bounds(&what, response).await);
            }
            next_call_is_served(&sender).await;
        }
    }
}

#[tokio::test]
async fn code_arrives_however_long_the_message_is() {
    let world = World::new().await;
    for case in cases() {
        let channel = world.channel(&case);
        // The field that asks for it has to fit the limit on metadata; in `grpc-message` a percent sign is three bytes.
        let request = Request::new(Bytes::new()).with_metadata("fail", &"%".repeat(50_000)).unwrap();
        let error = within_bounds(case, channel.unary(&ECHO, request)).await.unwrap_err();
        assert_eq!(error.code(), Code::FailedPrecondition, "{case:?}: {error}");
        assert!(error.is_from_peer(), "{case:?}");
        assert!((1000..10_000).contains(&error.message().len()), "{case:?}: {}", error.message().len());
    }
}

#[tokio::test]
async fn ten_thousand_calls_opened_and_left_harm_nobody() {
    let world = World::new().await;
    for case in cases() {
        let channel = world.channel(&case);
        // The connection stands before the flood begins.
        assert!(within_bounds(case, channel.unary(&ECHO, Bytes::new())).await.is_ok(), "{case:?}");
        // Where all of them share one connection, as many as the attack of that name has.
        for turn in 0..if case.over == Over::Http2 { 10_000 } else { 1000 } {
            open_and_leave(&channel, &case, turn).await;
        }
        let next = within_bounds(case, channel.unary(&ECHO, Bytes::from_static(b"next"))).await;
        let next = next.unwrap_or_else(|error| panic!("{case:?}: {error}"));
        assert_eq!(next.into_message(), "next", "{case:?}");
    }
}

/// Opens a call of one shape or another and leaves it before anything could have come back.
async fn open_and_leave(channel: &Channel, case: &Case, turn: usize) {
    match turn % 3 {
        0 => poll_once(channel.unary(&ECHO, Bytes::from_static(b"x"))).await,
        1 => poll_once(channel.server_stream(&FLOOD, Bytes::from_static(b"x"))).await,
        _ if case.is_full_duplex() => {
            let mut call = channel.bidi(&CHAT, CallOptions::new());
            poll_once(call.send(Bytes::from_static(b"x"))).await;
            poll_once(call.message()).await;
        }
        _ => {}
    }
    // Now and then the connection may do its part, so that calls are left at all ages.
    if turn.is_multiple_of(7) {
        tokio::task::yield_now().await;
    }
}

/// Polls once and drops, whatever came of it.
async fn poll_once(work: impl Future) {
    let mut work = Box::pin(work);
    poll_fn(|cx| {
        let _ = work.as_mut().poll(cx);
        Poll::Ready(())
    })
    .await;
}

#[tokio::test]
async fn burst_of_resets_spares_the_other_calls_of_its_connection() {
    let world = World::new().await;
    let sender = connect(world.plain_address()).await;
    let limit = trunkline::Limits::default().streams_max as usize;
    let mut left = Vec::new();
    for _ in 0..limit / 2 {
        let mut ready = sender.clone().ready().await.unwrap();
        let (response, mut stream) = ready.send_request(request(PATHS[3], FORMS[0].0), false).unwrap();
        stream.send_reset(h2::Reason::CANCEL);
        left.push(response);
    }
    for response in left {
        assert!(within_bounds("left", response).await.is_err());
    }
    next_call_is_served(&sender).await;
}
