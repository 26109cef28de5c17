//! brotli (RFC 7932), inflated under a limit and without the large windows that the RFC does not have.

use std::fmt;
use std::io::Write;

use brotli::enc::{BrotliEncoderParams, StandardAlloc};
use brotli::{BrotliDecompressStream, BrotliResult, BrotliState, CompressorWriter};
use bytes::{BufMut, BytesMut};
use trunkline_wire::{Compression, InflateFault};

use super::space::{CUT, Space, TRAILING, corrupt};

/// The brotli compression, called `br` on the wire.
///
/// Its states are not kept between messages: the library cannot make one ready again.
pub struct Brotli {
    quality: u32,
}

/// The largest window that we compress with, as the base-two logarithm of its bytes: 256 KiB. Larger ones take memory on
/// both sides and gain nothing on messages.
const WINDOW_BITS_MAX: u32 = 18;
/// The smallest window of the format (RFC 7932, 9.1).
const WINDOW_BITS_MIN: u32 = 10;
/// The compressor's buffer in front of its target, in bytes.
const WRITE_BYTES: usize = 4 * 1024;

impl Brotli {
    /// brotli at `quality`, 0 (fastest) to 11 (smallest); higher values count as 11. Above 4 it takes longer than
    /// most calls may.
    pub fn new(quality: u32) -> Self {
        Self { quality: quality.min(11) }
    }
}

impl Default for Brotli {
    /// Quality 4: the last one that is fast.
    fn default() -> Self {
        Self::new(4)
    }
}

impl fmt::Debug for Brotli {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Brotli").field("quality", &self.quality).finish()
    }
}

impl Compression for Brotli {
    fn name(&self) -> &'static str {
        "br"
    }

    fn compress(&self, source: &[u8], target: &mut BytesMut) {
        let parameters = BrotliEncoderParams {
            quality: i32::try_from(self.quality).expect("the quality is at most 11"),
            lgwin: i32::try_from(window_bits(source.len())).expect("the window has at most 18 bits"),
            size_hint: source.len(),
            ..BrotliEncoderParams::default()
        };
        let mut encoder = CompressorWriter::with_params(target.writer(), WRITE_BYTES, &parameters);
        encoder.write_all(source).expect("writing into memory does not fail");
        // Ends the stream.
        drop(encoder);
    }

    fn inflate(&self, source: &[u8], bytes_max: usize, target: &mut BytesMut) -> Result<(), InflateFault> {
        let mut space = Space::new(target, bytes_max, source.len());
        let mut state = BrotliState::new_strict(
            StandardAlloc::default(),
            StandardAlloc::default(),
            StandardAlloc::default(),
        );
        let (mut left, mut read, mut total) = (source.len(), 0, 0);
        loop {
            let offered = space.offer();
            let (mut room, mut written) = (offered.len(), 0);
            let result = BrotliDecompressStream(
                &mut left,
                &mut read,
                source,
                &mut room,
                &mut written,
                offered,
                &mut total,
                &mut state,
            );
            space.filled(written)?;
            match result {
                BrotliResult::NeedsMoreOutput => {}
                BrotliResult::ResultSuccess if left == 0 => return Ok(()),
                BrotliResult::ResultSuccess => return Err(corrupt(TRAILING)),
                BrotliResult::NeedsMoreInput => return Err(corrupt(CUT)),
                BrotliResult::ResultFailure => return Err(corrupt("the input is not brotli")),
            }
        }
    }
}

/// The smallest window that holds a message of that many bytes.
fn window_bits(bytes: usize) -> u32 {
    (usize::BITS - bytes.leading_zeros()).clamp(WINDOW_BITS_MIN, WINDOW_BITS_MAX)
}
