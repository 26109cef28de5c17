//! The names of Connect's header fields and query parameters, and its content types.

use http::HeaderName;

/// The version of the protocol.
pub(crate) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("connect-protocol-version");
/// The timeout of a request, in milliseconds.
pub(crate) const TIMEOUT: HeaderName = HeaderName::from_static("connect-timeout-ms");
/// The compression of a stream's messages.
pub(crate) const STREAM_ENCODING: HeaderName = HeaderName::from_static("connect-content-encoding");
/// The compressions that the sender understands in a stream.
pub(crate) const STREAM_ACCEPT_ENCODING: HeaderName = HeaderName::from_static("connect-accept-encoding");

/// The only version there is, as the header field writes it.
pub(crate) const VERSION: &str = "1";
/// The same, as the query parameter `connect` writes it.
pub(crate) const QUERY_VERSION: &str = "v1";

/// In front of the codec's name in the content type of a unary call.
pub(crate) const UNARY_CONTENT_TYPE: &str = "application/";
/// In front of the codec's name in the content type of a stream.
pub(crate) const STREAM_CONTENT_TYPE: &str = "application/connect+";
/// The content type of unary errors, whatever the codec.
pub(crate) const ERROR_CONTENT_TYPE: &str = "application/json";

/// In front of a trailer's name among the header fields of a unary response.
pub(crate) const TRAILER_PREFIX: &str = "trailer-";

/// Whether Connect itself reads this field.
pub(crate) fn is_own(name: &str) -> bool {
    matches!(
        name,
        "connect-protocol-version"
            | "connect-timeout-ms"
            | "connect-content-encoding"
            | "connect-accept-encoding"
    )
}

/// Whether a user may not set this name. Connect keeps its prefix for itself, and a field that begins like a trailer
/// would be read as one.
pub(crate) fn is_reserved(name: &str) -> bool {
    name.starts_with("connect-") || name.starts_with(TRAILER_PREFIX)
}
