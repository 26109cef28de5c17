//! gRPC-Web, binary and text: gRPC for transports without HTTP trailers (`PROTOCOL-WEB.md`).
//!
//! What differs from gRPC lies here: the content types, the trailers in the last envelope, and the base64 of the text form.

pub(crate) mod client;
pub(crate) mod headers;
pub(crate) mod server;
pub(crate) mod text;
pub(crate) mod trailers;
