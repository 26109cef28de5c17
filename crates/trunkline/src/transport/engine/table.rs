//! The streams of one connection, as the connection sees them: what each has to send, and where what arrives for it goes.
//!
//! An entry lives as long as its stream in the machine, and not a moment longer: the machine gives its index to the next
//! stream. A task that outlives its stream is counted by the machine until it has ended, so that calls which are opened and
//! left at once cannot pile up handlers.
//!
//! | event | what becomes of the entry |
//! |---|---|
//! | both sides have ended | forgotten; a task that still runs lingers |
//! | the peer reset the stream, or broke a rule on it | the call is cut: a parked one dropped, a task aborted |
//! | the call reset its side | the stream is reset with the code of the reason |
//! | the call dropped the request, and its response is out | NO_ERROR stops the rest (RFC 9113, 8.1) |
//! | the caller dropped the response (client) | CANCEL |

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use tokio::task::AbortHandle;
use trunkline_h2::{Connection, Reason, Role, Sent, StreamKey};

use super::cell::{Cell, Ended};
use super::parked::{Parked, drop_caught};
use crate::transport::Reset;
use trunkline_wire::ResponseHead;

/// Bytes that one stream may send before the next one's turn.
const SHARE_BYTES: usize = 64 * 1024;

/// Bytes that may wait for the socket before streams must wait.
pub(super) const OUT_BYTES_HIGH: usize = 256 * 1024;

/// One stream.
pub(super) struct Entry {
    pub(super) key: StreamKey,
    pub(super) cell: Arc<Cell>,
    /// The task of its call, if it has one that the connection must end.
    pub(super) task: Option<AbortHandle>,
    /// Its call, while that waits for this stream.
    pub(super) parked: Option<Parked>,
    /// What was fetched and not sent.
    body: BytesMut,
    end: Option<Ended>,
    /// It is in the queue of those that may send.
    queued: bool,
    /// It waits for the peer's window.
    blocked: bool,
    /// Bytes delivered whose windows have not been released.
    unreleased: usize,
    /// Pieces that arrive may pin the read buffer: the call takes them within this turn.
    fresh: bool,
}

/// All streams, by the machine's index.
pub(super) struct Table {
    entries: Vec<Option<Entry>>,
    ready: VecDeque<u32>,
    buffer_bytes_max: usize,
    role: Role,
    /// Calls that run in tasks.
    pub(super) tasks: usize,
}

impl Table {
    pub(super) fn new(role: Role, buffer_bytes_max: usize) -> Self {
        Self { entries: Vec::new(), ready: VecDeque::new(), buffer_bytes_max, role, tasks: 0 }
    }

    /// A stream has begun. `fetched` is what its cell has given up already.
    pub(super) fn insert(
        &mut self,
        key: StreamKey,
        cell: Arc<Cell>,
        fresh: bool,
        (body, end): (BytesMut, Option<Ended>),
    ) -> &mut Entry {
        let index = key.index();
        if self.entries.len() <= index {
            self.entries.resize_with(index + 1, || None);
        }
        let place = &mut self.entries[index];
        place.insert(Entry {
            key,
            cell,
            task: None,
            parked: None,
            body,
            end,
            queued: false,
            blocked: false,
            unreleased: 0,
            fresh,
        })
    }

    pub(super) fn get(&mut self, index: u32) -> Option<&mut Entry> {
        self.entries.get_mut(index as usize)?.as_mut()
    }

    /// The entry of a stream, if it is still that stream's.
    pub(super) fn of(&mut self, key: StreamKey) -> Option<&mut Entry> {
        self.entries.get_mut(key.index())?.as_mut().filter(|entry| entry.key == key)
    }

    /// The stream may have something to send.
    pub(super) fn queue(&mut self, index: u32) {
        if let Some(entry) = self.get(index)
            && !entry.queued
        {
            entry.queued = true;
            self.ready.push_back(index);
        }
    }

    /// The peer's window has opened for a stream.
    pub(super) fn unblock(&mut self, key: StreamKey) {
        if let Some(entry) = self.of(key) {
            entry.blocked = false;
            self.queue(index_of(key));
        }
    }

    /// Whether streams wait for their turn.
    pub(super) fn is_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Sends what streams have, in turns, until the socket has enough to do.
    pub(super) fn send_ready(&mut self, machine: &mut Connection, now: Instant) {
        while machine.transmit_bytes() < OUT_BYTES_HIGH {
            let Some(index) = self.ready.pop_front() else { return };
            if let Some(entry) = self.get(index) {
                entry.queued = false;
                self.send(index, machine, now);
            }
        }
    }

    /// Fetches what one stream has and sends what may be sent of it.
    pub(super) fn send(&mut self, index: u32, machine: &mut Connection, now: Instant) {
        let buffer_bytes_max = self.buffer_bytes_max;
        let Some(entry) = self.get(index) else { return };
        let fetched = entry.cell.fetch(&mut entry.body);
        entry.release(fetched.taken, machine, now);
        if fetched.end.is_some() {
            entry.end = fetched.end;
        }
        let key = entry.key;
        if let Some(head) = fetched.head {
            let is_all = entry.body.is_empty() && matches!(entry.end, Some(Ended::Well(None)));
            // A stream that is gone is noticed below.
            let _ = machine.send_response(key, head.status, &head.headers, is_all);
            if is_all {
                entry.end = None;
            }
        }
        if let Some(Ended::Cut(reset)) = &entry.end {
            machine.reset(key, reset.reason().http2());
        } else if !entry.blocked && entry.send_body(machine, buffer_bytes_max) {
            self.queue(index);
        }
        if fetched.refused {
            match self.role {
                // Nobody wants the response any more.
                Role::Client => machine.reset(key, Reason::CANCEL),
                // The response is out, and nobody reads the rest of the request (RFC 9113, 8.1).
                Role::Server if machine.has_sent_all(key) => machine.reset(key, Reason::NO_ERROR),
                // The rest of the request is taken and thrown away until the response is out.
                Role::Server => {}
            }
        }
        self.settle(key, machine, now);
    }

    /// Forgets a stream that the machine has forgotten.
    pub(super) fn settle(&mut self, key: StreamKey, machine: &mut Connection, now: Instant) {
        if machine.is_open(key) {
            return;
        }
        if let Some(mut entry) = self.take(key) {
            let left = entry.unreleased;
            entry.release(left, machine, now);
            drop_caught(entry.parked.take());
            if entry.task.is_some() {
                // It counts until it has ended.
                machine.lingers();
            }
            // What a writer may still hold has nowhere to go.
            entry.cell.close();
        }
    }

    fn take(&mut self, key: StreamKey) -> Option<Entry> {
        let place = self.entries.get_mut(key.index())?;
        place.take_if(|entry| entry.key == key)
    }

    /// Gives the head of a response to its call.
    pub(super) fn deliver_head(&mut self, key: StreamKey, head: ResponseHead) {
        if let Some(entry) = self.of(key) {
            entry.cell.deliver_head(head);
        }
    }

    /// Gives a piece of a body to its call.
    pub(super) fn deliver(
        &mut self,
        key: StreamKey,
        data: Bytes,
        ended: bool,
        machine: &mut Connection,
        now: Instant,
    ) {
        let bytes = data.len();
        let Some(entry) = self.of(key) else { return machine.release(key, bytes, now) };
        entry.unreleased += bytes;
        let end = ended.then_some(Ended::Well(None));
        let taken = entry.cell.deliver(data, end, entry.fresh);
        entry.release(taken, machine, now);
        self.settle(key, machine, now);
    }

    /// Gives trailers to a call.
    pub(super) fn deliver_trailers(
        &mut self,
        key: StreamKey,
        fields: HeaderMap,
        machine: &mut Connection,
        now: Instant,
    ) {
        let Some(entry) = self.of(key) else { return };
        let taken = entry.cell.deliver(Bytes::new(), Some(Ended::Well(Some(fields))), false);
        entry.release(taken, machine, now);
        self.settle(key, machine, now);
    }

    /// Cuts a call whose stream is gone.
    pub(super) fn cut(&mut self, key: StreamKey, reset: Reset, machine: &mut Connection, now: Instant) {
        let Some(entry) = self.of(key) else { return };
        entry.cell.cut(reset, false);
        if let Some(task) = &entry.task {
            task.abort();
        }
        self.settle(key, machine, now);
    }

    /// Cuts all calls: the connection is gone.
    pub(super) fn cut_all(&mut self, reset: &Reset) {
        for entry in self.entries.drain(..).flatten() {
            entry.cell.cut(reset.clone(), false);
            drop_caught(entry.parked);
            if let Some(task) = entry.task {
                task.abort();
            }
        }
    }
}

impl Entry {
    /// Sends what the windows and the stream's share allow. Says whether more could be sent at once.
    fn send_body(&mut self, machine: &mut Connection, buffer_bytes_max: usize) -> bool {
        let ends = matches!(self.end, Some(Ended::Well(None)));
        if self.body.is_empty() && self.end.is_none() {
            return false;
        }
        let before = self.body.len();
        let sent = if before > 0 || ends {
            machine.send_data(self.key, &mut self.body, ends, SHARE_BYTES)
        } else {
            Ok(Sent::All)
        };
        let bytes = before - self.body.len();
        match sent {
            Ok(Sent::All) => {
                if let Some(Ended::Well(Some(trailers))) = &self.end {
                    // A stream that is gone is noticed by the caller.
                    let _ = machine.send_trailers(self.key, trailers);
                }
                self.end = None;
            }
            Ok(Sent::Blocked) => self.blocked = true,
            Ok(Sent::Share) => {}
            Err(_) => {
                self.body.clear();
                self.end = None;
            }
        }
        if bytes > 0 {
            self.cell.sent(bytes, buffer_bytes_max);
        }
        matches!(sent, Ok(Sent::Share))
    }

    /// The call does not take at once what has arrived: from now on it is copied, so that it pins no read buffer.
    pub(super) fn unpin(&mut self) {
        if mem::take(&mut self.fresh) {
            self.cell.unpin();
        }
    }

    /// The call has taken bytes, or never will.
    fn release(&mut self, bytes: usize, machine: &mut Connection, now: Instant) {
        let bytes = bytes.min(self.unreleased);
        if bytes > 0 {
            self.unreleased -= bytes;
            machine.release(self.key, bytes, now);
        }
    }
}

/// The number that a stream's cell and the mailbox know.
pub(super) fn index_of(key: StreamKey) -> u32 {
    u32::try_from(key.index()).unwrap_or(u32::MAX)
}
