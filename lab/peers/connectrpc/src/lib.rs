//! What the server and the client on connectrpc share: the generated code.

#![forbid(unsafe_code)]

connectrpc::include_generated!();
