//! The grpc_web protocol.
