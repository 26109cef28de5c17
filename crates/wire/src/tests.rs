//! Tests of the whole crate, and what the tests of several modules share.

pub(crate) mod chance;
mod pair;
pub(crate) mod testing;
mod vectors;
