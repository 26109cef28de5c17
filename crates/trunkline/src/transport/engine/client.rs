//! A client's end of one connection: calls leave their requests in a queue, and one task opens streams for them.
//!
//! A caller encodes on its own thread, into the cell of its call. A request that the connection could not take any more goes
//! back to its caller, who takes it to another connection; one that may have left does not.
//!
//! ```text
//!   caller: Call::new ─► Handle::submit ─► Queue ─┐          ┌─► Call::outcome: a response, a reset,
//!           CellOutgoing ─► Cell ◄────────────────┤ the task ├─►                or the head again
//!                                                 └──────────┘
//! ```

use std::collections::VecDeque;
use std::future::poll_fn;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite};
use trunkline_h2::{Connection, Event, Reason, Role, StreamKey};
use trunkline_wire::{RequestHead, ResponseHead};

use super::cell::{Begun, Cell, CellIncoming, CellOutgoing, Ended};
use super::drain::CellReader;
use super::link::Link;
use super::mailbox::Mailbox;
use super::server::clock;
use super::table::{OUT_BYTES_HIGH, Table, index_of};
use super::{machine_limits, reset_of};
use crate::Limits;
use crate::transport::{Incoming, Reset, ResetReason};

/// Reads in one poll before others of the runtime have their turn.
const TURNS_MAX: usize = 16;

/// A connection, as calls see it. It closes when the last handle is gone and its calls have ended.
pub(crate) struct Handle {
    queue: Arc<Queue>,
}

/// Requests on their way to the task.
#[derive(Default)]
struct Queue {
    mailbox: Arc<Mailbox>,
    waiting: Mutex<Waiting>,
    /// Calls that have been submitted and not ended.
    in_flight: AtomicUsize,
    /// Streams that the peer takes at once.
    streams_max: AtomicUsize,
}

#[derive(Default)]
struct Waiting {
    requests: Vec<Submitted>,
    /// Why nothing more is taken.
    closed: bool,
}

/// A request that has no stream yet.
struct Submitted {
    head: Box<RequestHead>,
    cell: Arc<Cell>,
}

impl Handle {
    /// Begins a connection over `io`; a task serves it.
    pub(crate) fn connect<I>(io: I, limits: &Limits) -> Arc<Self>
    where
        I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let queue: Arc<Queue> = Arc::default();
        queue.streams_max.store(usize::MAX, Ordering::Relaxed);
        let mut of_machine = machine_limits(limits);
        // Servers of grpc-go take pings of an idle client for abuse.
        of_machine.ping_interval = None;
        let client = Client {
            machine: Connection::client(of_machine, clock()),
            link: Link::new(io, limits.write_timeout),
            table: Table::new(Role::Client, limits.stream_buffer_bytes_max),
            queue: Arc::clone(&queue),
            waiting: VecDeque::new(),
            noted: Vec::new(),
            ended: Vec::new(),
            yielded: false,
            closing: None,
        };
        tokio::spawn(client.run());
        Arc::new(Self { queue })
    }

    /// Whether it takes calls.
    pub(crate) fn is_open(&self) -> bool {
        !self.queue.lock().closed
    }

    /// Calls in flight.
    pub(crate) fn load(&self) -> usize {
        self.queue.in_flight.load(Ordering::Relaxed)
    }

    /// Whether one more call would be taken at once.
    pub(crate) fn has_room(&self) -> bool {
        self.load() < self.queue.streams_max.load(Ordering::Relaxed)
    }

    /// Takes a request to the connection.
    ///
    /// # Errors
    /// The head again: the connection takes no more.
    pub(crate) fn submit(&self, head: Box<RequestHead>, call: &Call) -> Result<(), Box<RequestHead>> {
        let cell = &call.cell;
        cell.move_to(&self.queue.mailbox);
        let mut waiting = self.queue.lock();
        if waiting.closed {
            return Err(head);
        }
        self.queue.in_flight.fetch_add(1, Ordering::Relaxed);
        waiting.requests.push(Submitted { head, cell: Arc::clone(cell) });
        let first = waiting.requests.len() == 1;
        drop(waiting);
        if first {
            self.queue.mailbox.wake();
        }
        Ok(())
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.queue.lock().closed = true;
        self.queue.mailbox.wake();
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // Plain data, valid between any two statements.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call, whichever connection takes it. Dropping it resets the call.
pub(crate) struct Call {
    cell: Arc<Cell>,
    incoming: CellIncoming,
}

/// What came of a call.
pub(crate) enum Outcome {
    /// Its response has begun.
    Response(ResponseHead, Box<dyn Incoming>),
    /// It never left; here is its head again.
    Unsent(Box<RequestHead>, Call),
}

impl Call {
    /// A call and the body of its request, of which `buffer_bytes_max` bytes may wait.
    pub(crate) fn new(buffer_bytes_max: usize) -> (Self, CellOutgoing) {
        let cell = Cell::new(Arc::default());
        let outgoing = CellOutgoing::new(Arc::clone(&cell), buffer_bytes_max);
        let incoming = CellIncoming::new(Arc::clone(&cell));
        (Self { cell, incoming }, outgoing)
    }

    /// The body of the request, for a connection that is none of the engine's.
    pub(crate) fn reader(&self, buffer_bytes_max: usize) -> CellReader {
        CellReader::new(Arc::clone(&self.cell), buffer_bytes_max)
    }

    /// Waits for what comes of the call.
    ///
    /// # Errors
    /// The reset that came in place of a response.
    pub(crate) async fn outcome(self) -> Result<Outcome, Reset> {
        match poll_fn(|cx| self.cell.poll_head(cx)).await {
            Begun::Response(head) => Ok(Outcome::Response(head, Box::new(self.incoming))),
            Begun::HandedBack(head) => Ok(Outcome::Unsent(head, self)),
            Begun::Cut(reset) => Err(reset),
        }
    }
}

/// The task of a connection.
struct Client<I> {
    machine: Connection,
    link: Link<I>,
    table: Table,
    queue: Arc<Queue>,
    /// Requests that the peer has no room for yet.
    waiting: VecDeque<Submitted>,
    noted: Vec<u32>,
    ended: Vec<StreamKey>,
    /// Callers have had their chance to add to the next write.
    yielded: bool,
    /// Nothing more is taken, and why.
    closing: Option<Reset>,
}

impl<I: AsyncRead + AsyncWrite + Unpin> Client<I> {
    async fn run(mut self) {
        poll_fn(|cx| self.poll(cx)).await;
    }

    /// Ready when the connection is over.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut now = clock();
        for _ in 0..TURNS_MAX {
            let news = self.collect(cx);
            let deaf = self.machine.transmit_bytes() >= OUT_BYTES_HIGH;
            let read = match self.read(now, cx) {
                Ok(read) => read,
                Err(reset) => return self.lose(reset),
            };
            self.open_waiting(now);
            self.table.send_ready(&mut self.machine, now);
            if self.machine.transmit_bytes() > 0 && self.machine.open_streams() > 1 && !self.yielded {
                // Callers that were woken in this turn may have a next request for the same write.
                self.yielded = true;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            self.yielded = false;
            let wrote = self.link.poll_write(&mut self.machine, now, cx);
            if let Poll::Ready(Err(error)) = wrote {
                let text = format!("the connection broke: {error}");
                return self.lose(Reset::new(ResetReason::ConnectionLost, text).with_source(error));
            }
            let is_out = wrote.is_ready();
            if is_out && self.is_over() {
                return self.link.poll_close(cx);
            }
            if let Some(later) = self.link.poll_due(&mut self.machine, now, cx) {
                now = later;
                continue;
            }
            // A turn that read nothing because too much waited must be followed by one that does: what streams wait for may have come.
            if !(news || read || (is_out && (deaf || self.table.is_ready()))) {
                if self.machine.open_streams() == 0 {
                    self.link.rest(false);
                }
                return Poll::Pending;
            }
            now = clock();
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Whether nobody needs the connection any more.
    fn is_over(&self) -> bool {
        let idle = self.machine.open_streams() == 0 && self.waiting.is_empty();
        idle && (self.machine.is_leaving() || self.queue.lock().closed)
    }

    /// The connection is gone.
    fn lose(&mut self, reset: Reset) -> Poll<()> {
        self.closing.get_or_insert(reset);
        Poll::Ready(())
    }

    /// Takes the news of calls out of the mailbox, and new requests out of the queue. Says whether there were any.
    fn collect(&mut self, cx: &mut Context<'_>) -> bool {
        // The mailbox first: it keeps the waker, so that a request which comes later is not missed.
        let news = self.queue.mailbox.poll_take(cx, &mut self.noted, &mut self.ended).is_ready();
        for index in self.noted.drain(..) {
            self.table.queue(index);
        }
        let requests = mem::take(&mut self.queue.lock().requests);
        let news = news || !requests.is_empty();
        self.waiting.extend(requests);
        news
    }

    /// Reads once and does what was read. Says whether anything was.
    fn read(&mut self, now: Instant, cx: &mut Context<'_>) -> Result<bool, Reset> {
        if self.machine.transmit_bytes() >= OUT_BYTES_HIGH {
            return Ok(false);
        }
        let read = match self.link.poll_read(cx) {
            Poll::Ready(Ok(1..)) => true,
            Poll::Ready(Ok(0)) => {
                let text = "the connection was closed by the peer";
                return Err(Reset::new(ResetReason::ConnectionLost, text));
            }
            Poll::Ready(Err(error)) => {
                let text = format!("the connection broke: {error}");
                return Err(Reset::new(ResetReason::ConnectionLost, text).with_source(error));
            }
            Poll::Pending => false,
        };
        loop {
            match self.machine.poll_event(&mut self.link.input, now) {
                Ok(Some(event)) => self.on_event(event, now),
                Ok(None) => return Ok(read),
                Err(fault) => {
                    let text = format!("the server broke HTTP/2: {fault}");
                    // The peer shall read why, if it can.
                    let _ = self.link.poll_write(&mut self.machine, now, cx);
                    return Err(Reset::new(ResetReason::of_http2(fault.reason), text).with_source(fault));
                }
            }
        }
    }

    fn on_event(&mut self, event: Event, now: Instant) {
        let machine = &mut self.machine;
        match event {
            Event::Response { stream, head, ended } => {
                let head = ResponseHead { status: head.status, headers: head.fields };
                self.table.deliver_head(stream, head);
                if ended {
                    self.table.deliver(stream, Bytes::new(), true, machine, now);
                }
            }
            Event::Data { stream, data, ended } => self.table.deliver(stream, data, ended, machine, now),
            Event::Trailers { stream, fields } => self.table.deliver_trailers(stream, fields, machine, now),
            Event::Reset { stream, reason, by_peer } => {
                self.table.cut(stream, reset_of(reason, by_peer), machine, now);
            }
            Event::Writable { stream } => self.table.unblock(stream),
            Event::GoingAway { reason, seen } => {
                self.queue.lock().closed = true;
                let seen = if seen.is_empty() { String::new() } else { format!(" ({seen})") };
                let text = format!("the server takes no more calls on this connection: {reason}{seen}");
                let calm = reason == Reason::ENHANCE_YOUR_CALM;
                let lost = if calm { ResetReason::Calm } else { ResetReason::ConnectionLost };
                self.closing.get_or_insert(Reset::new(lost, text));
            }
            Event::Room => {
                let streams_max = machine.streams_max();
                self.queue.streams_max.store(streams_max, Ordering::Relaxed);
            }
            Event::Request { .. } => {}
        }
        self.queue.in_flight.store(self.waiting.len() + self.machine.open_streams(), Ordering::Relaxed);
    }

    /// Opens streams for the requests that wait, as far as the peer has room.
    fn open_waiting(&mut self, now: Instant) {
        if self.machine.is_leaving() {
            for submitted in self.waiting.drain(..) {
                submitted.cell.hand_back(submitted.head);
            }
            return;
        }
        while self.machine.has_room() && self.machine.transmit_bytes() < OUT_BYTES_HIGH {
            let Some(submitted) = self.waiting.pop_front() else { return };
            self.open(submitted, now);
        }
    }

    fn open(&mut self, Submitted { head, cell }: Submitted, now: Instant) {
        if cell.is_given_up() {
            return;
        }
        let mut body = BytesMut::new();
        let fetched = cell.fetch(&mut body);
        let is_all = body.is_empty() && matches!(fetched.end, Some(Ended::Well(None)));
        match self.machine.open(&head.method, &head.uri, &head.headers, is_all) {
            Ok(key) => {
                let index = index_of(key);
                cell.attach(index, true);
                let end = if is_all { None } else { fetched.end };
                self.table.insert(key, cell, false, (body, end));
                self.table.send(index, &mut self.machine, now);
            }
            Err(fault) => cell.cut(Reset::new(ResetReason::Refused, fault.to_string()), true),
        }
    }
}

impl<I> Drop for Client<I> {
    fn drop(&mut self) {
        let gone = || Reset::new(ResetReason::ConnectionLost, "the connection has ended");
        let reset = self.closing.take().unwrap_or_else(gone);
        let mut waiting = self.queue.lock();
        waiting.closed = true;
        let late = mem::take(&mut waiting.requests);
        drop(waiting);
        for submitted in self.waiting.drain(..).chain(late) {
            submitted.cell.hand_back(submitted.head);
        }
        self.table.cut_all(&reset);
    }
}
