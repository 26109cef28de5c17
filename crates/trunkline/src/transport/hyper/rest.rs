//! The rest of an HTTP/1.1 request body that nobody reads any more: taken and thrown away, within limits.
//!
//! Without it the connection would be closed behind an answer that came early, and a client that is still sending, or
//! that has chosen this connection for its next call, would see a broken connection in place of the answer
//! (RFC 9112, 9.6). This module decides how long to go on; that nobody reads is decided by whoever drops the body.

use std::pin::Pin;
use std::time::Duration;

use bytes::Buf;
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::body::Received;
use crate::Limits;

/// How much of a body is still taken, and for how long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rest {
    bytes_max: usize,
    timeout: Duration,
}

impl Rest {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { bytes_max: limits.unread_bytes_max, timeout: limits.unread_timeout }
    }

    /// Takes the rest of `body` in a task of its own. hyper reads no other request meanwhile, and closes the connection
    /// when the body is dropped before its end.
    pub(crate) fn take<B: Received>(self, body: B) {
        if body.is_end_stream() {
            return;
        }
        // Outside of a runtime nothing could read on; then the connection is closed.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move { drop(timeout(self.timeout, discard(body, self.bytes_max)).await) });
        }
    }
}

/// Reads until the end, an error, or more than `bytes_max` bytes.
async fn discard<B: Received>(mut body: B, bytes_max: usize) {
    let mut left = bytes_max;
    while let Some(Ok(frame)) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let seen = frame.data_ref().map_or(0, Buf::remaining);
        let Some(remaining) = left.checked_sub(seen) else { return };
        left = remaining;
    }
}
