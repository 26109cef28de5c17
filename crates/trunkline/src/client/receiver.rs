//! The response of one call as it arrives: head, messages, outcome, all within the deadline.
//!
//! | state | what is awaited | left by |
//! |---|---|---|
//! | waiting | the response head | the head, a reset, the deadline |
//! | reading | chunks, which the protocol machine turns into messages and an end | the end, a reset, the deadline |
//! | failing | nothing: the error is ready for whoever asks next | being asked |
//! | done | nothing | |
//!
//! The deadline is looked at only when there is nothing else to do: an answer that is here beats a deadline that has
//! just passed. Leaving `waiting` or `reading` drops the transport's half, which resets what was left of the call.

use std::future::{Future, poll_fn};
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::time::{Instant, Sleep, sleep_until};
use trunkline_wire::Code;
use trunkline_wire::client::{ClientReader, Event};

use crate::codec::{self, Codec, Format};
use crate::deadline::exceeded;
use crate::streaming::Source;
use crate::transport::{Chunk, Incoming, Reset, ResponseFuture};
use crate::{Error, Metadata, Response, Result, Streaming};

/// Receives one response.
pub(super) struct Receiver {
    machine: ClientReader,
    state: State,
    format: Format,
    headers: Option<Metadata>,
    trailers: Option<Metadata>,
    deadline: Option<Pin<Box<Sleep>>>,
}

enum State {
    /// The head has not arrived.
    Waiting(ResponseFuture),
    /// The body is arriving.
    Reading(Box<dyn Incoming>),
    /// The head has ended the call, but nobody has been told yet.
    Failing(Box<Error>),
    /// The end has been seen; dropping the parts has reset what was left of the call.
    Done,
}

/// The one message of a response with all that came with it.
pub(super) struct Received<T> {
    message: T,
    headers: Metadata,
    trailers: Metadata,
}

impl<T> Received<T> {
    pub(super) fn into_response(self) -> Response<T> {
        Response::received(self.message, self.headers, self.trailers)
    }
}

impl Receiver {
    pub(super) fn new(machine: ClientReader, response: ResponseFuture, format: Format) -> Self {
        Self {
            machine,
            state: State::Waiting(response),
            format,
            headers: None,
            trailers: None,
            deadline: None,
        }
    }

    /// Ends the call at `deadline` from within the polls.
    pub(super) fn keep_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline.map(|deadline| Box::pin(sleep_until(deadline)));
    }

    pub(super) fn headers(&self) -> Option<&Metadata> {
        self.headers.as_ref()
    }

    /// Adds the headers that have arrived to an error that ended the call elsewhere.
    pub(super) fn dress(&mut self, error: Error) -> Error {
        match self.headers.take() {
            Some(headers) if error.headers().is_empty() => error.with_headers(headers),
            _ => error,
        }
    }

    /// The one message of a response that must have exactly one, and its outcome.
    ///
    /// # Errors
    /// The peer's status; `Unimplemented` for none or more than one message ("Status codes" of gRPC).
    pub(super) async fn single<C: Codec<T>, T>(&mut self) -> Result<Received<T>> {
        let first = self.payload().await?;
        let Some(payload) = first else {
            return Err(Error::unimplemented(
                "the server sent no message, and the procedure answers exactly one",
            ));
        };
        if self.payload().await?.is_some() {
            let message = "the server sent more than one message, and the procedure answers exactly one";
            return Err(Error::unimplemented(message));
        }
        let message = decode::<C, T>(self.format, payload)?;
        let headers = self.headers.take().unwrap_or_default();
        Ok(Received { message, headers, trailers: self.trailers.take().unwrap_or_default() })
    }

    pub(super) fn into_streaming<C: Codec<T>, T: Send + 'static>(self) -> Streaming<T> {
        Streaming::from_source(Messages::<C, T> { receiver: self, types: PhantomData })
    }

    async fn payload(&mut self) -> Result<Option<Bytes>> {
        poll_fn(|cx| self.poll_payload(cx)).await.transpose()
    }

    /// Waits for the head; an outcome that the head tells already is an error at once.
    pub(super) fn poll_started(&mut self, cx: &mut Context<'_>) -> Poll<Result<()>> {
        match self.poll_head(cx) {
            Poll::Ready(()) => {}
            Poll::Pending => return self.poll_deadline(cx).map(Err),
        }
        match std::mem::replace(&mut self.state, State::Done) {
            State::Failing(error) => Poll::Ready(Err(*error)),
            state => {
                self.state = state;
                Poll::Ready(Ok(()))
            }
        }
    }

    fn poll_payload(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes>>> {
        if self.poll_head(cx).is_pending() {
            return self.poll_deadline(cx).map(|error| Some(Err(error)));
        }
        loop {
            let State::Reading(incoming) = &mut self.state else {
                return Poll::Ready(match std::mem::replace(&mut self.state, State::Done) {
                    State::Failing(error) => Some(Err(*error)),
                    _ => None,
                });
            };
            match self.machine.poll_event() {
                Event::Message(payload) => return Poll::Ready(Some(Ok(payload))),
                Event::NeedMore => match incoming.poll_chunk(cx) {
                    Poll::Ready(Chunk::Data(data)) => self.machine.receive(data),
                    Poll::Ready(Chunk::End(trailers)) => self.machine.receive_end(trailers),
                    // The server had said how the call ended; that the connection broke behind its word changes nothing.
                    Poll::Ready(Chunk::Reset(_)) if self.machine.peer_ended() => {
                        self.machine.receive_end(None);
                    }
                    Poll::Ready(Chunk::Reset(reset)) => {
                        let error = self.cut(reset);
                        return Poll::Ready(Some(Err(error)));
                    }
                    Poll::Pending => return self.poll_deadline(cx).map(|error| Some(Err(error))),
                },
                Event::End(outcome) => {
                    self.state = State::Done;
                    let trailers = Metadata::from_headers(outcome.trailers);
                    let ended = outcome.result.map_err(|status| {
                        let error = Error::from_status(status, trailers.clone(), outcome.from_peer);
                        error.with_headers(self.headers.clone().unwrap_or_default())
                    });
                    self.trailers = Some(trailers);
                    return Poll::Ready(ended.err().map(Err));
                }
            }
        }
    }

    /// Ready once the head has arrived, or will not.
    fn poll_head(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let State::Waiting(response) = &mut self.state else { return Poll::Ready(()) };
        match response.as_mut().poll(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok((head, incoming))) => {
                self.headers = Some(Metadata::from_headers(self.machine.receive_head(head)));
                self.state = State::Reading(incoming);
                Poll::Ready(())
            }
            Poll::Ready(Err(reset)) => {
                let error = self.cut(reset);
                self.state = State::Failing(Box::new(error));
                Poll::Ready(())
            }
        }
    }

    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<Error> {
        let Some(deadline) = self.deadline.as_mut() else { return Poll::Pending };
        if deadline.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.state = State::Done;
        Poll::Ready(exceeded().with_headers(self.headers.clone().unwrap_or_default()))
    }

    fn cut(&mut self, reset: Reset) -> Error {
        self.state = State::Done;
        let passed = self.deadline.as_ref().is_some_and(|deadline| deadline.deadline() <= Instant::now());
        let error = reset.into_error();
        // A server that resets at the deadline means the deadline, whichever side's clock was first.
        let error =
            if passed && error.code() == Code::Canceled { exceeded().with_source(error) } else { error };
        error.with_headers(self.headers.clone().unwrap_or_default())
    }
}

struct Messages<C, T> {
    receiver: Receiver,
    types: PhantomData<fn(C) -> T>,
}

impl<C: Codec<T>, T> Source<T> for Messages<C, T> {
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        let polled = self.receiver.poll_payload(cx);
        let format = self.receiver.format;
        polled.map(|next| next.map(|payload| payload.and_then(|bytes| decode::<C, T>(format, bytes))))
    }

    fn poll_headers(&mut self, cx: &mut Context<'_>) -> Poll<Result<()>> {
        self.receiver.poll_started(cx)
    }

    fn headers(&self) -> Option<&Metadata> {
        self.receiver.headers()
    }

    fn take_trailers(&mut self) -> Option<Metadata> {
        self.receiver.trailers.take()
    }
}

/// A response that cannot be decoded is the server's fault.
fn decode<C: Codec<T>, T>(format: Format, payload: Bytes) -> Result<T> {
    codec::read::<C, T>(format, "the server's response", Code::Internal, payload).map_err(Error::local)
}
