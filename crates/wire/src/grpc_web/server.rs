//! gRPC-Web's part of `accept`, and the end of a response in its last envelope.

use bytes::BytesMut;
use http::{HeaderMap, HeaderValue};

use super::text::{self, Decoder};
use super::trailers::{self, END_FLAG};
use crate::envelope::{self, EnvelopeReader, Found};
use crate::grpc::server::{Writer as GrpcWriter, agree, refuse, request_rules};
use crate::grpc::status;
use crate::server::{
    Accepted, CallStart, Config, Finish, ServerCall, ServerReader, ServerWriter, read, write,
};
use crate::{Code, Protocol, RequestHead, ResponseHead, Status, metadata};

/// Begins a call, or refuses it.
pub(crate) fn accept(
    head: RequestHead,
    content_type: &HeaderValue,
    codec: &'static str,
    is_text: bool,
    config: &Config,
) -> Accepted {
    let agreed = match agree(&head.headers, Protocol::GrpcWeb, config) {
        Ok(agreed) => agreed,
        Err(status) => {
            return Accepted::Reject(refuse(content_type, status, config.compressions.announced()));
        }
    };
    let envelopes = EnvelopeReader::new(request_rules(Protocol::GrpcWeb, config), agreed.request.clone());
    let body = if is_text {
        read::Body::Text(Box::new(TextReader::new(envelopes)))
    } else {
        read::Body::Envelopes(envelopes)
    };
    let start = CallStart {
        protocol: Protocol::GrpcWeb,
        codec,
        timeout: agreed.timeout,
        metadata: metadata::received(head.headers),
    };
    let inner = GrpcWriter::new(content_type.clone(), agreed.response, config);
    let writer = ServerWriter::new(write::Form::GrpcWeb(Writer { inner, is_text }), agreed.offer);
    Accepted::Call(Box::new(ServerCall { start, reader: ServerReader::new(body), writer }))
}

/// Writes the response of a call: gRPC's, but for the text form and for the end.
pub(crate) struct Writer {
    pub(crate) inner: GrpcWriter,
    is_text: bool,
}

impl Writer {
    /// The head, with the handler's metadata.
    pub(crate) fn head(&mut self, metadata: HeaderMap) -> ResponseHead {
        self.inner.head(metadata)
    }

    /// Appends one message; in the text form as a segment of its own, so that it can be read as soon as it arrives.
    pub(crate) fn message(
        &mut self,
        target: &mut BytesMut,
        encode: &mut dyn FnMut(&mut BytesMut) -> Result<(), Status>,
    ) -> Result<(), Status> {
        let start = target.len();
        self.inner.envelopes.message(target, encode)?;
        self.inner.wrote = true;
        if self.is_text {
            text::encode_behind(target, start);
        }
        Ok(())
    }

    /// Ends the response: with a head that says everything if there was none, otherwise with trailers in the body.
    pub(crate) fn finish(
        &mut self,
        outcome: Result<(), Status>,
        trailers: HeaderMap,
        target: &mut BytesMut,
    ) -> Finish {
        if self.inner.is_untouched() {
            return self.inner.finish_at_once(outcome, trailers);
        }
        let mut fields = HeaderMap::new();
        status::write(&mut fields, outcome, trailers);
        let start = target.len();
        envelope::append(target, END_FLAG, &trailers::write(&fields));
        if self.is_text {
            text::encode_behind(target, start);
        }
        Finish { head: self.inner.head_due(), trailers: None }
    }
}

/// Reads envelopes out of the text form, of requests and responses alike.
///
/// Text is decoded chunk by chunk into bytes that the envelopes then own, so this form costs a copy that the binary form
/// does not.
pub(crate) struct TextReader {
    decoder: Decoder,
    envelopes: EnvelopeReader,
    broken: bool,
}

impl TextReader {
    /// A reader at the beginning of a body.
    pub(crate) fn new(envelopes: EnvelopeReader) -> Self {
        Self { decoder: Decoder::default(), envelopes, broken: false }
    }

    /// Takes a chunk of the body.
    pub(crate) fn receive(&mut self, chunk: &[u8]) {
        if self.broken {
            return;
        }
        let mut bytes = Vec::with_capacity(chunk.len() / 4 * 3 + 3);
        self.broken = self.decoder.decode(chunk, &mut bytes).is_err();
        self.envelopes.receive(bytes.into());
    }

    /// The body has ended.
    pub(crate) fn receive_end(&mut self) {
        let mut bytes = Vec::new();
        self.broken = self.broken || self.decoder.finish(&mut bytes).is_err();
        self.envelopes.receive(bytes.into());
        // Broken text has no end: that an envelope was cut is not what went wrong.
        if !self.broken {
            self.envelopes.receive_end();
        }
    }

    /// The next envelope. Those in front of broken text still come out.
    pub(crate) fn poll(&mut self) -> Result<Found, Status> {
        match self.envelopes.poll()? {
            Found::NeedMore | Found::End if self.broken => Err(Status::new(
                Code::Internal,
                "grpc-web: the body is not base64, but its content type says so",
            )),
            found => Ok(found),
        }
    }

    /// How many bytes are kept or reserved here; the decoder's three characters are not worth counting.
    pub(crate) fn held_bytes(&self) -> usize {
        self.envelopes.held_bytes()
    }

    /// Whether bytes lie here that no poll has taken.
    pub(crate) fn has_rest(&self) -> bool {
        self.broken || self.envelopes.has_rest()
    }
}
