//! gRPC over HTTP/2, as `PROTOCOL-HTTP2.md` has it.
//!
//! Every rule that is gRPC's lies here, its header names included. gRPC-Web is defined as differences to this protocol, so
//! its folder uses what lies here; Connect uses only the codings that are the same in both.

pub(crate) mod client;
pub(crate) mod details;
pub(crate) mod headers;
pub(crate) mod percent;
pub(crate) mod server;
pub(crate) mod status;
pub(crate) mod timeout;
