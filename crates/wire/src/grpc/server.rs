//! gRPC's part of `accept`, and the response: a head, envelopes, and trailers.
//!
//! gRPC-Web begins and writes its calls with what lies here, but for the end.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::{headers, status, timeout};
use crate::compress::{IDENTITY, Offer};
use crate::envelope::{EnvelopeReader, EnvelopeWriter, Rules};
use crate::server::{Accepted, CallStart, Config, Finish, Reject, ServerCall, ServerReader, ServerWriter};
use crate::server::{read, write};
use crate::{Code, Compression, Protocol, RequestHead, ResponseHead, Status, metadata};

/// What a head agrees on beyond path and codec. Compressions of the two directions are independent of each other.
pub(crate) struct Agreement {
    /// How the request is compressed.
    pub(crate) request: Option<Arc<dyn Compression>>,
    /// How the response is to be compressed.
    pub(crate) response: Option<Arc<dyn Compression>>,
    /// How else it may be.
    pub(crate) offer: Offer,
    /// The timeout that the caller sent.
    pub(crate) timeout: Option<Duration>,
}

/// Begins a call, or refuses it.
pub(crate) fn accept(
    head: RequestHead,
    content_type: &HeaderValue,
    codec: &'static str,
    config: &Config,
) -> Accepted {
    let agreed = match agree(&head.headers, Protocol::Grpc, config) {
        Ok(agreed) => agreed,
        Err(status) => {
            return Accepted::Reject(refuse(content_type, status, config.compressions.announced()));
        }
    };
    let envelopes = EnvelopeReader::new(request_rules(Protocol::Grpc, config), agreed.request.clone());
    let start = CallStart {
        protocol: Protocol::Grpc,
        codec,
        timeout: agreed.timeout,
        metadata: metadata::received(head.headers),
    };
    let writer = Writer::new(content_type.clone(), agreed.response, config);
    Accepted::Call(Box::new(ServerCall {
        start,
        reader: ServerReader::new(read::Body::Envelopes(envelopes)),
        writer: ServerWriter::new(write::Form::Grpc(writer), agreed.offer),
    }))
}

/// How requests use envelopes: no end message, and broken ones are `Internal`, because `INVALID_ARGUMENT` is a code that
/// gRPC leaves to users (`statuscodes.md`).
pub(crate) fn request_rules(protocol: Protocol, config: &Config) -> Rules {
    Rules { protocol, end_flag: 0, broken: Code::Internal, message_bytes_max: config.message_bytes_max }
}

/// Reads timeout and compressions.
///
/// # Errors
/// `Unimplemented` for a compression that is not known (`compression.md`), `Internal` for a bad timeout.
pub(crate) fn agree(fields: &HeaderMap, protocol: Protocol, config: &Config) -> Result<Agreement, Status> {
    let known = &config.compressions;
    let name = fields.get(headers::ENCODING).map(|name| String::from_utf8_lossy(name.as_bytes()));
    let request = match name.as_deref() {
        None | Some("" | IDENTITY) => None,
        Some(name) => Some(known.find(name).cloned().ok_or_else(|| {
            let text = format!(
                "{protocol}: the compression {name:?} is unknown; accepted are identity,{}",
                known.list()
            );
            Status::new(Code::Unimplemented, text.trim_end_matches(','))
        })?),
    };
    let accept = fields.get(headers::ACCEPT_ENCODING);
    let offer = Offer::new(known, accept);
    let response = known.choose(request.as_ref(), accept.and_then(|list| list.to_str().ok()));
    let timeout = fields.get(headers::TIMEOUT).map(timeout::read).transpose()?;
    Ok(Agreement { request, response, offer, timeout })
}

/// The refusal of a call: a whole response in one head ("Trailers-Only"), which refuses a call.
pub(crate) fn refuse(content_type: &HeaderValue, status: Status, accept: Option<&HeaderValue>) -> Reject {
    let head = trailers_only(content_type, Err(status), HeaderMap::new(), accept);
    Reject { head, body: Bytes::new() }
}

/// A head that is a whole response ("Trailers-Only").
fn trailers_only(
    content_type: &HeaderValue,
    outcome: Result<(), Status>,
    trailers: HeaderMap,
    accept: Option<&HeaderValue>,
) -> ResponseHead {
    let mut fields = HeaderMap::new();
    fields.insert(header::CONTENT_TYPE, content_type.clone());
    if let Some(accept) = accept {
        fields.insert(headers::ACCEPT_ENCODING, accept.clone());
    }
    status::write(&mut fields, outcome, trailers);
    ResponseHead { status: StatusCode::OK, headers: fields }
}

/// Writes the response of a call.
///
/// It keeps track of what was written, because the end depends on it: a response that has neither head nor message ends in one
/// head, any other in trailers.
pub(crate) struct Writer {
    content_type: HeaderValue,
    accept: Option<HeaderValue>,
    encoding: Option<&'static str>,
    /// Writes the messages.
    pub(crate) envelopes: EnvelopeWriter,
    head_sent: bool,
    /// Whether a message was written, so that the body is not empty.
    pub(crate) wrote: bool,
}

impl Writer {
    /// A writer in front of the head.
    pub(crate) fn new(
        content_type: HeaderValue,
        compression: Option<Arc<dyn Compression>>,
        config: &Config,
    ) -> Self {
        Self {
            content_type,
            accept: config.compressions.announced().cloned(),
            encoding: compression.as_ref().map(|compression| compression.name()),
            envelopes: EnvelopeWriter::new(compression, config.compress_bytes_min),
            head_sent: false,
            wrote: false,
        }
    }

    /// The head, with the handler's metadata.
    pub(crate) fn head(&mut self, metadata: HeaderMap) -> ResponseHead {
        self.head_sent = true;
        let mut fields = HeaderMap::new();
        fields.insert(header::CONTENT_TYPE, self.content_type.clone());
        if let Some(encoding) = self.encoding {
            fields.insert(headers::ENCODING, HeaderValue::from_static(encoding));
        }
        if let Some(accept) = &self.accept {
            fields.insert(headers::ACCEPT_ENCODING, accept.clone());
        }
        metadata::append_to(&mut fields, metadata);
        ResponseHead { status: StatusCode::OK, headers: fields }
    }

    /// Compresses the messages from here on with `chosen`, if the head has not said otherwise.
    pub(crate) fn compress_with(&mut self, chosen: Option<Arc<dyn Compression>>) -> bool {
        self.envelopes.choose(chosen, &mut self.encoding, self.head_sent)
    }

    /// Whether neither head nor message was written: then one head can say everything.
    pub(crate) fn is_untouched(&self) -> bool {
        !self.head_sent && !self.wrote
    }

    /// The end of an untouched response.
    pub(crate) fn finish_at_once(&self, outcome: Result<(), Status>, trailers: HeaderMap) -> Finish {
        let head = trailers_only(&self.content_type, outcome, trailers, self.accept.as_ref());
        Finish { head: Some(head), trailers: None }
    }

    /// The head if it was not sent, for a response whose body was begun without it.
    pub(crate) fn head_due(&mut self) -> Option<ResponseHead> {
        (!self.head_sent).then(|| self.head(HeaderMap::new()))
    }

    /// Ends the response with HTTP trailers.
    pub(crate) fn finish(&mut self, outcome: Result<(), Status>, trailers: HeaderMap) -> Finish {
        if self.is_untouched() {
            return self.finish_at_once(outcome, trailers);
        }
        let mut fields = HeaderMap::new();
        status::write(&mut fields, outcome, trailers);
        Finish { head: self.head_due(), trailers: Some(fields) }
    }
}
