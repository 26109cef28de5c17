//! The transport over hyper: HTTP/1.1 and HTTP/2, both roles. No hyper type leaves this folder.

mod body;
pub(crate) mod client;
mod fault;
mod rest;
pub(crate) mod server;
