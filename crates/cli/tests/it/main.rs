//! The `trunkline` program from outside: what it prints, what it answers, how it ends.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "in a test it is an assertion")]

mod command;
mod demo;
mod program;
mod serve;
mod stop;
