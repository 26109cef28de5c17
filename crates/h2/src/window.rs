//! Flow control (RFC 9113, 5.2): what may be sent, and what the peer has been allowed to send.

use std::time::{Duration, Instant};

/// The largest window (RFC 9113, 6.9.1).
pub(crate) const WINDOW_BYTES_MAX: i64 = (1 << 31) - 1;

/// The first window of a connection, and of streams until SETTINGS say otherwise (RFC 9113, 6.9.2).
pub(crate) const WINDOW_BYTES_FIRST: u32 = 65_535;

/// How much may be sent. A change of settings can make it negative.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SendWindow(i64);

impl SendWindow {
    /// A window of so many bytes.
    pub(crate) fn new(bytes: u32) -> Self {
        Self(i64::from(bytes))
    }

    /// Bytes that may be sent now.
    pub(crate) fn bytes(self) -> usize {
        usize::try_from(self.0).unwrap_or(0)
    }

    /// The window itself, which may be below zero.
    #[cfg(test)]
    pub(crate) fn value(self) -> i64 {
        self.0
    }

    /// Bytes have been sent.
    pub(crate) fn take(&mut self, bytes: usize) {
        self.0 -= i64::try_from(bytes).unwrap_or(i64::MAX);
    }

    /// Widens or narrows it; `false` when it would be above the largest window.
    pub(crate) fn change(&mut self, by: i64) -> bool {
        self.0 += by;
        self.0 <= WINDOW_BYTES_MAX
    }
}

/// How much the peer may send, and what has become of it.
#[derive(Debug)]
pub(crate) struct ReceiveWindow {
    /// What the peer may still send.
    open: i64,
    /// Bytes that are done with and not yet granted again.
    due: u32,
    /// What the window is opened to.
    size: u32,
    /// When it was last widened, to see whether the peer waits for us.
    widened: Option<Instant>,
}

impl ReceiveWindow {
    /// A window that is open.
    pub(crate) fn new(size: u32) -> Self {
        Self { open: i64::from(size), due: 0, size, widened: None }
    }

    /// A window that the peer takes for `open`, and that is to be `size`; the difference is due at once.
    pub(crate) fn opening(open: u32, size: u32) -> Self {
        let due = size.saturating_sub(open);
        Self { open: i64::from(open), due, size: size.max(open), widened: None }
    }

    /// Counts what has come; `false` when it was more than allowed. Nothing is always allowed, also below zero.
    pub(crate) fn receive(&mut self, bytes: usize) -> bool {
        self.open -= i64::try_from(bytes).unwrap_or(i64::MAX);
        self.open >= 0 || bytes == 0
    }

    /// The peer may send more for now than what the window is opened to; see [`narrow`](Self::narrow).
    pub(crate) fn widen(&mut self, by: u32) {
        self.open += i64::from(by);
    }

    /// The peer has learned that it may send less (RFC 9113, 6.9.2). What it had sent already may leave less than nothing.
    pub(crate) fn narrow(&mut self, by: u32) {
        self.open -= i64::from(by);
    }

    /// Bytes are done with; see [`grant`](Self::grant).
    pub(crate) fn release(&mut self, bytes: u32) {
        self.due = self.due.saturating_add(bytes);
    }

    /// What to grant now: everything that is due once it is half of the window, otherwise nothing. A peer that used up
    /// half a window in less than two round trips is being held up by it, so it gets a larger one, up to `size_max`.
    pub(crate) fn grant(&mut self, rtt: Option<Duration>, size_max: u32, now: Instant) -> Option<u32> {
        if self.due == 0 || self.due < self.size.div_ceil(2) {
            return None;
        }
        let since = self.widened.map(|then| now.saturating_duration_since(then));
        if let (Some(rtt), Some(since)) = (rtt, since)
            && since < rtt * 2
            && self.size < size_max
        {
            let larger = self.size.saturating_mul(2).min(size_max);
            self.due = self.due.saturating_add(larger - self.size);
            self.size = larger;
        }
        self.widened = Some(now);
        let due = std::mem::take(&mut self.due);
        self.open += i64::from(due);
        Some(due)
    }

    /// What the peer may still send.
    #[cfg(test)]
    pub(crate) fn open(&self) -> i64 {
        self.open
    }

    /// What it is opened to.
    #[cfg(test)]
    pub(crate) fn size(&self) -> u32 {
        self.size
    }
}

#[cfg(test)]
mod tests;
