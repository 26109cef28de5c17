//! The names and values that we know, and how the encoder sends each.
//!
//! Decides what repeats from call to call and is worth a place in the peer's table, and what must never get one. It does
//! not know what is in the table. The decoder takes names and values from here where it can: a clone of a constant counts
//! no references.

use std::sync::LazyLock;

use http::{HeaderName, HeaderValue};

use super::static_table;

#[cfg(test)]
mod tests;

/// How the fields of a name are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// From the dynamic table, and into it: the same in call after call.
    Index,
    /// Likewise, where the value is `0`: the status of calls that go well. The others are rare.
    IndexZero,
    /// Likewise, where the value is `trailers`; any other must not be sent (RFC 9113, 8.2.2).
    IndexTrailers,
    /// Spelled out each time.
    Literal,
    /// Never indexed, here or further on (RFC 7541, 6.2.3 and 7.1.3).
    Never,
    /// Never indexed where it is short enough to be guessed byte by byte (RFC 7541, 7.1.3).
    NeverIfShort,
    /// Not sent at all: about one connection (RFC 9113, 8.2.2).
    Drop,
}

/// A name with its place in the static table.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) name: &'static str,
    /// 0 when the static table does not have it.
    pub(super) index: u8,
    pub(super) how: How,
}

/// The row of `:authority`.
pub(super) static AUTHORITY: usize = place_of(":authority");

/// The row of `:path`.
pub(super) static PATH: usize = place_of(":path");

/// By length, so that a look-up compares with a few only.
///
/// What is indexed is what a client or server says in the same words each time. What differs from call to call (times,
/// lengths, messages) would push that out of the table, and so would most fields of the web, which calls do not have.
pub(super) static KNOWN: [Known; 64] = [
    row("te", How::IndexTrailers),
    row("age", How::Literal),
    row("via", How::Literal),
    row("date", How::Literal),
    row("etag", How::Literal),
    row("from", How::Literal),
    row("host", How::Literal),
    row("link", How::Literal),
    row("vary", How::Index),
    row(":path", How::Index),
    row("allow", How::Literal),
    row("range", How::Literal),
    row("accept", How::Index),
    row("cookie", How::NeverIfShort),
    row("expect", How::Literal),
    row("server", How::Index),
    row("expires", How::Literal),
    row("referer", How::Literal),
    row("refresh", How::Literal),
    row("upgrade", How::Drop),
    row("if-match", How::Literal),
    row("if-range", How::Literal),
    row("location", How::Literal),
    row(":authority", How::Index),
    row("connection", How::Drop),
    row("keep-alive", How::Drop),
    row("set-cookie", How::Never),
    row("user-agent", How::Index),
    row("grpc-status", How::IndexZero),
    row("retry-after", How::Literal),
    row("content-type", How::Index),
    row("grpc-message", How::Literal),
    row("grpc-timeout", How::Literal),
    row("max-forwards", How::Literal),
    row("accept-ranges", How::Literal),
    row("authorization", How::Never),
    row("cache-control", How::Literal),
    row("content-range", How::Literal),
    row("grpc-encoding", How::Index),
    row("if-none-match", How::Literal),
    row("last-modified", How::Literal),
    row("accept-charset", How::Literal),
    row("content-length", How::Literal),
    row("accept-encoding", How::Index),
    row("accept-language", How::Literal),
    row("content-encoding", How::Index),
    row("content-language", How::Literal),
    row("content-location", How::Literal),
    row("proxy-connection", How::Drop),
    row("www-authenticate", How::Literal),
    row("if-modified-since", How::Literal),
    row("transfer-encoding", How::Drop),
    row("connect-timeout-ms", How::Literal),
    row("proxy-authenticate", How::Literal),
    row("content-disposition", How::Literal),
    row("if-unmodified-since", How::Literal),
    row("proxy-authorization", How::Never),
    row("grpc-accept-encoding", How::Index),
    row("connect-accept-encoding", How::Index),
    row("grpc-status-details-bin", How::Literal),
    row("connect-content-encoding", How::Index),
    row("connect-protocol-version", How::Index),
    row("strict-transport-security", How::Literal),
    row("access-control-allow-origin", How::Literal),
];

/// Values that calls are full of.
static VALUES: [HeaderValue; 14] = [
    HeaderValue::from_static("0"),
    HeaderValue::from_static("1"),
    HeaderValue::from_static("*/*"),
    HeaderValue::from_static("gzip"),
    HeaderValue::from_static("identity"),
    HeaderValue::from_static("trailers"),
    HeaderValue::from_static("gzip,identity"),
    HeaderValue::from_static("application/grpc"),
    HeaderValue::from_static("application/json"),
    HeaderValue::from_static("application/proto"),
    HeaderValue::from_static("application/grpc-web"),
    HeaderValue::from_static("application/grpc+proto"),
    HeaderValue::from_static("application/connect+proto"),
    HeaderValue::from_static("application/grpc-web+proto"),
];

/// The name as the rest of the engine has it, if it is known and no pseudo-field.
pub(super) fn header(name: &[u8]) -> Option<HeaderName> {
    static HEADERS: LazyLock<Vec<Option<HeaderName>>> = LazyLock::new(|| {
        let is_regular = |known: &&'static Known| !known.name.starts_with(':');
        let header = |known| Some(known).filter(is_regular).map(|known| HeaderName::from_static(known.name));
        KNOWN.iter().map(header).collect()
    });
    HEADERS[find(name)?].clone()
}

/// A value of [`VALUES`].
pub(super) fn value(text: &[u8]) -> Option<&'static HeaderValue> {
    VALUES.iter().find(|value| value.as_bytes() == text)
}

/// Longest name in [`KNOWN`].
const NAME_BYTES_MAX: usize = 27;

/// Where the names of each length begin in [`KNOWN`]; the last is its end.
static BEGINS: [u8; NAME_BYTES_MAX + 2] = begins();

/// The place of a name in [`KNOWN`].
#[inline]
pub(super) fn find(name: &[u8]) -> Option<usize> {
    let bytes = name.len();
    if bytes > NAME_BYTES_MAX {
        return None;
    }
    let (begin, end) = (usize::from(BEGINS[bytes]), usize::from(BEGINS[bytes + 1]));
    KNOWN[begin..end].iter().position(|known| known.name.as_bytes() == name).map(|place| begin + place)
}

const fn row(name: &'static str, how: How) -> Known {
    Known { name, index: static_table::index_of(name), how }
}

/// The place of a name that is there, for constants.
const fn place_of(name: &str) -> usize {
    let mut place = 0;
    while place < KNOWN.len() {
        if static_table::is_same(KNOWN[place].name.as_bytes(), name.as_bytes()) {
            return place;
        }
        place += 1;
    }
    panic!("the name is in the table");
}

const fn begins() -> [u8; NAME_BYTES_MAX + 2] {
    let mut begins = [0; NAME_BYTES_MAX + 2];
    let mut place = 0;
    while place < KNOWN.len() {
        let mut longer = KNOWN[place].name.len() + 1;
        while longer < begins.len() {
            begins[longer] += 1;
            longer += 1;
        }
        place += 1;
    }
    begins
}
