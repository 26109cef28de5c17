//! Tests of the whole crate, and what the tests of several modules share.

pub(crate) mod chance;
mod limits;
pub(crate) mod machines;
mod order;
mod outcomes;
mod pair;
mod splits;
pub(crate) mod testing;
mod vectors;
