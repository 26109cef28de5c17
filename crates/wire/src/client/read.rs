//! The response of one call, whatever form it has.

use std::fmt;

use bytes::Bytes;
use http::HeaderMap;

use super::{Event, Outcome};
use crate::{Code, ResponseHead, Status, connect, grpc, grpc_web};

/// Reads the response of one call.
///
/// Give it the head, then chunks, polling `poll_event` after each until it says `NeedMore`, then the end of the body. What the
/// response has to be like was said in the plan; what is wrong with it comes out as an `End`. No order of calls and no bytes
/// make it panic.
pub struct ClientReader {
    form: Form,
    has_head: bool,
    /// Whether the body has ended: what comes behind it says nothing.
    has_end: bool,
    /// How the call ended, once that was given out.
    ended: Option<Said>,
}

/// How a response is read.
pub(crate) enum Form {
    ConnectUnary(connect::client::UnaryReader),
    ConnectStream(connect::client::StreamReader),
    Grpc(grpc::client::Reader),
    GrpcWeb(grpc_web::client::Reader),
}

/// What is kept of an outcome to say it again: keeping details and trailers too would cost each call a copy.
struct Said {
    result: Result<(), (Code, String)>,
    from_peer: bool,
}

impl ClientReader {
    pub(crate) fn new(form: Form) -> Self {
        Self { form, has_head: false, has_end: false, ended: None }
    }

    /// Takes the response head and gives the server's metadata without protocol headers. An error in the head
    /// comes out of `poll_event` as `End`.
    ///
    /// When the head is the whole response ("Trailers-Only"), what lies in it are trailers: they come with `End`.
    pub fn receive_head(&mut self, head: ResponseHead) -> HeaderMap {
        if std::mem::replace(&mut self.has_head, true) {
            return HeaderMap::new();
        }
        match &mut self.form {
            Form::ConnectUnary(reader) => reader.receive_head(head),
            Form::ConnectStream(reader) => reader.receive_head(head),
            Form::Grpc(reader) => reader.receive_head(head),
            Form::GrpcWeb(reader) => reader.receive_head(head),
        }
    }

    /// Takes a chunk of the response body. Poll until `NeedMore` before the next one.
    pub fn receive(&mut self, chunk: Bytes) {
        if self.has_end || self.ended.is_some() {
            return;
        }
        match &mut self.form {
            Form::ConnectUnary(reader) => reader.receive(chunk),
            Form::ConnectStream(reader) => reader.receive(chunk),
            Form::Grpc(reader) => reader.receive(chunk),
            Form::GrpcWeb(reader) => reader.receive(chunk),
        }
    }

    /// The response body has ended cleanly, with these HTTP trailers. A second end, or a chunk behind it, says nothing.
    pub fn receive_end(&mut self, trailers: Option<HeaderMap>) {
        if std::mem::replace(&mut self.has_end, true) {
            return;
        }
        match &mut self.form {
            Form::ConnectUnary(reader) => reader.receive_end(),
            Form::ConnectStream(reader) => reader.receive_end(),
            Form::Grpc(reader) => reader.receive_end(trailers),
            Form::GrpcWeb(reader) => reader.receive_end(),
        }
        if !self.has_head {
            self.ended = Some(Said {
                result: Err((Code::Internal, "the response ended without a head".to_owned())),
                from_peer: false,
            });
        }
    }

    /// Whether the server has said in the body how the call ended, although the body itself goes on. If the transport then
    /// fails, `receive_end` still gives the server's own outcome.
    pub fn peer_ended(&self) -> bool {
        match &self.form {
            Form::ConnectUnary(_) | Form::Grpc(_) => false,
            Form::ConnectStream(reader) => reader.peer_ended(),
            Form::GrpcWeb(reader) => reader.peer_ended(),
        }
    }

    /// How many bytes of the body are kept here, because they are no whole message yet, or reserved for such. Chunks that no poll
    /// has looked at count too. A length that the server only promises does not.
    pub fn held_bytes(&self) -> usize {
        match &self.form {
            Form::ConnectUnary(reader) => reader.held_bytes(),
            Form::ConnectStream(reader) => reader.held_bytes(),
            Form::Grpc(reader) => reader.held_bytes(),
            Form::GrpcWeb(reader) => reader.held_bytes(),
        }
    }

    /// The next event. After the end it says `End` for ever, with the same code and message; details and trailers come
    /// once.
    pub fn poll_event(&mut self) -> Event {
        if let Some(said) = &self.ended {
            return Event::End(said.again());
        }
        let event = match &mut self.form {
            Form::ConnectUnary(reader) => reader.poll(),
            Form::ConnectStream(reader) => reader.poll(),
            Form::Grpc(reader) => reader.poll(),
            Form::GrpcWeb(reader) => reader.poll(),
        };
        if let Event::End(outcome) = &event {
            self.ended = Some(Said::of(outcome));
        }
        event
    }
}

impl Said {
    fn of(outcome: &Outcome) -> Self {
        let result = match &outcome.result {
            Ok(()) => Ok(()),
            Err(status) => Err((status.code, status.message.clone())),
        };
        Self { result, from_peer: outcome.from_peer }
    }

    fn again(&self) -> Outcome {
        let result = match &self.result {
            Ok(()) => Ok(()),
            Err((code, message)) => Err(Status::new(*code, message.clone())),
        };
        Outcome { result, trailers: HeaderMap::new(), from_peer: self.from_peer }
    }
}

impl fmt::Debug for ClientReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ended = self.ended.is_some();
        f.debug_struct("ClientReader")
            .field("has_head", &self.has_head)
            .field("ended", &ended)
            .finish_non_exhaustive()
    }
}
