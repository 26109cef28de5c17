//! Both halves together, and blocks as text: rows, vectors and chance.

mod chance;
mod pair;
mod text;
mod vectors;

pub(super) use chance::Chance;
pub(super) use text::{bytes, huffman, rows};
