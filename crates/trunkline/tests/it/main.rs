//! The same tests of the public API for every protocol over every transport.

mod bad_input;
mod connecting;
mod ending;
mod metadata;
mod services;
mod shapes;
mod support;
