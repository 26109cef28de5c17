//! What no table of vectors can hold: every cut, limits, and blocks by chance.

use bytes::BytesMut;

use super::{Decoder, SCRATCH_BYTES_KEPT_MAX};
use crate::hpack::tests::{Chance, bytes, huffman};
use crate::hpack::{HpackFault, integer};

#[test]
fn decode_a_field_cut_anywhere_is_truncated() {
    for line in [
        "40 \"name\" \"value\"",
        "00 h\"name\" h\"value\"",
        "10 \"name\" \"value\"",
        "5f \"application/grpc\"",
        "0f10 h\"application/grpc\"",
        "40 \"\" \"\"",
        "ff8000",
        "00 \"a\" 7f81 00",
    ] {
        let block = bytes(line);
        for cut in 1..block.len() {
            let seen = Decoder::new(4096).decode(&block[..cut], 1 << 10).err();
            assert_eq!(seen, Some(HpackFault::Truncated), "{line}, cut at {cut}");
        }
    }
}

/// A kilobyte of indices to one large entry, and of a mebibyte of small ones: nothing is cloned beyond the limit.
#[test]
fn decode_a_bomb_stays_within_the_limit() {
    let mut decoder = Decoder::new(4096);
    let mut large = vec![0x40, 1, b'a', 0x7f, 0x81, 0x1e];
    large.extend([b'x'; 3968]);
    assert_eq!(decoder.decode(&large, 1 << 20).unwrap().list_bytes, 4001);
    for (count, list_bytes_max, fields) in [(1 << 10, 16 << 10, 4), (1 << 20, 16 << 10, 4), (3, 4000, 0)] {
        let block = decoder.decode(&vec![0xbe; count], list_bytes_max).unwrap();
        assert_eq!((block.fields.len(), block.too_large), (fields, true));
        assert_eq!(block.list_bytes, 4001 * count);
    }
    let small = decoder.decode(&vec![0x90; 1 << 20], 16 << 10).unwrap();
    assert_eq!(small.fields.len(), (16 << 10) / ("accept-encoding".len() + "gzip, deflate".len() + 32));
}

/// Crumbs of cookies, each of which counts 32 bytes and more: joined at the end, not one by one.
#[test]
fn decode_many_cookies_joins_them_once() {
    let block = bytes("0f11 \"a\"").repeat(20_000);
    let block = Decoder::new(4096).decode(&block, 1 << 20).unwrap();
    assert_eq!(block.fields["cookie"].len(), 20_000 * 3 - 2);
    assert!(!block.too_large && block.malformed.is_none());
}

/// More names than a map can hold, where the limit of the list would let them through.
#[test]
fn decode_more_names_than_a_map_holds_is_too_large() {
    let name = |number: u32| {
        let mut field = vec![0, 4];
        field.extend((0..4).map(|place| b'a' + (number >> (4 * place) & 15) as u8));
        field.extend([1, b'v']);
        field
    };
    let block: Vec<u8> = (0..40_000).flat_map(name).collect();
    let block = Decoder::new(4096).decode(&block, usize::MAX).unwrap();
    assert!(block.too_large && block.fields.len() < 40_000);
}

#[test]
fn decode_gives_large_scratch_back() {
    let mut decoder = Decoder::new(4096);
    let value = vec![b'x'; 16 << 10];
    let mut block = BytesMut::from(&bytes("00 \"a\"")[..]);
    integer::put(&mut block, 0x80, 7, huffman(&value).len());
    block.extend_from_slice(&huffman(&value));
    assert_eq!(decoder.decode(&block, 1 << 20).unwrap().fields["a"].as_bytes(), value);
    assert!(decoder.value_text.capacity() <= SCRATCH_BYTES_KEPT_MAX);
}

/// Pieces of blocks, bent and mixed: no panic, no list above its limit, no table above its size.
#[test]
fn decode_any_bytes_keeps_the_limits() {
    const PIECES: [&str; 12] = [
        "82",
        "be",
        "c0",
        "40 \"a\" \"1\"",
        "40 \"cookie\" \"c=1\"",
        "0f11 \"d=2\"",
        "40 h\"name\" h\"value\"",
        "7e \"x\"",
        "10 \":path\" \"/a\"",
        "20",
        "3fe11f",
        "5f \"application/grpc\"",
    ];
    for seed in 0..2000 {
        let mut chance = Chance::new(seed);
        let mut decoder = Decoder::new(4096);
        for _ in 0..20 {
            let mut block = Vec::new();
            for _ in 0..chance.below(8) {
                let piece: &&str = chance.one_of(&PIECES);
                block.extend(bytes(piece));
            }
            if chance.once_in(4) {
                block.extend(chance.bytes(16));
            }
            if !block.is_empty() && chance.once_in(4) {
                let place = chance.below(block.len());
                block[place] = chance.below(256) as u8;
            }
            let list_bytes_max = chance.below(400);
            let Ok(read) = decoder.decode(&block, list_bytes_max) else { break };
            let listed: usize =
                read.fields.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
            assert!(listed <= list_bytes_max, "seed {seed}");
            assert!(read.fields.len() <= list_bytes_max / 32, "seed {seed}");
            assert_eq!(read.too_large, read.list_bytes > list_bytes_max, "seed {seed}");
            assert!(decoder.table_size().1 <= 4096, "seed {seed}");
        }
    }
}
