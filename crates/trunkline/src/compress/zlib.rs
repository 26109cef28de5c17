//! What gzip and deflate have in common: a whole message through a state of zlib.
//!
//! The two differ in the frame around the same stream of blocks (RFC 1951), which the state itself writes and checks.

use bytes::BytesMut;
use flate2::{Compress, Decompress, FlushCompress, FlushDecompress, Status};
use trunkline_wire::InflateFault;

use super::pool::Pool;
use super::space::{CUT, Space, corrupt};

/// What is added to the target when the compressor runs out of room, in bytes.
const DEFLATE_STEP_BYTES: usize = 16 * 1024;
/// The window of both formats, as the base-two logarithm of its bytes: the largest there is, 32 KiB.
#[cfg(feature = "gzip")]
pub(super) const WINDOW_BITS: u8 = 15;

/// Appends the compressed form of `source` to `target`. The compressor comes from `pool`, or from `new`.
pub(super) fn compress(
    pool: &Pool<Compress>,
    new: impl FnOnce() -> Compress,
    source: &[u8],
    target: &mut BytesMut,
) {
    let mut state = match pool.take() {
        Some(mut state) => {
            state.reset();
            state
        }
        None => new(),
    };
    let start = target.len();
    let mut room = (source.len() / 2 + 64).min(DEFLATE_STEP_BYTES);
    loop {
        // Counted by the state itself, which starts at zero for each message.
        let (read, written) = (count(state.total_in()), count(state.total_out()));
        target.resize(start + written + room, 0);
        let status = state
            .compress(&source[read..], &mut target[start + written..], FlushCompress::Finish)
            .expect("a compressor that was just made or reset takes any bytes");
        if status == Status::StreamEnd {
            break;
        }
        room = DEFLATE_STEP_BYTES;
    }
    target.truncate(start + count(state.total_out()));
    pool.keep(state);
}

/// Inflates one whole stream, with its frame, from the front of `rest`. The state is new or reset.
///
/// # Errors
/// `TooLarge` when more comes out than there is space for; `Corrupt` when it is not a whole, valid stream.
pub(super) fn inflate(
    state: &mut Decompress,
    rest: &mut &[u8],
    space: &mut Space<'_>,
) -> Result<(), InflateFault> {
    loop {
        let (read, written) = (state.total_in(), state.total_out());
        let status = state.decompress(rest, space.offer(), FlushDecompress::None).map_err(corrupt)?;
        let written = count(state.total_out() - written);
        *rest = &rest[count(state.total_in() - read)..];
        space.filled(written)?;
        match status {
            Status::StreamEnd => return Ok(()),
            // Space is always offered, so only missing input keeps a stream from going on.
            Status::Ok | Status::BufError if rest.is_empty() && written == 0 => return Err(corrupt(CUT)),
            Status::Ok | Status::BufError => {}
        }
    }
}

/// A number of bytes that lie in memory.
fn count(total: u64) -> usize {
    usize::try_from(total).expect("these bytes lie in memory")
}
