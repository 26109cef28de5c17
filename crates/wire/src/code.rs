//! The codes of gRPC and Connect: their numbers, their names, and their HTTP statuses.
//!
//! It decides the tables and nothing else; which of them applies is for the protocols to say.

use std::fmt;
use std::str::FromStr;

use http::StatusCode;

/// Why a call failed, or that it did not.
///
/// ```
/// use trunkline_wire::Code;
///
/// assert_eq!("not_found".parse(), Ok(Code::NotFound));
/// assert_eq!(Code::NotFound.number(), 5);
/// assert_eq!(Code::NotFound.http_status(), 404);
/// ```
///
/// Numbers as in gRPC (`google.rpc.Code`), names as in Connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Code {
    /// The call succeeded.
    Ok = 0,
    /// The caller cancelled the call.
    Canceled = 1,
    /// An error without a better code.
    Unknown = 2,
    /// The request is wrong whatever the state of the system.
    InvalidArgument = 3,
    /// The deadline passed before the call ended.
    DeadlineExceeded = 4,
    /// The thing asked for does not exist.
    NotFound = 5,
    /// The thing to be made exists already.
    AlreadyExists = 6,
    /// The caller may not do this.
    PermissionDenied = 7,
    /// A limit was reached.
    ResourceExhausted = 8,
    /// The system is not in the state that the call needs.
    FailedPrecondition = 9,
    /// The call was aborted by a conflict.
    Aborted = 10,
    /// The request is outside the valid range.
    OutOfRange = 11,
    /// The procedure does not exist, or is not supported.
    Unimplemented = 12,
    /// An invariant broke.
    Internal = 13,
    /// The service cannot be reached now; trying again may help.
    Unavailable = 14,
    /// Data was lost or is corrupt.
    DataLoss = 15,
    /// The caller is not authenticated.
    Unauthenticated = 16,
}

/// A text that names no code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownCodeName;

impl Code {
    /// All codes, each at the index of its number.
    pub const ALL: [Self; 17] = [
        Self::Ok,
        Self::Canceled,
        Self::Unknown,
        Self::InvalidArgument,
        Self::DeadlineExceeded,
        Self::NotFound,
        Self::AlreadyExists,
        Self::PermissionDenied,
        Self::ResourceExhausted,
        Self::FailedPrecondition,
        Self::Aborted,
        Self::OutOfRange,
        Self::Unimplemented,
        Self::Internal,
        Self::Unavailable,
        Self::DataLoss,
        Self::Unauthenticated,
    ];

    /// The number on the wire.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The code with this number. A number that nobody has defined is `Unknown`, as gRPC's `statuscodes.md` asks of
    /// every library.
    pub fn from_number(number: u64) -> Self {
        usize::try_from(number).ok().and_then(|index| Self::ALL.get(index)).copied().unwrap_or(Self::Unknown)
    }

    /// The name as the Connect protocol writes it ("Error codes"). `ok` is ours: Connect never writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Canceled => "canceled",
            Self::Unknown => "unknown",
            Self::InvalidArgument => "invalid_argument",
            Self::DeadlineExceeded => "deadline_exceeded",
            Self::NotFound => "not_found",
            Self::AlreadyExists => "already_exists",
            Self::PermissionDenied => "permission_denied",
            Self::ResourceExhausted => "resource_exhausted",
            Self::FailedPrecondition => "failed_precondition",
            Self::Aborted => "aborted",
            Self::OutOfRange => "out_of_range",
            Self::Unimplemented => "unimplemented",
            Self::Internal => "internal",
            Self::Unavailable => "unavailable",
            Self::DataLoss => "data_loss",
            Self::Unauthenticated => "unauthenticated",
        }
    }

    /// The HTTP status of a unary Connect error (Connect specification, table "Error codes").
    pub fn http_status(self) -> StatusCode {
        match self {
            Self::Ok => StatusCode::OK,
            // 499 has no constant: it is "client closed request" by custom only.
            Self::Canceled => StatusCode::from_u16(499).unwrap_or(StatusCode::REQUEST_TIMEOUT),
            Self::InvalidArgument | Self::FailedPrecondition | Self::OutOfRange => StatusCode::BAD_REQUEST,
            Self::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::AlreadyExists | Self::Aborted => StatusCode::CONFLICT,
            Self::PermissionDenied => StatusCode::FORBIDDEN,
            Self::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
            Self::Unimplemented => StatusCode::NOT_IMPLEMENTED,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::Unknown | Self::Internal | Self::DataLoss => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The code that an HTTP status stands for when a response says nothing better.
    ///
    /// Connect ("HTTP to error code") and gRPC (`http-grpc-status-mapping.md`) have the same table. It is not the
    /// inverse of [`Code::http_status`]: a status without a code comes from a proxy, not from a procedure. 200 is
    /// `Unknown` too, for a response that is not an RPC's.
    pub fn from_http_status(status: StatusCode) -> Self {
        match status.as_u16() {
            400 => Self::Internal,
            401 => Self::Unauthenticated,
            403 => Self::PermissionDenied,
            404 => Self::Unimplemented,
            429 | 502 | 503 | 504 => Self::Unavailable,
            _ => Self::Unknown,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Code {
    type Err = UnknownCodeName;

    /// Reads a Connect name, exactly as [`Code::name`] writes it.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|code| code.name() == name).ok_or(UnknownCodeName)
    }
}

impl fmt::Display for UnknownCodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not the name of a code")
    }
}

impl std::error::Error for UnknownCodeName {}

#[cfg(test)]
mod tests;
