//! Which protocol a request asks for, by its content type.

use crate::connect::headers as connect;
use crate::grpc::headers::{self as grpc, codec_after};
use crate::grpc_web::headers as grpc_web;

/// What a content type asks for, with the name of the codec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked<'a> {
    /// gRPC.
    Grpc(&'a str),
    /// gRPC-Web, binary.
    GrpcWeb(&'a str),
    /// gRPC-Web, text.
    GrpcWebText(&'a str),
    /// A Connect stream.
    ConnectStream(&'a str),
    /// A unary Connect call, if the codec is known: its content types are those of ordinary HTTP.
    ConnectUnary(&'a str),
    /// No protocol of ours.
    Other,
}

/// Reads the type and subtype of a content type, in lower case.
pub(crate) fn detect(essence: &str) -> Asked<'_> {
    // The longer names first: they begin with the shorter ones.
    if let Some(codec) = codec_after(essence, grpc_web::TEXT_CONTENT_TYPE) {
        Asked::GrpcWebText(codec)
    } else if let Some(codec) = codec_after(essence, grpc_web::CONTENT_TYPE) {
        Asked::GrpcWeb(codec)
    } else if let Some(codec) = codec_after(essence, grpc::CONTENT_TYPE) {
        Asked::Grpc(codec)
    } else if let Some(codec) = essence.strip_prefix(connect::STREAM_CONTENT_TYPE) {
        Asked::ConnectStream(codec)
    } else if let Some(codec) = essence.strip_prefix(connect::UNARY_CONTENT_TYPE) {
        Asked::ConnectUnary(codec)
    } else {
        Asked::Other
    }
}

#[cfg(test)]
mod tests;
