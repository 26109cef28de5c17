//! gRPC-Web's client: the request head, and the end of a response in its last envelope.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Uri, header};

use super::server::TextReader;
use super::{headers, trailers};
use crate::client::{Event, Outcome, Plan};
use crate::envelope::{EnvelopeReader, Found};
use crate::grpc::client::{Expected, failure, head_of_type};
use crate::grpc::headers::{STATUS, codec_after};
use crate::grpc::status;
use crate::media_type::MediaType;
use crate::{Code, Protocol, RequestHead, ResponseHead, Status, metadata};

/// Both forms: a server that answers in the other one is understood by what it says.
pub(crate) const CONTENT_TYPES: &[&str] = &[headers::CONTENT_TYPE, headers::TEXT_CONTENT_TYPE];

/// The head of a call.
pub(crate) fn request_head(plan: &Plan<'_>, uri: Uri) -> Result<RequestHead, Status> {
    let content_type = if plan.text { headers::TEXT_CONTENT_TYPE } else { headers::CONTENT_TYPE };
    let mut head = head_of_type(plan, uri, content_type)?;
    head.headers.insert(headers::MARK, HeaderValue::from_static("1"));
    if plan.text {
        // Asks for the text form in the response too ("Accept").
        head.headers.insert(header::ACCEPT, HeaderValue::from_static(headers::TEXT_CONTENT_TYPE));
    }
    Ok(head)
}

/// Reads the response of a call: messages, and an outcome in the last envelope.
///
/// As with Connect's streams, the outcome is held back until the body ends.
pub(crate) struct Reader {
    expected: Expected,
    state: State,
    /// The head's fields, when they may turn out to be trailers.
    trailers_only: Option<HeaderMap>,
    /// Whether any byte of a body came.
    has_body: bool,
}

/// The body in one of its two forms. Which one it is, the response's own content type says.
enum Body {
    Binary(EnvelopeReader),
    Text(Box<TextReader>),
}

enum State {
    /// No head yet.
    Head,
    /// Reading messages.
    Messages(Body),
    /// The trailers were read; the body has not ended.
    Trailers(Body, Box<Outcome>),
    /// Nothing more to read.
    Ended(Box<Outcome>),
    /// The end was given out.
    Done,
}

impl Reader {
    /// A reader in front of the head.
    pub(crate) fn new(expected: Expected) -> Self {
        Self { expected, state: State::Head, trailers_only: None, has_body: false }
    }

    /// Takes the head and gives its metadata. A head with a status is likely to be the whole response: then what lies in
    /// it are trailers, and there is no metadata.
    pub(crate) fn receive_head(&mut self, head: ResponseHead) -> HeaderMap {
        let is_text = MediaType::of(&head.headers)
            .is_some_and(|media| codec_after(media.essence(), headers::TEXT_CONTENT_TYPE).is_some());
        match self.expected.judge(&head) {
            Ok(envelopes) if is_text => {
                self.state = State::Messages(Body::Text(Box::new(TextReader::new(envelopes))));
            }
            Ok(envelopes) => self.state = State::Messages(Body::Binary(envelopes)),
            Err(judged) => {
                // A status in the head is the server's own word and beats the HTTP status.
                let outcome = status::read(head.headers, Protocol::GrpcWeb)
                    .ok()
                    .filter(|outcome| outcome.result.is_err())
                    .unwrap_or_else(|| failure(judged));
                self.state = State::Ended(Box::new(outcome));
                return HeaderMap::new();
            }
        }
        if head.headers.contains_key(STATUS) {
            self.trailers_only = Some(head.headers);
            return HeaderMap::new();
        }
        metadata::received(head.headers)
    }

    /// Takes a chunk of the body.
    pub(crate) fn receive(&mut self, chunk: Bytes) {
        self.has_body |= !chunk.is_empty();
        if let State::Messages(body) | State::Trailers(body, _) = &mut self.state {
            body.receive(chunk);
        }
    }

    /// The body has ended. gRPC-Web has no HTTP trailers; should some come, they say nothing.
    pub(crate) fn receive_end(&mut self) {
        if let State::Messages(body) | State::Trailers(body, _) = &mut self.state {
            body.receive_end();
        }
    }

    /// How many bytes of the body are kept or reserved.
    pub(crate) fn held_bytes(&self) -> usize {
        match &self.state {
            State::Messages(body) | State::Trailers(body, _) => body.held_bytes(),
            State::Head | State::Ended(_) | State::Done => 0,
        }
    }

    /// Whether the trailers were read.
    pub(crate) fn peer_ended(&self) -> bool {
        matches!(self.state, State::Trailers(..))
    }

    /// The next event.
    pub(crate) fn poll(&mut self) -> Event {
        loop {
            match std::mem::replace(&mut self.state, State::Done) {
                State::Messages(mut body) => match body.poll() {
                    Ok(Found::Message(message)) => {
                        self.state = State::Messages(body);
                        return Event::Message(message);
                    }
                    Ok(Found::NeedMore) => {
                        self.state = State::Messages(body);
                        return Event::NeedMore;
                    }
                    Ok(Found::EndMessage(block)) => {
                        let outcome = told(trailers::read(&block), Code::Unknown);
                        self.state = State::Trailers(body, Box::new(outcome));
                    }
                    Ok(Found::End) => return Event::End(self.conclude()),
                    Err(broken) => return Event::End(failure(broken)),
                },
                State::Trailers(mut body, outcome) => match body.poll() {
                    Ok(Found::End) => return Event::End(*outcome),
                    Ok(Found::NeedMore) if !body.has_rest() => {
                        self.state = State::Trailers(body, outcome);
                        return Event::NeedMore;
                    }
                    _ => return Event::End(failure(internal("the body goes on behind the trailers"))),
                },
                State::Ended(outcome) => return Event::End(*outcome),
                state @ (State::Head | State::Done) => {
                    self.state = state;
                    return Event::NeedMore;
                }
            }
        }
    }

    /// How a call ended whose body has no trailers. Without any body the head may hold them.
    fn conclude(&mut self) -> Outcome {
        match self.trailers_only.take() {
            Some(fields) if !self.has_body => told(fields, Code::Unknown),
            _ => told(HeaderMap::new(), Code::Internal),
        }
    }
}

impl Body {
    fn receive(&mut self, chunk: Bytes) {
        match self {
            Self::Binary(envelopes) => envelopes.receive(chunk),
            Self::Text(text) => text.receive(&chunk),
        }
    }

    fn receive_end(&mut self) {
        match self {
            Self::Binary(envelopes) => envelopes.receive_end(),
            Self::Text(text) => text.receive_end(),
        }
    }

    fn poll(&mut self) -> Result<Found, Status> {
        match self {
            Self::Binary(envelopes) => envelopes.poll(),
            Self::Text(text) => text.poll(),
        }
    }

    fn held_bytes(&self) -> usize {
        match self {
            Self::Binary(envelopes) => envelopes.held_bytes(),
            Self::Text(text) => text.held_bytes(),
        }
    }

    fn has_rest(&self) -> bool {
        match self {
            Self::Binary(envelopes) => envelopes.has_rest(),
            Self::Text(text) => text.has_rest(),
        }
    }
}

/// The outcome that these fields tell; one of this code when they tell none.
fn told(fields: HeaderMap, code: Code) -> Outcome {
    status::read(fields, Protocol::GrpcWeb).unwrap_or_else(|fields| {
        let status = Status::new(code, "grpc-web: the response ended without a grpc-status");
        status::outcome(Err(status), metadata::received(fields), false)
    })
}

/// The status for a response that broke the protocol.
fn internal(seen: &str) -> Status {
    Status::new(Code::Internal, format!("grpc-web: {seen}"))
}
