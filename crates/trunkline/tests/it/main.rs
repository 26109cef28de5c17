//! The same tests of the public API for every protocol over every transport.

#![allow(clippy::unwrap_used, reason = "in a test it is an assertion")]

mod bad_input;
mod connecting;
mod ending;
mod metadata;
mod services;
mod shapes;
mod support;
