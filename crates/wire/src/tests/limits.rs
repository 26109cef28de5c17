//! Limits on both sides: what is exactly at one passes, what is one byte above is `resource_exhausted`.

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Method, Uri, Version};

use crate::client::Event;
use crate::compress::compressed_bytes_max;
use crate::connect::error_json;
use crate::envelope::{self, END_BYTES_MAX};
use crate::server::{Accepted, Route, Step, accept};
use crate::tests::machines::{KINDS, Kind, runs};
use crate::tests::testing::config;
use crate::{Code, RequestHead, Shape, Status};

/// The limit of all readers here.
const MAX: usize = 64;

/// The end of a request or response: the length of its one message, or the code of its failure.
type Seen = Result<usize, Code>;

fn framed(kind: Kind, is_compressed: bool, payload: &[u8]) -> Bytes {
    let mut body = Vec::new();
    if kind == Kind::ConnectUnary {
        return Bytes::copy_from_slice(payload);
    }
    let mut envelope = BytesMut::new();
    envelope::append(&mut envelope, u8::from(is_compressed), payload);
    kind.put(&envelope, &mut body);
    body.into()
}

fn served(kind: Kind, is_compressed: bool, payload: &[u8]) -> Seen {
    let mut reader = kind.server(is_compressed).reader;
    reader.receive(framed(kind, is_compressed, payload));
    reader.receive_end();
    let step = reader.poll_message();
    match step {
        Ok(Step::Message(message)) => Ok(message.len()),
        Ok(step) => panic!("{kind:?}: {step:?}"),
        Err(status) => {
            assert!(status.message.contains("message_bytes_max (64 bytes)"), "{}", status.message);
            Err(status.code)
        }
    }
}

fn called(kind: Kind, is_compressed: bool, payload: &[u8]) -> Seen {
    let mut reader = kind.client();
    reader.receive_head(kind.head(200, is_compressed));
    reader.receive(framed(kind, is_compressed, payload));
    reader.receive_end(kind.trailers());
    match reader.poll_event() {
        Event::Message(message) => Ok(message.len()),
        Event::NeedMore => panic!("{kind:?} wants more behind the end"),
        Event::End(outcome) => {
            assert!(!outcome.from_peer, "the limit is ours");
            Err(outcome.result.unwrap_err().code)
        }
    }
}

#[test]
fn messages_at_the_limit_pass_and_one_byte_more_does_not() {
    let above = Err(Code::ResourceExhausted);
    for kind in KINDS {
        let check = |is_compressed: bool, payload: &[u8], expected: Seen| {
            let length = payload.len();
            assert_eq!(served(kind, is_compressed, payload), expected, "{kind:?} serves {length}");
            assert_eq!(called(kind, is_compressed, payload), expected, "{kind:?} calls {length}");
        };
        check(false, &[], Ok(0));
        check(false, &[b'x'; MAX - 1], Ok(MAX - 1));
        check(false, &[b'x'; MAX], Ok(MAX));
        check(false, &[b'x'; MAX + 1], above);
        check(true, &[], Ok(0));
        check(true, &runs(&[b'x'; MAX]), Ok(MAX));
        check(true, &runs(&[b'x'; MAX + 1]), above);
        check(true, &runs(&[b'x'; 255 * 100]), above);
        // Twice as long when compressed: what counts are plain bytes.
        check(true, &runs(&(0..MAX as u8).collect::<Vec<_>>()), Ok(MAX));
        // Counts of zero make a compressed form of any length with nothing in it: there the slack is the limit.
        check(true, &vec![0; compressed_bytes_max(MAX) / 2 * 2], Ok(0));
        check(true, &vec![0; compressed_bytes_max(MAX) / 2 * 2 + 2], above);
    }
}

#[test]
fn messages_in_a_query_have_the_same_limit() {
    let check = |query: &str, is_fine: bool| {
        let head = RequestHead {
            method: Method::GET,
            uri: format!("/a.B/C?{query}").parse::<Uri>().unwrap(),
            version: Version::HTTP_11,
            headers: HeaderMap::new(),
        };
        let route = Route { shape: Shape::Unary, no_side_effects: true };
        match accept(head, Some(route), &config()) {
            Accepted::Call(_) => assert!(is_fine, "{query}"),
            Accepted::Reject(reject) => {
                assert!(!is_fine, "{query}");
                assert_eq!(reject.head.status, 429);
                let status = error_json::read_error(&reject.body, Code::Unknown).unwrap();
                assert_eq!(status.code, Code::ResourceExhausted);
            }
        }
    };
    check(&format!("encoding=json&message={}", "x".repeat(MAX)), true);
    check(&format!("encoding=json&message={}", "x".repeat(MAX + 1)), false);
    check(&format!("encoding=json&message={}", "%41".repeat(MAX)), true);
    check(&format!("encoding=json&message={}", "%41".repeat(MAX + 1)), false);
    // 88 characters are 64 bytes and their padding.
    check(&format!("encoding=proto&base64=1&message={}AA", "A".repeat(84)), true);
    check(&format!("encoding=proto&base64=1&message={}AAA", "A".repeat(84)), false);
    // Pairs of the count 64 or 65, and an `A`.
    check("encoding=json&compression=runs&message=%40A", true);
    check("encoding=json&compression=runs&message=%41A", false);
}

/// A payload of `length` bytes that ends a call well.
fn end_of(kind: Kind, length: usize) -> Vec<u8> {
    let (before, behind) = match kind {
        Kind::ConnectStream => (r#"{"x":""#, r#""}"#),
        _ => ("grpc-status: 0\r\nx: ", ""),
    };
    format!("{before}{}{behind}", "a".repeat(length - before.len() - behind.len())).into_bytes()
}

#[test]
fn end_messages_at_their_limit_pass_and_one_byte_more_does_not() {
    for kind in [Kind::ConnectStream, Kind::GrpcWeb, Kind::GrpcWebText] {
        for is_compressed in [false, true] {
            for (length, is_fine) in [(MAX + 1, true), (END_BYTES_MAX, true), (END_BYTES_MAX + 1, false)] {
                let plain = end_of(kind, length);
                let payload = if is_compressed { runs(&plain) } else { plain };
                let mut envelope = BytesMut::new();
                let flags = kind.end_flag().unwrap() | u8::from(is_compressed);
                envelope::append(&mut envelope, flags, &payload);
                let mut body = Vec::new();
                kind.put(&envelope, &mut body);

                let mut reader = kind.client();
                reader.receive_head(kind.head(200, is_compressed));
                reader.receive(body.into());
                reader.receive_end(None);
                let Event::End(outcome) = reader.poll_event() else { panic!("the response has ended") };
                let expected = if is_fine { Ok(()) } else { Err(Code::ResourceExhausted) };
                let seen = outcome.result.map_err(|status| status.code);
                assert_eq!(seen, expected, "{kind:?}, {length} bytes, compressed: {is_compressed}");
            }
        }
    }
}

#[test]
fn errors_above_their_limit_are_known_by_the_http_status() {
    let check = |length: usize, expected: Status, from_peer: bool| {
        let mut reader = Kind::ConnectUnary.client();
        let mut head = Kind::ConnectUnary.head(503, false);
        head.headers.insert("content-type", "application/json".parse().unwrap());
        reader.receive_head(head);
        let (before, behind) = (r#"{"code":"aborted","message":"no","x":""#, r#""}"#);
        let filling = "a".repeat(length - before.len() - behind.len());
        reader.receive(format!("{before}{filling}{behind}").into());
        reader.receive_end(None);
        let Event::End(outcome) = reader.poll_event() else { panic!("the response has ended") };
        let status = outcome.result.unwrap_err();
        assert_eq!((status.code, status.message), (expected.code, expected.message), "{length}");
        assert_eq!(outcome.from_peer, from_peer, "{length}");
    };
    check(MAX + 1, Status::new(Code::Aborted, "no"), true);
    check(END_BYTES_MAX, Status::new(Code::Aborted, "no"), true);
    let by_status = Status::new(Code::Unavailable, "connect: the response has HTTP status 503");
    check(END_BYTES_MAX + 1, by_status, false);
}
