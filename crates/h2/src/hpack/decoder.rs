//! Blocks from bytes.
//!
//! Decides what each representation says (RFC 7541, 6) and keeps the table that the peer's encoder writes. Whether a field
//! is well-formed is decided in `field` and `block`.

use super::block::{Block, Reading};
use super::dynamic::Dynamic;
use super::field::{Field, Name};
use super::memo::Memo;
use super::{FIELD_OVERHEAD_BYTES, HpackFault, TABLE_BYTES_INITIAL, huffman, integer, static_table};

#[cfg(test)]
mod tests;

/// The receiving half of HPACK for one connection: the table that the peer's encoder fills.
///
/// # Cost
/// Entries of the table are parsed once, when they are inserted. An indexed field then costs a clone, which shares its
/// bytes, and a place in the map.
#[derive(Debug)]
pub struct Decoder {
    table: Dynamic<Field>,
    /// Cleared with each change of the table.
    memo: Memo,
    /// What we announced; a size update may not go above it.
    table_bytes_max: usize,
    static_fields: &'static [(Field, usize); static_table::LEN],
    /// Where strings in the Huffman code are spelled out. At most 8/5 of the largest block.
    name_text: Vec<u8>,
    value_text: Vec<u8>,
}

/// What a literal asks of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Indexing {
    /// RFC 7541, 6.2.1.
    Incremental,
    /// RFC 7541, 6.2.2.
    Without,
    /// RFC 7541, 6.2.3: no intermediary may index it either.
    Never,
}

/// Size updates that may begin a block: the smallest since the last block, and the last (RFC 7541, 4.2).
const SIZE_UPDATES_MAX: usize = 2;

/// Scratch that is kept between blocks; more is given back, so that one large string does not cost memory for ever.
const SCRATCH_BYTES_KEPT_MAX: usize = 4 << 10;

impl Decoder {
    /// A decoder whose peer may use up to `table_bytes_max`, our SETTINGS_HEADER_TABLE_SIZE.
    ///
    /// Until the peer says so in a size update, the table has the initial 4096 bytes of RFC 9113, 6.5.2, also where
    /// `table_bytes_max` is lower: the peer cannot know our settings yet.
    pub fn new(table_bytes_max: usize) -> Self {
        Self {
            table: Dynamic::new(TABLE_BYTES_INITIAL),
            memo: Memo::default(),
            table_bytes_max,
            static_fields: static_table::fields(),
            name_text: Vec::new(),
            value_text: Vec::new(),
        }
    }

    /// Decodes a whole block: the payloads of HEADERS and its CONTINUATIONs, joined (RFC 9113, 4.3).
    ///
    /// Fields beyond `list_bytes_max` are read for the sake of the table and dropped.
    ///
    /// # Errors
    /// COMPRESSION_ERROR for the connection (RFC 7541, 2.3.3, 4.2, 5.1, 5.2, 6.1, 6.3); says what was seen. The decoder is
    /// of no use afterwards.
    pub fn decode(&mut self, block: &[u8], list_bytes_max: usize) -> Result<Block, HpackFault> {
        let mut rest = block;
        self.size_updates(&mut rest)?;
        // Made where it is returned from: a block is worth not moving.
        let mut known = 0;
        let mut read = match self.memo.find(rest, list_bytes_max) {
            Some((seen, bytes)) => {
                known = bytes;
                seen.clone()
            }
            None => Block::default(),
        };
        let mut reading = Reading::new(&mut read, block.len(), list_bytes_max);
        self.indices(&mut rest, known, &mut reading)?;
        while let Some(&first) = rest.first() {
            match first {
                0x80.. => self.indexed(&mut rest, &mut reading)?,
                0x40..0x80 => self.literal(&mut rest, 6, Indexing::Incremental, &mut reading)?,
                0x20..0x40 => return Err(HpackFault::SizeUpdateMisplaced),
                0x10..0x20 => self.literal(&mut rest, 4, Indexing::Never, &mut reading)?,
                0x00..0x10 => self.literal(&mut rest, 4, Indexing::Without, &mut reading)?,
            }
        }
        for scratch in [&mut self.name_text, &mut self.value_text] {
            if scratch.capacity() > SCRATCH_BYTES_KEPT_MAX {
                *scratch = Vec::new();
            }
        }
        reading.finish();
        Ok(read)
    }

    /// The indices that a block begins with, which may be all of it. `known` of its bytes were remembered.
    #[inline]
    fn indices(
        &mut self,
        rest: &mut &[u8],
        known: usize,
        reading: &mut Reading<'_>,
    ) -> Result<(), HpackFault> {
        let block = *rest;
        *rest = &block[known..];
        while let Some(0x80..) = rest.first() {
            self.indexed(rest, reading)?;
        }
        let bytes = block.len() - rest.len();
        if bytes > known
            && let Some(whole) = reading.whole()
        {
            self.memo.note(&block[..bytes], whole);
        }
        Ok(())
    }

    /// The size updates that begin a block (RFC 7541, 4.2 and 6.3).
    fn size_updates(&mut self, rest: &mut &[u8]) -> Result<(), HpackFault> {
        for _ in 0..SIZE_UPDATES_MAX {
            if !matches!(rest.first(), Some(0x20..0x40)) {
                break;
            }
            let bytes = integer::take(rest, 5)?;
            if bytes as usize > self.table_bytes_max {
                return Err(HpackFault::TableTooLarge { bytes, bytes_max: self.table_bytes_max });
            }
            self.memo.clear();
            self.table.resize(bytes as usize);
        }
        Ok(())
    }

    /// An indexed field (RFC 7541, 6.1): counted before it is cloned, so that a bomb of indices costs a byte's reading each.
    #[inline]
    fn indexed(&self, rest: &mut &[u8], reading: &mut Reading<'_>) -> Result<(), HpackFault> {
        let index = integer::take(rest, 7)?;
        let (field, bytes) = self.entry(index)?;
        if reading.admit(*bytes) {
            reading.add(field);
        }
        Ok(())
    }

    /// A literal (RFC 7541, 6.2). A field that is over the limit is made all the same if the table is to have it; its text was
    /// sent in full, so that costs no more than the block.
    fn literal(
        &mut self,
        rest: &mut &[u8],
        prefix_bits: u32,
        indexing: Indexing,
        reading: &mut Reading<'_>,
    ) -> Result<(), HpackFault> {
        let name = match integer::take(rest, prefix_bits)? {
            0 => Name::parse(string(rest, &mut self.name_text)?),
            index => self.entry(index)?.0.name(),
        };
        let value = string(rest, &mut self.value_text)?;
        let bytes = name.len() + value.len() + FIELD_OVERHEAD_BYTES;
        let is_wanted = reading.admit(bytes);
        let is_kept = indexing == Indexing::Incremental;
        if !is_wanted && !is_kept {
            return Ok(());
        }
        let field = Field::new(name, value, indexing == Indexing::Never);
        if is_kept {
            if is_wanted {
                reading.add(&field);
            }
            self.memo.clear();
            self.table.insert(field, bytes);
        } else {
            reading.add_owned(field);
        }
        Ok(())
    }

    /// How many entries the table has, and how large they are together.
    #[cfg(test)]
    pub(super) fn table_size(&self) -> (usize, usize) {
        (self.table.len(), self.table.bytes())
    }

    /// The field at an index of the joint space of both tables (RFC 7541, 2.3.3).
    #[inline]
    fn entry(&self, index: u32) -> Result<&(Field, usize), HpackFault> {
        let place = (index as usize).wrapping_sub(1);
        self.static_fields
            .get(place)
            .or_else(|| self.table.entry(place.wrapping_sub(static_table::LEN)))
            .ok_or_else(|| self.unknown(index))
    }

    #[cold]
    fn unknown(&self, index: u32) -> HpackFault {
        // At most 61 and a table's worth of entries of 32 bytes, whose bytes fit 32 bits.
        HpackFault::IndexUnknown { index, index_max: (static_table::LEN + self.table.len()) as u32 }
    }
}

/// A string as it stands, or spelled out in `scratch` (RFC 7541, 5.2).
#[inline]
fn string<'b: 's, 's>(rest: &mut &'b [u8], scratch: &'s mut Vec<u8>) -> Result<&'s [u8], HpackFault> {
    let is_huffman = rest.first().is_some_and(|first| first & 0x80 != 0);
    let bytes = integer::take(rest, 7)? as usize;
    let (text, after) = rest.split_at_checked(bytes).ok_or(HpackFault::Truncated)?;
    *rest = after;
    if !is_huffman {
        return Ok(text);
    }
    scratch.clear();
    huffman::decode(text, scratch)?;
    Ok(scratch)
}
