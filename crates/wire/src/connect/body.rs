//! The body of a unary Connect call, which is one bare message (Connect specification, "Unary-Request").
//!
//! It decides limits and inflating, for requests, responses and error bodies alike; it knows no heads.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};

use crate::compress::{compressed_bytes_max, inflated};
use crate::envelope::{inflate_status, too_large};
use crate::{Code, Compression, Protocol, Status};

/// Collects a whole body.
///
/// # Cost
/// A body that comes in one chunk is not copied. Of a body above the limit nothing is kept, and the error does not wait for
/// its end.
pub(crate) struct WholeBody {
    bytes_max: usize,
    /// The code for a body that does not inflate.
    broken: Code,
    compression: Option<Arc<dyn Compression>>,
    /// The body, while one chunk holds all of it.
    first: Bytes,
    /// The body, once it came in two chunks or more.
    joined: BytesMut,
    /// How many bytes came; those beyond the limit are counted and dropped.
    bytes: usize,
    ended: bool,
}

impl WholeBody {
    /// An empty body that may hold a message of `bytes_max` bytes.
    pub(crate) fn new(bytes_max: usize, broken: Code, compression: Option<Arc<dyn Compression>>) -> Self {
        let (first, joined) = (Bytes::new(), BytesMut::new());
        Self { bytes_max, broken, compression, first, joined, bytes: 0, ended: false }
    }

    /// Takes a chunk of the body.
    pub(crate) fn receive(&mut self, chunk: Bytes) {
        self.bytes = self.bytes.saturating_add(chunk.len());
        if self.bytes > self.allowed() {
            (self.first, self.joined) = (Bytes::new(), BytesMut::new());
        } else if self.bytes == chunk.len() {
            self.first = chunk;
        } else {
            let first = std::mem::take(&mut self.first);
            self.joined.extend_from_slice(&first);
            self.joined.extend_from_slice(&chunk);
        }
    }

    /// The body has ended.
    pub(crate) fn receive_end(&mut self) {
        self.ended = true;
    }

    /// The message, inflated, once the body has ended. It comes out once.
    ///
    /// # Errors
    /// `ResourceExhausted` above the limit, and the code of this body when it does not inflate.
    pub(crate) fn poll(&mut self) -> Result<Option<Bytes>, Status> {
        if self.bytes > self.allowed() {
            return Err(too_large(
                Protocol::Connect,
                &format!("at least {} bytes", self.bytes),
                self.bytes_max,
            ));
        }
        if !self.ended {
            return Ok(None);
        }
        let joined = std::mem::take(&mut self.joined);
        let body = if joined.is_empty() { std::mem::take(&mut self.first) } else { joined.freeze() };
        let Some(compression) = &self.compression else { return Ok(Some(body)) };
        let plain = inflated(compression.as_ref(), body, self.bytes_max);
        plain.map(Some).map_err(|fault| inflate_status(fault, Protocol::Connect, self.broken, self.bytes_max))
    }

    /// How many bytes are kept or reserved here.
    pub(crate) fn held_bytes(&self) -> usize {
        self.first.len() + self.joined.capacity()
    }

    /// How many bytes are worth keeping: a compressed body may be a little larger than its plain form.
    fn allowed(&self) -> usize {
        if self.compression.is_some() { compressed_bytes_max(self.bytes_max) } else { self.bytes_max }
    }
}

#[cfg(test)]
mod tests;
