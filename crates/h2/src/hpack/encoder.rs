//! Blocks to bytes.
//!
//! Decides how each field is sent, and when a value deserves a place in the peer's table. What is known of each name is in
//! `known`.
//!
//! Strings are sent as they are, not in the Huffman code: what repeats is in the table after the first time and costs a byte
//! or two, so the code would save bytes only on values that differ in each call, for work at both ends in each call.

use bytes::{BufMut, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};

use super::dynamic::Dynamic;
use super::known::{self, How, KNOWN, Known};
use super::{FIELD_OVERHEAD_BYTES, TABLE_BYTES_INITIAL, integer, static_table};

#[cfg(test)]
mod tests;

/// The fields of a request head. Empty parts are left out: a CONNECT has neither scheme nor path (RFC 9113, 8.5).
#[derive(Debug, Clone, Copy)]
pub struct RequestFields<'a> {
    /// `:method`.
    pub method: &'a Method,
    /// `:scheme`.
    pub scheme: &'a str,
    /// `:authority`.
    pub authority: &'a str,
    /// `:path`, with the query.
    pub path: &'a str,
    /// The regular fields.
    pub fields: &'a HeaderMap,
}

/// The sending half of HPACK for one connection: what we know to be in the peer's table.
///
/// Fields of one connection (RFC 9113, 8.2.2: `connection`, `keep-alive`, `proxy-connection`, `transfer-encoding`,
/// `upgrade`, and `te` other than `trailers`) are not sent. Credentials and values marked
/// [sensitive](HeaderValue::is_sensitive) go as never indexed.
///
/// # Cost
/// A field that repeats is one or two bytes and a search among at most 32 entries.
#[derive(Debug)]
pub struct Encoder {
    table: Dynamic<Sent>,
    /// Size updates that the next block must begin with.
    update: Option<SizeUpdate>,
    refused: Refused,
}

/// A field in the peer's table.
#[derive(Debug)]
struct Sent {
    /// Its name's place in [`KNOWN`]; no other names are indexed.
    known: usize,
    value: Box<[u8]>,
}

/// A change of the table's size that the peer has not heard of.
#[derive(Debug, Clone, Copy)]
struct SizeUpdate {
    /// The smallest it has been since the last block: the peer must evict down to that (RFC 7541, 4.2).
    smallest: usize,
    last: usize,
}

/// What the table says about a field.
enum Found {
    /// The index of the field.
    Field(usize),
    /// The index of its name; 0 for none.
    Name(usize),
}

/// Values that were not given a place when they were last sent, as hashes. One that comes back soon deserves one.
#[derive(Debug, Default)]
struct Refused {
    hashes: [u32; REFUSED_MAX],
    next: usize,
}

/// The representations of a literal (RFC 7541, 6.2): flags and bits of the prefix.
const INCREMENTAL: (u8, u32) = (0x40, 6);
const WITHOUT: (u8, u32) = (0x00, 4);
const NEVER: (u8, u32) = (0x10, 4);

/// Bytes of the table that we use of what the peer allows.
const TABLE_BYTES_MAX: usize = TABLE_BYTES_INITIAL;

/// Entries that a search looks at; beyond that, new values wait until they come back.
const ENTRIES_MAX: usize = 32;

/// Values remembered as refused.
const REFUSED_MAX: usize = 16;

/// A cookie shorter than this may be guessed from the sizes of blocks (RFC 7541, 7.1.3).
const COOKIE_SHORT_BYTES: usize = 20;

impl Encoder {
    /// An encoder for a peer with the initial table of 4096 bytes (RFC 9113, 6.5.2).
    pub fn new() -> Self {
        Self { table: Dynamic::new(TABLE_BYTES_MAX), update: None, refused: Refused::default() }
    }

    /// Takes the peer's SETTINGS_HEADER_TABLE_SIZE; no more than 4096 bytes of it are used.
    ///
    /// A change goes in front of the next block: the smallest size since the last one, then the present one (RFC 7541, 4.2
    /// and 6.3).
    pub fn set_table_bytes_max(&mut self, bytes: usize) {
        let last = bytes.min(TABLE_BYTES_MAX);
        if last == self.table.bytes_max() {
            return;
        }
        let smallest = self.update.map_or(last, |update| update.smallest.min(last));
        self.update = Some(SizeUpdate { smallest, last });
        self.table.resize(last);
    }

    /// Appends the block of a request (RFC 9113, 8.3.1).
    pub fn request(&mut self, head: &RequestFields<'_>, target: &mut BytesMut) {
        self.size_updates(target);
        match head.method.as_str() {
            "GET" => target.put_u8(0x82),
            "POST" => target.put_u8(0x83),
            method => literal(WITHOUT, usize::from(METHOD), "", method.as_bytes(), target),
        }
        match head.scheme {
            "" => {}
            "http" => target.put_u8(0x86),
            "https" => target.put_u8(0x87),
            scheme => literal(WITHOUT, usize::from(SCHEME), "", scheme.as_bytes(), target),
        }
        match head.path {
            "" => {}
            "/" => target.put_u8(0x84),
            path => self.index(known::PATH, path.as_bytes(), target),
        }
        if !head.authority.is_empty() {
            self.index(known::AUTHORITY, head.authority.as_bytes(), target);
        }
        self.fields(head.fields, target);
    }

    /// Appends the block of a response head (RFC 9113, 8.3.2).
    pub fn response(&mut self, status: StatusCode, fields: &HeaderMap, target: &mut BytesMut) {
        self.size_updates(target);
        match status.as_u16() {
            200 => target.put_u8(0x88),
            204 => target.put_u8(0x89),
            206 => target.put_u8(0x8a),
            304 => target.put_u8(0x8b),
            400 => target.put_u8(0x8c),
            404 => target.put_u8(0x8d),
            500 => target.put_u8(0x8e),
            _ => literal(WITHOUT, usize::from(STATUS), "", status.as_str().as_bytes(), target),
        }
        self.fields(fields, target);
    }

    /// Appends the block of trailers (RFC 9113, 8.1).
    pub fn trailers(&mut self, fields: &HeaderMap, target: &mut BytesMut) {
        self.size_updates(target);
        self.fields(fields, target);
    }

    /// How many entries the table has, and how large they are together.
    #[cfg(test)]
    pub(super) fn table_size(&self) -> (usize, usize) {
        (self.table.len(), self.table.bytes())
    }

    /// RFC 7541, 4.2: at most two, in front of everything.
    #[inline]
    fn size_updates(&mut self, target: &mut BytesMut) {
        let Some(SizeUpdate { smallest, last }) = self.update.take() else { return };
        if smallest < last {
            integer::put(target, 0x20, 5, smallest);
        }
        integer::put(target, 0x20, 5, last);
    }

    #[inline]
    fn fields(&mut self, fields: &HeaderMap, target: &mut BytesMut) {
        for (name, value) in fields {
            self.field(name, value, target);
        }
    }

    /// One field, as [`known`] says; names that are not there are spelled out.
    fn field(&mut self, name: &HeaderName, value: &HeaderValue, target: &mut BytesMut) {
        let (name, text) = (name.as_str(), value.as_bytes());
        let Some(place) = known::find(name.as_bytes()) else {
            let how = if value.is_sensitive() { NEVER } else { WITHOUT };
            return literal(how, 0, name, text, target);
        };
        let Known { index, how, .. } = KNOWN[place];
        let is_never = match how {
            How::Drop => return,
            How::IndexTrailers if text != b"trailers" => return,
            How::Never => true,
            How::NeverIfShort => value.is_sensitive() || text.len() < COOKIE_SHORT_BYTES,
            _ => value.is_sensitive(),
        };
        if is_never {
            return literal(NEVER, usize::from(index), name, text, target);
        }
        match how {
            How::Index | How::IndexTrailers => self.index(place, text, target),
            How::IndexZero if text == b"0" => self.index(place, text, target),
            _ => literal(WITHOUT, usize::from(index), name, text, target),
        }
    }

    /// A field that repeats: from the table if it is there, into it if it deserves that.
    fn index(&mut self, place: usize, value: &[u8], target: &mut BytesMut) {
        let name_index = match self.find(place, value) {
            Found::Field(index) => return integer::put(target, 0x80, 7, index),
            Found::Name(index) => index,
        };
        let name = KNOWN[place].name;
        let bytes = name.len() + value.len() + FIELD_OVERHEAD_BYTES;
        if self.deserves_place(place, value, bytes) {
            literal(INCREMENTAL, name_index, name, value, target);
            self.table.insert(Sent { known: place, value: value.into() }, bytes);
        } else {
            literal(WITHOUT, name_index, name, value, target);
        }
    }

    /// Looks for a field, newest first; for its name the static table is as good and never changes.
    #[inline]
    fn find(&self, place: usize, value: &[u8]) -> Found {
        let mut name_index = usize::from(KNOWN[place].index);
        for (newest, sent) in self.table.entries().take(ENTRIES_MAX).enumerate() {
            if sent.known == place {
                let index = static_table::LEN + 1 + newest;
                if *sent.value == *value {
                    return Found::Field(index);
                }
                if name_index == 0 {
                    name_index = index;
                }
            }
        }
        Found::Name(name_index)
    }

    /// Whether a value may enter the table. While there is room, it may; what would evict others must have been seen not
    /// long ago. Paths, of which there may be no end, fill only half of the table that easily.
    fn deserves_place(&mut self, place: usize, value: &[u8], bytes: usize) -> bool {
        let bytes_max = self.table.bytes_max();
        if bytes > bytes_max / 2 {
            return false;
        }
        let easy_max = if place == known::PATH { bytes_max / 2 } else { bytes_max };
        let has_room = self.table.len() < ENTRIES_MAX && self.table.bytes() + bytes <= easy_max;
        has_room || self.refused.take(hash(place, value))
    }
}

impl Default for Encoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Refused {
    /// Whether `hash` was refused before; if not, it is now.
    fn take(&mut self, hash: u32) -> bool {
        if let Some(seen) = self.hashes.iter_mut().find(|seen| **seen == hash) {
            *seen = 0;
            return true;
        }
        self.hashes[self.next] = hash;
        self.next = (self.next + 1) % REFUSED_MAX;
        false
    }
}

/// The static table's indices of the names that only heads have.
const METHOD: u8 = static_table::index_of(":method");
const SCHEME: u8 = static_table::index_of(":scheme");
const STATUS: u8 = static_table::index_of(":status");

/// Writes a literal (RFC 7541, 6.2); `name` counts where `name_index` is 0.
#[inline]
fn literal(
    (flags, prefix_bits): (u8, u32),
    name_index: usize,
    name: &str,
    value: &[u8],
    target: &mut BytesMut,
) {
    target.reserve(name.len() + value.len() + LITERAL_OVERHEAD_BYTES);
    integer::put(target, flags, prefix_bits, name_index);
    if name_index == 0 {
        string(name.as_bytes(), target);
    }
    string(value, target);
}

/// At most what the three integers of a literal take.
const LITERAL_OVERHEAD_BYTES: usize = 12;

/// A string as it is (RFC 7541, 5.2).
#[inline]
fn string(text: &[u8], target: &mut BytesMut) {
    integer::put(target, 0x00, 7, text.len());
    target.put_slice(text);
}

/// A hash that need not be good: a collision costs a place in the table. Never 0, which is no value.
fn hash(place: usize, value: &[u8]) -> u32 {
    let mut hash = place as u64;
    for chunk in value.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    (hash >> 32) as u32 | 1
}
