//! A unary Connect call by GET: the message lies in the query (Connect specification, "Unary-Get-Request").

use std::borrow::Cow;

use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bytes::Bytes;
use http::{HeaderValue, header};

use super::server::{call, known, missing_version, read_timeout, unary_writer, wrong_version};
use super::{headers, unary};
use crate::compress::{Offer, compressed_bytes_max, inflated};
use crate::envelope::{inflate_status, too_large};
use crate::grpc::percent::decode_bytes;
use crate::server::{Accepted, Config, ServerReader, read};
use crate::{Code, Compression, Protocol, RequestHead, Status};

/// Base64 for URLs, without padding when written and with or without when read.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The query of a call. Where a parameter is repeated, the first one counts.
#[derive(Debug, Default, PartialEq, Eq)]
struct Query {
    connect: Option<Vec<u8>>,
    encoding: Option<Vec<u8>>,
    compression: Option<Vec<u8>>,
    base64: Option<Vec<u8>>,
    message: Option<Vec<u8>>,
}

/// Whether a query asks for this protocol.
pub(crate) fn is_asked(query: Option<&str>) -> bool {
    query.is_some_and(|query| read_query(query).connect.as_deref() == Some(headers::QUERY_VERSION.as_bytes()))
}

/// Begins the call, or refuses it. `None` when the query names no codec that we know: the caller answers with 415, as
/// for a content type.
pub(crate) fn accept(head: RequestHead, config: &Config) -> Option<Accepted> {
    let query = read_query(head.uri.query().unwrap_or_default());
    let codec = config.codecs.iter().find(|codec| Some(codec.as_bytes()) == query.encoding.as_deref())?;
    Some(match begin(head, &query, codec, config) {
        Ok(accepted) => accepted,
        Err(status) => {
            let announced = config.compressions.announced();
            Accepted::Reject(unary::refuse(status.code.http_status(), &status, announced))
        }
    })
}

/// Checks the query in the order in which a caller would want to hear of it: version, timeout, message.
fn begin(head: RequestHead, query: &Query, codec: &'static str, config: &Config) -> Result<Accepted, Status> {
    match query.connect.as_deref() {
        Some(version) if version == headers::QUERY_VERSION.as_bytes() => {}
        Some(version) => {
            return Err(wrong_version(&String::from_utf8_lossy(version), headers::QUERY_VERSION));
        }
        None if config.require_connect_version => return Err(missing_version("query parameter connect")),
        None => {}
    }
    let timeout = read_timeout(&head.headers)?;
    let message = read_message(query, config)?;
    let accept = head.headers.get(header::ACCEPT_ENCODING);
    let offer = Offer::new(&config.compressions, accept);
    // Without a list nothing is sure to be understood: the query's compression says what the caller can write.
    let response = config.compressions.choose(None, accept.and_then(|list| list.to_str().ok()));
    let content_type = HeaderValue::try_from(format!("{}{codec}", headers::UNARY_CONTENT_TYPE))
        .map_err(|_| Status::new(Code::Internal, "connect: the codec's name fits no header"))?;
    let writer = unary_writer(content_type, response, offer, config, true);
    Ok(call(head.headers, codec, timeout, ServerReader::new(read::Body::Ready(Some(message))), writer))
}

/// The message in the query, decoded and inflated.
///
/// # Errors
/// `InvalidArgument` where it is missing or not what the other parameters say, `Unimplemented` for an unknown compression,
/// `ResourceExhausted` above the limit: the same codes as for a body.
fn read_message(query: &Query, config: &Config) -> Result<Bytes, Status> {
    let invalid = |text: &str| Status::new(Code::InvalidArgument, format!("connect: {text}"));
    let Some(message) = query.message.as_deref() else {
        return Err(invalid("the query has no parameter \"message\""));
    };
    let bytes: Cow<'_, [u8]> = match query.base64.as_deref() {
        Some(b"1") => match BASE64.decode(message) {
            Ok(bytes) => bytes.into(),
            Err(_) => return Err(invalid("the query's message is not base64 for URLs")),
        },
        _ => message.into(),
    };
    let name = String::from_utf8_lossy(query.compression.as_deref().unwrap_or_default());
    let compression = known(&name, &config.compressions)?;
    let bytes_max = config.message_bytes_max;
    let allowed = if compression.is_some() { compressed_bytes_max(bytes_max) } else { bytes_max };
    if bytes.len() > allowed {
        return Err(too_large(Protocol::Connect, &format!("{} bytes", bytes.len()), bytes_max));
    }
    let bytes = Bytes::from(bytes.into_owned());
    let Some(compression) = compression else { return Ok(bytes) };
    inflated(compression.as_ref(), bytes, bytes_max)
        .map_err(|fault| inflate_status(fault, Protocol::Connect, Code::InvalidArgument, bytes_max))
}

/// Reads the parameters that are ours.
fn read_query(query: &str) -> Query {
    let mut read = Query::default();
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let slot = match decode_form(name).as_slice() {
            b"connect" => &mut read.connect,
            b"encoding" => &mut read.encoding,
            b"compression" => &mut read.compression,
            b"base64" => &mut read.base64,
            b"message" => &mut read.message,
            // Unknown parameters are for caches and proxies.
            _ => continue,
        };
        slot.get_or_insert_with(|| decode_form(value));
    }
    read
}

/// Decodes as forms are coded: a plus is a space.
fn decode_form(text: &str) -> Vec<u8> {
    decode_bytes(text.replace('+', " ").as_bytes())
}

/// Writes the query of a call. Parameters are in alphabetical order, so that equal calls have equal addresses and a cache
/// finds them.
pub(crate) fn write_query(codec: &str, compression: Option<&dyn Compression>, message: &[u8]) -> String {
    let mut query = String::new();
    let mut pair = |name: &str, value: &str| {
        query.push_str(if query.is_empty() { "" } else { "&" });
        query.push_str(name);
        query.push('=');
        query.push_str(value);
    };
    // JSON stays readable in logs; everything else is bytes.
    let text =
        if codec == "json" && compression.is_none() { std::str::from_utf8(message).ok() } else { None };
    if text.is_none() {
        pair("base64", "1");
    }
    if let Some(compression) = compression {
        pair("compression", compression.name());
    }
    pair("connect", headers::QUERY_VERSION);
    pair("encoding", codec);
    match text {
        Some(text) => pair("message", &encode_form(text)),
        None => pair("message", &BASE64.encode(message)),
    }
    query
}

/// Encodes everything but the unreserved characters (RFC 3986, 2.3).
fn encode_form(text: &str) -> String {
    use std::fmt::Write as _;

    let mut encoded = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            write!(encoded, "%{byte:02X}").expect("writing into a string has nothing that can fail");
        }
    }
    encoded
}

#[cfg(test)]
mod tests;
