//! The names of gRPC's header fields and trailers, and its content types (`PROTOCOL-HTTP2.md`).

use http::HeaderName;

/// The timeout of a request.
pub(crate) const TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");
/// The compression of messages.
pub(crate) const ENCODING: HeaderName = HeaderName::from_static("grpc-encoding");
/// The compressions that the sender of the field understands.
pub(crate) const ACCEPT_ENCODING: HeaderName = HeaderName::from_static("grpc-accept-encoding");
/// The code of an outcome, in decimal.
pub(crate) const STATUS: HeaderName = HeaderName::from_static("grpc-status");
/// The message of an outcome, percent-encoded.
pub(crate) const MESSAGE: HeaderName = HeaderName::from_static("grpc-message");
/// The details of an outcome: `google.rpc.Status` in base64.
pub(crate) const STATUS_DETAILS: HeaderName = HeaderName::from_static("grpc-status-details-bin");

/// The content type without a codec; `+` and the codec's name may follow.
pub(crate) const CONTENT_TYPE: &str = "application/grpc";
/// The codec of a content type that names none.
pub(crate) const DEFAULT_CODEC: &str = "proto";

/// What follows `prefix` in a content type: `Some("")` for the bare type, the codec's name after a `+`.
pub(crate) fn codec_after<'a>(essence: &'a str, prefix: &str) -> Option<&'a str> {
    let rest = essence.strip_prefix(prefix)?;
    if rest.is_empty() { Some(DEFAULT_CODEC) } else { rest.strip_prefix('+') }
}

/// Whether gRPC itself reads this field.
pub(crate) fn is_own(name: &str) -> bool {
    matches!(
        name,
        "grpc-timeout"
            | "grpc-encoding"
            | "grpc-accept-encoding"
            | "grpc-status"
            | "grpc-message"
            | "grpc-status-details-bin"
            | "grpc-message-type"
    )
}

/// Whether a user may not set this name. The prefix is reserved as a whole ("Custom-Metadata"), but tracing libraries
/// send these two as ordinary metadata.
pub(crate) fn is_reserved(name: &str) -> bool {
    name.starts_with("grpc-") && !matches!(name, "grpc-trace-bin" | "grpc-tags-bin")
}
