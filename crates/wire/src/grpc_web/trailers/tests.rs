//! Rows for trailers in the body.

use super::{read, write};
use crate::tests::testing::{fields, rows};

#[test]
fn trailers_are_written_as_lines() {
    let trailers = fields(&[("grpc-status", "0"), ("x-a", "1"), ("x-a", "2"), ("x-b", "")]);
    assert_eq!(write(&trailers), b"grpc-status: 0\r\nx-a: 1\r\nx-a: 2\r\nx-b: \r\n");
    assert_eq!(rows(&read(&write(&trailers))), rows(&trailers));
    assert!(write(&fields(&[])).is_empty());
}

#[test]
fn trailers_are_read_leniently() {
    let check = |block: &[u8], expected: &[&str]| assert_eq!(rows(&read(block)), expected);
    check(b"", &[]);
    check(b"A: 1\r\nb:2\nC :3\r\n: 4\r\nd\r\n\r\ne: \t5 \t\r\nf: a:b", &["a: 1", "b: 2", "e: 5", "f: a:b"]);
    check(b"a: \x01\r\nb: \xff", &[r"b: \xff"]);
}
