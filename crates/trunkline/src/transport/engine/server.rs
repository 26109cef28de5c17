//! Serves one connection: requests become calls, and what calls write goes out together.
//!
//! A turn: one read and all that it brought, then what calls have left in the mailbox, then the calls that may begin or go on,
//! then one write. What bounds a turn:
//!
//! | limit | bounds | beyond it |
//! |---|---|---|
//! | `INLINE_CALLS_MAX` | calls polled in place in one turn | they become tasks |
//! | `INLINE_TIME_MAX` | the time that those polls take together | likewise |
//! | `OUT_BYTES_HIGH` | bytes that wait for the socket | nothing is read, no stream sends |
//! | `SHARE_BYTES` | bytes of one stream at a time | the next stream's turn |
//!
//! A turn that is cut short is followed by another, after the runtime has run others.

use std::any::Any;
use std::future::Future;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite};
use trunkline_h2::{Connection, Event, Role, StreamKey};
use trunkline_wire::RequestHead;

use super::cell::{Cell, CellIncoming, CellOutgoing, Ended};
use super::link::Link;
use super::mailbox::Mailbox;
use super::parked::{Call, Pace, Parked, drop_caught, poll_caught};
use super::table::{OUT_BYTES_HIGH, Table, index_of};
use super::{machine_limits, reset_of};
use crate::context::Peer;
use crate::transport::{Answer, Reset, ResetReason};
use crate::{Handlers, Limits};

/// Reads in one poll before others of the runtime have their turn.
const TURNS_MAX: usize = 16;

/// Who answers, and within which bounds.
#[derive(Clone, Copy)]
pub(crate) struct Served<'a> {
    pub(crate) answer: &'a dyn Answer,
    pub(crate) limits: &'a Limits,
    pub(crate) handlers: Handlers,
}

/// Serves `io` until the peer closes it, or, after `shutdown` is ready, until the calls in flight have ended.
pub(crate) async fn serve_connection<I>(
    io: I,
    peer: Peer,
    served: Served<'_>,
    shutdown: impl Future<Output = ()> + Send,
) where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let now = clock();
    let mut server = Server {
        machine: Connection::server(machine_limits(served.limits), now),
        link: Link::new(io, served.limits.write_timeout),
        table: Table::new(Role::Server, served.limits.stream_buffer_bytes_max),
        mailbox: Arc::default(),
        fresh: Vec::new(),
        due: Vec::new(),
        noted: Vec::new(),
        ended: Vec::new(),
        yielded: false,
        closing: false,
        peer,
        served,
    };
    let mut shutdown = pin!(shutdown);
    let mut told = false;
    std::future::poll_fn(|cx| {
        if !told && shutdown.as_mut().poll(cx).is_ready() {
            told = true;
            server.machine.shut_down(clock());
        }
        server.poll(cx)
    })
    .await;
}

/// The time, as a paused test sees it.
pub(super) fn clock() -> Instant {
    tokio::time::Instant::now().into_std()
}

struct Server<'a, I> {
    machine: Connection,
    link: Link<I>,
    table: Table,
    mailbox: Arc<Mailbox>,
    /// Calls that have begun and were not polled yet.
    fresh: Vec<(StreamKey, Call)>,
    /// Calls that may go on.
    due: Vec<u32>,
    noted: Vec<u32>,
    ended: Vec<StreamKey>,
    /// The tasks have had their chance to add to the next write.
    yielded: bool,
    /// The connection has failed: what is left goes out, then it is closed.
    closing: bool,
    peer: Peer,
    served: Served<'a>,
}

impl<I> Drop for Server<'_, I> {
    fn drop(&mut self) {
        self.table.cut_all(&Reset::new(ResetReason::ConnectionLost, "the connection has ended"));
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> Server<'_, I> {
    /// Ready when the connection is over.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut now = clock();
        for _ in 0..TURNS_MAX {
            let deaf = self.machine.transmit_bytes() >= OUT_BYTES_HIGH;
            let Ok(read) = self.read(now, cx) else { return Poll::Ready(()) };
            let news = self.collect(cx);
            self.run_calls(now);
            self.table.send_ready(&mut self.machine, now);
            if self.machine.transmit_bytes() > 0 && self.table.tasks > 0 && !self.yielded && !self.closing {
                // Tasks that were woken in this turn may have something to add to the same write.
                self.yielded = true;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            self.yielded = false;
            let wrote = self.link.poll_write(&mut self.machine, now, cx);
            if matches!(wrote, Poll::Ready(Err(_))) {
                return Poll::Ready(());
            }
            let is_out = wrote.is_ready();
            if is_out && (self.closing || (self.machine.is_over() && self.table.tasks == 0)) {
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

    /// Takes the news of calls out of the mailbox. Says whether there were any.
    fn collect(&mut self, cx: &mut Context<'_>) -> bool {
        if self.mailbox.poll_take(cx, &mut self.noted, &mut self.ended).is_pending() {
            return false;
        }
        for index in self.noted.drain(..) {
            self.table.queue(index);
            if self.table.get(index).is_some_and(|entry| entry.parked.as_ref().is_some_and(Parked::is_rung)) {
                self.due.push(index);
            }
        }
        for key in self.ended.drain(..) {
            self.table.tasks -= 1;
            match self.table.of(key) {
                Some(entry) => entry.task = None,
                None => self.machine.ended_late(),
            }
        }
        true
    }

    /// Reads once and does what was read. Says whether anything was; an error is the end of the connection.
    fn read(&mut self, now: Instant, cx: &mut Context<'_>) -> Result<bool, ()> {
        if self.closing || self.machine.transmit_bytes() >= OUT_BYTES_HIGH {
            return Ok(false);
        }
        let read = match self.link.poll_read(cx) {
            Poll::Ready(Ok(1..)) => true,
            Poll::Ready(_) => return Err(()),
            Poll::Pending => false,
        };
        loop {
            match self.machine.poll_event(&mut self.link.input, now) {
                Ok(Some(event)) => self.on_event(event, now),
                Ok(None) => return Ok(read),
                Err(_) => {
                    self.closing = true;
                    mem::take(&mut self.fresh).into_iter().for_each(drop_caught);
                    self.table.cut_all(&Reset::new(ResetReason::ConnectionLost, "the peer broke HTTP/2"));
                    return Ok(true);
                }
            }
        }
    }

    fn on_event(&mut self, event: Event, now: Instant) {
        let machine = &mut self.machine;
        match event {
            Event::Request { stream, head, ended } => self.begin(stream, head, ended),
            Event::Data { stream, data, ended } => self.table.deliver(stream, data, ended, machine, now),
            Event::Trailers { stream, fields } => self.table.deliver_trailers(stream, fields, machine, now),
            Event::Reset { stream, reason, by_peer } => {
                if let Some(place) = self.fresh.iter().position(|(key, _)| *key == stream) {
                    drop_caught(self.fresh.swap_remove(place));
                }
                self.table.cut(stream, reset_of(reason, by_peer), machine, now);
            }
            Event::Writable { stream } => self.table.unblock(stream),
            Event::Response { .. } | Event::GoingAway { .. } | Event::Room => {}
        }
    }

    /// Makes a call of a request. It is polled when all that arrived with it is in its cell.
    fn begin(&mut self, stream: StreamKey, head: Box<trunkline_h2::RequestHead>, ended: bool) {
        let cell = Cell::new(Arc::clone(&self.mailbox));
        cell.attach(index_of(stream), true);
        if ended {
            cell.deliver(Bytes::new(), Some(Ended::Well(None)), false);
        }
        let head = RequestHead {
            method: head.method,
            uri: head.uri,
            version: http::Version::HTTP_2,
            headers: head.fields,
        };
        let incoming = Box::new(CellIncoming::new(Arc::clone(&cell)));
        let bytes_max = self.served.limits.stream_buffer_bytes_max;
        let outgoing = Box::new(CellOutgoing::new(Arc::clone(&cell), bytes_max));
        self.table.insert(stream, cell, true, (BytesMut::new(), None));
        let begun = caught(|| self.served.answer.answer(head, &self.peer, incoming, outgoing));
        // A panic there has dropped the outgoing half, which resets the stream.
        match begun {
            Ok(call) => self.fresh.push((stream, call)),
            Err(_) => self.table.queue(index_of(stream)),
        }
    }

    /// Polls the calls that have begun, and those for which something has come. A call that waits for its own stream stays
    /// here; one that waits for anything else becomes a task.
    fn run_calls(&mut self, now: Instant) {
        let mut pace = Pace::new(self.served.handlers == Handlers::Inline, now);
        for (key, mut call) in mem::take(&mut self.fresh) {
            if !pace.goes_on() {
                self.spawn(key, call, now);
            } else if poll_caught(&mut call, Waker::noop()).is_ready() {
                drop_caught(call);
                self.table.send(index_of(key), &mut self.machine, now);
            } else {
                self.wait_for(key, call, &mut pace, now);
            }
        }
        for index in mem::take(&mut self.due) {
            let Some(entry) = self.table.get(index) else { continue };
            let (key, Some(mut parked)) = (entry.key, entry.parked.take_if(|parked| parked.is_rung())) else {
                continue;
            };
            entry.cell.expect();
            if parked.poll().is_ready() {
                drop_caught(parked);
                self.table.send(index, &mut self.machine, now);
            } else {
                self.park(key, parked, pace.goes_on(), now);
            }
        }
    }

    /// A call that was polled for the first time must wait.
    fn wait_for(&mut self, key: StreamKey, call: Call, pace: &mut Pace, now: Instant) {
        let Some(entry) = self.table.of(key) else { return };
        if !entry.cell.is_awaited() {
            return self.spawn(key, call, now);
        }
        // What it waits for learns of a waker that wakes.
        let mut parked = Parked::new(call, Arc::clone(&self.mailbox), index_of(key));
        if parked.poll().is_pending() {
            return self.park(key, parked, pace.goes_on(), now);
        }
        drop_caught(parked);
        self.table.send(index_of(key), &mut self.machine, now);
    }

    /// Keeps a call that waits for its stream, and makes a task of any other.
    fn park(&mut self, key: StreamKey, parked: Parked, may_stay: bool, now: Instant) {
        let Some(entry) = self.table.of(key) else { return };
        if !may_stay || !entry.cell.is_awaited() {
            return self.spawn(key, parked.into_call(), now);
        }
        entry.unpin();
        entry.parked = Some(parked);
        self.table.send(index_of(key), &mut self.machine, now);
    }

    fn spawn(&mut self, key: StreamKey, call: Call, now: Instant) {
        // What the first poll has written may go, and from now on the call tells of itself.
        self.table.send(index_of(key), &mut self.machine, now);
        let Some(entry) = self.table.of(key) else { return };
        entry.unpin();
        let notice = Notice { key, mailbox: Arc::clone(&self.mailbox) };
        let task = tokio::spawn(async move {
            let _notice = notice;
            // Polled at once, so that everything it waits for knows this task.
            call.await;
        });
        entry.task = Some(task.abort_handle());
        self.table.tasks += 1;
    }
}

/// Runs a piece of a call. What panics has printed its words already; the call's own halves say the rest when they are
/// dropped.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Box<dyn Any + Send>> {
    // Nothing of a call that has panicked is looked at again.
    catch_unwind(AssertUnwindSafe(work))
}

/// Tells the connection when a task has ended, however it does.
struct Notice {
    key: StreamKey,
    mailbox: Arc<Mailbox>,
}

impl Drop for Notice {
    fn drop(&mut self) {
        self.mailbox.ended(self.key);
    }
}
