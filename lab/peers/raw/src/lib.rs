//! HTTP/2 at the level of frames, for a client and a server that shall cost as little as can be.
//!
//! Neither decodes headers: each writes fixed blocks and skips what it gets. So both know only peers that play by the rules, and belong
//! into a lab.

#![forbid(unsafe_code)]

pub mod cpu;
pub mod frame;
pub mod grpc;
pub mod socket;
