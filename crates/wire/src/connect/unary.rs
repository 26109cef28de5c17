//! A unary Connect call on the server: the message is the whole body, the outcome is the HTTP status, and trailers are
//! header fields with a prefix (Connect specification, "Unary RPCs").

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use super::{error_json, headers};
use crate::server::{Finish, Reject};
use crate::{Code, Compression, ResponseHead, Status, metadata};

/// Writes the response of a unary call.
///
/// The head depends on how the call ends, so nothing is sent before `finish`: until then the message waits in the target and the
/// metadata wait here.
pub(crate) struct UnaryWriter {
    /// `application/` and the codec.
    pub(crate) content_type: HeaderValue,
    /// The compressions that we understand.
    pub(crate) accept: Option<HeaderValue>,
    /// How to compress the message.
    pub(crate) compression: Option<Arc<dyn Compression>>,
    /// Smaller messages are not compressed.
    pub(crate) compress_bytes_min: usize,
    /// Whether the call came by GET, so that caches may keep the response.
    pub(crate) cacheable: bool,
    /// The handler's metadata, until the head can be written.
    pub(crate) metadata: HeaderMap,
    /// Length of the message in the target, and whether it is compressed.
    pub(crate) written: Option<(usize, bool)>,
}

impl UnaryWriter {
    /// Keeps the handler's metadata: the head says how the call ended.
    pub(crate) fn head(&mut self, metadata: HeaderMap) {
        self.metadata = metadata;
    }

    /// Appends the one message.
    pub(crate) fn message(
        &mut self,
        target: &mut BytesMut,
        encode: &mut dyn FnMut(&mut BytesMut) -> Result<(), Status>,
    ) -> Result<(), Status> {
        if self.written.is_some() {
            return Err(Status::new(Code::Internal, "connect: a unary response has one message, not two"));
        }
        let compression = self.compression.as_deref();
        self.written = Some(append(target, compression, self.compress_bytes_min, encode)?);
        Ok(())
    }

    /// Writes the head and, for an error, the body. On an error the message written before is taken back: nothing of it
    /// was sent, because the head comes only now.
    pub(crate) fn finish(
        &mut self,
        outcome: Result<(), Status>,
        trailers: HeaderMap,
        target: &mut BytesMut,
    ) -> Finish {
        let (length, compressed) = self.written.take().unwrap_or_default();
        let mut fields = HeaderMap::new();
        metadata::append_to(&mut fields, std::mem::take(&mut self.metadata));
        let (status, content_type, length) = match outcome {
            Ok(()) => (StatusCode::OK, self.content_type.clone(), length),
            Err(mut status) => {
                target.truncate(target.len().saturating_sub(length));
                append_trailers(&mut fields, std::mem::take(&mut status.metadata));
                let body = error_body(&status);
                target.extend_from_slice(&body);
                let http_status = error_json::failure_code(&status).http_status();
                (http_status, HeaderValue::from_static(headers::ERROR_CONTENT_TYPE), body.len())
            }
        };
        append_trailers(&mut fields, trailers);
        fields.insert(header::CONTENT_TYPE, content_type);
        fields.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
        if let (true, true, Some(compression)) = (compressed, status == StatusCode::OK, &self.compression) {
            fields.insert(header::CONTENT_ENCODING, HeaderValue::from_static(compression.name()));
        }
        if let Some(accept) = &self.accept {
            fields.insert(header::ACCEPT_ENCODING, accept.clone());
        }
        if self.cacheable {
            fields.append(header::VARY, HeaderValue::from_static("accept-encoding"));
        }
        Finish { head: Some(ResponseHead { status, headers: fields }), trailers: None }
    }
}

/// Appends one bare message, compressed when it has `compress_bytes_min` bytes or more. Gives its length as written and
/// whether it is compressed. On error `target` is as it was.
pub(crate) fn append(
    target: &mut BytesMut,
    compression: Option<&dyn Compression>,
    compress_bytes_min: usize,
    encode: &mut dyn FnMut(&mut BytesMut) -> Result<(), Status>,
) -> Result<(usize, bool), Status> {
    let start = target.len();
    if let Err(status) = encode(target) {
        target.truncate(start);
        return Err(status);
    }
    let Some(plain) = target.get(start..) else {
        return Err(Status::new(Code::Internal, "an encoder removed bytes that were not its own"));
    };
    let Some(compression) = compression.filter(|_| plain.len() >= compress_bytes_min) else {
        return Ok((plain.len(), false));
    };
    let mut compressed = BytesMut::new();
    compression.compress(plain, &mut compressed);
    target.truncate(start);
    target.extend_from_slice(&compressed);
    Ok((compressed.len(), true))
}

/// The response that refuses a unary call, or a call whose shape is not known. Always JSON, even when the call asked for
/// another codec: the specification fixes the content type of unary errors, so that a client without our schema can still
/// read them.
pub(crate) fn refuse(http_status: StatusCode, status: &Status, accept: Option<&HeaderValue>) -> Reject {
    let body = Bytes::from(error_body(status));
    let mut fields = HeaderMap::new();
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(headers::ERROR_CONTENT_TYPE));
    fields.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
    if let Some(accept) = accept {
        fields.insert(header::ACCEPT_ENCODING, accept.clone());
    }
    Reject { head: ResponseHead { status: http_status, headers: fields }, body }
}

/// The body of an error.
fn error_body(status: &Status) -> Vec<u8> {
    let mut body = Vec::new();
    error_json::write_error(status, &mut body);
    body
}

/// Appends trailers under their prefixed names.
fn append_trailers(fields: &mut HeaderMap, trailers: HeaderMap) {
    metadata::each(
        trailers,
        |name| !metadata::is_reserved(name),
        |name, value| {
            if let Ok(name) = HeaderName::try_from(format!("{}{name}", headers::TRAILER_PREFIX)) {
                fields.append(name, value);
            }
        },
    );
}

/// Parts the fields of a unary response into metadata and trailers.
pub(crate) fn part_trailers(fields: HeaderMap) -> (HeaderMap, HeaderMap) {
    let (mut metadata, mut trailers) = (HeaderMap::new(), HeaderMap::new());
    for (name, value) in &metadata::received(fields) {
        match name.as_str().strip_prefix(headers::TRAILER_PREFIX).map(HeaderName::try_from) {
            Some(Ok(name)) => trailers.append(name, value.clone()),
            _ => metadata.append(name.clone(), value.clone()),
        };
    }
    (metadata, trailers)
}
