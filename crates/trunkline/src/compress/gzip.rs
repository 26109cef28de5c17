//! gzip (RFC 1952), inflated under a limit.

use std::fmt;
use std::io::{Read, Write};

use bytes::{BufMut, BytesMut};
use flate2::Compression as Level;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use trunkline_wire::{Compression, InflateFault};

/// The gzip compression.
pub struct Gzip {
    level: Level,
}

/// How much is inflated before the next look at the limit, in bytes.
const INFLATE_STEP_BYTES: usize = 16 * 1024;

impl Gzip {
    /// gzip at `level`, 0 (store) to 9 (smallest); higher values count as 9.
    pub fn new(level: u32) -> Self {
        Self { level: Level::new(level.min(9)) }
    }
}

impl Default for Gzip {
    /// Level 1: RPC messages are small and soon forgotten, so speed decides.
    fn default() -> Self {
        Self::new(1)
    }
}

impl fmt::Debug for Gzip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gzip").field("level", &self.level.level()).finish()
    }
}

impl Compression for Gzip {
    fn name(&self) -> &'static str {
        "gzip"
    }

    fn compress(&self, source: &[u8], target: &mut BytesMut) {
        let mut encoder = GzEncoder::new(target.writer(), self.level);
        encoder.write_all(source).expect("writing into memory does not fail");
        encoder.finish().expect("writing into memory does not fail");
    }

    fn inflate(&self, source: &[u8], bytes_max: usize, target: &mut BytesMut) -> Result<(), InflateFault> {
        // A gzip stream may consist of several members (RFC 1952, 2.2).
        let mut decoder = MultiGzDecoder::new(source);
        let start = target.len();
        loop {
            let have = target.len() - start;
            // One byte past the limit tells "too large" from "just fits".
            let room = (bytes_max.saturating_add(1) - have).min(INFLATE_STEP_BYTES);
            let filled = target.len();
            target.resize(filled + room, 0);
            let read = decoder.read(&mut target[filled..]);
            target.truncate(filled + read.as_ref().map_or(0, |count| *count));
            match read {
                Ok(0) => return Ok(()),
                Ok(_) if target.len() - start > bytes_max => return Err(InflateFault::TooLarge),
                Ok(_) => {}
                Err(error) => return Err(InflateFault::Corrupt(error.to_string().into())),
            }
        }
    }
}

#[cfg(test)]
mod tests;
