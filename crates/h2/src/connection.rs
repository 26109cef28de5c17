//! One connection: what both roles share. Frames in are read in `receive` and `heads`, frames out are written in `send`, time
//! passes in `clock`.
//!
//! ```text
//!   bytes in ──► poll_event ──► events ──► the caller
//!                    │                        │
//!                    ▼ answers, windows       ▼ send_*, release, reset
//!   bytes out ◄── transmit ◄──────────────────┘
//! ```

mod clock;
mod heads;
mod receive;
mod send;

use std::collections::VecDeque;
use std::fmt;
use std::io::IoSlice;
use std::time::{Duration, Instant};

use bytes::BytesMut;

pub use self::send::{OpenFault, SendFault, Sent};
use crate::budget::Budget;
use crate::frame::{self, setting};
use crate::hpack::{Decoder, Encoder};
use crate::out::Out;
use crate::store::{Closed, Half, Store, Waits};
use crate::window::{ReceiveWindow, SendWindow, WINDOW_BYTES_FIRST};
use crate::{Event, Fault, Limits, Reason, StreamKey};

/// Which end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It opens streams with odd numbers.
    Client,
    /// It answers them.
    Server,
}

/// What the peer has said of itself (RFC 9113, 6.5.2).
#[derive(Debug)]
struct PeerSettings {
    /// The first window of each stream.
    window_bytes: u32,
    /// The largest payload that it takes.
    frame_bytes_max: usize,
    /// Streams of ours that it takes at once.
    streams_max: u32,
    /// Whether SETTINGS have come at all: they are the peer's first word (RFC 9113, 3.4).
    seen: bool,
}

/// How far this side has said that it takes no more streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leaving {
    No,
    /// The peer has been told to stop; what it sent before it knew is still taken.
    Announced,
    /// Streams above the number are not looked at.
    Final(u32),
}

/// A header block that is not whole yet.
#[derive(Debug)]
struct PartialBlock {
    /// The stream of the HEADERS.
    stream: u32,
    /// Whether the HEADERS ended the stream.
    ended: bool,
    /// Whether they said that the stream depends on itself.
    self_dependent: bool,
    /// What has come of the block.
    bytes: BytesMut,
    /// CONTINUATION frames that have come.
    frames: u32,
    /// When it began.
    since: Instant,
}

/// One HTTP/2 connection, without the connection: bytes and time go in, events and bytes come out.
///
/// The caller reads bytes into a buffer and calls [`poll_event`](Self::poll_event) until it gives nothing more; writes what
/// [`slices`](Self::slices) gives; and calls [`on_timeout`](Self::on_timeout) when [`timeout`](Self::timeout) has come.
///
/// # Limits
/// Those of [`Limits`]. What waits to be transmitted is bounded by the caller: it stops reading while that is much.
pub struct Connection {
    role: Role,
    limits: Limits,
    decoder: Decoder,
    encoder: Encoder,
    streams: Store,
    /// What is to be transmitted.
    out: Out,
    /// What is to be told in front of anything else in the input.
    events: VecDeque<Event>,
    /// Bytes of the client's preface that a server has still to see.
    preface_due: usize,
    /// Nothing but its CONTINUATION may come while it is there (RFC 9113, 4.3).
    partial: Option<PartialBlock>,
    /// What the peer has said of itself.
    peer: PeerSettings,
    /// What may be sent on all streams together.
    send_window: SendWindow,
    /// What the peer may send on all streams together.
    receive_window: ReceiveWindow,
    /// Streams whose bodies wait for the connection's window.
    waiting: VecDeque<StreamKey>,
    /// How often something was sent of a body; the number tells who was served last.
    served: u64,
    /// Bytes received and not yet taken by anybody.
    unread: usize,
    /// Bytes that are not granted again while too many are unread.
    held_back: u32,
    /// The highest number of a stream that the peer has opened.
    last_of_peer: u32,
    /// The number of the next stream of ours.
    next_own: u32,
    /// Handlers that still run although their streams are gone.
    lingering: usize,
    /// How far this side has left.
    leaving: Leaving,
    /// The peer takes no streams above this number.
    peer_left: Option<u32>,
    /// For streams that end before their answer has begun.
    resets: Budget,
    /// For frames that carry nothing.
    idle_frames: Budget,
    clock: clock::Clock,
    /// Why the connection has ended.
    fault: Option<Fault>,
}

impl Connection {
    /// The server's end of a connection that begins now.
    pub fn server(limits: Limits, now: Instant) -> Self {
        Self::new(Role::Server, limits, now)
    }

    /// The client's end of a connection that begins now.
    pub fn client(limits: Limits, now: Instant) -> Self {
        Self::new(Role::Client, limits, now)
    }

    fn new(role: Role, limits: Limits, now: Instant) -> Self {
        let limits = possible(limits);
        let mut connection = Self {
            role,
            decoder: Decoder::new(TABLE_BYTES_MAX),
            encoder: Encoder::new(),
            streams: Store::default(),
            out: Out::default(),
            events: VecDeque::new(),
            preface_due: if role == Role::Server { frame::PREFACE.len() } else { 0 },
            partial: None,
            peer: PeerSettings {
                window_bytes: WINDOW_BYTES_FIRST,
                frame_bytes_max: frame::FRAME_BYTES_MIN as usize,
                streams_max: u32::MAX,
                seen: false,
            },
            send_window: SendWindow::new(WINDOW_BYTES_FIRST),
            receive_window: ReceiveWindow::opening(WINDOW_BYTES_FIRST, limits.connection_window_bytes),
            waiting: VecDeque::new(),
            served: 0,
            unread: 0,
            held_back: 0,
            last_of_peer: 0,
            next_own: 1,
            lingering: 0,
            leaving: Leaving::No,
            peer_left: None,
            resets: Budget::new(limits.resets_max, limits.resets_per_second),
            idle_frames: Budget::new(limits.idle_frames_max, limits.idle_frames_per_second),
            clock: clock::Clock::new(now),
            fault: None,
            limits,
        };
        connection.introduce(now);
        connection
    }

    /// Writes the first words: preface, settings, window.
    fn introduce(&mut self, now: Instant) {
        let limits = &self.limits;
        let mut settings = vec![
            (setting::INITIAL_WINDOW_SIZE, limits.stream_window_bytes),
            (setting::MAX_FRAME_SIZE, limits.frame_bytes_max),
            (setting::MAX_HEADER_LIST_SIZE, limits.head_bytes_max),
            (setting::NO_RFC7540_PRIORITIES, 1),
        ];
        match self.role {
            Role::Client => {
                self.out.tail().extend_from_slice(frame::PREFACE);
                settings.push((setting::ENABLE_PUSH, 0));
            }
            Role::Server => settings.push((setting::MAX_CONCURRENT_STREAMS, limits.streams_max)),
        }
        frame::write_settings(self.out.tail(), &settings);
        self.grant_connection(now);
    }

    /// The next thing that the peer did, as `input` tells; takes from `input` what it has understood. `None` when more bytes
    /// are needed.
    ///
    /// # Errors
    /// The peer broke the connection's rules: transmit what is left and close. The error repeats.
    pub fn poll_event(&mut self, input: &mut BytesMut, now: Instant) -> Result<Option<Event>, Fault> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(Some(event));
            }
            if let Some(fault) = &self.fault {
                return Err(fault.clone());
            }
            match self.receive(input, now) {
                Ok(receive::Step::Event(event)) => return Ok(Some(event)),
                Ok(receive::Step::Done) => {}
                Ok(receive::Step::NeedMore) => return Ok(None),
                Err(fault) => {
                    self.end(fault);
                }
            }
        }
    }

    /// Ends the connection by a fault of the peer.
    fn end(&mut self, fault: Fault) {
        if self.fault.is_none() {
            // What has been said of the last stream may not be taken back (RFC 9113, 6.8).
            let last = match self.leaving {
                Leaving::Final(last) => last,
                Leaving::No | Leaving::Announced => self.last_of_peer,
            };
            frame::write_go_away(self.out.tail(), last, fault.reason, &fault.seen);
            self.fault = Some(fault);
        }
    }

    /// How many bytes are to be transmitted.
    pub fn transmit_bytes(&self) -> usize {
        self.out.len()
    }

    /// The bytes to be transmitted, from the first on, as far as `slices` has room. Gives how many slices were filled.
    pub fn slices<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        self.out.slices(slices)
    }

    /// The first bytes to be transmitted that lie together; empty when there are none.
    pub fn poll_transmit(&self) -> &[u8] {
        self.out.first()
    }

    /// The first `bytes` of them have been transmitted.
    pub fn transmitted(&mut self, bytes: usize) {
        self.out.advance(bytes);
    }

    /// Gives back memory that a connection at rest does not need. Nothing is lost.
    pub fn shrink(&mut self) {
        self.out.shrink();
    }

    /// How many streams are open.
    pub fn open_streams(&self) -> usize {
        self.streams.len()
    }

    /// Whether this side has said that it takes no more streams, and the last one has ended.
    pub fn is_over(&self) -> bool {
        self.fault.is_some() || (matches!(self.leaving, Leaving::Final(_)) && self.streams.len() == 0)
    }

    /// Takes no more streams, and lets those that are open end (RFC 9113, 6.8). A server first says so, and goes on taking
    /// streams for one round trip more, so that none is lost on the way.
    pub fn shut_down(&mut self, now: Instant) {
        if self.leaving != Leaving::No || self.fault.is_some() {
            return;
        }
        match self.role {
            Role::Server => {
                self.leaving = Leaving::Announced;
                frame::write_go_away(self.out.tail(), MAX_STREAM_ID, Reason::NO_ERROR, "");
                self.ask_for_last_streams(now);
            }
            Role::Client => self.leave(Reason::NO_ERROR, ""),
        }
    }

    /// Says which stream was the last.
    fn leave(&mut self, reason: Reason, seen: &str) {
        if !matches!(self.leaving, Leaving::Final(_)) {
            self.leaving = Leaving::Final(self.last_of_peer);
            frame::write_go_away(self.out.tail(), self.last_of_peer, reason, seen);
        }
    }

    /// A handler goes on although its stream is gone; it counts as one until [`ended_late`](Self::ended_late).
    pub fn lingers(&mut self) {
        self.lingering += 1;
    }

    /// Such a handler has ended.
    pub fn ended_late(&mut self) {
        self.lingering = self.lingering.saturating_sub(1);
    }

    /// Bytes of [`Event::Data`] have been taken by whoever they were for, or by nobody any more. Each byte is to be
    /// released once, also when its stream is gone.
    pub fn release(&mut self, stream: StreamKey, bytes: usize, now: Instant) {
        self.unread = self.unread.saturating_sub(bytes);
        if self.held_back > 0 && self.unread < self.limits.unread_bytes_max {
            self.receive_window.release(std::mem::take(&mut self.held_back));
            self.grant_connection(now);
        }
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let (rtt, size_max) = (self.clock.rtt, self.limits.window_bytes_max);
        if let Some(open) = self.streams.open_mut(stream)
            && open.received != Half::Ended
        {
            open.receive_window.release(bytes);
            if let Some(granted) = open.receive_window.grant(rtt, size_max, now) {
                frame::write_window_update(self.out.tail(), stream.id, granted);
            }
        }
    }

    /// The window of a new stream. Until the peer has acknowledged our settings it may count with the first value
    /// (RFC 9113, 6.9.2).
    fn stream_window(&self) -> ReceiveWindow {
        let bytes = self.limits.stream_window_bytes;
        let mut window = ReceiveWindow::new(bytes);
        if self.clock.settings_sent.is_some() {
            window.widen(WINDOW_BYTES_FIRST.saturating_sub(bytes));
        }
        window
    }

    /// The peer has acknowledged our settings: what it sends from here on keeps to the windows in them.
    fn settings_acknowledged(&mut self) {
        let by = WINDOW_BYTES_FIRST.saturating_sub(self.limits.stream_window_bytes);
        if by > 0 {
            self.streams.iter_mut().for_each(|(_, open)| open.receive_window.narrow(by));
        }
    }

    /// Opens the window of the connection again, if it is time.
    fn grant_connection(&mut self, now: Instant) {
        if let Some(granted) = self.receive_window.grant(self.clock.rtt, self.limits.window_bytes_max, now) {
            frame::write_window_update(self.out.tail(), 0, granted);
        }
    }

    /// The round trip time, as the peer's acknowledgements showed it.
    pub fn rtt(&self) -> Option<Duration> {
        self.clock.rtt
    }

    /// Forgets a stream that has ended, one way or the other.
    fn forget(&mut self, stream: StreamKey, how: Closed) {
        if self.streams.open(stream).is_some_and(|open| open.waits == Waits::ForConnection) {
            self.waiting.retain(|waiting| *waiting != stream);
        }
        self.streams.remove(stream, how);
        self.tell_room();
    }

    /// Tells a client that it may open more streams, once.
    fn tell_room(&mut self) {
        if self.role == Role::Client && !matches!(self.events.back(), Some(Event::Room)) {
            self.events.push_back(Event::Room);
        }
    }

    /// Forgets a stream if both sides have ended it well.
    fn forget_if_closed(&mut self, stream: StreamKey) {
        if self.streams.open(stream).is_some_and(crate::store::Stream::is_closed) {
            self.resets.earn(1);
            self.forget(stream, Closed::Over);
        }
    }
}

/// The limits as the protocol can say them (RFC 9113, 6.5.2 and 6.9.1). A window of nothing would never be opened.
fn possible(mut limits: Limits) -> Limits {
    limits.frame_bytes_max = limits.frame_bytes_max.clamp(frame::FRAME_BYTES_MIN, frame::FRAME_BYTES_MAX);
    let windows =
        [&mut limits.stream_window_bytes, &mut limits.connection_window_bytes, &mut limits.window_bytes_max];
    for bytes in windows {
        *bytes = (*bytes).clamp(1, i32::MAX as u32);
    }
    limits.unread_bytes_max = limits.unread_bytes_max.max(1);
    limits
}

/// The largest dynamic table that we let the peer use (SETTINGS_HEADER_TABLE_SIZE, the value when nothing is said).
const TABLE_BYTES_MAX: usize = 4096;

/// The highest stream number (RFC 9113, 5.1.1).
const MAX_STREAM_ID: u32 = (1 << 31) - 1;

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("role", &self.role)
            .field("streams", &self.streams.len())
            .field("transmit_bytes", &self.out.len())
            .field("leaving", &self.leaving)
            .field("fault", &self.fault)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
