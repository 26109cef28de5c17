//! Calls by GET: a query is refused or gives one message, in the order of its parameters or any other; and what a client of ours
//! puts into a query comes out of it.

use std::path::Path;
use std::sync::Arc;

use http::{HeaderMap, HeaderValue, Method, Uri, Version, header};

use super::cases;
use crate::client::{Plan, start_get};
use crate::input::Input;
use crate::server::{Accepted, Config, Route, accept};
use crate::tests::feed::{Feed, served};
use crate::tests::testing::{Flip, Runs, compressions, config};
use crate::{Compression, Protocol, RequestHead, Shape};

/// Flags, and a query or a message.
pub(crate) fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let flags = input.byte();
    if flags & MESSAGE != 0 {
        return survives(flags, input.rest());
    }
    let Ok(query) = str::from_utf8(input.rest()) else { return };
    let config = Config { require_connect_version: flags & STRICT != 0, ..config() };
    let Some(seen) = read(query, flags, &config) else { return };
    // Parameters that are not ours say nothing, wherever they stand.
    let others =
        [format!("{query}&x=message"), format!("x&{query}"), format!("mess%61g=e&&{query}&message%3d=1")];
    for other in others {
        assert_eq!(read(&other, flags, &config), Some(seen.clone()), "{other}");
    }
    // Of parameters that are repeated the first one counts.
    if seen.is_ok() {
        let repeated = format!("{query}&encoding=none&message=another");
        assert_eq!(read(&repeated, flags, &config), Some(seen.clone()), "{repeated}");
    }
    // A character may always be written as its percent code.
    if !query.contains('%') {
        assert_eq!(read(&in_percent(query), flags, &config), Some(seen), "in percent codes");
    }
}

/// Every query.
pub(crate) fn seeds(vectors: &Path) -> Vec<Vec<u8>> {
    let mut seeds = vec![vec![MESSAGE], vec![MESSAGE | JSON, b'{', b'}']];
    for case in cases(vectors) {
        if let Some((_, query)) = case.request.get(1).and_then(|uri| uri.split_once('?')) {
            for flags in [0, STRICT, ACCEPTS] {
                seeds.push([&[flags], query.as_bytes()].concat());
            }
        }
    }
    seeds
}

/// What a server makes of a query: the message, or the HTTP status and body of the refusal. `None` when it is no query.
type Seen = Result<(&'static str, Vec<u8>), (u16, Vec<u8>)>;

fn read(query: &str, flags: u8, config: &Config) -> Option<Seen> {
    let mut headers = HeaderMap::new();
    if flags & ACCEPTS != 0 {
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("flip;q=0, runs"));
    }
    let uri = format!("/a.B/C?{query}").parse().ok()?;
    Some(served_by_get(RequestHead { method: Method::GET, uri, version: Version::HTTP_11, headers }, config))
}

fn served_by_get(head: RequestHead, config: &Config) -> Seen {
    let route = Route { shape: Shape::Unary, no_side_effects: true };
    match accept(head, Some(route), config) {
        Accepted::Call(call) => {
            let codec = call.start.codec;
            let seen = served(call.reader, Protocol::Connect, b"what a GET has no use for", Feed::Bytes);
            let [message] = &seen.messages[..] else { panic!("{} messages", seen.messages.len()) };
            Ok((codec, message.to_vec()))
        }
        Accepted::Reject(reject) => {
            let status = reject.head.status.as_u16();
            assert!([400, 415, 429, 501].contains(&status), "{status} is no answer to a query");
            let length = reject.head.headers.get(header::CONTENT_LENGTH).expect("a refusal has its length");
            assert_eq!(*length, reject.body.len().to_string());
            Err((status, reject.body.to_vec()))
        }
    }
}

/// A message that a client sends by GET is the one that the server reads.
fn survives(flags: u8, message: &[u8]) {
    let compression: Option<Arc<dyn Compression>> = match flags & (RUNS | FLIP) {
        RUNS => Some(Arc::new(Runs)),
        FLIP => Some(Arc::new(Flip)),
        _ => None,
    };
    let plan = Plan {
        protocol: Protocol::Connect,
        text: false,
        shape: Shape::Unary,
        base: &Uri::from_static("http://localhost"),
        path: "/a.B/C",
        version: Version::HTTP_2,
        codec: if flags & JSON == 0 { "proto" } else { "json" },
        timeout: None,
        metadata: &HeaderMap::new(),
        send_compression: compression,
        compress_bytes_min: usize::from(flags & STRICT),
        accept_compressions: compressions(),
        message_bytes_max: 64,
    };
    let codec = if flags & JSON == 0 { "proto" } else { "json" };
    let call = start_get(plan, message).expect("inputs fit into a URI");
    let strict = Config { require_connect_version: true, ..config() };
    match served_by_get(call.head, &strict) {
        Ok(seen) => assert_eq!(seen, (codec, message.to_vec())),
        Err((status, _)) => assert!(status == 429 && message.len() > 64, "{status} to our own query"),
    }
}

/// The query with each letter and digit in its percent code.
fn in_percent(query: &str) -> String {
    query
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { format!("%{:02x}", u32::from(c)) } else { c.to_string() })
        .collect()
}

const MESSAGE: u8 = 1;
const STRICT: u8 = 2;
const ACCEPTS: u8 = 4;
const JSON: u8 = 8;
const RUNS: u8 = 16;
const FLIP: u8 = 32;
