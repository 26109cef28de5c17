//! The same tests of the public API for every protocol over every transport.

#![allow(clippy::unwrap_used, reason = "in a test it is an assertion")]

mod backpressure;
mod bad_input;
mod connecting;
mod ending;
mod facts;
mod grpc_bad_input;
mod metadata;
mod pages;
mod services;
mod shapes;
mod support;
