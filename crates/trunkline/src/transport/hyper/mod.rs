//! The transport over hyper: HTTP/1.1 and HTTP/2, both roles. No hyper type leaves this folder.

pub(crate) mod body;
pub(crate) mod client;
pub(crate) mod exchange;
pub(crate) mod fault;
mod lent;
mod rest;
pub(crate) mod server;

use crate::Limits;

/// hyper's least buffer for HTTP/1.1.
const HTTP1_BUFFER_BYTES_MIN: usize = 8192;

/// The buffer of an HTTP/1.1 connection, which bounds the head that it can receive.
fn http1_buffer_bytes(limits: &Limits) -> usize {
    (limits.metadata_bytes_max as usize).max(HTTP1_BUFFER_BYTES_MIN)
}
