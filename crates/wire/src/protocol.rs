//! Which protocol speaks, and which shape a call has.

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
