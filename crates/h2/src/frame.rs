//! The nine bytes in front of each frame (RFC 9113, 4.1), and the numbers of types, flags and settings.

use bytes::{BufMut, BytesMut};

/// Bytes of a frame's head.
pub(crate) const HEAD_BYTES: usize = 9;

/// What a client sends first (RFC 9113, 3.4).
pub(crate) const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The smallest and the first value of SETTINGS_MAX_FRAME_SIZE (RFC 9113, 6.5.2).
pub(crate) const FRAME_BYTES_MIN: u32 = 1 << 14;

/// The largest value of SETTINGS_MAX_FRAME_SIZE.
pub(crate) const FRAME_BYTES_MAX: u32 = (1 << 24) - 1;

/// Frame types (RFC 9113, 6).
pub(crate) mod kind {
    /// A piece of a body (6.1).
    pub(crate) const DATA: u8 = 0x0;
    /// A head or trailers, or their beginning (6.2).
    pub(crate) const HEADERS: u8 = 0x1;
    /// What a stream depends on (6.3; deprecated).
    pub(crate) const PRIORITY: u8 = 0x2;
    /// The end of a stream before its time (6.4).
    pub(crate) const RST_STREAM: u8 = 0x3;
    /// What the sender takes, or that it has taken ours (6.5).
    pub(crate) const SETTINGS: u8 = 0x4;
    /// A request that a server makes itself (6.6).
    pub(crate) const PUSH_PROMISE: u8 = 0x5;
    /// A sign of life, and its answer (6.7).
    pub(crate) const PING: u8 = 0x6;
    /// The last stream that is taken (6.8).
    pub(crate) const GOAWAY: u8 = 0x7;
    /// More that may be sent (6.9).
    pub(crate) const WINDOW_UPDATE: u8 = 0x8;
    /// The rest of a header block (6.10).
    pub(crate) const CONTINUATION: u8 = 0x9;
}

/// Frame flags (RFC 9113, 6).
pub(crate) mod flag {
    /// On SETTINGS and PING: an answer (6.5, 6.7).
    pub(crate) const ACK: u8 = 0x1;
    /// On DATA and HEADERS: the last of its direction (6.1, 6.2).
    pub(crate) const END_STREAM: u8 = 0x1;
    /// On HEADERS and CONTINUATION: the block is whole (6.2, 6.10).
    pub(crate) const END_HEADERS: u8 = 0x4;
    /// On DATA and HEADERS: one byte says how much padding ends the frame (6.1, 6.2).
    pub(crate) const PADDED: u8 = 0x8;
    /// On HEADERS: five bytes say what the stream depends on (6.2).
    pub(crate) const PRIORITY: u8 = 0x20;
}

/// Settings (RFC 9113, 6.5.2; RFC 9218, 2.1).
pub(crate) mod setting {
    /// Bytes of the table that its decoder keeps (RFC 7541, 4.2).
    pub(crate) const HEADER_TABLE_SIZE: u16 = 0x1;
    /// Whether a client takes pushes; ours takes none.
    pub(crate) const ENABLE_PUSH: u16 = 0x2;
    /// Streams that it lets the other side have open at once.
    pub(crate) const MAX_CONCURRENT_STREAMS: u16 = 0x3;
    /// The first window of each of its streams, in bytes.
    pub(crate) const INITIAL_WINDOW_SIZE: u16 = 0x4;
    /// The largest payload that it takes, in bytes.
    pub(crate) const MAX_FRAME_SIZE: u16 = 0x5;
    /// The largest list of fields that it takes, in bytes; only advice.
    pub(crate) const MAX_HEADER_LIST_SIZE: u16 = 0x6;
    /// That the priorities of the old RFC mean nothing to it.
    pub(crate) const NO_RFC7540_PRIORITIES: u16 = 0x9;
}

/// The head of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameHead {
    /// Bytes of payload.
    pub(crate) length: usize,
    /// One of [`kind`], or a type that nobody knows.
    pub(crate) kind: u8,
    /// Bits of [`flag`]; others mean nothing.
    pub(crate) flags: u8,
    /// 31 bits; 0 is the connection.
    pub(crate) stream: u32,
}

impl FrameHead {
    /// Reads a head; `None` while fewer than nine bytes are here. The reserved bit is ignored, as the RFC asks.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let &[l0, l1, l2, kind, flags, s0, s1, s2, s3] = bytes.first_chunk::<HEAD_BYTES>()?;
        let length = usize::from(l0) << 16 | usize::from(l1) << 8 | usize::from(l2);
        let stream = u32::from_be_bytes([s0, s1, s2, s3]) & 0x7fff_ffff;
        Some(Self { length, kind, flags, stream })
    }

    /// The nine bytes. A length above 24 bits cannot be written; callers cut payloads long before.
    pub(crate) fn bytes(self) -> [u8; HEAD_BYTES] {
        let length = u32::try_from(self.length).unwrap_or(FRAME_BYTES_MAX).min(FRAME_BYTES_MAX);
        let [_, l0, l1, l2] = length.to_be_bytes();
        let [s0, s1, s2, s3] = self.stream.to_be_bytes();
        [l0, l1, l2, self.kind, self.flags, s0, s1, s2, s3]
    }

    /// Appends the nine bytes.
    pub(crate) fn write(self, target: &mut BytesMut) {
        target.put_slice(&self.bytes());
    }

    /// Whether a flag is set.
    pub(crate) fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// A number of four bytes at the start of `bytes`, without its highest bit.
pub(crate) fn read_u31(bytes: &[u8]) -> Option<u32> {
    bytes.first_chunk::<4>().map(|bytes| u32::from_be_bytes(*bytes) & 0x7fff_ffff)
}

/// Appends a WINDOW_UPDATE (RFC 9113, 6.9).
pub(crate) fn write_window_update(target: &mut BytesMut, stream: u32, bytes: u32) {
    FrameHead { length: 4, kind: kind::WINDOW_UPDATE, flags: 0, stream }.write(target);
    target.put_u32(bytes);
}

/// Appends a RST_STREAM (RFC 9113, 6.4).
pub(crate) fn write_reset(target: &mut BytesMut, stream: u32, reason: crate::Reason) {
    FrameHead { length: 4, kind: kind::RST_STREAM, flags: 0, stream }.write(target);
    target.put_u32(reason.0);
}

/// Appends a PING (RFC 9113, 6.7).
pub(crate) fn write_ping(target: &mut BytesMut, flags: u8, payload: [u8; 8]) {
    FrameHead { length: 8, kind: kind::PING, flags, stream: 0 }.write(target);
    target.put_slice(&payload);
}

/// Appends a GOAWAY (RFC 9113, 6.8).
pub(crate) fn write_go_away(target: &mut BytesMut, last: u32, reason: crate::Reason, seen: &str) {
    let seen = seen.as_bytes();
    let seen = seen.get(..seen.len().min(GO_AWAY_TEXT_BYTES_MAX)).unwrap_or_default();
    FrameHead { length: 8 + seen.len(), kind: kind::GOAWAY, flags: 0, stream: 0 }.write(target);
    target.put_u32(last);
    target.put_u32(reason.0);
    target.put_slice(seen);
}

/// How much of our own words a GOAWAY carries, in bytes.
const GO_AWAY_TEXT_BYTES_MAX: usize = 256;

/// Appends SETTINGS (RFC 9113, 6.5).
pub(crate) fn write_settings(target: &mut BytesMut, settings: &[(u16, u32)]) {
    FrameHead { length: settings.len() * 6, kind: kind::SETTINGS, flags: 0, stream: 0 }.write(target);
    for (name, value) in settings {
        target.put_u16(*name);
        target.put_u32(*value);
    }
}

/// Appends the acknowledgement of the peer's SETTINGS.
pub(crate) fn write_settings_ack(target: &mut BytesMut) {
    FrameHead { length: 0, kind: kind::SETTINGS, flags: flag::ACK, stream: 0 }.write(target);
}

#[cfg(test)]
mod tests;
