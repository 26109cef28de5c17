//! gzip (RFC 1952), inflated under a limit.

use std::fmt;

use bytes::BytesMut;
use flate2::{Compress, Compression as Level, Decompress};
use trunkline_wire::{Compression, InflateFault};

use super::pool::Pool;
use super::space::Space;
use super::zlib;

/// The gzip compression: the one that every peer has. Its compressors are kept between messages.
pub struct Gzip {
    level: Level,
    idle: Pool<Compress>,
}

impl Gzip {
    /// gzip at `level`, 0 (store) to 9 (smallest); higher values count as 9.
    pub fn new(level: u32) -> Self {
        Self { level: Level::new(level.min(9)), idle: Pool::new() }
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
        zlib::compress(&self.idle, || Compress::new_gzip(self.level, zlib::WINDOW_BITS), source, target);
    }

    fn inflate(&self, source: &[u8], bytes_max: usize, target: &mut BytesMut) -> Result<(), InflateFault> {
        let mut rest = source;
        let mut space = Space::new(target, bytes_max, source.len());
        // A gzip stream may consist of several members (RFC 1952, 2.2); each has a state of its own, which cannot be
        // made ready again for less than it takes to make one.
        loop {
            zlib::inflate(&mut Decompress::new_gzip(zlib::WINDOW_BITS), &mut rest, &mut space)?;
            if rest.is_empty() {
                return Ok(());
            }
        }
    }
}
