//! Heads of requests: which protocol they ask for does not depend on how their content type is spelt, a refusal is a whole response,
//! and nothing that steers a protocol is taken for metadata.

use std::path::Path;

use bytes::BytesMut;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Method, Version, header};

use super::cases;
use crate::input::{Input, lines_of};
use crate::server::{Accepted, Route, ServerCall, accept, is_call};
use crate::tests::testing::config;
use crate::{Code, Protocol, RequestHead, Shape, Status};

/// Method, version and route; the target; and the fields.
pub(crate) fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (method, version) = (input.one_of(&METHODS), input.one_of(&VERSIONS));
    let route = input.one_of(&ROUTES);
    let Some(uri) = str::from_utf8(input.line()).ok().and_then(|uri| uri.parse().ok()) else { return };
    let head = RequestHead { method, uri, version, headers: input.fields() };
    let seen = read(head.clone(), route);
    if let (Seen::Call(protocol, _), true) = (&seen, head.method == Method::POST) {
        assert!(route.is_some(), "a call needs a procedure");
        let is_unary_connect = *protocol == Protocol::Connect && !is_streamed(&head.headers);
        assert!(is_call(&head) || is_unary_connect, "{protocol}: a call that is none");
    }
    for other in spelt(&head.headers) {
        let head = RequestHead { headers: other, ..head.clone() };
        assert_eq!(read(head, route), seen, "another spelling of the content type");
    }
}

/// Every request.
pub(crate) fn seeds(vectors: &Path) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for case in cases(vectors).iter().filter(|case| case.is_server()) {
        let Some(uri) = case.request.get(1) else { continue };
        let method = METHODS.iter().position(|method| *method == *case.request[0]).unwrap_or_default() as u8;
        let version = match case.request.get(2).map(String::as_str) {
            Some("1.0") => 1,
            Some("1.1") => 2,
            _ => 0,
        };
        let route = match case.side.get(1).map(String::as_str) {
            Some("none") => 0,
            Some("unary") => 1,
            Some("get") => 2,
            _ => 3,
        };
        seeds.push([&[method, version, route], uri.as_bytes(), b"\n", &lines_of(&case.headers)].concat());
    }
    seeds
}

/// What became of a head, as far as the spelling of its content type must not change it.
#[derive(Debug, PartialEq)]
enum Seen {
    Call(Protocol, &'static str),
    Reject(u16),
}

fn read(head: RequestHead, route: Option<Route>) -> Seen {
    match accept(head, route, &config()) {
        Accepted::Call(call) => called(*call),
        Accepted::Reject(reject) => {
            let status = reject.head.status.as_u16();
            assert!([200, 400, 404, 405, 415, 429, 501, 505].contains(&status), "{status} refuses no head");
            if let Some(length) = reject.head.headers.get(header::CONTENT_LENGTH) {
                assert_eq!(*length, reject.body.len().to_string(), "the length of a refusal");
            }
            assert!(reject.head.headers.contains_key(CONTENT_TYPE), "a refusal says what it is");
            Seen::Reject(status)
        }
    }
}

/// A call keeps what steers it from its metadata, and can always be answered.
fn called(call: ServerCall) -> Seen {
    let (start, mut writer) = (call.start, call.writer);
    for name in start.metadata.keys() {
        assert!(!OWN.contains(&name.as_str()), "{name} is no metadata");
    }
    let mut body = BytesMut::new();
    let status = Status::new(Code::Aborted, "no");
    let finish = writer.finish(Err(status), start.metadata, &mut body);
    let head = finish.head.expect("the head comes with the end if it was not sent");
    assert!(head.headers.contains_key(CONTENT_TYPE), "a response says what it is");
    Seen::Call(start.protocol, start.codec)
}

/// The same fields with the content type spelt in other ways that mean the same.
fn spelt(fields: &HeaderMap) -> Vec<HeaderMap> {
    let Some(value) = fields.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()) else {
        return Vec::new();
    };
    let spellings = [value.to_ascii_uppercase(), format!(" {value}"), format!("{value};charset=\"UTF-8\"")];
    let with = |spelling: &String| {
        let mut fields = fields.clone();
        fields.insert(CONTENT_TYPE, HeaderValue::from_str(spelling).ok()?);
        Some(fields)
    };
    spellings.iter().filter_map(with).collect()
}

fn is_streamed(fields: &HeaderMap) -> bool {
    fields
        .get(CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().to_ascii_lowercase().starts_with(b"application/connect+"))
}

const METHODS: [Method; 4] = [Method::POST, Method::GET, Method::PUT, Method::OPTIONS];
const VERSIONS: [Version; 3] = [Version::HTTP_2, Version::HTTP_10, Version::HTTP_11];
const ROUTES: [Option<Route>; 4] = [
    None,
    Some(Route { shape: Shape::Unary, no_side_effects: false }),
    Some(Route { shape: Shape::Unary, no_side_effects: true }),
    Some(Route { shape: Shape::Bidi, no_side_effects: false }),
];

/// Names that steer HTTP or a protocol.
const OWN: &[&str] = &[
    "content-type",
    "content-length",
    "content-encoding",
    "te",
    "host",
    "connection",
    "transfer-encoding",
    "grpc-timeout",
    "grpc-encoding",
    "grpc-status",
    "connect-timeout-ms",
    "connect-protocol-version",
    "x-grpc-web",
];
