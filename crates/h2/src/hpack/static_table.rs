//! The static table (RFC 7541, Appendix A).
//!
//! Decides nothing: it is the list, and the list parsed.

use std::sync::LazyLock;

use super::FIELD_OVERHEAD_BYTES;
use super::field::{Field, Name};

#[cfg(test)]
mod tests;

/// Fields in the table; the dynamic table's indices follow (RFC 7541, 2.3.3).
pub(super) const LEN: usize = 61;

/// Name and value, from index 1 on.
#[rustfmt::skip]
pub(super) const ROWS: [(&str, &str); LEN] = [
    (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
    (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
    (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""), ("accept", ""),
    ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""), ("cache-control", ""),
    ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
    ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""), ("date", ""), ("etag", ""),
    ("expect", ""), ("expires", ""), ("from", ""), ("host", ""), ("if-match", ""), ("if-modified-since", ""),
    ("if-none-match", ""), ("if-range", ""), ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""),
    ("location", ""), ("max-forwards", ""), ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""),
    ("referer", ""), ("refresh", ""), ("retry-after", ""), ("server", ""), ("set-cookie", ""),
    ("strict-transport-security", ""), ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""), ("via", ""),
    ("www-authenticate", ""),
];

/// The table as fields, each with its size (RFC 7541, 4.1).
pub(super) fn fields() -> &'static [(Field, usize); LEN] {
    static FIELDS: LazyLock<[(Field, usize); LEN]> = LazyLock::new(|| {
        ROWS.map(|(name, value)| {
            let field = Field::new(Name::parse(name.as_bytes()), value.as_bytes(), false);
            (field, name.len() + value.len() + FIELD_OVERHEAD_BYTES)
        })
    });
    &FIELDS
}

/// The lowest index with this name; 0 when there is none.
pub(super) const fn index_of(name: &str) -> u8 {
    let mut place = 0;
    while place < LEN {
        if is_same(ROWS[place].0.as_bytes(), name.as_bytes()) {
            return place as u8 + 1;
        }
        place += 1;
    }
    0
}

/// `==`, which is not yet to be had at build time.
pub(super) const fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut place = 0;
    while place < one.len() {
        if one[place] != other[place] {
            return false;
        }
        place += 1;
    }
    true
}
