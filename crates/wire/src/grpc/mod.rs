//! The grpc protocol.
