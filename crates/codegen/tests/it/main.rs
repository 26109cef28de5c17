//! Goldens of generated code: the output for each schema below `tests/golden`, compared as text and compiled.

mod golden;
