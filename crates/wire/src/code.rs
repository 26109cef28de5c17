//! The codes of gRPC and Connect: their numbers, their names, and their HTTP statuses.

/// Why a call failed. Numbers as in gRPC (`google.rpc.Code`), names as in Connect.
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

impl Code {
    /// The number on the wire.
    pub const fn number(self) -> u8 {
        self as u8
    }
}
