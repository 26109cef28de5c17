//! Timeouts: the fields of both families read as their specifications say, and a duration that is written never comes back shorter.

use std::path::Path;
use std::time::Duration;

use http::{HeaderMap, HeaderValue, Method, Uri, Version};

use super::cases;
use crate::input::Input;
use crate::server::{Accepted, CallStart, Route, accept};
use crate::tests::machines::{KINDS, Kind};
use crate::tests::testing::{compressions, config};
use crate::{Protocol, RequestHead};

/// Kind, whether a duration or a field follows, and the one or the other.
pub(crate) fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let kind = input.one_of(&KINDS);
    if input.byte() == DURATION {
        return survives(kind, duration(input.rest()));
    }
    let Ok(value) = HeaderValue::from_bytes(input.rest()) else { return };
    let mut head = kind.call(false).head;
    head.headers.insert(field(kind.protocol()), value);
    match (read(kind, head), expected(kind.protocol(), input.rest())) {
        (Some(start), Some(expected)) => assert_eq!(start.timeout, Some(expected), "{kind:?}"),
        (None, None) => {}
        (seen, expected) => panic!("{kind:?}: {:?} instead of {expected:?}", seen.map(|start| start.timeout)),
    }
}

/// Every timeout of a case, and a few durations.
pub(crate) fn seeds(vectors: &Path) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (index, kind) in (0..).zip(KINDS) {
        for seconds in [0, 1, 99_999_999, 9_999_999_999, u64::MAX] {
            seeds.push([&[index, DURATION], &seconds.to_le_bytes()[..], &[1, 0, 0, 0]].concat());
        }
        for case in cases(vectors) {
            let value = case.field(field(kind.protocol()));
            if !value.is_empty() {
                seeds.push([&[index, 0], value].concat());
            }
        }
    }
    seeds
}

fn duration(bytes: &[u8]) -> Duration {
    let mut padded = [0; 12];
    let length = bytes.len().min(12);
    padded[..length].copy_from_slice(&bytes[..length]);
    let [a, b, c, d, e, f, g, h, nanos @ ..] = padded;
    Duration::new(u64::from_le_bytes([a, b, c, d, e, f, g, h]), u32::from_le_bytes(nanos) % 1_000_000_000)
}

/// A client's timeout arrives at the server as it was or a little longer, up to the largest that the field can say.
fn survives(kind: Kind, timeout: Duration) {
    let plan = crate::client::Plan {
        protocol: kind.protocol(),
        text: kind == Kind::GrpcWebText,
        shape: kind.shape(),
        base: &Uri::from_static("http://localhost"),
        path: "/a.B/C",
        version: Version::HTTP_2,
        codec: "proto",
        timeout: Some(timeout),
        metadata: &HeaderMap::new(),
        send_compression: None,
        compress_bytes_min: 0,
        accept_compressions: compressions(),
        message_bytes_max: 64,
    };
    let call = crate::client::start(plan).expect("a timeout does not keep a call from beginning");
    let seen = read(kind, call.head).and_then(|start| start.timeout).expect("our own timeout is understood");
    let largest = match kind.protocol() {
        Protocol::Connect => Duration::from_millis(9_999_999_999),
        _ => Duration::from_secs(99_999_999 * 3600),
    };
    if timeout >= largest {
        assert_eq!(seen, largest, "{kind:?}: {timeout:?}");
        return;
    }
    // Eight digits are exact to a part in ten million where the unit is the finest that fits; units grow by up to a thousand.
    let slack = match kind.protocol() {
        Protocol::Connect => Duration::from_millis(1),
        _ => timeout / 1_000 + Duration::from_nanos(1),
    };
    assert!(seen >= timeout, "{kind:?}: {timeout:?} came back as {seen:?}");
    assert!(seen - timeout <= slack, "{kind:?}: {timeout:?} came back as {seen:?}");
}

fn read(kind: Kind, mut head: RequestHead) -> Option<CallStart> {
    head.method = Method::POST;
    let route = Route { shape: kind.shape(), no_side_effects: false };
    match accept(head, Some(route), &config()) {
        Accepted::Call(call) => Some(call.start),
        Accepted::Reject(_) => None,
    }
}

/// What a field means, written down a second time and in another way.
fn expected(protocol: Protocol, value: &[u8]) -> Option<Duration> {
    let text = str::from_utf8(value).ok()?;
    let number = |digits: &str, digits_max: usize| {
        let is_number = !digits.is_empty() && digits.chars().all(|digit| digit.is_ascii_digit());
        (is_number && digits.len() <= digits_max).then(|| digits.parse::<u64>().expect("few digits fit"))
    };
    if protocol == Protocol::Connect {
        return Some(Duration::from_millis(number(text, 10)?));
    }
    let unit = text.chars().next_back()?;
    let value = number(&text[..text.len() - unit.len_utf8()], 8)?;
    Some(match unit {
        'H' => Duration::from_secs(value * 3600),
        'M' => Duration::from_secs(value * 60),
        'S' => Duration::from_secs(value),
        'm' => Duration::from_millis(value),
        'u' => Duration::from_micros(value),
        'n' => Duration::from_nanos(value),
        _ => return None,
    })
}

fn field(protocol: Protocol) -> &'static str {
    if protocol == Protocol::Connect { "connect-timeout-ms" } else { "grpc-timeout" }
}

/// The second byte of an input that is a duration.
const DURATION: u8 = 1;
