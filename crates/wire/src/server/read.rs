//! The request body of one call, whatever form it has.

use std::fmt;

use bytes::Bytes;

use super::Step;
use crate::Status;
use crate::connect::body::WholeBody;
use crate::envelope::{EnvelopeReader, Found};
use crate::grpc_web::server::TextReader;

/// Reads the request body of one call.
///
/// Give it chunks, polling `poll_message` after each until it says `NeedMore`, then the end of the body. How many messages there
/// may be is for the rooms above to judge; here they are only cut, counted in bytes and inflated. No order of calls and no
/// bytes make it panic.
pub struct ServerReader {
    body: Body,
    /// Whether the body has ended: what comes behind it says nothing.
    has_end: bool,
    /// Whether the end or an error was given out.
    is_done: bool,
}

/// How a body is cut into messages.
pub(crate) enum Body {
    /// The body is one message.
    Whole(WholeBody),
    /// The message came with the head.
    Ready(Option<Bytes>),
    /// The body is a row of envelopes.
    Envelopes(EnvelopeReader),
    /// The same in base64.
    Text(Box<TextReader>),
    /// The one message was given out.
    Nothing,
}

impl ServerReader {
    pub(crate) fn new(body: Body) -> Self {
        Self { body, has_end: false, is_done: false }
    }

    /// Takes a chunk of the request body. Poll until `NeedMore` before the next one.
    pub fn receive(&mut self, chunk: Bytes) {
        // What comes behind an error is dropped, so that it cannot pile up.
        if self.has_end || self.is_done {
            return;
        }
        match &mut self.body {
            Body::Whole(body) => body.receive(chunk),
            Body::Envelopes(envelopes) => envelopes.receive(chunk),
            Body::Text(text) => text.receive(&chunk),
            // The content of a GET has no meaning (RFC 9110, 9.3.1).
            Body::Ready(_) | Body::Nothing => {}
        }
    }

    /// The request body has ended cleanly. A second end, or a chunk behind it, says nothing.
    pub fn receive_end(&mut self) {
        self.has_end = true;
        match &mut self.body {
            Body::Whole(body) => body.receive_end(),
            Body::Envelopes(envelopes) => envelopes.receive_end(),
            Body::Text(text) => text.receive_end(),
            Body::Ready(_) | Body::Nothing => {}
        }
    }

    /// How many bytes of the body are kept here, because they are no whole message yet, or reserved for such. Chunks that no poll
    /// has looked at count too. A length that the client only promises does not.
    pub fn held_bytes(&self) -> usize {
        match &self.body {
            Body::Whole(body) => body.held_bytes(),
            Body::Ready(message) => message.as_ref().map_or(0, Bytes::len),
            Body::Envelopes(envelopes) => envelopes.held_bytes(),
            Body::Text(text) => text.held_bytes(),
            Body::Nothing => 0,
        }
    }

    /// The next message. After the end or an error it says `End` for ever.
    ///
    /// # Errors
    /// The status to end the call with, when the peer broke the framing or a limit. Final.
    pub fn poll_message(&mut self) -> Result<Step, Status> {
        if self.is_done {
            return Ok(Step::End);
        }
        let step = self.step();
        self.is_done = matches!(step, Err(_) | Ok(Step::End));
        step
    }

    fn step(&mut self) -> Result<Step, Status> {
        let found = match &mut self.body {
            Body::Whole(body) => {
                let Some(message) = body.poll()? else { return Ok(Step::NeedMore) };
                self.body = Body::Nothing;
                return Ok(Step::Message(message));
            }
            Body::Ready(message) => return Ok(message.take().map_or(Step::End, Step::Message)),
            Body::Nothing => return Ok(Step::End),
            Body::Envelopes(envelopes) => envelopes.poll()?,
            Body::Text(text) => text.poll()?,
        };
        Ok(match found {
            Found::NeedMore => Step::NeedMore,
            Found::Message(message) => Step::Message(message),
            // Requests have no end message: the rules have no flag for it.
            Found::End | Found::EndMessage(_) => Step::End,
        })
    }
}

impl fmt::Debug for ServerReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerReader").field("is_done", &self.is_done).finish_non_exhaustive()
    }
}
