//! The rows of the demo: which protocol goes over which transport in which shape of call. Data only.

use std::fmt;

use trunkline::{Format, HttpVersion, Protocol};

/// One way to call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) protocol: Protocol,
    pub(super) over: Over,
    pub(super) kind: Kind,
}

/// What carries a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    Http1,
    Http2,
    /// HTTP/2 as TLS negotiates it.
    Tls,
}

/// The shape of a call, and how its messages are written where that is not binary Protobuf in a POST.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Unary,
    UnaryJson,
    UnaryGet,
    ServerStream,
    ClientStream,
    Bidi,
}

/// All rows, in the order in which they are driven and printed.
pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for protocol in [Protocol::Grpc, Protocol::GrpcWeb, Protocol::Connect] {
        for over in [Over::Http1, Over::Http2, Over::Tls] {
            let kinds = KINDS.iter().map(|&kind| Row { protocol, over, kind });
            rows.extend(kinds.filter(Row::exists));
        }
    }
    rows
}

const KINDS: [Kind; 6] =
    [Kind::Unary, Kind::UnaryJson, Kind::UnaryGet, Kind::ServerStream, Kind::ClientStream, Kind::Bidi];

impl Row {
    /// Whether there is such a way to call, and the demo shows it.
    fn exists(&self) -> bool {
        let over_http1 = self.over == Over::Http1;
        match (self.protocol, self.kind) {
            // gRPC is defined over HTTP/2 only (PROTOCOL-HTTP2.md).
            (Protocol::Grpc, _) if over_http1 => false,
            // HTTP/1.1 clients send the whole request before they read the answer, so messages cannot go both ways at once.
            (_, Kind::Bidi) => !over_http1,
            // JSON and GET once: there they are what a person with curl uses.
            (protocol, Kind::UnaryJson | Kind::UnaryGet) => protocol == Protocol::Connect && over_http1,
            _ => true,
        }
    }

    /// The unit without its time, as short as a column of the table.
    pub(super) fn unit_short(&self) -> &'static str {
        match self.kind {
            Kind::Unary | Kind::UnaryJson | Kind::UnaryGet => "calls",
            Kind::ServerStream | Kind::ClientStream | Kind::Bidi => "msg",
        }
    }

    /// What is counted: calls, or the messages of streams.
    pub(super) fn unit(&self) -> &'static str {
        match self.kind {
            Kind::Unary | Kind::UnaryJson | Kind::UnaryGet => "calls/s",
            Kind::ServerStream | Kind::ClientStream | Kind::Bidi => "messages/s",
        }
    }
}

impl Over {
    pub(super) fn http(self) -> HttpVersion {
        match self {
            Self::Http1 => HttpVersion::Http1,
            Self::Http2 | Self::Tls => HttpVersion::Http2,
        }
    }

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Http1 => "HTTP/1.1",
            Self::Http2 => "HTTP/2",
            Self::Tls => "HTTP/2, TLS",
        }
    }
}

impl Kind {
    pub(super) fn format(self) -> Format {
        if self == Self::UnaryJson { Format::JSON } else { Format::PROTO }
    }

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Unary => "unary",
            Self::UnaryJson => "unary, JSON",
            Self::UnaryGet => "unary, GET",
            Self::ServerStream => "server stream",
            Self::ClientStream => "client stream",
            Self::Bidi => "bidi",
        }
    }
}

/// The protocol as people write it.
pub(super) fn protocol_label(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Grpc => "gRPC",
        Protocol::GrpcWeb => "gRPC-Web",
        Protocol::Connect => "Connect",
        other => other.name(),
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} over {}, {}", protocol_label(self.protocol), self.over.label(), self.kind.label())
    }
}

#[cfg(test)]
mod tests;
