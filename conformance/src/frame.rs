//! The framing between runner and program: a length of four bytes, big-endian, then a binary Protobuf message.
//!
//! It decides how a frame is read and written and how long it may be. It must not know what the messages mean. The suite
//! describes the framing in `testing_clients.md`, "Interacting with the test runner".

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use trunkline::proto::Message;

/// Longest message in a frame, in bytes. The runner takes no longer results; its requests are far shorter.
pub const MESSAGE_BYTES_MAX: usize = 16 << 20;

/// The length in front of each message.
const PREFIX_BYTES: usize = 4;

/// Reads the next message; `None` when the other side has ended between two of them.
///
/// # Errors
/// `UnexpectedEof` for a frame that is cut, `InvalidData` for one that is too long or holds something else, and what
/// reading itself met.
///
/// # Cancel safety
/// Not safe: what was read of a frame is gone when the future is dropped.
pub async fn read<M: Message>(source: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<M>> {
    let Some(length) = read_length(source).await? else { return Ok(None) };
    if length > MESSAGE_BYTES_MAX {
        return Err(invalid(format!("a frame of {length} bytes is above the limit of {MESSAGE_BYTES_MAX}")));
    }
    let mut message = vec![0; length];
    source.read_exact(&mut message).await?;
    let message = M::decode_from_slice(&message);
    message.map(Some).map_err(|error| invalid(format!("a frame holds another message: {error}")))
}

/// Writes one message and lets it travel.
///
/// # Errors
/// `InvalidData` for a message that is too long, and what writing itself met.
pub async fn write<M: Message>(target: &mut (impl AsyncWrite + Unpin), message: &M) -> io::Result<()> {
    let message = message.encode_to_vec();
    let length = u32::try_from(message.len()).ok().filter(|length| *length as usize <= MESSAGE_BYTES_MAX);
    let length = length.ok_or_else(|| {
        invalid(format!("a message of {} bytes is above the limit of {MESSAGE_BYTES_MAX}", message.len()))
    })?;
    let mut frame = Vec::with_capacity(PREFIX_BYTES + message.len());
    frame.extend_from_slice(&length.to_be_bytes());
    frame.extend_from_slice(&message);
    target.write_all(&frame).await?;
    target.flush().await
}

/// The length of the next message; `None` at the end of the input, which is clean only in front of the first byte of a
/// length.
async fn read_length(source: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<usize>> {
    let mut prefix = [0; PREFIX_BYTES];
    let first = source.read(&mut prefix[..1]).await?;
    if first == 0 {
        return Ok(None);
    }
    source.read_exact(&mut prefix[1..]).await?;
    Ok(Some(u32::from_be_bytes(prefix) as usize))
}

/// The fault of a frame that this side cannot take or make.
fn invalid(seen: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, seen)
}

#[cfg(test)]
mod tests;
