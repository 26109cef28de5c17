//! Error codes of HTTP/2, and the error that ends a connection.

use std::fmt;

/// An error code (RFC 9113, 7). Codes that nobody has defined are kept as they came.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reason(pub u32);

impl Reason {
    /// Nothing is wrong.
    pub const NO_ERROR: Self = Self(0x0);
    /// The peer broke the protocol.
    pub const PROTOCOL_ERROR: Self = Self(0x1);
    /// This side failed.
    pub const INTERNAL_ERROR: Self = Self(0x2);
    /// The peer sent more than its window.
    pub const FLOW_CONTROL_ERROR: Self = Self(0x3);
    /// Our settings were not acknowledged in time.
    pub const SETTINGS_TIMEOUT: Self = Self(0x4);
    /// A frame for a stream that has ended.
    pub const STREAM_CLOSED: Self = Self(0x5);
    /// A frame of a wrong length.
    pub const FRAME_SIZE_ERROR: Self = Self(0x6);
    /// The stream was not looked at; it may be opened again.
    pub const REFUSED_STREAM: Self = Self(0x7);
    /// The stream is no longer wanted.
    pub const CANCEL: Self = Self(0x8);
    /// The state of header compression is lost.
    pub const COMPRESSION_ERROR: Self = Self(0x9);
    /// A tunnel broke.
    pub const CONNECT_ERROR: Self = Self(0xa);
    /// The peer makes too much work.
    pub const ENHANCE_YOUR_CALM: Self = Self(0xb);
    /// The encryption is too weak.
    pub const INADEQUATE_SECURITY: Self = Self(0xc);
    /// The call needs HTTP/1.1.
    pub const HTTP_1_1_REQUIRED: Self = Self(0xd);

    /// The name in the RFC; `None` for a code that it does not know.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            0x0 => "NO_ERROR",
            0x1 => "PROTOCOL_ERROR",
            0x2 => "INTERNAL_ERROR",
            0x3 => "FLOW_CONTROL_ERROR",
            0x4 => "SETTINGS_TIMEOUT",
            0x5 => "STREAM_CLOSED",
            0x6 => "FRAME_SIZE_ERROR",
            0x7 => "REFUSED_STREAM",
            0x8 => "CANCEL",
            0x9 => "COMPRESSION_ERROR",
            0xa => "CONNECT_ERROR",
            0xb => "ENHANCE_YOUR_CALM",
            0xc => "INADEQUATE_SECURITY",
            0xd => "HTTP_1_1_REQUIRED",
            _ => return None,
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "error code {:#x}", self.0),
        }
    }
}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a connection has ended (RFC 9113, 5.4.1). The GOAWAY that says so to the peer is among the bytes to transmit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The code sent to the peer.
    pub reason: Reason,
    /// What was seen, in words for the developer of the peer.
    pub seen: String,
}

impl Fault {
    pub(crate) fn new(reason: Reason, seen: impl Into<String>) -> Self {
        Self { reason, seen: seen.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason, self.seen)
    }
}

impl std::error::Error for Fault {}
