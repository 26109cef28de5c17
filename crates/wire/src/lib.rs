//! The RPC protocols of Trunkline as state machines: Connect, gRPC and gRPC-Web, both roles.
//!
//! This crate decides how heads, messages and outcomes look on the wire. It knows no sockets, tasks, clocks or
//! message types: bytes go in by `receive*`, events come out by `poll_*`, and time is a value in a head.

#![forbid(unsafe_code)]

pub mod client;
pub mod code;
pub mod compress;
mod connect;
mod envelope;
mod grpc;
mod grpc_web;
pub mod head;
mod media_type;
pub mod metadata;
pub mod protocol;
pub mod server;
pub mod status;

pub use code::Code;
pub use compress::{Compression, Compressions, InflateFault};
pub use head::{RequestHead, ResponseHead};
pub use protocol::{Protocol, Shape};
pub use status::{Detail, Status};

#[cfg(test)]
mod testing;
#[cfg(test)]
mod vectors;
