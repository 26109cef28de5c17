//! Rows for bytes: cutting a set, dropping the source info, and what bad bytes get.

use super::*;

/// A record of field `number` that carries `payload`.
fn record(number: u8, payload: &[u8]) -> Vec<u8> {
    let mut record = vec![number << 3 | 2, u8::try_from(payload.len()).unwrap()];
    record.extend_from_slice(payload);
    record
}

#[test]
fn sets_are_cut_into_files() {
    let check = |set: &[u8], expected: &[&[u8]]| assert_eq!(split_set(set).unwrap(), expected);
    check(b"", &[]);
    check(&record(1, b"abc"), &[b"abc"]);
    check(&[record(1, b""), record(1, b"x")].concat(), &[b"", b"x"]);
    // A field that later versions may add.
    check(&[record(2, b"new"), record(1, b"x")].concat(), &[b"x"]);
}

#[test]
fn bad_sets_are_refused() {
    for set in [
        &b"\x0a"[..],
        b"\x0a\x05abc",
        b"\x00",
        b"\x0f\x00",
        b"\x08\x01",
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
    ] {
        assert!(matches!(split_set(set), Err(Error::Set { .. })), "{set:x?}");
    }
}

#[test]
fn source_info_is_dropped_and_nothing_else() {
    let name = record(1, b"a.proto");
    let unknown = record(15, b"from a later version");
    let source_info = record(9, b"\x0a\x00");
    let file = [name.clone(), source_info.clone(), unknown.clone(), source_info].concat();
    assert_eq!(without_source_info(&file).unwrap(), [name, unknown].concat());
    assert!(without_source_info(b"\x4a\x05").is_err());
}
