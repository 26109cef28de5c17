//! The Huffman code of strings (RFC 7541, 5.2 and Appendix B), reading side.
//!
//! The code is canonical: symbols in order of length, then of value, take consecutive codes. So the lengths say everything,
//! and the tables below are computed from them when the crate is built. Codes of up to eight bits, which is nearly all text,
//! take one look into 256 entries; longer ones are found by the first code of each length.
//!
//! There is no writing side: see the [encoder](super::Encoder).

use super::HpackFault;

#[cfg(test)]
mod tests;

/// Symbols: the 256 bytes and the end of string.
pub(super) const SYMBOLS: usize = 257;

/// The end-of-string symbol. Its code only ever pads, so decoding it is an error (RFC 7541, 5.2).
const END_OF_STRING: u16 = 256;

/// Bits of the longest code, which are those of the end of string and of three control characters.
const CODE_BITS_MAX: usize = 30;

/// Bits of the code of each symbol (RFC 7541, Appendix B).
#[rustfmt::skip]
pub(super) const CODE_BITS: [u8; SYMBOLS] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, // control characters
    28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,         // from the space
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,              // from '0'
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,                // from '@'
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,             // from 'P'
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,                // from '`'
    6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,            // from 'p'
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, // from 128
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
    21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, // from 192
    19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
    30,                                                             // the end of string
];

/// What the next eight bits say: a symbol and the bits of its code.
#[derive(Clone, Copy)]
struct Short {
    symbol: u8,
    /// 0 where the code is longer than eight bits.
    bits: u8,
}

/// The codes of one length.
#[derive(Clone, Copy)]
struct Length {
    /// The first code of the length, at the high end of 32 bits.
    first: u32,
    /// One past the last code, likewise. All codes of lower value are shorter.
    end: u64,
    /// Where its symbols begin in [`BY_CODE`].
    symbols_begin: u16,
}

/// The symbols in order of their codes.
static BY_CODE: [u16; SYMBOLS] = by_code();

/// What each eight bits begin with.
static SHORT: [Short; 256] = short();

/// The codes by their length, from 0 bits on.
static LENGTHS: [Length; CODE_BITS_MAX + 1] = lengths();

/// Appends to `target` what `text` means; at most 8/5 of its length.
///
/// # Cost
/// One look and one shift for each byte of text; the window is filled with seven bytes or so at a time.
///
/// # Errors
/// When the end-of-string symbol is in it, or its padding is not up to seven ones.
pub(super) fn decode(text: &[u8], target: &mut Vec<u8>) -> Result<(), HpackFault> {
    target.reserve(text.len() * 8 / 5 + 1);
    let mut rest = text;
    // The next bits of the text, from the high end on. Below the `held` ones are zeros or bits that will come again.
    let mut window: u64 = 0;
    let mut held: u32 = 0;
    loop {
        refill(&mut rest, &mut window, &mut held);
        loop {
            let Short { symbol, bits } = SHORT[(window >> 56) as usize];
            let bits = u32::from(bits);
            if bits == 0 || bits > held {
                break;
            }
            target.push(symbol);
            window <<= bits;
            held -= bits;
        }
        if !rest.is_empty() && held < CODE_BITS_MAX as u32 {
            continue;
        }
        if held == 0 {
            return Ok(());
        }
        let (symbol, bits) = long((window >> 32) as u32);
        if bits > held {
            return padding(window, held);
        }
        if symbol == END_OF_STRING {
            return Err(HpackFault::HuffmanEndOfString);
        }
        // All other symbols are bytes.
        target.push(symbol as u8);
        window <<= bits;
        held -= bits;
    }
}

/// Fills the window to more than 56 bits, or with all that is left.
#[inline]
fn refill(rest: &mut &[u8], window: &mut u64, held: &mut u32) {
    if let Some((eight, _)) = rest.split_first_chunk::<8>() {
        *window |= u64::from_be_bytes(*eight) >> *held;
        let bytes = (63 - *held) / 8;
        *rest = &rest[bytes as usize..];
        *held += bytes * 8;
        return;
    }
    while *held <= 56 {
        let Some((&byte, after)) = rest.split_first() else { return };
        *window |= u64::from(byte) << (56 - *held);
        *held += 8;
        *rest = after;
    }
}

/// The symbol that 32 bits begin with, and the bits of its code.
#[cold]
fn long(bits: u32) -> (u16, u32) {
    let mut length = 1;
    while u64::from(bits) >= LENGTHS[length].end && length < CODE_BITS_MAX {
        length += 1;
    }
    let Length { first, symbols_begin, .. } = LENGTHS[length];
    let place = (bits - first) >> (32 - length);
    (BY_CODE[usize::from(symbols_begin) + place as usize], length as u32)
}

/// Judges the bits behind the last whole code: the first bits of the end of string, which are ones, and fewer than eight, or
/// a byte would have been sent for nothing (RFC 7541, 5.2).
fn padding(window: u64, held: u32) -> Result<(), HpackFault> {
    let ones = window.leading_ones() >= held;
    if held < 8 && ones { Ok(()) } else { Err(HpackFault::HuffmanPadding) }
}

/// Each symbol's code, at the low end.
pub(super) const fn codes() -> [u32; SYMBOLS] {
    let order = by_code();
    let mut codes = [0; SYMBOLS];
    let (mut next, mut bits, mut place) = (0_u32, 0, 0);
    while place < SYMBOLS {
        let symbol = order[place] as usize;
        next <<= CODE_BITS[symbol] - bits;
        bits = CODE_BITS[symbol];
        codes[symbol] = next;
        next += 1;
        place += 1;
    }
    codes
}

/// The symbols by length, then by value, which is the order of a canonical code.
const fn by_code() -> [u16; SYMBOLS] {
    let mut order = [0; SYMBOLS];
    let (mut place, mut bits) = (0, 1);
    while bits <= CODE_BITS_MAX {
        let mut symbol = 0;
        while symbol < SYMBOLS {
            if CODE_BITS[symbol] as usize == bits {
                order[place] = symbol as u16;
                place += 1;
            }
            symbol += 1;
        }
        bits += 1;
    }
    order
}

/// Every way to go on behind a short code leads to it.
const fn short() -> [Short; 256] {
    let codes = codes();
    let mut table = [Short { symbol: 0, bits: 0 }; 256];
    let mut symbol = 0;
    while symbol < 256 {
        let bits = CODE_BITS[symbol];
        if bits <= 8 {
            let first = (codes[symbol] as usize) << (8 - bits);
            let mut place = 0;
            while place < 1 << (8 - bits) {
                table[first + place] = Short { symbol: symbol as u8, bits };
                place += 1;
            }
        }
        symbol += 1;
    }
    table
}

/// One entry a length; those that no code has cannot be reached, because their end is zero.
const fn lengths() -> [Length; CODE_BITS_MAX + 1] {
    let (order, codes) = (by_code(), codes());
    let mut lengths = [Length { first: 0, end: 0, symbols_begin: 0 }; CODE_BITS_MAX + 1];
    let mut place = 0;
    while place < SYMBOLS {
        let symbol = order[place] as usize;
        let bits = CODE_BITS[symbol] as usize;
        let first = codes[symbol] << (32 - bits);
        if lengths[bits].end == 0 {
            lengths[bits].first = first;
            lengths[bits].symbols_begin = place as u16;
        }
        lengths[bits].end = first as u64 + (1 << (32 - bits));
        place += 1;
    }
    lengths
}
