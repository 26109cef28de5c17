//! Tests of the whole crate, and what the tests of several modules share.

pub(crate) mod chance;
pub(crate) mod machines;
mod order;
mod pair;
mod splits;
pub(crate) mod testing;
mod vectors;
