//! Time on a connection: pings, round trips, and what must not take for ever.

use std::time::{Duration, Instant};

use super::{Connection, Leaving};
use crate::frame::{self, flag};
use crate::{Fault, Reason};

/// What a connection remembers of time.
#[derive(Debug)]
pub(super) struct Clock {
    /// When bytes last came.
    pub(super) heard: Instant,
    /// When our settings left, until they are acknowledged.
    pub(super) settings_sent: Option<Instant>,
    /// When the ping left that is not answered.
    pub(super) ping_sent: Option<Instant>,
    /// The payload of that ping.
    payload: [u8; 8],
    /// When a header block began that is not whole; until the first SETTINGS, when the connection began.
    pub(super) head_since: Option<Instant>,
    /// The last round trip that was seen.
    pub(super) rtt: Option<Duration>,
}

/// The payload of a ping that asks whether the peer is there.
const ARE_YOU_THERE: [u8; 8] = *b"trunklin";

/// The payload of the ping that follows the first GOAWAY.
const LAST_STREAMS: [u8; 8] = *b"goodbye!";

impl Clock {
    /// A clock of a connection that begins now, its settings on their way.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            heard: now,
            settings_sent: Some(now),
            ping_sent: None,
            payload: ARE_YOU_THERE,
            head_since: Some(now),
            rtt: None,
        }
    }
}

impl Connection {
    /// When [`on_timeout`](Self::on_timeout) is to be called, if nothing happens before.
    pub fn timeout(&self) -> Option<Instant> {
        let limits = &self.limits;
        let silence = match (limits.ping_interval, self.clock.ping_sent) {
            (_, Some(sent)) => Some(sent + limits.ping_timeout),
            (Some(interval), None) => Some(self.clock.heard + interval),
            (None, None) => None,
        };
        let head = self.clock.head_since.map(|since| since + limits.head_timeout);
        [silence, head].into_iter().flatten().min()
    }

    /// Does what is due at `now`. The end of the connection, if that is what is due, is the next thing that
    /// [`poll_event`](Self::poll_event) says.
    pub fn on_timeout(&mut self, now: Instant) {
        let limits = &self.limits;
        let passed = |since: Option<Instant>, limit| since.is_some_and(|since| now >= since + limit);
        if passed(self.clock.head_since, limits.head_timeout) {
            let what = if self.peer.seen { "a head" } else { "the first SETTINGS" };
            let seen = format!("{what} did not come whole within head_timeout ({:?})", limits.head_timeout);
            return self.end(Fault::new(Reason::ENHANCE_YOUR_CALM, seen));
        }
        if passed(self.clock.ping_sent, limits.ping_timeout) {
            let seen = format!("a PING was not answered within ping_timeout ({:?})", limits.ping_timeout);
            return self.end(Fault::new(Reason::NO_ERROR, seen));
        }
        if let Some(interval) = limits.ping_interval
            && self.clock.ping_sent.is_none()
            && now >= self.clock.heard + interval
        {
            self.ping(ARE_YOU_THERE, now);
        }
    }

    /// Sends a ping. One that was sent before is not waited for any more.
    fn ping(&mut self, payload: [u8; 8], now: Instant) {
        frame::write_ping(self.out.tail(), 0, payload);
        self.clock.ping_sent = Some(now);
        self.clock.payload = payload;
    }

    /// Asks for the streams that the peer opened before it knew that we leave: its answer comes after them.
    pub(super) fn ask_for_last_streams(&mut self, now: Instant) {
        self.ping(LAST_STREAMS, now);
    }

    /// The peer has answered a ping; `false` if it was none of ours, which means nothing.
    pub(super) fn pong(&mut self, payload: [u8; 8], now: Instant) -> bool {
        if self.clock.ping_sent.is_none() || self.clock.payload != payload {
            return false;
        }
        if let Some(sent) = self.clock.ping_sent.take() {
            self.clock.rtt = Some(now.saturating_duration_since(sent));
        }
        if payload == LAST_STREAMS && self.leaving == Leaving::Announced {
            self.leave(Reason::NO_ERROR, "");
        }
        true
    }

    /// The peer has acknowledged settings; `false` if there was nothing to acknowledge.
    pub(super) fn settings_answered(&mut self, now: Instant) -> bool {
        let Some(sent) = self.clock.settings_sent.take() else { return false };
        self.clock.rtt = Some(now.saturating_duration_since(sent));
        true
    }

    /// Answers a ping of the peer.
    pub(super) fn answer_ping(&mut self, payload: [u8; 8]) {
        frame::write_ping(self.out.tail(), flag::ACK, payload);
    }
}
