//! One direction of one stream in memory: a writer with byte credit and a reader that drains it.
//!
//! This is the stream's own buffer of the design. The hyper transport and the memory transport both stand on it. The
//! writer encodes into a buffer of its own; flushing moves that into the shared one under a short lock and wakes the
//! reader only if it waits.
//!
//! ```text
//!   writer                    shared, under the lock                reader
//!   target ──── flush ──────► flushed ─────────────────────────────► poll_chunk: everything that is there
//!   credit ◄─── reserve ───── room left in flushed ◄──────────────── taken
//!   finish, reset ──────────► end ─────────────────────────────────► End, Reset
//!                             reader_gone ◄───────────────────────── drop
//! ```
//!
//! What was flushed in several steps while the reader was busy comes out as one chunk, so that small messages share
//! frames. Credit is looked up only when the writer has used up what it knew of: usually one lock for 64 KiB.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use bytes::BytesMut;
use http::HeaderMap;
use trunkline_wire::ResponseHead;

use super::{Chunk, Incoming, Outgoing, Reset, ResetReason};
use crate::context::Gone;

/// A pipe whose writer must wait while `bytes_max` bytes or more have not been read.
pub(crate) fn pipe(bytes_max: usize) -> (PipeWriter, PipeReader) {
    pipe_with(bytes_max, State::default())
}

/// A pipe that nobody reads until [`PipeReader::release`], which comes once the request is `over`. While it is not, up to
/// `held_bytes_max` bytes wait in the pipe, and a writer that wants more is refused: to let it wait could be to wait for
/// each other.
pub(crate) fn held_pipe(
    bytes_max: usize,
    held_bytes_max: usize,
    over: Arc<Gone>,
) -> (PipeWriter, PipeReader) {
    let held = Held { bytes_max: held_bytes_max, over };
    pipe_with(bytes_max, State { held: Some(held), ..State::default() })
}

fn pipe_with(bytes_max: usize, state: State) -> (PipeWriter, PipeReader) {
    let shared = Arc::new(Shared { state: Mutex::new(state) });
    let writer = PipeWriter {
        shared: Arc::clone(&shared),
        target: BytesMut::new(),
        credit: bytes_max,
        bytes_max,
        ended: false,
    };
    (writer, PipeReader { shared })
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    head: Option<ResponseHead>,
    flushed: BytesMut,
    end: Option<End>,
    reader_gone: bool,
    /// What holds the reader back; `None` when nothing does.
    held: Option<Held>,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

/// Why nobody reads yet.
struct Held {
    /// The bytes that may wait meanwhile.
    bytes_max: usize,
    /// Set when the request is over. The reader is released soon after, when its task gets its turn.
    over: Arc<Gone>,
}

enum End {
    Finished(Option<HeaderMap>),
    Reset(Reset),
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is plain data and valid between any two statements, so a panic elsewhere cannot spoil it.
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// The writing end.
pub(crate) struct PipeWriter {
    shared: Arc<Shared>,
    target: BytesMut,
    /// What may be written before the next look at the shared state.
    credit: usize,
    bytes_max: usize,
    ended: bool,
}

/// From here on what was written travels without being asked: one HTTP/2 frame of the usual size is full.
const AUTO_FLUSH_BYTES: usize = 16 * 1024;

impl PipeWriter {
    fn end(&mut self, end: End) {
        if mem::replace(&mut self.ended, true) {
            return;
        }
        let mut state = self.shared.lock();
        match &end {
            End::Finished(_) => push(&mut state.flushed, &mut self.target),
            End::Reset(_) => self.target.clear(),
        }
        state.end = Some(end);
        wake(state.reader.take(), state);
    }
}

impl Outgoing for PipeWriter {
    fn head(&mut self, head: ResponseHead) {
        let mut state = self.shared.lock();
        state.head = Some(head);
        wake(state.reader.take(), state);
    }

    fn poll_reserve(&mut self, cx: &mut Context<'_>, bytes: usize) -> Poll<Result<&mut BytesMut, Reset>> {
        if self.target.len() >= AUTO_FLUSH_BYTES {
            self.flush();
        }
        if self.target.len() >= self.credit {
            self.flush();
            let mut state = self.shared.lock();
            if state.reader_gone {
                return Poll::Ready(Err(Reset::new(
                    ResetReason::Canceled,
                    "the peer does not read the rest of the body",
                )));
            }
            // Looked up here and not when the reader is told: a writer that is always ready may take the only turn there is.
            state.held.take_if(|held| held.over.is_set());
            let bytes_max = state.held.as_ref().map_or(self.bytes_max, |held| held.bytes_max);
            self.credit = bytes_max.saturating_sub(state.flushed.len());
            if self.credit == 0 && state.held.is_some() {
                let text = format!("the answers to a request that has not ended are above {bytes_max} bytes");
                return Poll::Ready(Err(Reset::new(ResetReason::Calm, text)));
            }
            if self.credit == 0 {
                state.writer = Some(cx.waker().clone());
                return Poll::Pending;
            }
        }
        self.target.reserve(bytes.min(self.bytes_max));
        Poll::Ready(Ok(&mut self.target))
    }

    fn tail(&mut self) -> &mut BytesMut {
        &mut self.target
    }

    fn flush(&mut self) {
        if self.target.is_empty() || self.ended {
            return;
        }
        self.credit = self.credit.saturating_sub(self.target.len());
        let mut state = self.shared.lock();
        if state.reader_gone {
            // Nobody will read it; the next reserve must look and say so.
            self.target.clear();
            self.credit = 0;
            return;
        }
        push(&mut state.flushed, &mut self.target);
        wake(state.reader.take(), state);
    }

    fn finish(&mut self, trailers: Option<HeaderMap>) {
        self.end(End::Finished(trailers));
    }

    fn reset(&mut self, reason: ResetReason) {
        self.end(End::Reset(Reset::new(reason, "the sender reset the body")));
    }
}

impl Drop for PipeWriter {
    fn drop(&mut self) {
        self.reset(ResetReason::Canceled);
    }
}

/// The reading end. Dropping it tells the writer.
pub(crate) struct PipeReader {
    shared: Arc<Shared>,
}

impl PipeReader {
    /// The response head, or the reset that came in its place.
    pub(crate) fn poll_head(&mut self, cx: &mut Context<'_>) -> Poll<Result<ResponseHead, Reset>> {
        let mut state = self.shared.lock();
        if let Some(head) = state.head.take() {
            return Poll::Ready(Ok(head));
        }
        match &state.end {
            Some(End::Reset(reset)) => Poll::Ready(Err(reset.clone())),
            Some(End::Finished(_)) => {
                Poll::Ready(Err(Reset::new(ResetReason::Broken, "the response ended without a head")))
            }
            None => {
                state.reader = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Ready once the writer has ended the body, one way or the other.
    pub(crate) fn poll_ended(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.shared.lock();
        if state.end.is_some() {
            return Poll::Ready(());
        }
        state.reader = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Ends the holding back: from now on what is in the pipe is being read.
    pub(crate) fn release(&mut self) {
        self.shared.lock().held = None;
    }

    /// Bytes still to come if the whole body is here and no trailers follow: what a content-length could say.
    pub(crate) fn bytes_left(&self) -> Option<usize> {
        let state = self.shared.lock();
        matches!(state.end, Some(End::Finished(None))).then_some(state.flushed.len())
    }
}

impl Incoming for PipeReader {
    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Chunk> {
        let mut state = self.shared.lock();
        if let Some(End::Reset(reset)) = &state.end {
            return Poll::Ready(Chunk::Reset(reset.clone()));
        }
        if !state.flushed.is_empty() {
            let data = state.flushed.split().freeze();
            wake(state.writer.take(), state);
            return Poll::Ready(Chunk::Data(data));
        }
        if let Some(End::Finished(trailers)) = &mut state.end {
            return Poll::Ready(Chunk::End(trailers.take()));
        }
        state.reader = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for PipeReader {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.reader_gone = true;
        state.flushed.clear();
        wake(state.writer.take(), state);
    }
}

/// Moves all of `from` behind `to`; without a copy when the reader has taken everything.
fn push(to: &mut BytesMut, from: &mut BytesMut) {
    if to.is_empty() {
        *to = from.split();
    } else {
        to.extend_from_slice(from);
        from.clear();
    }
}

/// Wakes after the lock is gone, so that the other side never finds it taken.
fn wake(waker: Option<Waker>, state: MutexGuard<'_, State>) {
    drop(state);
    if let Some(waker) = waker {
        waker.wake();
    }
}

#[cfg(test)]
mod tests;
