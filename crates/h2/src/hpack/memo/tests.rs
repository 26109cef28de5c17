//! What is remembered, and that remembering changes nothing.

use super::{BYTES_MAX, Memo, SLOTS};
use crate::hpack::tests::{bytes, rows};
use crate::hpack::{Block, Decoder};

fn noted(times: &[&[u8]]) -> Memo {
    let mut memo = Memo::default();
    times.iter().for_each(|bytes| memo.note(bytes, &Block { list_bytes: bytes.len(), ..Block::default() }));
    memo
}

fn check(times: &[&[u8]], rest: &[u8], expected: Option<usize>) {
    let memo = noted(times);
    let found = memo.find(rest, usize::MAX).map(|(block, bytes)| {
        assert_eq!(block.list_bytes, bytes, "the block is the one of these bytes");
        bytes
    });
    assert_eq!(found, expected, "{times:?}, then {rest:?}");
}

#[test]
fn find_knows_what_came_twice() {
    check(&[], b"a", None);
    check(&[b"a"], b"a", None);
    check(&[b"a", b"a"], b"a", Some(1));
    check(&[b"a", b"a"], b"ab", Some(1));
    check(&[b"a", b"a"], b"ba", None);
    check(&[b"a", b"a"], b"", None);
    check(&[b"ab", b"a", b"ab", b"a"], b"abc", Some(2));
    check(&[b"a", b"ab", b"ab", b"a"], b"abc", Some(2));
    check(&[b"1", b"1", b"2", b"3", b"4"], b"1", Some(1));
    check(&[b"1", b"1", b"2", b"3", b"4", b"5"], b"1", None);
    check(&[&[1; BYTES_MAX], &[1; BYTES_MAX]], &[1; BYTES_MAX], Some(BYTES_MAX));
    check(&[&[1; BYTES_MAX + 1], &[1; BYTES_MAX + 1]], &[1; BYTES_MAX + 1], None);
}

#[test]
fn find_keeps_to_the_limit_of_the_list() {
    let memo = noted(&[b"abc", b"abc"]);
    assert!(memo.find(b"abc", 3).is_some());
    assert!(memo.find(b"abc", 2).is_none());
}

#[test]
fn clear_forgets_all_slots() {
    let all: Vec<[u8; 1]> = (0..SLOTS as u8).flat_map(|byte| [[byte], [byte]]).collect();
    let mut memo = noted(&all.iter().map(|bytes| &bytes[..]).collect::<Vec<_>>());
    memo.clear();
    for byte in 0..SLOTS as u8 {
        assert!(memo.find(&[byte], usize::MAX).is_none());
        memo.note(&[byte], &Block::default());
        assert!(memo.find(&[byte], usize::MAX).is_none(), "once is not twice");
    }
}

/// Each line again and again, so that memory answers: with what the first answer was.
#[test]
fn decode_says_the_same_from_memory() {
    for line in [
        "83 86 be bf",
        "83 86 be bf 00 \"a\" \"1\"",
        "83 86 be bf 00 \"tenant\" \"blue\" be",
        "82 82",
        "be 82",
        "be 00 \":path\" \"/\"",
        "c0 0f11 \"c=2\"",
        "c0 c0",
        "be be",
        "84",
    ] {
        let mut decoder = Decoder::new(4096);
        let first = bytes("40 \"cookie\" \"b=1\" 40 \"te\" \"trailers\" 40 \"tenant\" \"red\"");
        decoder.decode(&first, 1 << 10).unwrap();
        let mut answers = (0..4).map(|_| {
            let block = decoder.decode(&bytes(line), 1 << 10).unwrap();
            (rows(&block), block.malformed, block.list_bytes, block.too_large)
        });
        let expected = answers.next().unwrap();
        answers.for_each(|answer| assert_eq!(answer, expected, "{line}"));
    }
}

/// A table that changes gives the same index another meaning.
#[test]
fn decode_forgets_when_the_table_changes() {
    let mut decoder = Decoder::new(4096);
    let mut check = |line: &str, expected: &[&str]| {
        assert_eq!(rows(&decoder.decode(&bytes(line), 1 << 10).unwrap()), expected, "{line}");
    };
    check("40 \"a\" \"1\"", &["a: 1"]);
    (0..3).for_each(|_| check("be", &["a: 1"]));
    check("40 \"b\" \"2\"", &["b: 2"]);
    (0..3).for_each(|_| check("be", &["b: 2"]));
    (0..3).for_each(|_| check("be bf", &["b: 2", "a: 1"]));
    check("3f03 be", &["b: 2"]);
    check("3fe11f 40 \"c\" \"3\"", &["c: 3"]);
    check("be bf", &["c: 3", "b: 2"]);
}
