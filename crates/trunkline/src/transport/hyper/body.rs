//! Bodies in both directions: hyper drains our pipe, and we poll hyper's stream of frames.
//!
//! hyper asks a body for its exact length to write `content-length`. A pipe knows it when the whole body is there and no
//! trailers follow, which is the usual case of a unary Connect call.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::fault;
use super::rest::Rest;
use crate::context::Gone;
use crate::transport::memory::AbortOnDrop;
use crate::transport::pipe::PipeReader;
use crate::transport::{Chunk, Incoming, Reset, ResetReason};

/// A body for hyper that drains a pipe. Dropping it ends the task that fills the pipe.
pub(crate) struct PipeBody {
    reader: PipeReader,
    ended: bool,
    _task: Option<AbortOnDrop>,
}

impl PipeBody {
    pub(crate) fn new(reader: PipeReader, task: Option<AbortOnDrop>) -> Self {
        Self { reader, ended: false, _task: task }
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
                Some(Err(fault::code_of(reset.reason()).into()))
            }
        })
    }

    fn is_end_stream(&self) -> bool {
        self.ended || self.reader.bytes_left() == Some(0)
    }

    fn size_hint(&self) -> SizeHint {
        self.reader.bytes_left().map_or_else(SizeHint::default, |left| SizeHint::with_exact(left as u64))
    }
}

/// A body that hyper receives.
pub(crate) struct HyperIncoming {
    body: Option<hyper::body::Incoming>,
    last: Option<Reset>,
    rest: Option<Rest>,
    /// Told when nobody waits for more of the body: it has ended, or was dropped.
    over: Arc<Gone>,
}

impl HyperIncoming {
    /// `rest` says what becomes of the part that nobody reads; without it, dropping refuses that part at once.
    pub(crate) fn new(body: hyper::body::Incoming, rest: Option<Rest>) -> Self {
        Self { body: Some(body), last: None, rest, over: Arc::default() }
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

impl Drop for HyperIncoming {
    fn drop(&mut self) {
        self.over.raise();
        if let (Some(body), Some(rest)) = (self.body.take(), self.rest) {
            rest.take(body);
        }
    }
}

impl Incoming for HyperIncoming {
    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Chunk> {
        loop {
            let Some(body) = self.body.as_mut() else {
                return Poll::Ready(self.last.clone().map_or(Chunk::End(None), Chunk::Reset));
            };
            let Poll::Ready(frame) = Pin::new(body).poll_frame(cx) else { return Poll::Pending };
            match frame.map(|frame| frame.map(Frame::into_data)) {
                Some(Ok(Ok(data))) if data.is_empty() => {}
                Some(Ok(Ok(data))) => return Poll::Ready(Chunk::Data(data)),
                Some(Ok(Err(frame))) => {
                    if let Ok(trailers) = frame.into_trailers() {
                        self.end();
                        return Poll::Ready(Chunk::End(Some(trailers)));
                    }
                }
                Some(Err(error)) => {
                    self.end();
                    let reset = cut(error);
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

fn cut(error: hyper::Error) -> Reset {
    if error.is_timeout() {
        return Reset::new(ResetReason::ConnectionLost, "the body did not arrive in time").with_source(error);
    }
    fault::reset_from("the body was cut", error)
}
