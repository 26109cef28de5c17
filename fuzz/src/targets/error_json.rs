//! Connect's JSON: the body of a unary error, and the end of a stream. An error is never read as a success, and what was read is
//! read again when a server of ours has written it.

use std::path::Path;

use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue};
use serde_json::Value;

use super::{cases, survives};
use crate::Code;
use crate::input::Input;
use crate::tests::feed::{Called, Feed, called};
use crate::tests::machines::Kind;

/// The HTTP status, 200 for the end of a stream; the seed of the chunks; and the JSON.
pub(crate) fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (status, seed) = (input.one_of(STATUSES), u64::from(input.byte()));
    if status == 200 { end_of_stream(input.rest(), seed) } else { unary_error(status, input.rest(), seed) }
}

/// Every unary error and every end of a stream.
pub(crate) fn seeds(vectors: &Path) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for case in cases(vectors).iter().filter(|case| !case.is_server()) {
        match case.kind() {
            Some(Kind::ConnectUnary) if case.status != 200 => {
                let index = STATUSES.iter().position(|status| *status == case.status).unwrap_or(1);
                seeds.push([&[index as u8, 7], &*case.body].concat());
            }
            Some(Kind::ConnectStream) => {
                if let Some(at) = case.body.iter().position(|byte| *byte == b'{') {
                    seeds.push([&[0, 7], &case.body[at..]].concat());
                }
            }
            _ => {}
        }
    }
    seeds
}

fn unary_error(status: u16, json: &[u8], seed: u64) {
    let seen = read(Kind::ConnectUnary, json, seed, || {
        let mut head = Kind::ConnectUnary.head(status, false);
        head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        head
    });
    let error = seen.outcome.result.as_ref().expect_err("an error is no success");
    assert!(seen.messages.is_empty(), "an error has no message");
    let by_status = Code::from_http_status(Kind::ConnectUnary.head(status, false).status);
    let object = object(json);
    assert_eq!(seen.outcome.from_peer, object.is_some(), "an object, and nothing else, is the peer's word");
    let named = object.as_ref().and_then(code_of);
    assert_eq!(error.code, named.unwrap_or(by_status), "the code, or else the HTTP status, says what it was");
    if seen.outcome.from_peer {
        survives(Kind::ConnectUnary, &seen.outcome);
    }
}

fn end_of_stream(json: &[u8], seed: u64) {
    let length = u32::try_from(json.len()).expect("inputs are short");
    let body = [&[END], &length.to_be_bytes()[..], json].concat();
    let seen = read(Kind::ConnectStream, &body, seed, || Kind::ConnectStream.head(200, false));
    let object = object(json);
    assert_eq!(seen.outcome.from_peer, object.is_some(), "an object, and nothing else, is the peer's word");
    let Some(object) = object else {
        assert!(seen.outcome.result.is_err(), "what cannot be read is no success");
        return;
    };
    let error = object.get("error").filter(|error| !error.is_null());
    assert_eq!(seen.outcome.result.is_err(), error.is_some(), "only an end without error is a success");
    survives(Kind::ConnectStream, &seen.outcome);
}

fn read(kind: Kind, body: &[u8], seed: u64, head: impl Fn() -> crate::ResponseHead) -> Called {
    let read = |feed| called(kind.client(), kind.protocol(), head(), None::<&HeaderMap>, (body, feed));
    let whole = read(Feed::Whole);
    for feed in Feed::others(seed) {
        assert_eq!(read(feed), whole, "{kind:?}, {feed:?}");
    }
    whole
}

fn object(json: &[u8]) -> Option<Value> {
    serde_json::from_slice(json).ok().filter(Value::is_object)
}

/// The code that an error names, if there is such a code.
fn code_of(error: &Value) -> Option<Code> {
    let code = error.get("code")?.as_str()?.parse().ok();
    code.filter(|code| *code != Code::Ok)
}

/// The flag of the envelope that ends a stream.
const END: u8 = 2;

const STATUSES: &[u16] = &[200, 400, 401, 403, 404, 408, 409, 412, 429, 499, 500, 501, 502, 503, 504];
