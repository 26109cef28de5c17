//! The Connect protocol, version 1: unary calls (POST and GET) and streams.
//!
//! Every rule that is Connect's alone lies here, its header names included. It knows nothing of the other protocols but
//! what they share by design: the envelope and the codes.

pub(crate) mod body;
pub(crate) mod client;
pub(crate) mod error_json;
pub(crate) mod get;
pub(crate) mod headers;
pub(crate) mod server;
pub(crate) mod stream;
pub(crate) mod timeout;
pub(crate) mod unary;
