//! deflate, which in HTTP means the zlib format (RFC 1950; RFC 9110, 8.4.1.2), inflated under a limit.

use std::fmt;

use bytes::BytesMut;
use flate2::{Compress, Compression as Level, Decompress};
use trunkline_wire::{Compression, InflateFault};

use super::pool::Pool;
use super::space::{Space, TRAILING, corrupt};
use super::zlib;

/// The deflate compression. Bare blocks without the frame of zlib, which some peers of old send, are corrupt.
pub struct Deflate {
    level: Level,
    idle: Pool<Compress>,
    idle_inflating: Pool<Decompress>,
}

impl Deflate {
    /// deflate at `level`, 0 (store) to 9 (smallest); higher values count as 9.
    pub fn new(level: u32) -> Self {
        Self { level: Level::new(level.min(9)), idle: Pool::new(), idle_inflating: Pool::new() }
    }
}

impl Default for Deflate {
    /// Level 1: RPC messages are small and soon forgotten, so speed decides.
    fn default() -> Self {
        Self::new(1)
    }
}

impl fmt::Debug for Deflate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deflate").field("level", &self.level.level()).finish()
    }
}

impl Compression for Deflate {
    fn name(&self) -> &'static str {
        "deflate"
    }

    fn compress(&self, source: &[u8], target: &mut BytesMut) {
        zlib::compress(&self.idle, || Compress::new(self.level, true), source, target);
    }

    fn inflate(&self, source: &[u8], bytes_max: usize, target: &mut BytesMut) -> Result<(), InflateFault> {
        let mut state = match self.idle_inflating.take() {
            Some(mut state) => {
                state.reset(true);
                state
            }
            None => Decompress::new(true),
        };
        let mut rest = source;
        let mut space = Space::new(target, bytes_max, source.len());
        let outcome = zlib::inflate(&mut state, &mut rest, &mut space);
        self.idle_inflating.keep(state);
        outcome?;
        if rest.is_empty() { Ok(()) } else { Err(corrupt(TRAILING)) }
    }
}
