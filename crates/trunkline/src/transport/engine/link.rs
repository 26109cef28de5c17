//! The socket under a connection: one large read a turn, one write for all that waits, and the connection's one timer.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::time::Sleep;
use trunkline_h2::Connection;

use super::server::clock;

/// Room for one read of a connection that has much to say.
const READ_BYTES_MAX: usize = 64 * 1024;

/// Room for one read until a read has filled it, and of a connection that waits: most of them carry small messages, and
/// most of the time nothing.
const READ_BYTES_FIRST: usize = 8 * 1024;

/// Slices that one write takes.
const SLICES_MAX: usize = 64;

/// A socket with its buffers.
pub(super) struct Link<I> {
    io: I,
    /// What has been read and not understood yet.
    pub(super) input: BytesMut,
    /// Room for the next read.
    read_bytes: usize,
    /// The last read was of a size for which the smaller room is enough.
    read_little: bool,
    timer: Pin<Box<Sleep>>,
    /// The time for which the timer is set; `None` while it is not needed.
    due: Option<Instant>,
    /// Since when the socket takes nothing.
    stalled: Option<Instant>,
    stall_max: Duration,
    /// The socket gives up late what it holds back, as TLS does.
    unflushed: bool,
}

impl<I: AsyncRead + AsyncWrite + Unpin> Link<I> {
    pub(super) fn new(io: I, stall_max: Duration) -> Self {
        Self {
            io,
            input: BytesMut::new(),
            read_bytes: READ_BYTES_FIRST,
            read_little: true,
            timer: Box::pin(tokio::time::sleep(Duration::ZERO)),
            due: None,
            stalled: None,
            stall_max,
            unflushed: false,
        }
    }

    /// Reads once, as much as there is room for; 0 is the end of what the peer sends.
    ///
    /// # Errors
    /// The socket's.
    pub(super) fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if self.input.capacity() - self.input.len() < self.read_bytes / 2 {
            self.input.reserve(self.read_bytes);
        }
        let room = self.input.capacity() - self.input.len();
        let read = ready!(pin!(self.io.read_buf(&mut self.input)).poll(cx))?;
        self.read_little = read < READ_BYTES_FIRST;
        if read == room {
            self.read_bytes = READ_BYTES_MAX;
        }
        Poll::Ready(Ok(read))
    }

    /// No stream is open, so that the connection may wait for long: gives the larger room back. `surely` says that it has
    /// waited; otherwise large reads go on as they were, because the next one may come at once.
    pub(super) fn rest(&mut self, surely: bool) {
        if self.input.is_empty() && (self.read_little || surely) && self.input.capacity() > READ_BYTES_FIRST {
            self.input = BytesMut::new();
            self.read_bytes = READ_BYTES_FIRST;
        }
    }

    /// Writes all that the machine has, or waits.
    ///
    /// # Errors
    /// The socket's, or `TimedOut` when it took nothing for too long.
    pub(super) fn poll_write(
        &mut self,
        machine: &mut Connection,
        now: Instant,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while machine.transmit_bytes() > 0 {
            let wrote = if self.io.is_write_vectored() {
                let mut slices = [IoSlice::new(&[]); SLICES_MAX];
                let filled = machine.slices(&mut slices);
                Pin::new(&mut self.io).poll_write_vectored(cx, &slices[..filled])
            } else {
                Pin::new(&mut self.io).poll_write(cx, machine.poll_transmit())
            };
            let wrote = match wrote {
                Poll::Ready(wrote) => wrote?,
                Poll::Pending => return self.stall(now).map(Err),
            };
            if wrote == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.stalled = None;
            self.unflushed = true;
            machine.transmitted(wrote);
        }
        if self.unflushed {
            match Pin::new(&mut self.io).poll_flush(cx) {
                Poll::Ready(flushed) => flushed?,
                Poll::Pending => return self.stall(now).map(Err),
            }
            self.unflushed = false;
        }
        Poll::Ready(Ok(()))
    }

    fn stall(&mut self, now: Instant) -> Poll<io::Error> {
        let since = *self.stalled.get_or_insert(now);
        if now.saturating_duration_since(since) < self.stall_max {
            return Poll::Pending;
        }
        let text = format!("the peer took no bytes for {:?} (write_timeout)", self.stall_max);
        Poll::Ready(io::Error::new(io::ErrorKind::TimedOut, text))
    }

    /// Has the machine do what time has made due, and gives the time if it was anything. A connection without streams gives
    /// back what it does not need.
    pub(super) fn poll_due(
        &mut self,
        machine: &mut Connection,
        now: Instant,
        cx: &mut Context<'_>,
    ) -> Option<Instant> {
        if self.poll_timer(machine.timeout(), now, cx).is_pending() {
            return None;
        }
        let later = clock();
        machine.on_timeout(later);
        if machine.open_streams() == 0 {
            self.rest(true);
            machine.shrink();
        }
        Some(later)
    }

    /// Ready when something is due: the machine's `timeout`, or a stall.
    fn poll_timer(&mut self, timeout: Option<Instant>, now: Instant, cx: &mut Context<'_>) -> Poll<()> {
        let stall = self.stalled.map(|since| since + self.stall_max);
        let Some(due) = [timeout, stall].into_iter().flatten().min() else {
            return Poll::Pending;
        };
        match self.due {
            // It is set, knows this task, and has not rung. One that rings too early is set again then: moving it at
            // every byte would cost more.
            Some(set) if set <= due && now < set => return Poll::Pending,
            Some(set) if set <= due => {}
            _ => self.timer.as_mut().reset(due.into()),
        }
        self.due = Some(due);
        ready!(tokio::task::unconstrained(self.timer.as_mut()).poll_pinned(cx));
        self.due = None;
        Poll::Ready(())
    }

    /// Tells the peer that nothing follows.
    pub(super) fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.io).poll_shutdown(cx).map(drop)
    }
}

/// Polls a future that is made for one poll.
trait PollPinned: Future + Sized {
    fn poll_pinned(self, cx: &mut Context<'_>) -> Poll<Self::Output> {
        pin!(self).poll(cx)
    }
}

impl<F: Future> PollPinned for F {}

#[cfg(test)]
mod tests;
