//! Readers of every kind, which the tests and the fuzz targets feed. It uses nothing that a user could not.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::BytesMut;
use http::{HeaderMap, Method, StatusCode, Uri, Version};

use crate::client::{ClientCall, ClientReader, Plan, start};
use crate::server::{Accepted, Route, ServerCall, accept};
use crate::tests::chance::Chance;
use crate::tests::testing::{Runs, compressions, config, fields};
use crate::{Compression, Protocol, RequestHead, ResponseHead, Shape};

/// One way to read a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    ConnectUnary,
    ConnectStream,
    Grpc,
    GrpcWeb,
    GrpcWebText,
}

pub(crate) const KINDS: [Kind; 5] =
    [Kind::ConnectUnary, Kind::ConnectStream, Kind::Grpc, Kind::GrpcWeb, Kind::GrpcWebText];

impl Kind {
    pub(crate) fn protocol(self) -> Protocol {
        match self {
            Self::ConnectUnary | Self::ConnectStream => Protocol::Connect,
            Self::Grpc => Protocol::Grpc,
            Self::GrpcWeb | Self::GrpcWebText => Protocol::GrpcWeb,
        }
    }

    pub(crate) fn shape(self) -> Shape {
        if self == Self::ConnectUnary { Shape::Unary } else { Shape::Bidi }
    }

    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::ConnectUnary => "application/proto",
            Self::ConnectStream => "application/connect+proto",
            Self::Grpc => "application/grpc+proto",
            Self::GrpcWeb => "application/grpc-web+proto",
            Self::GrpcWebText => "application/grpc-web-text+proto",
        }
    }

    /// The field that names a compression of the body.
    pub(crate) fn encoding(self) -> &'static str {
        match self {
            Self::ConnectUnary => "content-encoding",
            Self::ConnectStream => "connect-content-encoding",
            Self::Grpc | Self::GrpcWeb | Self::GrpcWebText => "grpc-encoding",
        }
    }

    /// The flag of the envelope that ends a response, where there is one.
    pub(crate) fn end_flag(self) -> Option<u8> {
        match self {
            Self::ConnectUnary | Self::Grpc => None,
            Self::ConnectStream => Some(2),
            Self::GrpcWeb | Self::GrpcWebText => Some(0x80),
        }
    }

    /// The payload of that envelope when a call succeeds.
    pub(crate) fn end_payload(self) -> &'static [u8] {
        if self == Self::ConnectStream { b"{}" } else { b"grpc-status: 0\r\n" }
    }

    /// HTTP trailers of a call that succeeds.
    pub(crate) fn trailers(self) -> Option<HeaderMap> {
        (self == Self::Grpc).then(|| fields(&[("grpc-status", "0")]))
    }

    /// A client's reader in front of the head.
    pub(crate) fn client(self) -> ClientReader {
        self.call(false).reader
    }

    /// A call that a client has begun, compressed with `runs` or not.
    pub(crate) fn call(self, is_compressed: bool) -> ClientCall {
        let plan = Plan {
            protocol: self.protocol(),
            text: self == Self::GrpcWebText,
            shape: self.shape(),
            base: &Uri::from_static("http://localhost"),
            path: "/a.B/C",
            version: Version::HTTP_2,
            codec: "proto",
            timeout: None,
            metadata: &HeaderMap::new(),
            send_compression: is_compressed.then(|| Arc::new(Runs) as _),
            compress_bytes_min: 0,
            accept_compressions: compressions(),
            message_bytes_max: 64,
        };
        start(plan).unwrap()
    }

    /// The head of a response, compressed with `runs` or not.
    pub(crate) fn head(self, status: u16, is_compressed: bool) -> ResponseHead {
        let mut headers = fields(&[("content-type", self.content_type()), ("x-a", "1")]);
        if is_compressed {
            headers.insert(self.encoding(), "runs".parse().unwrap());
        }
        ResponseHead { status: StatusCode::from_u16(status).unwrap(), headers }
    }

    /// A call that a server has accepted, compressed with `runs` or not.
    pub(crate) fn server(self, is_compressed: bool) -> ServerCall {
        let head = RequestHead {
            method: Method::POST,
            uri: Uri::from_static("/a.B/C"),
            version: Version::HTTP_2,
            headers: self.head(200, is_compressed).headers,
        };
        match accept(head, Some(Route { shape: self.shape(), no_side_effects: false }), &config()) {
            Accepted::Call(call) => *call,
            Accepted::Reject(reject) => panic!("{self:?}: {reject:?}"),
        }
    }

    /// Appends bytes in the form of this kind.
    pub(crate) fn put(self, bytes: &[u8], body: &mut Vec<u8>) {
        if self == Self::GrpcWebText {
            body.extend_from_slice(STANDARD.encode(bytes).as_bytes());
        } else {
            body.extend_from_slice(bytes);
        }
    }
}

/// The form of `plain` in the compression `runs`.
pub(crate) fn runs(plain: &[u8]) -> Vec<u8> {
    let mut compressed = BytesMut::new();
    Runs.compress(plain, &mut compressed);
    compressed.to_vec()
}

/// Runs `check` for `seeds` seeds.
pub(crate) fn for_seeds(seeds: u64, mut check: impl FnMut(u64, &mut Chance)) {
    (0..seeds).for_each(|seed| check(seed, &mut Chance::new(seed)));
}
