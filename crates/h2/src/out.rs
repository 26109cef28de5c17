//! Bytes on their way to the peer: small frames side by side in one buffer, large payloads by reference between them.
//!
//! Copying is cheaper than it looks, up to a point: the buffer of a stream is used again at once, where one that goes out by
//! reference is given away, and its memory goes to the system and comes back page by page. For streams of small messages that
//! was an eighth of the server's time.

use std::collections::VecDeque;
use std::io::IoSlice;

use bytes::{Buf, Bytes, BytesMut};

/// What is to be transmitted, in order.
#[derive(Debug, Default)]
pub(crate) struct Out {
    /// What comes before `tail`.
    pieces: VecDeque<Bytes>,
    /// Bytes of them together.
    pieces_bytes: usize,
    /// Where new frames are written.
    tail: BytesMut,
}

/// A body of which at least this many bytes wait is sent from where it lies; of a smaller one frames are copied.
pub(crate) const BY_REFERENCE_BYTES_MIN: usize = 128 * 1024;

/// How much of the buffer is kept when all of it has been transmitted.
const TAIL_BYTES_KEPT: usize = 512 * 1024;

impl Out {
    /// Where frames are appended.
    pub(crate) fn tail(&mut self) -> &mut BytesMut {
        &mut self.tail
    }

    /// Takes the first `bytes` of `data`, by reference if `by_reference`.
    pub(crate) fn take(&mut self, data: &mut BytesMut, bytes: usize, by_reference: bool) {
        let bytes = bytes.min(data.len());
        if !by_reference {
            self.tail.extend_from_slice(&data[..bytes]);
            // Keeps the buffer whole for its owner when everything was taken.
            if bytes == data.len() {
                data.clear();
            } else {
                data.advance(bytes);
            }
            return;
        }
        if !self.tail.is_empty() {
            self.pieces_bytes += self.tail.len();
            self.pieces.push_back(self.tail.split().freeze());
        }
        self.pieces_bytes += bytes;
        self.pieces.push_back(data.split_to(bytes).freeze());
    }

    /// How many bytes wait.
    pub(crate) fn len(&self) -> usize {
        self.pieces_bytes + self.tail.len()
    }

    /// The bytes from the first on, as far as `slices` has room. Gives how many slices were filled.
    pub(crate) fn slices<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        let last = (!self.tail.is_empty()).then_some(&self.tail[..]);
        let mut filled = 0;
        for (slot, bytes) in slices.iter_mut().zip(self.pieces.iter().map(|piece| &piece[..]).chain(last)) {
            *slot = IoSlice::new(bytes);
            filled += 1;
        }
        filled
    }

    /// The first bytes that lie together; empty when nothing waits.
    pub(crate) fn first(&self) -> &[u8] {
        self.pieces.front().map_or(&self.tail[..], |piece| &piece[..])
    }

    /// Gives back what an idle connection does not need.
    pub(crate) fn shrink(&mut self) {
        if self.len() == 0 {
            *self = Self::default();
        }
    }

    /// Forgets the first `bytes`: they have been transmitted.
    pub(crate) fn advance(&mut self, mut bytes: usize) {
        while let Some(piece) = self.pieces.front_mut() {
            if bytes < piece.len() {
                piece.advance(bytes);
                self.pieces_bytes -= bytes;
                return;
            }
            bytes -= piece.len();
            self.pieces_bytes -= piece.len();
            self.pieces.pop_front();
        }
        if bytes < self.tail.len() {
            self.tail.advance(bytes);
        } else {
            self.tail.clear();
            // What was advanced over does not show in the capacity, but comes back with it.
            if self.tail.try_reclaim(TAIL_BYTES_KEPT + 1) {
                self.tail = BytesMut::new();
            }
        }
    }
}

#[cfg(test)]
mod tests;
