//! Calls of readers and writers in any order: nothing panics, and what was final stays so.

use bytes::{Bytes, BytesMut};
use http::HeaderMap;

use crate::client::{ClientReader, Event};
use crate::server::{ServerReader, Step};
use crate::tests::chance::Chance;
use crate::tests::machines::{KINDS, Kind, for_seeds};
use crate::tests::testing::fields;
use crate::{Code, ResponseHead, Status};

/// A head of this kind, or of one that the reader does not expect.
fn head(kind: Kind, chance: &mut Chance) -> ResponseHead {
    let kind = if chance.once_in(4) { *chance.one_of(&KINDS) } else { kind };
    let mut head = kind.head(*chance.one_of(&[200, 200, 200, 404]), chance.once_in(2));
    if chance.once_in(4) {
        head.headers.insert("grpc-status", chance.one_of(&["0", "5", "x"]).parse().unwrap());
    }
    head
}

/// A part of a body of this kind.
fn chunk(kind: Kind, chance: &mut Chance) -> Bytes {
    let mut body = kind.body(chance);
    body.truncate(chance.below(100));
    body.into()
}

/// What the client's reader says, without what comes once only.
fn said(event: Event) -> Option<String> {
    match event {
        Event::End(outcome) => {
            let result = outcome.result.map_err(|status| (status.code, status.message));
            Some(format!("{result:?} from peer: {}", outcome.from_peer))
        }
        Event::NeedMore | Event::Message(_) => None,
    }
}

#[test]
fn client_readers_any_order_of_calls_is_taken() {
    for_seeds(4000, |seed, chance| {
        let kind = *chance.one_of(&KINDS);
        let mut reader = kind.client();
        let (mut heads, mut ends, mut last) = (0, 0, None);
        for _ in 0..chance.below(30) {
            match chance.below(8) {
                0 => {
                    let metadata = reader.receive_head(head(kind, chance));
                    heads += 1;
                    assert!(heads == 1 || metadata.is_empty(), "seed {seed}: the second head says nothing");
                }
                1..=3 => reader.receive(chunk(kind, chance)),
                4 if chance.once_in(3) => {
                    reader.receive_end(kind.trailers());
                    ends += 1;
                }
                _ => {
                    let event = reader.poll_event();
                    let needs_more = matches!(event, Event::NeedMore);
                    assert!(!needs_more || ends == 0, "seed {seed}: nothing comes behind the end");
                    let said = said(event);
                    assert!(last.is_none() || said == last, "seed {seed}: {last:?}, then {said:?}");
                    last = said;
                }
            }
        }
    });
}

#[test]
fn server_readers_any_order_of_calls_is_taken() {
    for_seeds(4000, |seed, chance| {
        let kind = *chance.one_of(&KINDS);
        let mut reader = kind.server(chance.once_in(2)).reader;
        let (mut is_ended, mut is_final) = (false, false);
        for _ in 0..chance.below(30) {
            match chance.below(6) {
                0..=2 => reader.receive(chunk(kind, chance)),
                3 if chance.once_in(3) => {
                    reader.receive_end();
                    is_ended = true;
                }
                _ => {
                    let step = reader.poll_message();
                    let at_end = matches!(step, Ok(Step::End));
                    assert!(!is_final || at_end, "seed {seed}: {step:?} behind the end");
                    let needs_more = matches!(step, Ok(Step::NeedMore));
                    assert!(!is_ended || !needs_more, "seed {seed}: nothing comes behind the end");
                    is_final |= at_end || step.is_err();
                }
            }
        }
    });
}

/// All that a reader of a whole response says.
fn events(reader: &mut ClientReader) -> Vec<String> {
    let mut seen = Vec::new();
    loop {
        match reader.poll_event() {
            Event::NeedMore => return seen,
            Event::Message(message) => seen.push(String::from_utf8_lossy(&message).into_owned()),
            Event::End(outcome) => {
                seen.push(format!(
                    "{:?} {:?}",
                    outcome.result.map_err(|s| (s.code, s.message)),
                    outcome.trailers
                ));
                return seen;
            }
        }
    }
}

/// The same of a request.
fn steps(reader: &mut ServerReader) -> Vec<String> {
    let mut seen = Vec::new();
    loop {
        match reader.poll_message().unwrap() {
            Step::NeedMore => return seen,
            Step::Message(message) => seen.push(String::from_utf8_lossy(&message).into_owned()),
            Step::End => {
                seen.push("end".to_owned());
                return seen;
            }
        }
    }
}

/// A response or request of two messages.
fn body(kind: Kind, is_response: bool) -> Bytes {
    let mut body = Vec::new();
    if kind == Kind::ConnectUnary {
        return Bytes::from_static(b"hi");
    }
    kind.put(b"\0\0\0\0\x02hi\0\0\0\0\x01a", &mut body);
    if let Some(flag) = kind.end_flag().filter(|_| is_response) {
        let mut end = BytesMut::new();
        crate::envelope::append(&mut end, flag, kind.end_payload());
        kind.put(&end, &mut body);
    }
    body.into()
}

#[test]
fn what_comes_behind_the_end_of_a_body_changes_nothing() {
    for kind in KINDS {
        for late in [&b""[..], b"\0\0\0\0\x01x", b"\xff", b"AAAAAAF4"] {
            let mut reader = kind.client();
            reader.receive_head(kind.head(200, false));
            reader.receive(body(kind, true));
            reader.receive_end(kind.trailers());
            reader.receive(Bytes::copy_from_slice(late));
            reader.receive_end(None);
            reader.receive_end(Some(fields(&[("grpc-status", "5")])));
            let messages: &[&str] = if kind == Kind::ConnectUnary { &["hi"] } else { &["hi", "a"] };
            let seen = events(&mut reader);
            assert_eq!(seen, [messages, &["Ok(()) {}"]].concat(), "{kind:?}");

            let mut reader = kind.server(false).reader;
            reader.receive(body(kind, false));
            reader.receive_end();
            reader.receive(Bytes::copy_from_slice(late));
            reader.receive_end();
            assert_eq!(steps(&mut reader), [messages, &["end"]].concat(), "{kind:?}");
        }
    }
}

#[test]
fn writers_any_order_of_calls_is_taken() {
    for_seeds(2000, |seed, chance| {
        let kind = *chance.one_of(&KINDS);
        let mut writer = kind.server(chance.once_in(2)).writer;
        let mut body = BytesMut::new();
        let (mut heads, mut is_finished, mut messages) = (0, false, 0);
        for _ in 0..chance.below(12) {
            match chance.below(5) {
                0 if heads == 0 && !is_finished => {
                    heads += usize::from(writer.head(HeaderMap::new()).is_some());
                }
                1 | 2 => {
                    let before = body.clone();
                    let fails = chance.once_in(3);
                    let written = writer.message(&mut body, &mut |target| {
                        target.extend_from_slice(b"message");
                        if fails { Err(Status::new(Code::DataLoss, "no")) } else { Ok(()) }
                    });
                    let one_only = kind == Kind::ConnectUnary && messages == 1;
                    assert_eq!(written.is_ok(), !fails && !is_finished && !one_only, "seed {seed}");
                    messages += usize::from(written.is_ok());
                    assert!(
                        written.is_ok() || body == before,
                        "seed {seed}: a failure leaves nothing behind"
                    );
                }
                3 if chance.once_in(2) => {
                    let outcome =
                        if chance.once_in(2) { Ok(()) } else { Err(Status::new(Code::Aborted, "")) };
                    let finish = writer.finish(outcome, HeaderMap::new(), &mut body);
                    heads += usize::from(finish.head.is_some());
                    assert_eq!(heads, 1, "seed {seed}: a response has one head");
                    assert!(!is_finished || finish.trailers.is_none(), "seed {seed}: a response ends once");
                    is_finished = true;
                }
                _ => {}
            }
        }
    });
}
