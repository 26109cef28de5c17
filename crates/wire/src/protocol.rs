//! Which protocol speaks, and which shape a call has.

use std::fmt;

/// An RPC protocol. Chosen once for each call, by `server::accept` or by the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Protocol {
    /// The Connect protocol, version 1.
    Connect,
    /// gRPC over HTTP/2.
    Grpc,
    /// gRPC-Web, binary or text.
    GrpcWeb,
}

impl Protocol {
    /// The name for logs, errors and labels.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Grpc => "grpc",
            Self::GrpcWeb => "grpc-web",
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How many messages flow in each direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One request, one response.
    Unary,
    /// Many requests, one response.
    ClientStream,
    /// One request, many responses.
    ServerStream,
    /// Many requests, many responses.
    Bidi,
}

impl Shape {
    /// Whether the client sends any number of messages.
    pub const fn client_streams(self) -> bool {
        matches!(self, Self::ClientStream | Self::Bidi)
    }

    /// Whether the server sends any number of messages.
    pub const fn server_streams(self) -> bool {
        matches!(self, Self::ServerStream | Self::Bidi)
    }
}
