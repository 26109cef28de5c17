//! That the list is in order, and rows of it.

use super::{AUTHORITY, How, KNOWN, NAME_BYTES_MAX, PATH, VALUES, find, header, value};
use crate::hpack::static_table;

#[test]
fn every_name_is_found_and_nothing_else() {
    for (place, known) in KNOWN.iter().enumerate() {
        assert_eq!(find(known.name.as_bytes()), Some(place), "{}", known.name);
        assert!(known.name.len() <= NAME_BYTES_MAX);
        assert_eq!(header(known.name.as_bytes()).is_none(), known.name.starts_with(':'), "{}", known.name);
    }
    assert!(KNOWN.is_sorted_by_key(|known| known.name.len()), "the look-up goes by length");
    assert_eq!((KNOWN[PATH].name, KNOWN[AUTHORITY].name), (":path", ":authority"));
    for unknown in
        ["", "a", "tE", ":method", "x-request-id", "access-control-allow-origins", &"a".repeat(100)]
    {
        assert_eq!(find(unknown.as_bytes()), None, "{unknown}");
    }
}

#[test]
fn every_name_of_the_static_table_is_known() {
    for (name, _) in static_table::ROWS {
        let in_heads = [":method", ":scheme", ":status"].contains(&name);
        assert_eq!(find(name.as_bytes()).is_none(), in_heads, "{name}");
    }
}

#[test]
fn rows_say_how() {
    for (name, index, how) in [
        (":path", 4, How::Index),
        ("te", 0, How::IndexTrailers),
        ("content-type", 31, How::Index),
        ("grpc-status", 0, How::IndexZero),
        ("grpc-timeout", 0, How::Literal),
        ("cookie", 32, How::NeverIfShort),
        ("set-cookie", 55, How::Never),
        ("authorization", 23, How::Never),
        ("transfer-encoding", 57, How::Drop),
    ] {
        let known = &KNOWN[find(name.as_bytes()).unwrap()];
        assert_eq!((usize::from(known.index), known.how), (index, how), "{name}");
    }
}

#[test]
fn values_are_found_by_their_text() {
    for known in &VALUES {
        assert_eq!(value(known.as_bytes()), Some(known));
    }
    assert_eq!(value(b""), None);
    assert_eq!(value(b"application/grpc+thrift"), None);
}
