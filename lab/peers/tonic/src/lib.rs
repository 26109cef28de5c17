//! What the server and the client on tonic share: the generated code.

#![forbid(unsafe_code)]

/// The schema of the bench lab.
pub mod proto {
    tonic::include_proto!("bench.v1");
}
