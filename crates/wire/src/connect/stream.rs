//! A streaming Connect call on the server: envelopes, and an end message that says how the call ended (Connect
//! specification, "Streaming RPCs"). The HTTP status is always 200.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::{error_json, headers};
use crate::envelope::{self, EnvelopeWriter};
use crate::server::{Finish, Reject};
use crate::{Compression, ResponseHead, Status, metadata};

/// The flag of the end message.
pub(crate) const END_FLAG: u8 = 0b0000_0010;

/// Writes the response of a stream.
pub(crate) struct StreamWriter {
    /// `application/connect+` and the codec.
    pub(crate) content_type: HeaderValue,
    /// The compressions that we understand.
    pub(crate) accept: Option<HeaderValue>,
    /// The name of the compression of messages.
    pub(crate) encoding: Option<&'static str>,
    /// Writes the messages.
    pub(crate) envelopes: EnvelopeWriter,
    /// Whether the head was given out.
    pub(crate) head_sent: bool,
}

impl StreamWriter {
    /// The head, with the handler's metadata.
    pub(crate) fn head(&mut self, metadata: HeaderMap) -> ResponseHead {
        self.head_sent = true;
        let mut head = bare_head(&self.content_type, self.accept.as_ref());
        if let Some(encoding) = self.encoding {
            head.headers.insert(headers::STREAM_ENCODING, HeaderValue::from_static(encoding));
        }
        metadata::append_to(&mut head.headers, metadata);
        head
    }

    /// Compresses the messages from here on with `chosen`, if the head has not said otherwise.
    pub(crate) fn compress_with(&mut self, chosen: Option<Arc<dyn Compression>>) -> bool {
        self.envelopes.choose(chosen, &mut self.encoding, self.head_sent)
    }

    /// Appends the end message, and gives the head if it was not sent before.
    pub(crate) fn finish(
        &mut self,
        outcome: Result<(), Status>,
        trailers: HeaderMap,
        target: &mut BytesMut,
    ) -> Finish {
        let head = (!self.head_sent).then(|| self.head(HeaderMap::new()));
        envelope::append(target, END_FLAG, &end_message(outcome, trailers));
        Finish { head, trailers: None }
    }
}

/// The response that refuses a stream.
pub(crate) fn refuse(content_type: &HeaderValue, status: Status, accept: Option<&HeaderValue>) -> Reject {
    let mut body = BytesMut::new();
    envelope::append(&mut body, END_FLAG, &end_message(Err(status), HeaderMap::new()));
    Reject { head: bare_head(content_type, accept), body: Bytes::from(body) }
}

/// A head without metadata.
fn bare_head(content_type: &HeaderValue, accept: Option<&HeaderValue>) -> ResponseHead {
    let mut fields = HeaderMap::new();
    fields.insert(header::CONTENT_TYPE, content_type.clone());
    if let Some(accept) = accept {
        fields.insert(headers::STREAM_ACCEPT_ENCODING, accept.clone());
    }
    ResponseHead { status: StatusCode::OK, headers: fields }
}

/// The payload of the end message: the error, if any, and all trailers.
fn end_message(mut outcome: Result<(), Status>, trailers: HeaderMap) -> Vec<u8> {
    let mut metadata = HeaderMap::new();
    if let Err(status) = &mut outcome {
        metadata::append_to(&mut metadata, std::mem::take(&mut status.metadata));
    }
    metadata::append_to(&mut metadata, trailers);
    error_json::write_end(&outcome, &metadata)
}
