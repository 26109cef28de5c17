//! HPACK (RFC 7541): header blocks from and to bytes.
//!
//! Decides what a block says, whether its fields are well-formed (RFC 9113, 8.2 and 8.3), and which fields are worth a place
//! in the table that the two sides share. It knows no frames and no streams: a block arrives whole, and what a request, a
//! response or trailers must hold is judged by the caller.
//!
//! Two kinds of badness are kept apart. A [`HpackFault`] means that the two sides no longer agree on the table: the
//! connection must end with COMPRESSION_ERROR (RFC 9113, 4.3). [`Block::malformed`] is about one message: its stream is
//! reset, the table stays in step.
//!
//! ```
//! use bytes::BytesMut;
//! use http::{HeaderMap, Method};
//! use trunkline_h2::hpack::{Decoder, Encoder, RequestFields};
//!
//! let fields = HeaderMap::new();
//! let method = Method::POST;
//! let head = RequestFields { method: &method, scheme: "http", authority: "a.example", path: "/p.S/M", fields: &fields };
//! let mut bytes = BytesMut::new();
//! Encoder::new().request(&head, &mut bytes);
//! let block = Decoder::new(4096).decode(&bytes, 16 << 10)?;
//! assert_eq!(block.method, Some(Method::POST));
//! assert_eq!(block.path.unwrap(), "/p.S/M");
//! # Ok::<(), trunkline_h2::hpack::HpackFault>(())
//! ```

mod block;
mod decoder;
mod dynamic;
mod encoder;
mod fault;
mod field;
mod huffman;
mod integer;
mod known;
mod memo;
mod static_table;
#[cfg(test)]
mod tests;

pub use block::Block;
pub use decoder::Decoder;
pub use encoder::{Encoder, RequestFields};
pub use fault::HpackFault;

/// Bytes of the dynamic table on both sides until SETTINGS_HEADER_TABLE_SIZE says otherwise (RFC 9113, 6.5.2).
const TABLE_BYTES_INITIAL: usize = 4096;

/// What a field costs in a table and in a list beyond its name and value (RFC 7541, 4.1; RFC 9113, 6.5.2).
const FIELD_OVERHEAD_BYTES: usize = 32;
