//! Why a header block cannot be read: the errors that end a connection.
//!
//! Decides the words only. Badness of a single message is not here; see [`Block::malformed`](super::Block::malformed).

use std::fmt;

/// The peer broke HPACK: COMPRESSION_ERROR for the connection (RFC 9113, 4.3). Says what was seen.
///
/// After one of these the decoder's table is no longer the peer's; nothing more may be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HpackFault {
    /// The block ended within an integer, a string or a field (RFC 7541, 5 and 6).
    Truncated,
    /// An integer above 2^32 - 1, or one of more than five bytes after its prefix (RFC 7541, 5.1).
    IntegerTooLarge,
    /// An index of 0 where a field must be named, or one beyond both tables (RFC 7541, 2.3.3 and 6.1).
    IndexUnknown {
        /// The index that was asked for.
        index: u32,
        /// The highest index there was.
        index_max: u32,
    },
    /// A size update above our SETTINGS_HEADER_TABLE_SIZE (RFC 7541, 6.3).
    TableTooLarge {
        /// The size that was asked for.
        bytes: u32,
        /// The size we allow.
        bytes_max: usize,
    },
    /// A size update after a field, or a third one (RFC 7541, 4.2).
    SizeUpdateMisplaced,
    /// The end-of-string symbol within a string (RFC 7541, 5.2).
    HuffmanEndOfString,
    /// Padding of eight bits or more, or of bits that are not all ones (RFC 7541, 5.2).
    HuffmanPadding,
}

impl fmt::Display for HpackFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => out.write_str("hpack: the block ends within a field"),
            Self::IntegerTooLarge => out.write_str("hpack: an integer does not fit 32 bits"),
            Self::IndexUnknown { index, index_max } => {
                write!(out, "hpack: index {index}, the tables hold 1 to {index_max}")
            }
            Self::TableTooLarge { bytes, bytes_max } => {
                write!(
                    out,
                    "hpack: a table of {bytes} bytes is above SETTINGS_HEADER_TABLE_SIZE ({bytes_max})"
                )
            }
            Self::SizeUpdateMisplaced => out.write_str("hpack: a size update that does not begin the block"),
            Self::HuffmanEndOfString => out.write_str("hpack: the end-of-string symbol within a string"),
            Self::HuffmanPadding => {
                out.write_str("hpack: a string is padded with something else than up to 7 ones")
            }
        }
    }
}

impl std::error::Error for HpackFault {}
