//! Metadata: binary values, the message and details of gRPC's outcome, and the header fields and trailers of Connect. What a side of
//! ours writes, the other one reads; what cannot be read hides nothing else.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Uri, Version};
use trunkline_wire::metadata::{decode_bin, encode_bin};

use super::{cases, settable, survives};
use crate::Code;
use crate::client::{Plan, start};
use crate::input::{Input, lines_of};
use crate::server::{Accepted, Route, accept};
use crate::tests::feed::{Feed, called};
use crate::tests::machines::{KINDS, Kind};
use crate::tests::testing::{compressions, config};

/// What the bytes are, and the bytes.
pub(crate) fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    match input.one_of(&[BYTES, BIN, MESSAGE, DETAILS, FIELDS]) {
        BYTES => binary(input.rest()),
        BIN => joined(input.rest()),
        MESSAGE => message(input.rest()),
        DETAILS => details(input.rest()),
        _ => {
            let kind = input.one_of(&KINDS);
            request(kind, &input.fields());
            response(&input.fields());
        }
    }
}

/// Every binary value, message, and set of fields.
pub(crate) fn seeds(vectors: &Path) -> Vec<Vec<u8>> {
    let mut seeds = vec![vec![BYTES, 0xff]];
    for case in cases(vectors) {
        let kind = KINDS.iter().position(|kind| Some(*kind) == case.kind()).unwrap_or_default() as u8;
        for fields in [Some(&case.headers), case.trailers.as_ref()].into_iter().flatten() {
            seeds.push([&[FIELDS, kind], &*lines_of(fields)].concat());
            for (name, value) in fields {
                match name.as_str() {
                    "grpc-message" => seeds.push([&[MESSAGE], value.as_bytes()].concat()),
                    "grpc-status-details-bin" => {
                        let bytes =
                            decode_bin(value).ok().and_then(|mut parts| parts.pop()).unwrap_or_default();
                        seeds.push([&[DETAILS], &*bytes].concat());
                    }
                    name if name.ends_with("-bin") => seeds.push([&[BIN], value.as_bytes()].concat()),
                    _ => {}
                }
            }
        }
    }
    seeds
}

/// Any bytes come back, from our own form and from the padded one.
fn binary(bytes: &[u8]) {
    let expected = Ok(vec![Bytes::copy_from_slice(bytes)]);
    assert_eq!(decode_bin(&encode_bin(bytes)), expected);
    let padded = HeaderValue::from_str(&STANDARD.encode(bytes)).expect("base64 is ASCII");
    assert_eq!(decode_bin(&padded), expected);
}

/// Values joined by commas come apart again, and never into more than there are.
fn joined(value: &[u8]) {
    let Ok(value) = HeaderValue::from_bytes(value) else { return };
    let Ok(parts) = decode_bin(&value) else { return };
    assert_eq!(parts.len(), value.as_bytes().split(|byte| *byte == b',').count());
    let fields: Vec<_> = parts.iter().map(|part| encode_bin(part).as_bytes().to_vec()).collect();
    let again = HeaderValue::from_bytes(&fields.join(&b", "[..])).expect("base64 is ASCII");
    assert_eq!(decode_bin(&again), Ok(parts));
}

/// A message is never refused; without percent signs it is what it is.
fn message(text: &[u8]) {
    let Ok(value) = HeaderValue::from_bytes(text) else { return };
    let outcome = told("grpc-message", value);
    let status = outcome.result.as_ref().expect_err("the status is not zero");
    assert_eq!(status.code, Code::NotFound);
    if let (Ok(text), false) = (str::from_utf8(text), text.contains(&b'%')) {
        assert_eq!(status.message, text);
    }
    KINDS.iter().for_each(|kind| survives(*kind, &outcome));
}

/// Details that cannot be read do not hide the error.
fn details(bytes: &[u8]) {
    let outcome = told("grpc-status-details-bin", encode_bin(bytes));
    let status = outcome.result.as_ref().expect_err("the status is not zero");
    assert_eq!(status.code, Code::NotFound);
    let held: usize = status.details.iter().map(|detail| detail.value.len()).sum();
    assert!(held <= bytes.len(), "details grew from {} to {held} bytes", bytes.len());
    KINDS.iter().for_each(|kind| survives(*kind, &outcome));
}

/// What a client makes of a response without body that fails and has this field.
fn told(name: &'static str, value: HeaderValue) -> crate::client::Outcome {
    let mut head = Kind::Grpc.head(200, false);
    head.headers.insert("grpc-status", HeaderValue::from_static("5"));
    head.headers.insert(name, value);
    let seen = called(Kind::Grpc.client(), Kind::Grpc.protocol(), head, None, (b"", Feed::Whole));
    assert!(seen.outcome.from_peer && seen.metadata.is_empty(), "a head that is the whole response");
    seen.outcome
}

/// A caller's metadata arrive, but for the names that are not theirs to set.
fn request(kind: Kind, fields: &HeaderMap) {
    let plan = Plan {
        protocol: kind.protocol(),
        text: kind == Kind::GrpcWebText,
        shape: kind.shape(),
        base: &Uri::from_static("http://localhost"),
        path: "/a.B/C",
        version: Version::HTTP_2,
        codec: "proto",
        timeout: None,
        metadata: fields,
        send_compression: None,
        compress_bytes_min: 0,
        accept_compressions: compressions(),
        message_bytes_max: 64,
    };
    let head = start(plan).expect("metadata do not keep a call from beginning").head;
    assert_eq!(head.method, Method::POST);
    let route = Route { shape: kind.shape(), no_side_effects: false };
    let Accepted::Call(call) = accept(head, Some(route), &config()) else {
        panic!("{kind:?}: metadata made the call another one");
    };
    let mut seen = call.start.metadata;
    let mut expected = settable(fields);
    // The client adds who it is, and in the text form what it accepts, in place of the caller's own.
    for name in ["user-agent", "accept"] {
        seen.remove(name);
        expected.remove(name);
    }
    assert_eq!(seen, expected, "{kind:?}");
}

/// Trailers of a unary response are told from its metadata, and both can be told again.
fn response(fields: &HeaderMap) {
    let kind = Kind::ConnectUnary;
    let mut head = kind.head(200, false);
    for (name, value) in fields.iter().filter(|(name, _)| !name.as_str().starts_with("content-")) {
        head.headers.append(name.clone(), value.clone());
    }
    let seen = called(kind.client(), kind.protocol(), head, None, (b"", Feed::Whole));
    let parted = seen.metadata.len() + seen.outcome.trailers.len();
    assert!(parted <= fields.len() + 1, "{parted} fields out of {}", fields.len());
    assert!(seen.metadata.keys().all(|name| !name.as_str().starts_with("trailer-") || name == "trailer-"));
    if seen.outcome.from_peer {
        survives(kind, &seen.outcome);
        survives(Kind::ConnectStream, &seen.outcome);
    }
}

const BYTES: u8 = 0;
const BIN: u8 = 1;
const MESSAGE: u8 = 2;
const DETAILS: u8 = 3;
const FIELDS: u8 = 4;
