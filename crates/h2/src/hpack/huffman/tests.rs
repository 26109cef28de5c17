//! Every code, paddings, and a slow reader as oracle.

use std::collections::HashMap;

use super::{CODE_BITS, SYMBOLS, codes, decode};
use crate::hpack::HpackFault::{self, HuffmanEndOfString, HuffmanPadding};
use crate::hpack::tests::{Chance, huffman};

fn decoded(text: &[u8]) -> Result<Vec<u8>, HpackFault> {
    let mut target = Vec::new();
    decode(text, &mut target).map(|()| target)
}

/// Bit by bit, against every code.
struct Slow(HashMap<(u8, u32), usize>);

impl Slow {
    fn new() -> Self {
        let codes = codes();
        Self((0..SYMBOLS).map(|symbol| ((CODE_BITS[symbol], codes[symbol]), symbol)).collect())
    }

    fn decoded(&self, text: &[u8]) -> Result<Vec<u8>, HpackFault> {
        let (mut target, mut code, mut bits) = (Vec::new(), 0, 0);
        for place in 0..text.len() * 8 {
            code = code << 1 | u32::from(text[place / 8] >> (7 - place % 8) & 1);
            bits += 1;
            let Some(&symbol) = self.0.get(&(bits, code)) else { continue };
            // Only the end of string is no byte.
            target.push(u8::try_from(symbol).map_err(|_| HuffmanEndOfString)?);
            (code, bits) = (0, 0);
        }
        if bits < 8 && code == (1 << bits) - 1 { Ok(target) } else { Err(HuffmanPadding) }
    }
}

#[test]
fn codes_are_those_of_the_rfc() {
    let codes = codes();
    for (symbol, code, bits) in [
        (0, 0x1ff8, 13),
        (10, 0x3fff_fffc, 30),
        (usize::from(b'%'), 0x15, 6),
        (usize::from(b'0'), 0, 5),
        (usize::from(b'X'), 0xfc, 8),
        (usize::from(b'\\'), 0x7_fff0, 19),
        (usize::from(b'~'), 0x1ffd, 13),
        (200, 0x3ff_ffe2, 26),
        (249, 0xfff_fffe, 28),
        (255, 0x3ff_ffee, 26),
        (256, 0x3fff_ffff, 30),
    ] {
        assert_eq!((codes[symbol], CODE_BITS[symbol]), (code, bits), "symbol {symbol}");
    }
    let used: u64 = CODE_BITS.iter().map(|bits| 1_u64 << (30 - bits)).sum();
    assert_eq!(used, 1 << 30, "no code is left over");
}

#[test]
fn every_code_is_read_alone_and_beside_every_other() {
    for one in 0..=255 {
        assert_eq!(decoded(&huffman(&[one])), Ok(vec![one]));
        for other in 0..=255 {
            let text = [one, other, one];
            assert_eq!(decoded(&huffman(&text)).as_deref(), Ok(&text[..]));
        }
    }
}

#[test]
fn padding_accepts_and_refuses() {
    let check = |text: &[u8], expected: Result<&[u8], HpackFault>| {
        assert_eq!(decoded(text), expected.map(<[u8]>::to_vec), "{text:02x?}");
    };
    check(&[], Ok(b""));
    check(&[0x1f], Ok(b"a"));
    check(&[0x18, 0xfa, 0x7f], Ok(b"aaj"));
    check(&[0x1e], Err(HuffmanPadding));
    check(&[0x18], Err(HuffmanPadding));
    check(&[0xff], Err(HuffmanPadding));
    check(&[0x1f, 0xff], Err(HuffmanPadding));
    check(&[0xff; 3], Err(HuffmanPadding));
    check(&[0xff; 4], Err(HuffmanEndOfString));
    check(&[0xff; 40], Err(HuffmanEndOfString));
    check(&[0xff, 0xff, 0xff, 0xf0], Err(HuffmanPadding));
}

#[test]
fn any_bytes_mean_the_same_to_a_slow_reader() {
    let slow = Slow::new();
    for one in 0..=255 {
        for other in 0..=255 {
            assert_eq!(decoded(&[one, other]), slow.decoded(&[one, other]));
        }
    }
    for seed in 0..3000 {
        let mut chance = Chance::new(seed);
        let text = chance.bytes(24);
        let text = if chance.once_in(2) { huffman(&text) } else { text };
        assert_eq!(decoded(&text), slow.decoded(&text), "seed {seed}: {text:02x?}");
    }
}
