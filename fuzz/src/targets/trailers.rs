//! The end of a gRPC-Web response, binary and text: both forms say the same, whatever their chunks, and what was read is read again
//! when a server of ours has written it.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;

use super::{cases, survives};
use crate::Code;
use crate::input::{Input, lines_of};
use crate::tests::chance::Chance;
use crate::tests::feed::{Called, Feed, called};
use crate::tests::machines::Kind;

/// What the bytes are, the seed of the chunks, and the bytes: the trailers alone, a binary body, or a body in text.
pub(crate) fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (what, seed) = (input.one_of(&[BLOCK, BINARY, TEXT]), u64::from(input.byte()));
    let block = input.rest();
    let seen = match what {
        TEXT => read(Kind::GrpcWebText, block, seed),
        BINARY => both(block, seed),
        _ => both(&framed(block), seed),
    };
    if seen.outcome.from_peer {
        survives(Kind::GrpcWeb, &seen.outcome);
        survives(Kind::GrpcWebText, &seen.outcome);
    }
    if what == BLOCK {
        let number = status_in(block).filter(|number| number.len() <= 10);
        let number = number.and_then(|number| str::from_utf8(number).ok()?.parse::<u64>().ok());
        assert_eq!(
            seen.outcome.from_peer,
            number.is_some(),
            "a number, and nothing else, is the peer's word"
        );
        let code = seen.outcome.result.as_ref().map_or_else(|status| status.code, |()| Code::Ok);
        assert_eq!(code, number.map_or(Code::Unknown, Code::from_number));
    }
}

/// The first status that a line tells, if it is made of digits. A line that is no field hides no other.
fn status_in(block: &[u8]) -> Option<&[u8]> {
    let mut values = block.split(|byte| *byte == b'\n').filter_map(|line| {
        let (name, value) = line.split_at(line.iter().position(|byte| *byte == b':')?);
        let value = value[1..].trim_ascii();
        let is_field = name.eq_ignore_ascii_case(b"grpc-status") && HeaderValue::from_bytes(value).is_ok();
        is_field.then_some(value)
    });
    values.next().filter(|value| value.iter().all(u8::is_ascii_digit))
}

/// Every body of gRPC-Web, the blocks of trailers in them, and the trailers of gRPC as such blocks.
pub(crate) fn seeds(vectors: &Path) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for case in cases(vectors).iter().filter(|case| !case.is_server()) {
        if let Some(trailers) = &case.trailers {
            seeds.push([&[BLOCK, 7], &*lines_of(trailers)].concat());
        }
        let what = match case.kind() {
            Some(Kind::GrpcWeb) => BINARY,
            Some(Kind::GrpcWebText) => TEXT,
            _ => continue,
        };
        seeds.push([&[what, 7], &*case.body].concat());
        if let (BINARY, Some(at)) = (what, case.body.iter().position(|byte| *byte == 0x80)) {
            seeds.push([&[BLOCK, 7], case.body.get(at + 5..).unwrap_or_default()].concat());
        }
    }
    seeds
}

/// Reads a binary body in both forms.
fn both(body: &[u8], seed: u64) -> Called {
    let binary = read(Kind::GrpcWeb, body, seed);
    let text = read(Kind::GrpcWebText, &in_segments(body, seed), seed);
    assert_eq!(text.messages, binary.messages, "the text form has other messages");
    assert_eq!(text.outcome.trailers, binary.outcome.trailers, "the text form has other trailers");
    let code = |called: &Called| {
        called.outcome.result.as_ref().err().map(|status| (status.code, status.message.clone()))
    };
    assert_eq!(code(&text), code(&binary), "the text form ends in another way");
    binary
}

fn read(kind: Kind, body: &[u8], seed: u64) -> Called {
    let read = |feed| called(kind.client(), kind.protocol(), kind.head(200, false), None, (body, feed));
    let whole = read(Feed::Whole);
    for feed in Feed::others(seed) {
        assert_eq!(read(feed), whole, "{kind:?}, {feed:?}");
    }
    whole
}

/// The trailers in their envelope.
fn framed(block: &[u8]) -> Vec<u8> {
    let length = u32::try_from(block.len()).expect("inputs are short");
    [&[0x80], &length.to_be_bytes()[..], block].concat()
}

/// A body in base64, padded wherever a server may have flushed.
fn in_segments(body: &[u8], seed: u64) -> Vec<u8> {
    let (mut chance, mut rest, mut text) = (Chance::new(seed), body, String::new());
    while !rest.is_empty() {
        let (segment, behind) = rest.split_at(chance.below(rest.len()) + 1);
        STANDARD.encode_string(segment, &mut text);
        rest = behind;
    }
    text.into_bytes()
}

const BLOCK: u8 = 0;
const BINARY: u8 = 1;
const TEXT: u8 = 2;
