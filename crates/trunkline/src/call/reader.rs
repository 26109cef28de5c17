//! Request messages as they arrive: chunks into the protocol machine, payloads out, messages by the codec.

use std::future::poll_fn;
use std::marker::PhantomData;
use std::task::{Context, Poll};

use bytes::Bytes;
use trunkline_wire::Code;
use trunkline_wire::server::{ServerReader, Step};

use crate::codec::{self, Codec, Format};
use crate::streaming::Source;
use crate::transport::{Chunk, Incoming, Reset, ResetReason};
use crate::{Error, Result, Streaming};

/// Reads the messages of one request.
pub(crate) struct RequestReader {
    machine: ServerReader,
    incoming: Box<dyn Incoming>,
    format: Format,
    ended: bool,
}

impl RequestReader {
    pub(crate) fn new(machine: ServerReader, incoming: Box<dyn Incoming>, format: Format) -> Self {
        Self { machine, incoming, format, ended: false }
    }

    /// The one message of a request that must have exactly one.
    ///
    /// # Errors
    /// `Unimplemented` for none or more than one: as if the procedure had another shape ("Status codes" of gRPC).
    pub(crate) async fn single<C: Codec<T>, T>(&mut self) -> Result<T> {
        let Some(payload) = self.payload().await? else {
            return Err(Error::unimplemented(
                "the request has no message, and the procedure wants exactly one",
            ));
        };
        if self.payload().await?.is_some() {
            let message = "the request has more than one message, and the procedure wants exactly one";
            return Err(Error::unimplemented(message));
        }
        decode::<C, T>(self.format, payload)
    }

    /// The messages of a request that may have any number.
    pub(crate) fn into_streaming<C: Codec<T>, T: Send + 'static>(self) -> Streaming<T> {
        Streaming::from_source(Messages::<C, T> { reader: self, types: PhantomData })
    }

    async fn payload(&mut self) -> Result<Option<Bytes>> {
        poll_fn(|cx| self.poll_payload(cx)).await.transpose()
    }

    fn poll_payload(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes>>> {
        while !self.ended {
            match self.machine.poll_message() {
                Ok(Step::Message(payload)) => return Poll::Ready(Some(Ok(payload))),
                Ok(Step::End) => self.ended = true,
                Ok(Step::NeedMore) => {
                    let Poll::Ready(chunk) = self.incoming.poll_chunk(cx) else { return Poll::Pending };
                    match chunk {
                        Chunk::Data(data) => self.machine.receive(data),
                        Chunk::End(_) => self.machine.receive_end(),
                        Chunk::Reset(reset) => {
                            self.ended = true;
                            return Poll::Ready(Some(Err(cut(reset))));
                        }
                    }
                }
                Err(status) => {
                    self.ended = true;
                    return Poll::Ready(Some(Err(Error::local(status))));
                }
            }
        }
        Poll::Ready(None)
    }
}

struct Messages<C, T> {
    reader: RequestReader,
    types: PhantomData<fn(C) -> T>,
}

impl<C: Codec<T>, T> Source<T> for Messages<C, T> {
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        let polled = self.reader.poll_payload(cx);
        polled.map(|next| {
            next.map(|payload| payload.and_then(|bytes| decode::<C, T>(self.reader.format, bytes)))
        })
    }
}

/// The error for a request that was cut. A caller that broke the framing of HTTP can still read the answer, and shall not
/// take it for our failure.
fn cut(reset: Reset) -> Error {
    match reset.reason() {
        ResetReason::Broken => Error::invalid_argument(reset.to_string()).with_source(reset),
        _ => reset.into_error(),
    }
}

/// A request that cannot be decoded is the caller's fault.
fn decode<C: Codec<T>, T>(format: Format, payload: Bytes) -> Result<T> {
    codec::read::<C, T>(format, "the request", Code::InvalidArgument, payload).map_err(Error::local)
}
