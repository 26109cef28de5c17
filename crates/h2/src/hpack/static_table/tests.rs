//! Rows of the list, and the list parsed.

use super::{LEN, ROWS, fields, index_of};
use crate::hpack::field::{Field, Name};

#[test]
fn rows_have_their_index() {
    for (index, name, value) in [
        (1, ":authority", ""),
        (2, ":method", "GET"),
        (3, ":method", "POST"),
        (5, ":path", "/index.html"),
        (8, ":status", "200"),
        (14, ":status", "500"),
        (16, "accept-encoding", "gzip, deflate"),
        (28, "content-length", ""),
        (31, "content-type", ""),
        (38, "host", ""),
        (50, "range", ""),
        (58, "user-agent", ""),
        (61, "www-authenticate", ""),
    ] {
        assert_eq!(ROWS[index - 1], (name, value), "index {index}");
    }
}

#[test]
fn names_have_their_lowest_index() {
    for (name, index) in [(":method", 2), (":status", 8), ("via", 60), ("te", 0), ("", 0)] {
        assert_eq!(index_of(name), index, "{name}");
    }
}

#[test]
fn fields_are_good_but_for_those_without_a_value() {
    for (place, (field, bytes)) in fields().iter().enumerate() {
        let (name, value) = ROWS[place];
        assert_eq!(*bytes, name.len() + value.len() + 32, "{name}");
        assert_eq!(field.name().len(), name.len(), "{name}");
        // Only its name is of use.
        let is_bad = [":authority", "transfer-encoding"].contains(&name);
        assert_eq!(matches!(field, Field::Malformed { .. }), is_bad, "{name}");
        assert!(!matches!(field.name(), Name::Malformed { .. }), "{name}");
    }
    assert_eq!(fields().len(), LEN);
}
