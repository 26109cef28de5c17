//! The place that inflated bytes go to: it grows as bytes come out and ends one byte past the limit.
//!
//! The one rule on size that all algorithms share is written here; none of them counts bytes itself.

use std::fmt::Display;
#[cfg(feature = "snappy")]
use std::io::Read;

use bytes::BytesMut;
use trunkline_wire::InflateFault;

/// The end of a buffer that takes inflated bytes, at most `bytes_max` of them.
#[derive(Debug)]
pub(super) struct Space<'a> {
    target: &'a mut BytesMut,
    /// Where the inflated bytes begin; what stands before them is not ours.
    start: usize,
    /// Where the next bytes go. What stands behind it is zeros.
    end: usize,
    bytes_max: usize,
    /// How much is offered next.
    step: usize,
}

/// The most that is offered at once: it bounds what is made ready in vain when the input ends, or is a bomb.
const STEP_BYTES_MAX: usize = 64 * 1024;
/// The least that is offered at once, as far as the limit allows.
const STEP_BYTES_MIN: usize = 512;

impl<'a> Space<'a> {
    /// Space behind what `target` holds, for what comes out of a `source` of that many bytes.
    pub(super) fn new(target: &'a mut BytesMut, bytes_max: usize, source_bytes: usize) -> Self {
        let start = target.len();
        // Most messages shrink to no less than a fourth, so the first step takes them whole.
        let step = source_bytes.saturating_mul(4).clamp(STEP_BYTES_MIN, STEP_BYTES_MAX);
        Self { target, start, end: start, bytes_max, step }
    }

    /// Where the next bytes go; never empty. One byte past the limit is offered, which tells "too large" from "just fits".
    pub(super) fn offer(&mut self) -> &mut [u8] {
        let left = self.bytes_max.saturating_add(1) - (self.end - self.start);
        let size = self.end + left.min(self.step);
        if self.target.len() < size {
            self.target.resize(size, 0);
        }
        &mut self.target[self.end..size]
    }

    /// Takes note that the first `count` bytes of what was offered are filled.
    ///
    /// # Errors
    /// `TooLarge` when these are more than fit.
    pub(super) fn filled(&mut self, count: usize) -> Result<(), InflateFault> {
        self.end += count;
        self.step = STEP_BYTES_MAX;
        if self.end - self.start > self.bytes_max { Err(InflateFault::TooLarge) } else { Ok(()) }
    }

    /// Takes all that `source` has.
    ///
    /// # Errors
    /// `TooLarge` when that is more than fits; `Corrupt` when reading fails.
    #[cfg(feature = "snappy")]
    pub(super) fn read_all(mut self, source: &mut impl Read) -> Result<(), InflateFault> {
        loop {
            match source.read(self.offer()) {
                Ok(0) => return Ok(()),
                Ok(count) => self.filled(count)?,
                Err(error) => return Err(corrupt(error)),
            }
        }
    }
}

impl Drop for Space<'_> {
    fn drop(&mut self) {
        // What was offered and not filled is no part of the message.
        self.target.truncate(self.end);
    }
}

/// The input is no valid stream, as `seen` says.
pub(super) fn corrupt(seen: impl Display) -> InflateFault {
    InflateFault::Corrupt(seen.to_string().into())
}

/// The input ends before its stream does.
pub(super) const CUT: &str = "the input ends too early";
/// The input goes on behind the end of its stream.
#[cfg(any(feature = "deflate", feature = "brotli"))]
pub(super) const TRAILING: &str = "there are bytes behind the end of the stream";

#[cfg(test)]
mod tests;
