//! The server of the README of the repository: `cargo run -p trunkline-examples --bin hello-server`.

#![forbid(unsafe_code)]

include!(concat!(env!("OUT_DIR"), "/server.rs"));
