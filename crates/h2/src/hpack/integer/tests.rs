//! Rows for integers; RFC 7541, C.1 among them.

use bytes::BytesMut;

use super::{put, take};
use crate::hpack::HpackFault::{self, IntegerTooLarge, Truncated};

fn check(prefix_bits: u32, bytes: &[u8], expected: Result<u32, HpackFault>) {
    let mut rest = bytes;
    let seen = take(&mut rest, prefix_bits);
    assert_eq!(seen, expected, "{bytes:02x?}");
    if let Ok(value) = seen {
        assert_eq!(rest, [], "{bytes:02x?}");
        let mut target = BytesMut::new();
        put(&mut target, 0, prefix_bits, value as usize);
        let mut rest = &target[..];
        assert_eq!((take(&mut rest, prefix_bits), rest), (Ok(value), &[][..]), "{bytes:02x?} again");
    }
}

#[test]
fn take_reads_and_refuses() {
    check(5, &[0x0a], Ok(10));
    check(5, &[0xea], Ok(10));
    check(5, &[0x1f, 0x9a, 0x0a], Ok(1337));
    check(8, &[0x2a], Ok(42));
    check(8, &[0xff, 0x00], Ok(255));
    check(4, &[0x0e], Ok(14));
    check(4, &[0x0f, 0x00], Ok(15));
    check(7, &[0x7f, 0x80, 0x00], Ok(127));
    check(7, &[0x7f, 0x80, 0xff, 0xff, 0xff, 0x0f], Ok(u32::MAX));
    check(7, &[0x7f, 0x81, 0xff, 0xff, 0xff, 0x0f], Err(IntegerTooLarge));
    check(7, &[0x7f, 0xff, 0xff, 0xff, 0xff, 0x7f], Err(IntegerTooLarge));
    check(7, &[0x7f, 0x80, 0x80, 0x80, 0x80, 0x00], Ok(127));
    check(7, &[0x7f, 0x80, 0x80, 0x80, 0x80, 0x80], Err(IntegerTooLarge));
    check(7, &[], Err(Truncated));
    check(7, &[0x7f], Err(Truncated));
    check(7, &[0x7f, 0x80, 0x80], Err(Truncated));
}

#[test]
fn put_writes_the_shortest_behind_the_flags() {
    for (value, expected) in [
        (10, &[0xea][..]),
        (30, &[0xfe]),
        (31, &[0xff, 0]),
        (1337, &[0xff, 0x9a, 0x0a]),
        (158, &[0xff, 0x7f]),
    ] {
        let mut target = BytesMut::new();
        put(&mut target, 0xe0, 5, value);
        assert_eq!(target, expected, "{value}");
    }
}
