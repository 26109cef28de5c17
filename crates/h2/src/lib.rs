//! HTTP/2 (RFC 9113) as a state machine, both roles, with HPACK (RFC 7541). No IO, no clock, no tasks.
#![forbid(unsafe_code)]

pub mod hpack;
