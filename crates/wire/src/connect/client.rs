//! Connect's client: the request heads, and what a response means.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};

use super::body::WholeBody;
use super::stream::END_FLAG;
use super::unary::part_trailers;
use super::{error_json, headers, timeout};
use crate::client::{Event, Outcome, Plan, request_fields};
use crate::compress::IDENTITY;
use crate::envelope::{END_BYTES_MAX, EnvelopeReader, Found, Rules};
use crate::media_type::MediaType;
use crate::{Code, Compression, Compressions, Protocol, RequestHead, ResponseHead, Status, metadata};

/// What the reader needs to know of the plan: enough to judge a response's head without looking back at the request.
pub(crate) struct Expected {
    /// The content type of a success.
    content_type: String,
    /// In front of the codec in content types of this kind.
    content_type_prefix: &'static str,
    accept: Arc<Compressions>,
    message_bytes_max: usize,
}

/// The head of a unary call by POST, or of a stream.
pub(crate) fn request_head(plan: &Plan<'_>, uri: Uri, unary: bool) -> Result<RequestHead, Status> {
    let (prefix, encoding, accept) = if unary {
        (headers::UNARY_CONTENT_TYPE, header::CONTENT_ENCODING, header::ACCEPT_ENCODING)
    } else {
        (headers::STREAM_CONTENT_TYPE, headers::STREAM_ENCODING, headers::STREAM_ACCEPT_ENCODING)
    };
    let mut fields = common_fields(plan, accept);
    let content_type = HeaderValue::try_from(format!("{prefix}{}", plan.codec))
        .map_err(|_| Status::new(Code::InvalidArgument, "connect: the codec's name fits no header"))?;
    fields.insert(header::CONTENT_TYPE, content_type);
    fields.insert(headers::PROTOCOL_VERSION, HeaderValue::from_static(headers::VERSION));
    if let Some(compression) = &plan.send_compression {
        fields.insert(encoding, HeaderValue::from_static(compression.name()));
    }
    Ok(RequestHead { method: Method::POST, uri, version: plan.version, headers: fields })
}

/// The head of a call by GET. The query says what the fields would say of the body.
pub(crate) fn head_by_get(plan: &Plan<'_>, uri: Uri) -> RequestHead {
    let fields = common_fields(plan, header::ACCEPT_ENCODING);
    RequestHead { method: Method::GET, uri, version: plan.version, headers: fields }
}

/// The fields that all requests of this protocol have; only the names of those on compression differ.
fn common_fields(plan: &Plan<'_>, accept: HeaderName) -> HeaderMap {
    let mut fields = request_fields(plan);
    if let Some(announced) = plan.accept_compressions.announced() {
        fields.insert(accept, announced.clone());
    }
    if let Some(allowed) = plan.timeout {
        fields.insert(headers::TIMEOUT, timeout::write(allowed));
    }
    fields
}

impl Expected {
    /// What a response to this plan should look like.
    pub(crate) fn of(plan: &Plan<'_>, unary: bool) -> Self {
        let prefix = if unary { headers::UNARY_CONTENT_TYPE } else { headers::STREAM_CONTENT_TYPE };
        Self {
            content_type: format!("{prefix}{}", plan.codec),
            content_type_prefix: prefix,
            accept: plan.accept_compressions.clone(),
            message_bytes_max: plan.message_bytes_max,
        }
    }

    /// Refuses another content type. A type of the right kind with another codec is the server's fault and `Internal`;
    /// anything else is no answer of this protocol, and its HTTP status 200 means `Unknown`.
    fn check_content_type(&self, media: Option<&MediaType>) -> Result<(), Status> {
        let seen = media.map_or("", MediaType::essence);
        if seen == self.content_type {
            return Ok(());
        }
        let code = if seen.starts_with(self.content_type_prefix) { Code::Internal } else { Code::Unknown };
        let expected = &self.content_type;
        Err(Status::new(code, format!("connect: the response's content type is {seen:?}, not {expected:?}")))
    }

    /// The compression that this field names.
    fn compression(
        &self,
        fields: &HeaderMap,
        name: HeaderName,
    ) -> Result<Option<Arc<dyn Compression>>, Status> {
        let Some(value) = fields.get(name) else { return Ok(None) };
        let encoding = String::from_utf8_lossy(value.as_bytes());
        if encoding.is_empty() || encoding == IDENTITY {
            return Ok(None);
        }
        self.accept.find(&encoding).cloned().map(Some).ok_or_else(|| {
            let text =
                format!("connect: the response uses the compression {encoding:?}, which we did not offer");
            Status::new(Code::Internal, text)
        })
    }
}

/// Reads the response of a unary call: a bare message under HTTP 200, an error as JSON under any other status.
///
/// Metadata and trailers are known as soon as the head is, but trailers are kept for the end, so that the rooms above need
/// not know that this form has no end of its own.
pub(crate) struct UnaryReader {
    expected: Expected,
    state: UnaryState,
    trailers: HeaderMap,
}

enum UnaryState {
    /// No head yet.
    Head,
    /// Collecting the message.
    Message(WholeBody),
    /// Collecting an error; what to say if it cannot be read.
    Error(WholeBody, Status),
    /// Nothing more to read: how the call ended.
    Ended(Result<(), Status>),
    /// The end was given out.
    Done,
}

impl UnaryReader {
    /// A reader in front of the head.
    pub(crate) fn new(expected: Expected) -> Self {
        Self { expected, state: UnaryState::Head, trailers: HeaderMap::new() }
    }

    /// Takes the head and gives its metadata.
    pub(crate) fn receive_head(&mut self, head: ResponseHead) -> HeaderMap {
        self.state = self.judge(&head);
        let (metadata, trailers) = part_trailers(head.headers);
        self.trailers = trailers;
        metadata
    }

    /// What the head says of the body.
    ///
    /// With HTTP 200 that is a message of the codec and a compression that we offered, or the server's fault. With any
    /// other status it is an error; one that is not JSON, or that we cannot inflate, is known by its status alone
    /// ("HTTP to error code").
    fn judge(&self, head: &ResponseHead) -> UnaryState {
        let media = MediaType::of(&head.headers);
        let compression = self.expected.compression(&head.headers, header::CONTENT_ENCODING);
        if head.status == StatusCode::OK {
            let checked = self.expected.check_content_type(media.as_ref()).and(compression);
            return match checked {
                Ok(compression) => {
                    let bytes_max = self.expected.message_bytes_max;
                    UnaryState::Message(WholeBody::new(bytes_max, Code::Internal, compression))
                }
                Err(status) => UnaryState::Ended(Err(status)),
            };
        }
        let fallback = http_status(head.status);
        let is_json = media.is_some_and(|media| media.essence() == headers::ERROR_CONTENT_TYPE);
        match compression {
            Ok(compression) if is_json => {
                UnaryState::Error(WholeBody::new(END_BYTES_MAX, Code::Internal, compression), fallback)
            }
            _ => UnaryState::Ended(Err(fallback)),
        }
    }

    /// Takes a chunk of the body.
    pub(crate) fn receive(&mut self, chunk: Bytes) {
        if let UnaryState::Message(body) | UnaryState::Error(body, _) = &mut self.state {
            body.receive(chunk);
        }
    }

    /// How many bytes of the body are kept or reserved.
    pub(crate) fn held_bytes(&self) -> usize {
        match &self.state {
            UnaryState::Message(body) | UnaryState::Error(body, _) => body.held_bytes(),
            UnaryState::Head | UnaryState::Ended(_) | UnaryState::Done => 0,
        }
    }

    /// The body has ended.
    pub(crate) fn receive_end(&mut self) {
        if let UnaryState::Message(body) | UnaryState::Error(body, _) = &mut self.state {
            body.receive_end();
        }
    }

    /// The next event.
    pub(crate) fn poll(&mut self) -> Event {
        match &mut self.state {
            UnaryState::Head | UnaryState::Done => Event::NeedMore,
            UnaryState::Message(body) => match body.poll() {
                Ok(None) => Event::NeedMore,
                Ok(Some(message)) => {
                    self.state = UnaryState::Ended(Ok(()));
                    Event::Message(message)
                }
                Err(status) => self.end(Err(status), false),
            },
            UnaryState::Error(body, fallback) => {
                let fallback = fallback.clone();
                match body.poll() {
                    Ok(None) => Event::NeedMore,
                    Ok(Some(body)) => match error_json::read_error(&body, fallback.code) {
                        Some(status) => self.end(Err(status), true),
                        None => self.end(Err(fallback), false),
                    },
                    // An error that cannot be read must not hide that there was one.
                    Err(_) => self.end(Err(fallback), false),
                }
            }
            UnaryState::Ended(result) => {
                let result = std::mem::replace(result, Ok(()));
                let from_peer = result.is_ok();
                self.end(result, from_peer)
            }
        }
    }

    fn end(&mut self, result: Result<(), Status>, from_peer: bool) -> Event {
        self.state = UnaryState::Done;
        Event::End(outcome(result, std::mem::take(&mut self.trailers), from_peer))
    }
}

/// Reads the response of a stream: messages, and an end message that tells the outcome.
///
/// The outcome is held back until the body ends, for two reasons: bytes behind the end message are a fault to report, and a
/// body that was read to its end leaves its connection fit for the next call.
pub(crate) struct StreamReader {
    expected: Expected,
    state: StreamState,
}

enum StreamState {
    /// No head yet.
    Head,
    /// Reading messages.
    Messages(EnvelopeReader),
    /// The end message was read; the body has not ended.
    EndMessage(EnvelopeReader, Box<Outcome>),
    /// Nothing more to read.
    Ended(Box<Outcome>),
    /// The end was given out.
    Done,
}

impl StreamReader {
    /// A reader in front of the head.
    pub(crate) fn new(expected: Expected) -> Self {
        Self { expected, state: StreamState::Head }
    }

    /// Takes the head and gives its metadata.
    pub(crate) fn receive_head(&mut self, head: ResponseHead) -> HeaderMap {
        self.state = match self.judge(&head) {
            Ok(envelopes) => StreamState::Messages(envelopes),
            Err(status) => StreamState::Ended(Box::new(outcome(Err(status), HeaderMap::new(), false))),
        };
        metadata::received(head.headers)
    }

    /// What the head says against the response being a stream of this call. Any HTTP status but 200 comes from something in
    /// front of the procedure, which answers with 200 even when it fails.
    fn judge(&self, head: &ResponseHead) -> Result<EnvelopeReader, Status> {
        if head.status != StatusCode::OK {
            return Err(http_status(head.status));
        }
        self.expected.check_content_type(MediaType::of(&head.headers).as_ref())?;
        let compression = self.expected.compression(&head.headers, headers::STREAM_ENCODING)?;
        let rules = Rules {
            protocol: Protocol::Connect,
            end_flag: END_FLAG,
            broken: Code::Internal,
            message_bytes_max: self.expected.message_bytes_max,
        };
        Ok(EnvelopeReader::new(rules, compression))
    }

    /// Takes a chunk of the body.
    pub(crate) fn receive(&mut self, chunk: Bytes) {
        if let StreamState::Messages(envelopes) | StreamState::EndMessage(envelopes, _) = &mut self.state {
            envelopes.receive(chunk);
        }
    }

    /// How many bytes of the body are kept or reserved.
    pub(crate) fn held_bytes(&self) -> usize {
        match &self.state {
            StreamState::Messages(envelopes) | StreamState::EndMessage(envelopes, _) => {
                envelopes.held_bytes()
            }
            StreamState::Head | StreamState::Ended(_) | StreamState::Done => 0,
        }
    }

    /// The body has ended.
    pub(crate) fn receive_end(&mut self) {
        if let StreamState::Messages(envelopes) | StreamState::EndMessage(envelopes, _) = &mut self.state {
            envelopes.receive_end();
        }
    }

    /// Whether the end message was read.
    pub(crate) fn peer_ended(&self) -> bool {
        matches!(self.state, StreamState::EndMessage(..))
    }

    /// The next event.
    pub(crate) fn poll(&mut self) -> Event {
        loop {
            match std::mem::replace(&mut self.state, StreamState::Done) {
                StreamState::Messages(mut envelopes) => match envelopes.poll() {
                    Ok(Found::Message(message)) => {
                        self.state = StreamState::Messages(envelopes);
                        return Event::Message(message);
                    }
                    Ok(Found::NeedMore) => {
                        self.state = StreamState::Messages(envelopes);
                        return Event::NeedMore;
                    }
                    Ok(Found::EndMessage(json)) => {
                        self.state = StreamState::EndMessage(envelopes, Box::new(end_outcome(&json)));
                    }
                    Ok(Found::End) => return concluded("the body ended without an end message"),
                    Err(status) => return Event::End(outcome(Err(status), HeaderMap::new(), false)),
                },
                StreamState::EndMessage(mut envelopes, outcome) => match envelopes.poll() {
                    Ok(Found::End) => return Event::End(*outcome),
                    Ok(Found::NeedMore) if !envelopes.has_rest() => {
                        self.state = StreamState::EndMessage(envelopes, outcome);
                        return Event::NeedMore;
                    }
                    _ => return concluded("the body goes on behind the end message"),
                },
                StreamState::Ended(outcome) => return Event::End(*outcome),
                state @ (StreamState::Head | StreamState::Done) => {
                    self.state = state;
                    return Event::NeedMore;
                }
            }
        }
    }
}

/// How the call ended, by its end message.
fn end_outcome(json: &[u8]) -> Outcome {
    match error_json::read_end(json) {
        Some(end) => outcome(end.error.map_or(Ok(()), Err), end.metadata, true),
        None => {
            let status = Status::new(Code::Internal, "connect: the end message is not a JSON object");
            outcome(Err(status), HeaderMap::new(), false)
        }
    }
}

/// The end of a response that broke the protocol.
fn concluded(seen: &str) -> Event {
    let status = Status::new(Code::Internal, format!("connect: {seen}"));
    Event::End(outcome(Err(status), HeaderMap::new(), false))
}

/// An outcome whose status carries the trailers too.
fn outcome(result: Result<(), Status>, trailers: HeaderMap, from_peer: bool) -> Outcome {
    let result = result.map_err(|mut status| {
        status.metadata = trailers.clone();
        status
    });
    Outcome { result, trailers, from_peer }
}

/// The status for a response without a readable error.
fn http_status(status: StatusCode) -> Status {
    Status::new(
        Code::from_http_status(status),
        format!("connect: the response has HTTP status {}", status.as_u16()),
    )
}
