//! Tests of the whole crate, and what the tests of several modules share.

mod bodies;
pub(crate) mod cases;
pub(crate) mod chance;
pub(crate) mod feed;
mod limits;
pub(crate) mod machines;
mod order;
mod outcomes;
mod pair;
mod splits;
pub(crate) mod testing;
mod vectors;
