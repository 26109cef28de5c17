//! gRPC's client: the request head, and what a response means.
//!
//! gRPC-Web reads and writes with what lies here, but for the end of the body.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};

use super::headers::{self, codec_after};
use super::{status, timeout};
use crate::client::{Event, Outcome, Plan, request_fields};
use crate::compress::IDENTITY;
use crate::envelope::{EnvelopeReader, Found, Rules};
use crate::media_type::MediaType;
use crate::{Code, Compressions, Protocol, RequestHead, ResponseHead, Status, metadata};

/// The head of a call.
pub(crate) fn request_head(plan: &Plan<'_>, uri: Uri) -> Result<RequestHead, Status> {
    let mut head = head_of_type(plan, uri, headers::CONTENT_TYPE)?;
    // Proxies that drop trailers are told that we need them ("TE").
    head.headers.insert(header::TE, HeaderValue::from_static("trailers"));
    Ok(head)
}

/// The fields that gRPC and gRPC-Web have in common.
pub(crate) fn head_of_type(plan: &Plan<'_>, uri: Uri, content_type: &str) -> Result<RequestHead, Status> {
    let mut fields = request_fields(plan);
    let content_type = HeaderValue::try_from(format!("{content_type}+{}", plan.codec)).map_err(|_| {
        let protocol = plan.protocol;
        Status::new(Code::InvalidArgument, format!("{protocol}: the codec's name fits no header"))
    })?;
    fields.insert(header::CONTENT_TYPE, content_type);
    if let Some(allowed) = plan.timeout {
        fields.insert(headers::TIMEOUT, timeout::write(allowed));
    }
    if let Some(compression) = &plan.send_compression {
        fields.insert(headers::ENCODING, HeaderValue::from_static(compression.name()));
    }
    if let Some(announced) = plan.accept_compressions.announced() {
        fields.insert(headers::ACCEPT_ENCODING, announced.clone());
    }
    Ok(RequestHead { method: Method::POST, uri, version: plan.version, headers: fields })
}

/// What a response should look like: enough of the plan to judge a head without looking back at the request.
pub(crate) struct Expected {
    protocol: Protocol,
    codec: Box<str>,
    accept: Arc<Compressions>,
    message_bytes_max: usize,
    /// The content types without codec that may come.
    content_types: &'static [&'static str],
    end_flag: u8,
}

impl Expected {
    /// What a response to this plan should look like.
    pub(crate) fn of(plan: &Plan<'_>, content_types: &'static [&'static str], end_flag: u8) -> Self {
        Self {
            protocol: plan.protocol,
            codec: plan.codec.into(),
            accept: plan.accept_compressions.clone(),
            message_bytes_max: plan.message_bytes_max,
            content_types,
            end_flag,
        }
    }

    /// What the head says against the response being one of this protocol.
    ///
    /// # Errors
    /// By the HTTP status, where the head has no `grpc-status` (`http-grpc-status-mapping.md`): 200 with a foreign content
    /// type is `Unknown` as well. Another codec or compression than we asked for is the server's fault: `Internal`.
    pub(crate) fn judge(&self, head: &ResponseHead) -> Result<EnvelopeReader, Status> {
        let protocol = self.protocol;
        if head.status != StatusCode::OK {
            let seen = head.status.as_u16();
            let code = Code::from_http_status(head.status);
            return Err(Status::new(code, format!("{protocol}: the response has HTTP status {seen}")));
        }
        let media = MediaType::of(&head.headers);
        let seen = media.as_ref().map_or("", MediaType::essence);
        let codec = self.content_types.iter().find_map(|prefix| codec_after(seen, prefix));
        if codec != Some(&*self.codec) {
            let code = if codec.is_some() { Code::Internal } else { Code::Unknown };
            let expected = format!("{}+{}", self.content_types.first().unwrap_or(&""), self.codec);
            let text = format!("{protocol}: the response's content type is {seen:?}, not {expected:?}");
            return Err(Status::new(code, text));
        }
        let name = head.headers.get(headers::ENCODING).map(|name| String::from_utf8_lossy(name.as_bytes()));
        let compression = match name.as_deref() {
            None | Some("" | IDENTITY) => None,
            Some(name) => Some(self.accept.find(name).cloned().ok_or_else(|| {
                let text =
                    format!("{protocol}: the response uses the compression {name:?}, which we did not offer");
                Status::new(Code::Internal, text)
            })?),
        };
        let rules = Rules {
            protocol,
            end_flag: self.end_flag,
            broken: Code::Internal,
            message_bytes_max: self.message_bytes_max,
        };
        Ok(EnvelopeReader::new(rules, compression))
    }
}

/// Reads the response of a call: messages, and an outcome in the trailers.
///
/// Whether a head with a status is the whole response ("Trailers-Only") is known only when the body has ended without a
/// byte and without trailers; until then its fields are kept.
pub(crate) struct Reader {
    expected: Expected,
    state: State,
    /// The head's fields, when they may turn out to be trailers.
    trailers_only: Option<HeaderMap>,
    /// Whether any byte of a body came.
    has_body: bool,
    /// The trailers, once the body has ended.
    trailers: Option<HeaderMap>,
}

enum State {
    /// No head yet.
    Head,
    /// Reading messages.
    Messages(EnvelopeReader),
    /// Nothing more to read.
    Ended(Box<Outcome>),
    /// The end was given out.
    Done,
}

impl Reader {
    /// A reader in front of the head.
    pub(crate) fn new(expected: Expected) -> Self {
        Self { expected, state: State::Head, trailers_only: None, has_body: false, trailers: None }
    }

    /// Takes the head and gives its metadata. A head with a status is likely to be the whole response: then what lies in
    /// it are trailers, and there is no metadata.
    pub(crate) fn receive_head(&mut self, head: ResponseHead) -> HeaderMap {
        match self.expected.judge(&head) {
            Ok(envelopes) => self.state = State::Messages(envelopes),
            Err(status) => {
                // A status in the head is the server's own word and beats the HTTP status.
                let outcome = status::read(head.headers, self.expected.protocol)
                    .ok()
                    .filter(|outcome| outcome.result.is_err())
                    .unwrap_or_else(|| status::outcome(Err(status), HeaderMap::new(), false));
                self.state = State::Ended(Box::new(outcome));
                return HeaderMap::new();
            }
        }
        if head.headers.contains_key(headers::STATUS) {
            self.trailers_only = Some(head.headers);
            return HeaderMap::new();
        }
        metadata::received(head.headers)
    }

    /// Takes a chunk of the body.
    pub(crate) fn receive(&mut self, chunk: Bytes) {
        self.has_body |= !chunk.is_empty();
        if let State::Messages(envelopes) = &mut self.state {
            envelopes.receive(chunk);
        }
    }

    /// How many bytes of the body are kept or reserved.
    pub(crate) fn held_bytes(&self) -> usize {
        if let State::Messages(envelopes) = &self.state { envelopes.held_bytes() } else { 0 }
    }

    /// The body has ended.
    pub(crate) fn receive_end(&mut self, trailers: Option<HeaderMap>) {
        self.trailers = trailers;
        if let State::Messages(envelopes) = &mut self.state {
            envelopes.receive_end();
        }
    }

    /// The next event.
    pub(crate) fn poll(&mut self) -> Event {
        match std::mem::replace(&mut self.state, State::Done) {
            State::Messages(mut envelopes) => match envelopes.poll() {
                Ok(Found::Message(message)) => {
                    self.state = State::Messages(envelopes);
                    Event::Message(message)
                }
                Ok(Found::NeedMore) => {
                    self.state = State::Messages(envelopes);
                    Event::NeedMore
                }
                // There is no end message here: the rules have no flag for it.
                Ok(Found::End | Found::EndMessage(_)) => Event::End(self.conclude()),
                // A cut body with a status is the server giving up in the middle of a message, and saying why.
                Err(broken) => Event::End(self.told().unwrap_or_else(|| failure(broken))),
            },
            State::Ended(outcome) => Event::End(*outcome),
            state @ (State::Head | State::Done) => {
                self.state = state;
                Event::NeedMore
            }
        }
    }

    /// How the call ended, if the trailers say that it failed.
    fn told(&mut self) -> Option<Outcome> {
        let outcome = status::read(self.trailers.take()?, self.expected.protocol).ok()?;
        outcome.result.is_err().then_some(outcome)
    }

    /// How the call ended, now that the whole response is here.
    fn conclude(&mut self) -> Outcome {
        let protocol = self.expected.protocol;
        let trailers = self.trailers.take().filter(|trailers| !trailers.is_empty());
        // Only a response without body and trailers is "Trailers-Only"; otherwise a status in the head is ignored.
        let (fields, code) = match (trailers, self.trailers_only.take()) {
            (Some(trailers), _) => (trailers, Code::Unknown),
            (None, Some(fields)) if !self.has_body => (fields, Code::Unknown),
            (None, _) => (HeaderMap::new(), Code::Internal),
        };
        status::read(fields, protocol).unwrap_or_else(|fields| {
            let text = format!("{protocol}: the response ended without a grpc-status");
            status::outcome(Err(Status::new(code, text)), metadata::received(fields), false)
        })
    }
}

/// The outcome of a response that broke the protocol.
pub(crate) fn failure(status: Status) -> Outcome {
    status::outcome(Err(status), HeaderMap::new(), false)
}
