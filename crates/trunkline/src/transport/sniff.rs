//! Which HTTP a new connection speaks, judged by its first bytes. What is neither HTTP/2 nor HTTP/1.x is closed.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};

/// What a connection speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spoken {
    Http1,
    Http2,
}

/// What the first bytes say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Speaks(Spoken),
    NeedMore,
    Neither,
}

/// The client connection preface (RFC 9113, 3.4).
const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Longest request line that is waited for, in bytes (RFC 9112, 3 asks for 8000 at least).
const REQUEST_LINE_BYTES_MAX: usize = 16 * 1024;

/// Longest method that is waited for, in bytes.
const METHOD_BYTES_MAX: usize = 32;

/// Reads until the first bytes tell what the connection speaks; `None` when they tell that it is no HTTP, or the
/// connection ends before. The bytes read come out of the returned stream again.
///
/// # Errors
/// Reading failed.
pub(crate) async fn sniff<I>(mut io: I) -> io::Result<Option<(Spoken, Prefixed<I>)>>
where
    I: AsyncRead + Unpin,
{
    let mut seen = BytesMut::with_capacity(1024);
    loop {
        match judge(&seen) {
            Verdict::Speaks(spoken) => return Ok(Some((spoken, Prefixed { prefix: seen.freeze(), io }))),
            Verdict::Neither => return Ok(None),
            Verdict::NeedMore => {}
        }
        if io.read_buf(&mut seen).await? == 0 {
            return Ok(None);
        }
    }
}

/// Judges the bytes seen so far. The verdict never changes once it is not `NeedMore`.
pub(crate) fn judge(seen: &[u8]) -> Verdict {
    if seen.starts_with(HTTP2_PREFACE) {
        return Verdict::Speaks(Spoken::Http2);
    }
    if HTTP2_PREFACE.starts_with(seen) {
        return Verdict::NeedMore;
    }
    judge_request_line(seen)
}

/// `method SP target SP HTTP/1.digit`, then the end of the line (RFC 9112, 3).
fn judge_request_line(seen: &[u8]) -> Verdict {
    // An empty line before the request line is ignored (RFC 9112, 2.2).
    let seen = seen.strip_prefix(b"\r\n").unwrap_or(seen);
    let method_end = seen.iter().position(|byte| !is_token(*byte)).unwrap_or(seen.len());
    if method_end > METHOD_BYTES_MAX {
        return Verdict::Neither;
    }
    match seen.get(method_end) {
        None => return Verdict::NeedMore,
        Some(b'\r') if method_end == 0 && seen.len() == 1 => return Verdict::NeedMore,
        Some(b' ') if method_end > 0 => {}
        Some(_) => return Verdict::Neither,
    }
    let Some(line_end) = seen.iter().position(|byte| *byte == b'\n') else {
        return if seen.len() > REQUEST_LINE_BYTES_MAX { Verdict::Neither } else { Verdict::NeedMore };
    };
    let line = seen[..line_end].strip_suffix(b"\r").unwrap_or(&seen[..line_end]);
    let mut words = line[method_end + 1..].split(|byte| *byte == b' ');
    let (target, version) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_http1 =
        matches!(version, [b'H', b'T', b'T', b'P', b'/', b'1', b'.', digit] if digit.is_ascii_digit());
    if !target.is_empty() && is_http1 && words.next().is_none() {
        Verdict::Speaks(Spoken::Http1)
    } else {
        Verdict::Neither
    }
}

/// RFC 9110, 5.6.2.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// A stream whose first bytes have been read already.
#[derive(Debug)]
pub(crate) struct Prefixed<I> {
    prefix: Bytes,
    io: I,
}

impl<I: AsyncRead + Unpin> AsyncRead for Prefixed<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.prefix.is_empty() {
            return Pin::new(&mut self.io).poll_read(cx, buf);
        }
        let count = self.prefix.len().min(buf.remaining());
        buf.put_slice(&self.prefix[..count]);
        self.prefix.advance(count);
        Poll::Ready(Ok(()))
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for Prefixed<I> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }
}

#[cfg(test)]
mod tests;
