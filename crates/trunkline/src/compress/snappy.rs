//! snappy in its framing format, inflated under a limit.

use std::io::Write;

use bytes::{BufMut, BytesMut};
use snap::read::FrameDecoder;
use snap::write::FrameEncoder;
use trunkline_wire::{Compression, InflateFault};

use super::space::{CUT, Space, corrupt};

/// The snappy compression in its framing format: it shrinks least and is fastest.
///
/// The format has no end: a stream that is cut between two of its chunks is a shorter stream. Messages are whole all the
/// same, because every protocol says how long they are.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Snappy {}

/// What each stream begins with (framing format, 4.1).
const STREAM_IDENTIFIER: &[u8] = b"\xff\x06\0\0sNaPpY";

impl Compression for Snappy {
    fn name(&self) -> &'static str {
        "snappy"
    }

    fn compress(&self, source: &[u8], target: &mut BytesMut) {
        if source.is_empty() {
            // The encoder writes the identifier with the first chunk, and here is none.
            return target.extend_from_slice(STREAM_IDENTIFIER);
        }
        let mut encoder = FrameEncoder::new(target.writer());
        encoder.write_all(source).expect("writing into memory does not fail");
        encoder.flush().expect("writing into memory does not fail");
    }

    fn inflate(&self, source: &[u8], bytes_max: usize, target: &mut BytesMut) -> Result<(), InflateFault> {
        if source.is_empty() {
            return Err(corrupt(CUT));
        }
        Space::new(target, bytes_max, source.len()).read_all(&mut FrameDecoder::new(source))
    }
}
