//! Blocks and their fields as text, as `vectors/README.md` describes them; and the writing side of the Huffman code, which
//! only tests have.

use http::HeaderValue;

use crate::hpack::Block;
use crate::hpack::huffman::{CODE_BITS, SYMBOLS, codes};

/// The bytes of a `block` line.
pub(crate) fn bytes(line: &str) -> Vec<u8> {
    let mut block = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let (is_huffman, quoted) = match rest.strip_prefix('h') {
            Some(quoted) => (true, quoted),
            None => (false, rest),
        };
        if let Some(quoted) = quoted.strip_prefix('"') {
            let (text, after) = quoted.split_once('"').expect("a string ends");
            string(&unescape(text), is_huffman, &mut block);
            rest = after.trim_start();
        } else {
            block.push(u8::from_str_radix(&rest[..2], 16).expect("two hex digits"));
            rest = rest[2..].trim_start();
        }
    }
    block
}

fn string(text: &[u8], is_huffman: bool, block: &mut Vec<u8>) {
    let coded = if is_huffman { huffman(text) } else { text.to_vec() };
    assert!(coded.len() < 127, "the length is written as one byte");
    block.push(coded.len() as u8 | if is_huffman { 0x80 } else { 0 });
    block.extend(coded);
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let taken = match (first, rest.as_bytes().get(1)) {
            ('\\', Some(b'n')) => {
                bytes.push(b'\n');
                2
            }
            ('\\', Some(b'x')) => {
                bytes.push(u8::from_str_radix(&rest[2..4], 16).expect("two hex digits"));
                4
            }
            _ => {
                bytes.extend(first.to_string().bytes());
                first.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    bytes
}

/// Not computed again for each string.
const CODES: [u32; SYMBOLS] = codes();

/// The Huffman code of `text`, padded with ones.
pub(crate) fn huffman(text: &[u8]) -> Vec<u8> {
    let bits = text.iter().flat_map(|&byte| {
        let (code, bits) = (CODES[usize::from(byte)], CODE_BITS[usize::from(byte)]);
        (0..bits).rev().map(move |place| code >> place & 1)
    });
    let mut bits: Vec<u32> = bits.collect();
    bits.resize(bits.len().next_multiple_of(8), 1);
    bits.chunks(8).map(|byte| byte.iter().fold(0, |sum, bit| sum << 1 | *bit as u8)).collect()
}

/// The fields of a block, pseudo-fields first.
pub(crate) fn rows(block: &Block) -> Vec<String> {
    let pseudo = [
        (":method", block.method.as_ref().map(ToString::to_string)),
        (":scheme", block.scheme.as_ref().map(ToString::to_string)),
        (":authority", block.authority.as_ref().map(ToString::to_string)),
        (":path", block.path.as_ref().map(ToString::to_string)),
        (":status", block.status.map(|status| status.as_str().to_owned())),
        (":protocol", block.protocol.as_ref().map(|protocol| protocol.escape_ascii().to_string())),
    ];
    let pseudo = pseudo.into_iter().filter_map(|(name, value)| Some(format!("{name}: {}", value?)));
    let regular = block.fields.iter().map(|(name, value)| format!("{}{name}: {}", never(value), text(value)));
    pseudo.chain(regular).collect()
}

fn never(value: &HeaderValue) -> &'static str {
    if value.is_sensitive() { "never " } else { "" }
}

fn text(value: &HeaderValue) -> String {
    value.as_bytes().escape_ascii().to_string()
}
