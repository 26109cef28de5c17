//! The five-byte prefix in front of streamed messages: one byte of flags, four bytes of length (big-endian).
//!
//! Connect ("Enveloped-Message"), gRPC ("Length-Prefixed-Message") and gRPC-Web share it; they differ in the flag that
//! marks the last envelope and in the code for a broken one. Both are handed in.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};

use crate::compress::{compressed_bytes_max, inflated};
use crate::{Code, Compression, InflateFault, Protocol, Status};

/// The flag of a compressed payload, the same in all protocols.
pub(crate) const COMPRESSED: u8 = 0b0000_0001;

/// Bytes in front of each payload.
const PREFIX_BYTES: usize = 5;

/// The largest end message (Connect's end of stream, gRPC-Web's trailers), in bytes after inflating. It is metadata,
/// so the limit on messages does not bound it.
pub(crate) const END_BYTES_MAX: usize = 256 * 1024;

/// How one direction of a call uses envelopes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// Whose name stands in errors.
    pub(crate) protocol: Protocol,
    /// The flag of the last envelope, or 0 where there is none.
    pub(crate) end_flag: u8,
    /// The code for a payload that is cut or does not inflate.
    pub(crate) broken: Code,
    /// Largest message, in bytes after inflating.
    pub(crate) message_bytes_max: usize,
}

/// What the reader found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing whole yet.
    NeedMore,
    /// One message, inflated.
    Message(Bytes),
    /// The last envelope, inflated.
    EndMessage(Bytes),
    /// The body has ended between two envelopes.
    End,
}

/// Cuts a body into messages, however its bytes arrive.
///
/// # Cost
/// A message that lies whole in one chunk shares the chunk's bytes; one that does not is copied once. A compressed one is
/// inflated into bytes of its own. Nothing is reserved for what a prefix only promises.
pub(crate) struct EnvelopeReader {
    rules: Rules,
    compression: Option<Arc<dyn Compression>>,
    /// What is left of the chunk received last.
    chunk: Bytes,
    /// The beginning of a prefix or payload that no single chunk held whole.
    held: BytesMut,
    /// Flags and length of the payload being read.
    prefix: Option<(u8, usize)>,
    ended: bool,
}

impl EnvelopeReader {
    /// A reader at the beginning of a body. `compression` is the one that the head of the body named.
    pub(crate) fn new(rules: Rules, compression: Option<Arc<dyn Compression>>) -> Self {
        Self { rules, compression, chunk: Bytes::new(), held: BytesMut::new(), prefix: None, ended: false }
    }

    /// Takes a chunk of the body.
    pub(crate) fn receive(&mut self, chunk: Bytes) {
        if self.chunk.is_empty() {
            self.chunk = chunk;
        } else if !chunk.is_empty() {
            // The caller did not poll until `NeedMore`. Nothing is lost, but it costs a copy.
            let mut joined = BytesMut::from(std::mem::take(&mut self.chunk));
            joined.extend_from_slice(&chunk);
            self.chunk = joined.freeze();
        }
    }

    /// The body has ended.
    pub(crate) fn receive_end(&mut self) {
        self.ended = true;
    }

    /// The next envelope.
    ///
    /// # Errors
    /// `Internal` for flags that the rules do not know and for a compressed payload without a compression,
    /// `ResourceExhausted` above a limit, and the code of the rules for a payload that is cut or does not inflate.
    pub(crate) fn poll(&mut self) -> Result<Found, Status> {
        if self.prefix.is_none() {
            let Some(prefix) = self.take(PREFIX_BYTES) else {
                return self.starved();
            };
            self.prefix = Some(self.check(&prefix)?);
        }
        let Some((flags, length)) = self.prefix else { return Ok(Found::NeedMore) };
        let Some(payload) = self.take(length) else {
            return self.starved();
        };
        self.prefix = None;
        let is_end = flags & self.rules.end_flag != 0;
        let bytes_max = self.bytes_max(is_end);
        let payload = if flags & COMPRESSED == 0 { payload } else { self.inflate(payload, bytes_max)? };
        Ok(if is_end { Found::EndMessage(payload) } else { Found::Message(payload) })
    }

    /// How many bytes are kept or reserved here.
    pub(crate) fn held_bytes(&self) -> usize {
        self.chunk.len() + self.held.capacity()
    }

    /// Whether bytes lie here that no poll has taken.
    pub(crate) fn has_rest(&self) -> bool {
        !self.chunk.is_empty() || !self.held.is_empty() || self.prefix.is_some()
    }

    /// Takes `length` bytes if they are here; otherwise keeps what is here for the next chunk.
    fn take(&mut self, length: usize) -> Option<Bytes> {
        if self.held.is_empty() && self.chunk.len() >= length {
            return Some(self.chunk.split_to(length));
        }
        let missing = length.saturating_sub(self.held.len()).min(self.chunk.len());
        let part = self.chunk.split_to(missing);
        // Grows as bytes come, not as they are promised: a prefix alone must not make us reserve its whole length.
        self.held.extend_from_slice(&part);
        (self.held.len() == length).then(|| std::mem::take(&mut self.held).freeze())
    }

    /// Nothing whole is here: the body goes on, has ended well, or was cut.
    fn starved(&self) -> Result<Found, Status> {
        if !self.ended {
            return Ok(Found::NeedMore);
        }
        if !self.has_rest() {
            return Ok(Found::End);
        }
        let seen = self.held.len();
        let protocol = self.rules.protocol;
        let text = match self.prefix {
            None => {
                format!("{protocol}: the body ended inside an envelope's prefix, after {seen} of 5 bytes")
            }
            Some((_, length)) => {
                format!("{protocol}: the body ended inside an envelope, after {seen} of {length} bytes")
            }
        };
        Err(Status::new(self.rules.broken, text))
    }

    /// Reads a prefix and refuses what could never become a message, before any of it is buffered.
    fn check(&self, prefix: &[u8]) -> Result<(u8, usize), Status> {
        let protocol = self.rules.protocol;
        let &[flags, a, b, c, d] = prefix else {
            return Err(Status::new(Code::Internal, format!("{protocol}: a prefix is five bytes long")));
        };
        if flags & !(COMPRESSED | self.rules.end_flag) != 0 {
            let text = format!("{protocol}: an envelope has the unknown flags {flags:#010b}");
            return Err(Status::new(Code::Internal, text));
        }
        let length = usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX);
        let compressed = flags & COMPRESSED != 0;
        if compressed && self.compression.is_none() {
            // Even when the payload is empty: gRPC's `compression.md` asks for INTERNAL by the flag alone.
            let text = format!("{protocol}: an envelope is compressed, but the head names no compression");
            return Err(Status::new(Code::Internal, text));
        }
        let bytes_max = self.bytes_max(flags & self.rules.end_flag != 0);
        let allowed = if compressed { compressed_bytes_max(bytes_max) } else { bytes_max };
        if length > allowed {
            return Err(too_large(protocol, &format!("{length} bytes"), bytes_max));
        }
        Ok((flags, length))
    }

    /// The plain form of a payload.
    fn inflate(&self, payload: Bytes, bytes_max: usize) -> Result<Bytes, Status> {
        // Without a compression the prefix was refused already.
        let Some(compression) = &self.compression else { return Ok(payload) };
        inflated(compression.as_ref(), payload, bytes_max)
            .map_err(|fault| inflate_status(fault, self.rules.protocol, self.rules.broken, bytes_max))
    }

    /// The limit on the plain form of this envelope.
    fn bytes_max(&self, is_end: bool) -> usize {
        if is_end { END_BYTES_MAX } else { self.rules.message_bytes_max }
    }
}

/// The status for a message above its limit; `seen` says how large it is, as far as that is known.
pub(crate) fn too_large(protocol: Protocol, seen: &str, bytes_max: usize) -> Status {
    let text = format!("{protocol}: a message of {seen} is above message_bytes_max ({bytes_max} bytes)");
    Status::new(Code::ResourceExhausted, text)
}

/// The status for a payload that did not inflate; `broken` is the code for a corrupt one.
pub(crate) fn inflate_status(
    fault: InflateFault,
    protocol: Protocol,
    broken: Code,
    bytes_max: usize,
) -> Status {
    match fault {
        InflateFault::TooLarge => too_large(protocol, "more bytes, once inflated,", bytes_max),
        InflateFault::Corrupt(seen) => {
            Status::new(broken, format!("{protocol}: a message does not inflate: {seen}"))
        }
    }
}

/// Puts messages into envelopes.
///
/// # Cost
/// A plain message is encoded where it stays: behind five bytes, into which its length is patched afterwards. A compressed one
/// is encoded there, compressed into a scratch that is kept from message to message, and copied back.
pub(crate) struct EnvelopeWriter {
    compression: Option<Arc<dyn Compression>>,
    compress_bytes_min: usize,
    /// Room for compressed payloads, kept from one message to the next.
    scratch: BytesMut,
}

/// How much of the scratch is kept between messages.
const SCRATCH_BYTES_KEPT: usize = 64 * 1024;

impl EnvelopeWriter {
    /// A writer that compresses messages of at least `compress_bytes_min` bytes.
    pub(crate) fn new(compression: Option<Arc<dyn Compression>>, compress_bytes_min: usize) -> Self {
        Self { compression, compress_bytes_min, scratch: BytesMut::new() }
    }

    /// Compresses the messages from here on with `chosen`, not at all for `None`. `encoding` is what the head says, or
    /// has said if it was sent; then only that one will do, and the answer is `false` for any other.
    pub(crate) fn choose(
        &mut self,
        chosen: Option<Arc<dyn Compression>>,
        encoding: &mut Option<&'static str>,
        head_sent: bool,
    ) -> bool {
        let name = chosen.as_ref().map(|chosen| chosen.name());
        if !head_sent {
            *encoding = name;
        } else if name.is_some() && name != *encoding {
            return false;
        }
        self.compression = chosen;
        true
    }

    /// The compression of the next message.
    pub(crate) fn compression(&self) -> Option<&Arc<dyn Compression>> {
        self.compression.as_ref()
    }

    /// Appends one message. On error `target` is as it was.
    pub(crate) fn message(
        &mut self,
        target: &mut BytesMut,
        encode: &mut dyn FnMut(&mut BytesMut) -> Result<(), Status>,
    ) -> Result<(), Status> {
        let start = target.len();
        // The length is patched in afterwards, so that the message is encoded where it stays.
        target.put_bytes(0, PREFIX_BYTES);
        let written = encode(target).and_then(|()| self.seal(target, start));
        if written.is_err() {
            target.truncate(start);
        }
        written
    }

    /// Compresses the payload behind `start` if that is due, and fills in its prefix.
    fn seal(&mut self, target: &mut BytesMut, start: usize) -> Result<(), Status> {
        let payload_start = start + PREFIX_BYTES;
        let Some(plain) = target.get(payload_start..) else {
            return Err(Status::new(Code::Internal, "an encoder removed bytes that were not its own"));
        };
        let mut flags = 0;
        if let Some(compression) = &self.compression
            && !plain.is_empty()
            && plain.len() >= self.compress_bytes_min
        {
            flags = COMPRESSED;
            self.scratch.clear();
            compression.compress(plain, &mut self.scratch);
            target.truncate(payload_start);
            target.extend_from_slice(&self.scratch);
            if self.scratch.capacity() > SCRATCH_BYTES_KEPT {
                self.scratch = BytesMut::new();
            }
        }
        let length = u32::try_from(target.len() - payload_start).map_err(|_| {
            Status::new(Code::ResourceExhausted, "a message is above 4 GiB, which no envelope can carry")
        })?;
        if let Some(prefix) = target.get_mut(start..payload_start) {
            prefix.copy_from_slice(&prefix_of(flags, length));
        }
        Ok(())
    }
}

/// Appends an envelope around a payload that is written already, such as an end message.
pub(crate) fn append(target: &mut BytesMut, flags: u8, payload: &[u8]) {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    target.reserve(PREFIX_BYTES + payload.len());
    target.extend_from_slice(&prefix_of(flags, length));
    target.extend_from_slice(payload);
}

/// The prefix of an envelope.
fn prefix_of(flags: u8, length: u32) -> [u8; PREFIX_BYTES] {
    let [a, b, c, d] = length.to_be_bytes();
    [flags, a, b, c, d]
}

#[cfg(test)]
mod tests;
