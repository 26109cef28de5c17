//! The bytes inside of a TLS connection, with errors that say what they mean for it.
//!
//! rustls reports an alert as data that is wrong, and so looks like a peer that breaks HTTP. But what TLS refuses ends the
//! connection, and a server that misses a certificate says so when the handshake has ended for the client already.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A TLS connection whose faults are those of a connection.
#[derive(Debug)]
pub(crate) struct Secure<I>(pub(super) I);

/// A fault of TLS as the end of the connection; the fault stays inside.
fn as_end(error: io::Error) -> io::Error {
    match error.get_ref() {
        Some(inner) if inner.is::<rustls::Error>() => io::Error::new(io::ErrorKind::ConnectionAborted, error),
        _ => error,
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for Secure<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf).map_err(as_end)
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for Secure<I> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf).map_err(as_end)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx).map_err(as_end)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx).map_err(as_end)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(cx, bufs).map_err(as_end)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }
}

#[cfg(test)]
mod tests;
