//! Why a body or a call was cut by the transport, and which code that is for the caller.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use trunkline_h2::Reason;
use trunkline_wire::Code;

use crate::Error;

/// The reason of a reset, as far as the transport can tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ResetReason {
    /// The other side no longer wants the call (HTTP/2 CANCEL).
    Canceled,
    /// The other side has not looked at the call; it may be sent again (HTTP/2 REFUSED_STREAM).
    Refused,
    /// There is no connection, or it ended in the middle of the call.
    ConnectionLost,
    /// The other side asks for less load (HTTP/2 ENHANCE_YOUR_CALM).
    Calm,
    /// The other side wants better encryption (HTTP/2 INADEQUATE_SECURITY).
    Insecure,
    /// The other side reports, or this side saw, a broken protocol or an internal failure.
    Broken,
}

impl ResetReason {
    /// The code for the caller ("Errors" in gRPC over HTTP/2).
    pub const fn code(self) -> Code {
        match self {
            Self::Canceled => Code::Canceled,
            Self::Refused | Self::ConnectionLost => Code::Unavailable,
            Self::Calm => Code::ResourceExhausted,
            Self::Insecure => Code::PermissionDenied,
            Self::Broken => Code::Internal,
        }
    }

    /// What an HTTP/2 code means: the table "HTTP2 Code -> GRPC Code" of gRPC over HTTP/2, by our names.
    pub(crate) const fn of_http2(reason: Reason) -> Self {
        match reason {
            Reason::REFUSED_STREAM => Self::Refused,
            Reason::CANCEL => Self::Canceled,
            Reason::ENHANCE_YOUR_CALM => Self::Calm,
            Reason::INADEQUATE_SECURITY => Self::Insecure,
            _ => Self::Broken,
        }
    }

    /// The way back: the HTTP/2 code that tells the peer.
    pub(crate) const fn http2(self) -> Reason {
        match self {
            Self::Canceled | Self::ConnectionLost => Reason::CANCEL,
            Self::Refused => Reason::REFUSED_STREAM,
            Self::Calm => Reason::ENHANCE_YOUR_CALM,
            Self::Insecure => Reason::INADEQUATE_SECURITY,
            Self::Broken => Reason::INTERNAL_ERROR,
        }
    }
}

/// A reset with the error that told of it.
#[derive(Debug, Clone)]
pub struct Reset {
    reason: ResetReason,
    message: Box<str>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl Reset {
    /// A reset of `reason`; `message` says what was seen.
    pub fn new(reason: ResetReason, message: impl Into<Box<str>>) -> Self {
        Self { reason, message: message.into(), source: None }
    }

    /// The same reset with the error behind it.
    #[must_use]
    pub fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    pub(crate) fn with_boxed_source(mut self, source: Box<dyn StdError + Send + Sync>) -> Self {
        self.source = Some(Arc::from(source));
        self
    }

    /// The reason.
    pub fn reason(&self) -> ResetReason {
        self.reason
    }

    /// The error for the caller; the chain of sources is kept.
    pub fn into_error(self) -> Error {
        Error::new(self.reason.code(), self.to_string()).with_source(self)
    }
}

impl fmt::Display for Reset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Reset {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as &(dyn StdError + 'static))
    }
}
