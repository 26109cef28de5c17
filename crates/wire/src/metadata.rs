//! Rules for metadata: which names belong to HTTP and the protocols, and how binary values are written.
//!
//! It knows no protocol's names itself: it asks their folders.

use std::fmt;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::{connect, grpc, grpc_web};

/// A `-bin` value that is not base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotBase64;

/// The largest number of fields that a peer may send in a body: gRPC-Web's trailers and Connect's end message. The rest is left
/// out. Heads are bounded by the transport; these are not, and a header map panics above 24,576 names.
pub(crate) const FIELDS_MAX: usize = 8 * 1024;

/// Base64 as all three protocols write it: standard alphabet, no padding. Reading takes both, because gRPC asks readers
/// for it (`PROTOCOL-HTTP2.md`, "Custom-Metadata"), and does not mind stray bits behind the last byte.
pub(crate) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The value of a `-bin` key: base64 without padding.
///
/// ```
/// assert_eq!(trunkline_wire::metadata::encode_bin(&[0xff]), "/w");
/// ```
pub fn encode_bin(bytes: &[u8]) -> HeaderValue {
    HeaderValue::from_str(&BASE64.encode(bytes)).expect("the base64 alphabet is visible ASCII")
}

/// The values in one field of a `-bin` key. Proxies may join repeated fields by commas, which base64 does not contain.
///
/// # Errors
/// When one of the values is not base64, padded or not.
pub fn decode_bin(value: &HeaderValue) -> Result<Vec<Bytes>, NotBase64> {
    value
        .as_bytes()
        .split(|byte| *byte == b',')
        .map(|part| BASE64.decode(part.trim_ascii()).map(Bytes::from).map_err(|_| NotBase64))
        .collect()
}

/// Whether a user may not set this name: it belongs to HTTP or to a protocol, whichever of them carries the call.
///
/// ```
/// use trunkline_wire::metadata::is_reserved;
/// use http::HeaderName;
///
/// assert!(is_reserved(&HeaderName::from_static("content-type")));
/// assert!(!is_reserved(&HeaderName::from_static("authorization")));
/// ```
pub fn is_reserved(name: &HeaderName) -> bool {
    is_own(name) || connect::headers::is_reserved(name.as_str()) || grpc::headers::is_reserved(name.as_str())
}

/// Whether this name steers HTTP or a protocol, so that it is not metadata when it is read.
pub(crate) fn is_own(name: &HeaderName) -> bool {
    is_http(name)
        || connect::headers::is_own(name.as_str())
        || grpc::headers::is_own(name.as_str())
        || grpc_web::headers::is_own(name.as_str())
}

/// The fields that frame an HTTP message or belong to one hop (RFC 9110, 7.6.1).
fn is_http(name: &HeaderName) -> bool {
    matches!(
        name.as_str(),
        "content-type"
            | "content-length"
            | "content-encoding"
            | "accept-encoding"
            | "te"
            | "trailer"
            | "host"
            | "connection"
            | "transfer-encoding"
            | "upgrade"
            | "keep-alive"
            | "proxy-connection"
            | "http2-settings"
    )
}

/// The metadata among received fields: everything that steers neither HTTP nor a protocol, in order, with repeats.
pub(crate) fn received(fields: HeaderMap) -> HeaderMap {
    // A new map, because removing from a header map changes its order.
    let mut metadata = HeaderMap::new();
    each(
        fields,
        |name| !is_own(name),
        |name, value| {
            metadata.append(name.clone(), value);
        },
    );
    metadata
}

/// Appends a user's metadata to the fields of a head or trailer. Reserved names are left out: they would break the
/// framing of the call.
pub(crate) fn append_to(fields: &mut HeaderMap, metadata: HeaderMap) {
    each(
        metadata,
        |name| !is_reserved(name),
        |name, value| {
            fields.append(name.clone(), value);
        },
    );
}

/// Calls `visit` for each value whose name is kept, in order.
pub(crate) fn each(
    fields: HeaderMap,
    keep: impl Fn(&HeaderName) -> bool,
    mut visit: impl FnMut(&HeaderName, HeaderValue),
) {
    let mut kept = None;
    for (name, value) in fields {
        // A name comes only with the first of its values.
        if let Some(name) = name {
            kept = keep(&name).then_some(name);
        }
        if let Some(name) = &kept {
            visit(name, value);
        }
    }
}

impl fmt::Display for NotBase64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a binary metadata value is not base64")
    }
}

impl std::error::Error for NotBase64 {}

#[cfg(test)]
mod tests;
