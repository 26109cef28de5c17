//! Rows for trailers in the body.

use super::{read, write};
use crate::envelope::END_BYTES_MAX;
use crate::metadata::FIELDS_MAX;
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

#[test]
fn trailers_lines_end_in_any_of_three_ways() {
    for end in ["\r\n", "\n", "\r\r\n"] {
        for last in [end, ""] {
            let block = format!("grpc-status: 5{end}x-a: 1{end}x-a:{end}x-b: 2{last}");
            assert_eq!(
                rows(&read(block.as_bytes())),
                ["grpc-status: 5", "x-a: 1", "x-a: ", "x-b: 2"],
                "{block:?}"
            );
        }
    }
    // A carriage return alone ends nothing, and a value cannot hold one.
    assert_eq!(rows(&read(b"a: 1\rb: 2\nc: 3")), ["c: 3"]);
}

#[test]
fn trailers_names_that_are_none_take_only_their_own_line() {
    for line in [
        "no colon",
        ":",
        ": value",
        "a b: 1",
        "a\tb: 1",
        "\u{e4}: 1",
        "a\0: 1",
        "(a): 1",
        " a: 1",
        "a : 1",
        "\r",
    ] {
        let block = format!("x-a: 1\r\n{line}\r\ngrpc-status: 0\r\n");
        assert_eq!(rows(&read(block.as_bytes())), ["x-a: 1", "grpc-status: 0"], "{line:?}");
    }
}

#[test]
fn trailers_values_may_hold_every_byte_of_a_field() {
    for byte in (0..=0xff_u8).filter(|byte| *byte != b'\n') {
        let block = [b"a: <", &[byte][..], b">\n"].concat();
        let is_fine = byte == b'\t' || (byte >= b' ' && byte != 0x7f);
        let expected = [b'<', byte, b'>'];
        assert_eq!(
            read(&block).get("a").map(http::HeaderValue::as_bytes),
            is_fine.then_some(&expected[..]),
            "{byte}"
        );
    }
}

#[test]
fn trailers_have_a_limit_in_fields() {
    // As many names as fit into one envelope: more than a header map takes.
    let lines: Vec<String> = (0..END_BYTES_MAX / 6).map(|index| format!("{index:x}:")).collect();
    let trailers = read(lines.join("\n").as_bytes());
    assert_eq!(trailers.len(), FIELDS_MAX);
    assert!(trailers.contains_key("0") && trailers.contains_key(format!("{:x}", FIELDS_MAX - 1)));
    // Values under one name count as well.
    assert_eq!(read("a:\n".repeat(FIELDS_MAX + 1).as_bytes()).len(), FIELDS_MAX);
    assert_eq!(read("a:\n".repeat(FIELDS_MAX - 1).as_bytes()).len(), FIELDS_MAX - 1);
}
