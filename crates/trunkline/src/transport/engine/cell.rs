//! What a call and its connection share: both bodies of one stream, under one short lock.
//!
//! ```text
//!   the call                          cell                         the connection
//!   CellOutgoing ── flush, finish ──► out: head, bytes, end ─────► take_out
//!     waits when unsent is full ◄──── unsent ◄──────────────────── sent
//!   CellIncoming ◄── poll_chunk ───── inbox: bytes, end ◄───────── deliver, deliver_end
//!     drop ─────────────────────────► refused
//! ```
//!
//! The call writes into a buffer of its own and hands it over when it flushes; the connection is told only if it does not
//! know yet that there is something to fetch. What arrives in small pieces is joined; a large piece keeps its bytes.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use trunkline_wire::{RequestHead, ResponseHead};

use super::mailbox::Mailbox;
use crate::transport::{Chunk, Incoming, Outgoing, Reset, ResetReason};

/// A piece of at least this many bytes is kept as it came; smaller ones are joined, so that they pin no read buffer.
const WHOLE_BYTES_MIN: usize = 4 * 1024;

/// From here on joined pieces are handed on, and others are joined behind them.
const JOINED_BYTES_FULL: usize = 16 * 1024;

/// From here on what was written travels without being asked: one HTTP/2 frame of the usual size is full.
const AUTO_FLUSH_BYTES: usize = 16 * 1024;

/// Bytes that a call has taken before the connection is told for their own sake.
const TAKEN_BYTES_TOLD: usize = 128 * 1024;

/// The two bodies of one stream.
pub(super) struct Cell {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    mailbox: Arc<Mailbox>,
    /// The number by which the connection knows the stream; none while a client's call has no connection.
    index: Option<u32>,
    /// The connection knows that there is something to fetch.
    noted: bool,
    inbox: Inbox,
    out: Out,
}

/// What has arrived.
#[derive(Default)]
struct Inbox {
    head: Option<ResponseHead>,
    whole: VecDeque<Bytes>,
    joined: BytesMut,
    /// How much is joined until the call takes it, as the last time showed.
    usual: usize,
    end: Option<Ended>,
    /// The request's head, when it never left and its connection takes no more (client).
    handed_back: Option<Box<RequestHead>>,
    /// Bytes that the call has taken since the connection last asked.
    taken: usize,
    /// The call wants no more.
    refused: bool,
    waker: Option<Waker>,
}

/// What is to be sent.
#[derive(Default)]
struct Out {
    head: Option<ResponseHead>,
    bytes: BytesMut,
    end: Option<Ended>,
    /// Bytes handed over and not sent yet, wherever they are.
    unsent: usize,
    /// The peer takes no more, and why.
    gone: Option<Reset>,
    /// The stream has ended; nobody asks why.
    closed: bool,
    waker: Option<Waker>,
}

/// How a body ends.
#[derive(Debug, Clone)]
pub(super) enum Ended {
    /// As its sender wanted.
    Well(Option<HeaderMap>),
    /// Cut.
    Cut(Reset),
}

/// What the connection fetches at once.
pub(super) struct Fetched {
    pub(super) head: Option<ResponseHead>,
    pub(super) end: Option<Ended>,
    /// Bytes that the call has taken.
    pub(super) taken: usize,
    /// The call wants no more of the body that arrives.
    pub(super) refused: bool,
}

impl Cell {
    pub(super) fn new(mailbox: Arc<Mailbox>) -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(State { mailbox, ..State::default() }) })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is plain data and valid between any two statements, so a panic elsewhere cannot spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the cell the number by which its connection knows the stream. `busy` says that the connection looks at it in any case.
    pub(super) fn attach(&self, index: u32, busy: bool) {
        let mut state = self.lock();
        state.index = Some(index);
        state.noted = busy;
    }

    /// The call goes to another connection (client).
    pub(super) fn move_to(&self, mailbox: &Arc<Mailbox>) {
        let mut state = self.lock();
        state.mailbox = Arc::clone(mailbox);
        state.index = None;
    }

    /// The connection will look at it in any case.
    pub(super) fn expect(&self) {
        self.lock().noted = true;
    }

    /// Whether the call waits for something to arrive, or for room to send.
    pub(super) fn is_awaited(&self) -> bool {
        let state = self.lock();
        state.inbox.waker.is_some() || state.out.waker.is_some()
    }

    /// Takes what the call has left here; bytes go behind those in `body`.
    pub(super) fn fetch(&self, body: &mut BytesMut) -> Fetched {
        let mut state = self.lock();
        state.noted = false;
        if body.is_empty() {
            // Swapped, so that both sides keep a buffer.
            mem::swap(body, &mut state.out.bytes);
        } else if !state.out.bytes.is_empty() {
            body.unsplit(state.out.bytes.split());
        }
        Fetched {
            head: state.out.head.take(),
            end: state.out.end.take(),
            taken: mem::take(&mut state.inbox.taken),
            refused: state.inbox.refused,
        }
    }

    /// Bytes that wait here if the whole body does and no trailers follow.
    pub(super) fn bytes_left(&self) -> Option<usize> {
        let state = self.lock();
        matches!(state.out.end, Some(Ended::Well(None))).then_some(state.out.bytes.len())
    }

    /// `bytes` of what was fetched have been sent.
    pub(super) fn sent(&self, bytes: usize, bytes_max: usize) {
        let mut state = self.lock();
        state.out.unsent = state.out.unsent.saturating_sub(bytes);
        if state.out.unsent < bytes_max {
            let waker = state.out.waker.take();
            wake(waker, state);
        }
    }

    /// The head of the response has arrived.
    pub(super) fn deliver_head(&self, head: ResponseHead) {
        let mut state = self.lock();
        state.inbox.head = Some(head);
        let waker = state.inbox.waker.take();
        wake(waker, state);
    }

    /// A piece of the body has arrived. Gives how many bytes the call has taken since it was last asked; when the call wants
    /// no more, `data` is among them. `own` says that the piece may keep its bytes however small it is.
    pub(super) fn deliver(&self, data: Bytes, end: Option<Ended>, own: bool) -> usize {
        let mut state = self.lock();
        let inbox = &mut state.inbox;
        if inbox.refused {
            inbox.taken += data.len();
        } else if !data.is_empty() {
            inbox.push(data, own);
        }
        if inbox.end.is_none() {
            inbox.end = end;
        }
        let taken = mem::take(&mut inbox.taken);
        let waker = inbox.waker.take();
        wake(waker, state);
        taken
    }

    /// The stream is gone for a reason: both bodies end by it. What has arrived before is still there unless `now`.
    pub(super) fn cut(&self, reset: Reset, now: bool) {
        let mut state = self.lock();
        if now {
            state.inbox.whole.clear();
            state.inbox.joined.clear();
        }
        if state.inbox.end.is_none() || now {
            state.inbox.end = Some(Ended::Cut(reset.clone()));
        }
        state.out.gone = Some(reset);
        state.out.bytes.clear();
        let (reader, writer) = (state.inbox.waker.take(), state.out.waker.take());
        drop(state);
        [reader, writer].into_iter().flatten().for_each(Waker::wake);
    }

    /// The stream has ended on both sides. A call that still writes is told so when it asks.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.out.closed = true;
        let waker = state.out.waker.take();
        wake(waker, state);
    }

    /// The peer takes no more of what is sent, without having cut what it sends itself.
    pub(super) fn stop_sending(&self, reset: Reset) {
        let mut state = self.lock();
        state.out.gone = Some(reset);
        state.out.bytes.clear();
        let waker = state.out.waker.take();
        wake(waker, state);
    }

    /// Copies what pins a read buffer: the call will not take it at once.
    pub(super) fn unpin(&self) {
        let mut state = self.lock();
        let inbox = &mut state.inbox;
        if inbox.whole.iter().any(|piece| piece.len() < WHOLE_BYTES_MIN) {
            // What is joined has come behind the pieces that are whole, and stays there.
            let last = mem::take(&mut inbox.joined);
            for piece in mem::take(&mut inbox.whole) {
                inbox.push(piece, false);
            }
            if !last.is_empty() {
                inbox.push(last.freeze(), false);
            }
        }
    }

    /// Tells the connection that there is something to fetch, if it does not know.
    fn note(mut state: MutexGuard<'_, State>) {
        if state.noted {
            return;
        }
        let Some(index) = state.index else { return };
        state.noted = true;
        let mailbox = Arc::clone(&state.mailbox);
        drop(state);
        mailbox.note(index);
    }

    /// Whether the call is over before it began: nobody waits for it, or its request was cut.
    pub(super) fn is_given_up(&self) -> bool {
        let state = self.lock();
        state.inbox.refused || matches!(state.out.end, Some(Ended::Cut(_)))
    }

    /// Gives the request back to the call: it never left (client).
    pub(super) fn hand_back(&self, head: Box<RequestHead>) {
        let mut state = self.lock();
        state.index = None;
        state.inbox.handed_back = Some(head);
        let waker = state.inbox.waker.take();
        wake(waker, state);
    }

    /// Waits for what comes of a request: the head of the response, or whatever came in its place (client).
    pub(super) fn poll_head(&self, cx: &mut Context<'_>) -> Poll<Begun> {
        let mut state = self.lock();
        let inbox = &mut state.inbox;
        if let Some(head) = inbox.head.take() {
            return Poll::Ready(Begun::Response(head));
        }
        if let Some(head) = inbox.handed_back.take() {
            return Poll::Ready(Begun::HandedBack(head));
        }
        match &inbox.end {
            Some(Ended::Cut(reset)) => Poll::Ready(Begun::Cut(reset.clone())),
            Some(Ended::Well(_)) => {
                let text = "the response ended without a head";
                Poll::Ready(Begun::Cut(Reset::new(ResetReason::Broken, text)))
            }
            None => {
                keep(&mut inbox.waker, cx);
                Poll::Pending
            }
        }
    }
}

/// What came of a request (client).
pub(super) enum Begun {
    /// The head of its response.
    Response(ResponseHead),
    /// Nothing; it never left.
    HandedBack(Box<RequestHead>),
    /// A reset.
    Cut(Reset),
}

impl Inbox {
    fn push(&mut self, data: Bytes, own: bool) {
        if data.len() >= WHOLE_BYTES_MIN || (own && self.joined.is_empty() && self.whole.is_empty()) {
            self.seal();
            self.whole.push_back(data);
            return;
        }
        if self.joined.len() + data.len() > self.joined.capacity() {
            // Full pieces are handed on as they are: a buffer that grows is copied each time.
            if self.joined.len() >= JOINED_BYTES_FULL {
                self.seal();
            }
            if self.joined.is_empty() {
                self.joined.reserve(self.usual.clamp(data.len(), JOINED_BYTES_FULL));
            }
        }
        self.joined.extend_from_slice(&data);
    }

    /// Puts what has been joined behind the whole pieces.
    fn seal(&mut self) {
        if !self.joined.is_empty() {
            self.whole.push_back(mem::take(&mut self.joined).freeze());
        }
    }

    fn pop(&mut self) -> Option<Bytes> {
        if let Some(piece) = self.whole.pop_front() {
            return Some(piece);
        }
        if self.joined.is_empty() {
            return None;
        }
        // Room for as much the next time, and somewhat more.
        self.usual = self.joined.len().saturating_add(self.joined.len() / 4);
        Some(mem::take(&mut self.joined).freeze())
    }
}

/// Keeps the waker of whoever waits, without a clone when it is the same one.
fn keep(place: &mut Option<Waker>, cx: &Context<'_>) {
    match place {
        Some(waker) => waker.clone_from(cx.waker()),
        None => *place = Some(cx.waker().clone()),
    }
}

/// Wakes after the lock is gone, so that the other side never finds it taken.
fn wake(waker: Option<Waker>, state: MutexGuard<'_, State>) {
    drop(state);
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// The body that arrives. Dropping it tells the connection that nobody reads the rest.
pub(super) struct CellIncoming {
    cell: Arc<Cell>,
}

impl CellIncoming {
    pub(super) fn new(cell: Arc<Cell>) -> Self {
        Self { cell }
    }
}

impl Incoming for CellIncoming {
    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Chunk> {
        let mut state = self.cell.lock();
        let inbox = &mut state.inbox;
        if let Some(data) = inbox.pop() {
            inbox.taken += data.len();
            if inbox.taken >= TAKEN_BYTES_TOLD && inbox.end.is_none() {
                Cell::note(state);
            }
            return Poll::Ready(Chunk::Data(data));
        }
        match &mut inbox.end {
            Some(Ended::Well(trailers)) => Poll::Ready(Chunk::End(trailers.take())),
            Some(Ended::Cut(reset)) => Poll::Ready(Chunk::Reset(reset.clone())),
            None => {
                keep(&mut inbox.waker, cx);
                Poll::Pending
            }
        }
    }
}

impl Drop for CellIncoming {
    fn drop(&mut self) {
        let mut state = self.cell.lock();
        let inbox = &mut state.inbox;
        inbox.refused = true;
        let left = inbox.whole.iter().map(Bytes::len).sum::<usize>() + inbox.joined.len();
        inbox.taken += left;
        inbox.whole.clear();
        inbox.joined.clear();
        // A body that has ended needs no word; its bytes are released with the stream.
        if inbox.end.is_none() {
            Cell::note(state);
        }
    }
}

/// The body that is sent. It is encoded in a target of its own, without a lock, and handed over when it is flushed, when it
/// ends, or when a frame's worth has gathered. Dropping it unfinished resets the stream.
pub(crate) struct CellOutgoing {
    cell: Arc<Cell>,
    head: Option<ResponseHead>,
    target: BytesMut,
    /// What may be written before the next look at the cell.
    credit: usize,
    bytes_max: usize,
    ended: bool,
}

impl CellOutgoing {
    /// A body of which `bytes_max` bytes may wait, in the target, in the cell and with the connection together. One message
    /// may pass that bound: any credit at all admits it whole.
    pub(super) fn new(cell: Arc<Cell>, bytes_max: usize) -> Self {
        Self { cell, head: None, target: BytesMut::new(), credit: bytes_max, bytes_max, ended: false }
    }

    /// Hands over what was written.
    fn hand_over(&mut self, end: Option<Ended>) {
        let mut state = self.cell.lock();
        let out = &mut state.out;
        if out.gone.is_some() || out.closed {
            // Nobody will send it; the next reserve must look and say so.
            self.target.clear();
            self.credit = 0;
            return;
        }
        out.unsent += self.target.len();
        self.credit = self.credit.saturating_sub(self.target.len());
        if out.bytes.is_empty() {
            mem::swap(&mut out.bytes, &mut self.target);
            self.target.clear();
        } else {
            out.bytes.extend_from_slice(&self.target);
            self.target.clear();
        }
        if self.head.is_some() {
            out.head = self.head.take();
        }
        if end.is_some() {
            out.end = end;
        }
        Cell::note(state);
    }

    fn end(&mut self, end: Ended) {
        if mem::replace(&mut self.ended, true) {
            return;
        }
        if matches!(end, Ended::Cut(_)) {
            self.target.clear();
        }
        self.hand_over(Some(end));
    }
}

impl Outgoing for CellOutgoing {
    fn head(&mut self, head: ResponseHead) {
        self.head = Some(head);
    }

    fn poll_reserve(&mut self, cx: &mut Context<'_>, bytes: usize) -> Poll<Result<&mut BytesMut, Reset>> {
        if self.target.len() >= AUTO_FLUSH_BYTES || self.target.len() >= self.credit {
            self.flush();
        }
        if self.credit == 0 {
            let mut state = self.cell.lock();
            if let Some(reset) = &state.out.gone {
                return Poll::Ready(Err(reset.clone()));
            }
            if state.out.closed {
                let text = "the stream has ended";
                return Poll::Ready(Err(Reset::new(ResetReason::Canceled, text)));
            }
            self.credit = self.bytes_max.saturating_sub(state.out.unsent);
            if self.credit == 0 {
                keep(&mut state.out.waker, cx);
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
        if !self.ended && (self.head.is_some() || !self.target.is_empty()) {
            self.hand_over(None);
        }
    }

    fn finish(&mut self, trailers: Option<HeaderMap>) {
        self.end(Ended::Well(trailers));
    }

    fn reset(&mut self, reason: ResetReason) {
        self.end(Ended::Cut(Reset::new(reason, "the sender reset the body")));
    }
}

impl Drop for CellOutgoing {
    fn drop(&mut self) {
        // What a panic leaves behind is a failure of this side.
        let panics = std::thread::panicking();
        self.reset(if panics { ResetReason::Broken } else { ResetReason::Canceled });
    }
}

#[cfg(test)]
mod tests;
