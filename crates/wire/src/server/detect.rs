//! Which protocol a request asks for, by its content type.

use http::Method;

use crate::RequestHead;
use crate::connect::{get, headers as connect};
use crate::grpc::headers::{self as grpc, codec_after};
use crate::grpc_web::headers as grpc_web;
use crate::media_type::MediaType;

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

/// Whether a request is meant for one of the protocols and for nothing else, whatever its path.
///
/// Connect's unary calls have the content types of ordinary HTTP, such as `application/json`: they count when they say the
/// version of the protocol, which Connect's clients do and others have no reason to.
pub fn is_call(head: &RequestHead) -> bool {
    let media = MediaType::of(&head.headers);
    match detect(media.as_ref().map_or("", MediaType::essence)) {
        Asked::Grpc(_) | Asked::GrpcWeb(_) | Asked::GrpcWebText(_) | Asked::ConnectStream(_) => true,
        Asked::ConnectUnary(_) => head.headers.contains_key(connect::PROTOCOL_VERSION),
        Asked::Other => head.method == Method::GET && get::is_asked(head.uri.query()),
    }
}

#[cfg(test)]
mod tests;
