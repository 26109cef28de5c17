//! A stream that may outlive the HTTP connection it was accepted for: an upgrade (RFC 9110, 7.8) hands it to an application.
//!
//! The server lends it, can wait until it is given back, and takes it back by force when a shutdown has lasted long enough.
//! Who uses it meanwhile, and what is spoken on it, is of no account here.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::context::Gone;

/// Lends `io`.
pub(crate) fn lend<I>(io: I) -> (Lent<I>, Lender<I>) {
    let state = Mutex::new(State { io: Some(io), reader: None, writer: None });
    let shared = Arc::new(Shared { state, returned: Gone::default() });
    (Lent { shared: Arc::clone(&shared) }, Lender { shared })
}

/// The stream in the hands of whoever serves it. Dropping it closes the stream.
pub(crate) struct Lent<I> {
    shared: Arc<Shared<I>>,
}

/// The end of the server. Dropping it closes the stream, whoever has it.
pub(crate) struct Lender<I> {
    shared: Arc<Shared<I>>,
}

struct Shared<I> {
    /// One task uses the stream; the lock is contended only when it is taken back.
    state: Mutex<State<I>>,
    returned: Gone,
}

struct State<I> {
    /// None when it was given or taken back.
    io: Option<I>,
    /// Who waits to read or to write, to be told when there is nothing to wait for any more.
    reader: Option<Waker>,
    writer: Option<Waker>,
}

impl<I> Shared<I> {
    fn lock(&self) -> MutexGuard<'_, State<I>> {
        // Whatever panicked, the stream is as usable as it was.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<I> Lender<I> {
    /// Waits until the stream is given back.
    ///
    /// # Cancel safety
    /// Safe: nothing is lost when the future is dropped.
    pub(crate) async fn returned(&self) {
        self.shared.returned.wait().await;
    }
}

impl<I> Drop for Lender<I> {
    fn drop(&mut self) {
        let (io, wakers) = {
            let mut state = self.shared.lock();
            (state.io.take(), [state.reader.take(), state.writer.take()])
        };
        // Outside of the lock: whoever is woken may run at once.
        drop(io);
        wakers.into_iter().flatten().for_each(Waker::wake);
    }
}

impl<I> Drop for Lent<I> {
    fn drop(&mut self) {
        drop(self.shared.lock().io.take());
        self.shared.returned.raise();
    }
}

/// In which direction somebody waits.
#[derive(Clone, Copy)]
enum Waits {
    ToRead,
    ToWrite,
}

impl<I: Unpin> Lent<I> {
    fn poll<T>(
        &self,
        waits: Waits,
        cx: &mut Context<'_>,
        poll: impl FnOnce(Pin<&mut I>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let mut state = self.shared.lock();
        let Some(io) = state.io.as_mut() else {
            return Poll::Ready(Err(io::Error::new(
                io::ErrorKind::ConnectionAborted,
                "the server has shut down",
            )));
        };
        let polled = poll(Pin::new(io), cx);
        if polled.is_pending() {
            let slot = match waits {
                Waits::ToRead => &mut state.reader,
                Waits::ToWrite => &mut state.writer,
            };
            match slot {
                Some(waker) => waker.clone_from(cx.waker()),
                None => *slot = Some(cx.waker().clone()),
            }
        }
        polled
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for Lent<I> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        target: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.poll(Waits::ToRead, cx, |io, cx| io.poll_read(cx, target))
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for Lent<I> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, source: &[u8]) -> Poll<io::Result<usize>> {
        self.poll(Waits::ToWrite, cx, |io, cx| io.poll_write(cx, source))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll(Waits::ToWrite, cx, AsyncWrite::poll_flush)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll(Waits::ToWrite, cx, AsyncWrite::poll_shutdown)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        sources: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll(Waits::ToWrite, cx, |io, cx| io.poll_write_vectored(cx, sources))
    }

    fn is_write_vectored(&self) -> bool {
        self.shared.lock().io.as_ref().is_some_and(AsyncWrite::is_write_vectored)
    }
}

#[cfg(test)]
mod tests;
