//! Bodies in both directions: hyper drains our pipe, and we poll the frames that hyper, or a layer above it, has received.
//!
//! hyper asks a body for its exact length to write `content-length`. A pipe knows it when the whole body is there and no
//! trailers follow, which is the usual case of a unary Connect call.

use std::error::Error as StdError;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use http::Extensions;
use http_body::{Body, Frame, SizeHint};

use super::fault;
use super::rest::Rest;
use crate::context::Gone;
use crate::transport::engine::drain::CellReader;
use crate::transport::memory::AbortOnDrop;
use crate::transport::pipe::PipeReader;
use crate::transport::{Chunk, Incoming, Reset, ResetReason};

/// A body for hyper that drains a pipe. Dropping it ends the task that fills the pipe.
pub(crate) struct PipeBody {
    reader: Reader,
    ended: bool,
    _task: Option<AbortOnDrop>,
}

impl PipeBody {
    pub(crate) fn new(reader: PipeReader, task: Option<AbortOnDrop>) -> Self {
        Self { reader: Reader::Pipe(reader), ended: false, _task: task }
    }

    /// The body of a call that was made for the engine.
    pub(crate) fn of_cell(reader: CellReader) -> Self {
        Self { reader: Reader::Cell(reader), ended: false, _task: None }
    }
}

/// Where the bytes come from.
enum Reader {
    Pipe(PipeReader),
    Cell(CellReader),
}

impl Reader {
    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Chunk> {
        match self {
            Self::Pipe(reader) => reader.poll_chunk(cx),
            Self::Cell(reader) => reader.poll_chunk(cx),
        }
    }

    fn bytes_left(&self) -> Option<usize> {
        match self {
            Self::Pipe(reader) => reader.bytes_left(),
            Self::Cell(reader) => reader.bytes_left(),
        }
    }
}

impl PipeBody {
    /// The next frame; the reset that cut the body as it is.
    pub(crate) fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Reset>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        self.reader.poll_chunk(cx).map(|chunk| match chunk {
            Chunk::Data(data) => Some(Ok(Frame::data(data))),
            Chunk::End(trailers) => {
                self.ended = true;
                trailers.map(|trailers| Ok(Frame::trailers(trailers)))
            }
            Chunk::Reset(reset) => {
                self.ended = true;
                Some(Err(reset))
            }
        })
    }
}

impl Body for PipeBody {
    type Data = Bytes;
    /// hyper looks for this type to choose the code of RST_STREAM.
    type Error = h2::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, h2::Error>>> {
        let code = |reset: Reset| fault::code_of(reset.reason()).into();
        self.poll_piece(cx).map(|piece| piece.map(|frame| frame.map_err(code)))
    }

    fn is_end_stream(&self) -> bool {
        self.ended || self.reader.bytes_left() == Some(0)
    }

    fn size_hint(&self) -> SizeHint {
        self.reader.bytes_left().map_or_else(SizeHint::default, |left| SizeHint::with_exact(left as u64))
    }
}

/// What a body must be for us to read it: hyper's own is one, and so is a pinned box of any other.
pub(crate) trait Received:
    Body<Data: Send, Error: Into<Box<dyn StdError + Send + Sync>>> + Unpin + Send + 'static
{
}

impl<B> Received for B where
    B: Body<Data: Send, Error: Into<Box<dyn StdError + Send + Sync>>> + Unpin + Send + 'static
{
}

/// A body that has been received as frames.
pub(crate) struct ReceivedBody<B: Received> {
    body: Option<B>,
    last: Option<Reset>,
    rest: Option<Rest>,
    extensions: Extensions,
    /// Told when nobody waits for more of the body: it has ended, or was dropped.
    over: Arc<Gone>,
}

impl<B: Received> ReceivedBody<B> {
    /// `rest` says what becomes of the part that nobody reads; without it, dropping refuses that part at once.
    pub(crate) fn new(body: B, rest: Option<Rest>) -> Self {
        Self { body: Some(body), last: None, rest, extensions: Extensions::new(), over: Arc::default() }
    }

    /// Adds what was attached to the head of the same request.
    pub(crate) fn with_extensions(mut self, extensions: Extensions) -> Self {
        self.extensions = extensions;
        self
    }

    /// What is told when the body is over.
    pub(crate) fn over(&self) -> Arc<Gone> {
        Arc::clone(&self.over)
    }

    /// Lets go of the body at its end.
    fn end(&mut self) {
        self.body = None;
        self.over.raise();
    }
}

impl<B: Received> Drop for ReceivedBody<B> {
    fn drop(&mut self) {
        self.over.raise();
        if let (Some(body), Some(rest)) = (self.body.take(), self.rest) {
            rest.take(body);
        }
    }
}

impl<B: Received> Incoming for ReceivedBody<B> {
    fn extensions(&mut self) -> Extensions {
        mem::take(&mut self.extensions)
    }

    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Chunk> {
        loop {
            let Some(body) = self.body.as_mut() else {
                return Poll::Ready(self.last.clone().map_or(Chunk::End(None), Chunk::Reset));
            };
            let Poll::Ready(frame) = Pin::new(body).poll_frame(cx) else { return Poll::Pending };
            match frame.map(|frame| frame.map(Frame::into_data)) {
                Some(Ok(Ok(data))) if !data.has_remaining() => {}
                // No copy when the data are `Bytes`, as hyper's are.
                Some(Ok(Ok(mut data))) => {
                    return Poll::Ready(Chunk::Data(data.copy_to_bytes(data.remaining())));
                }
                Some(Ok(Err(frame))) => {
                    if let Ok(trailers) = frame.into_trailers() {
                        self.end();
                        return Poll::Ready(Chunk::End(Some(trailers)));
                    }
                }
                Some(Err(error)) => {
                    self.end();
                    let reset = cut(error.into());
                    self.last = Some(reset.clone());
                    return Poll::Ready(Chunk::Reset(reset));
                }
                None => {
                    self.end();
                    return Poll::Ready(Chunk::End(None));
                }
            }
        }
    }
}

fn cut(error: Box<dyn StdError + Send + Sync>) -> Reset {
    if fault::is_timeout(&*error) {
        let message = "the body did not arrive in time";
        return Reset::new(ResetReason::ConnectionLost, message).with_boxed_source(error);
    }
    fault::reset_from("the body was cut", error)
}
