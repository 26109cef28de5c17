//! Blocks both ways: rows, vectors and chance.
