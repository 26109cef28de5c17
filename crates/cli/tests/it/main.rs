//! The `trunkline` program from outside: what it prints, what it answers, how it ends.

#![forbid(unsafe_code)]

mod command;
mod demo;
mod program;
mod serve;
mod stop;
