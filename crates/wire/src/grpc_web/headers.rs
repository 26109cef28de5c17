//! The names and content types that gRPC-Web has beyond gRPC's.

use http::HeaderName;

/// Marks a request as gRPC-Web for proxies that do not look at content types.
pub(crate) const MARK: HeaderName = HeaderName::from_static("x-grpc-web");

/// The content type of the binary form, without a codec.
pub(crate) const CONTENT_TYPE: &str = "application/grpc-web";
/// The content type of the text form, without a codec.
pub(crate) const TEXT_CONTENT_TYPE: &str = "application/grpc-web-text";

/// Whether gRPC-Web itself reads this field.
pub(crate) fn is_own(name: &str) -> bool {
    name == "x-grpc-web"
}
