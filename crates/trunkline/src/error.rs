//! The error of a failed call: what every handler may return and every caller receives.
//!
//! This module decides how a failure is described to people and programs. How it looks on the wire is decided by
//! `trunkline-wire`; nothing here knows a protocol.

use std::error::Error as StdError;
use std::fmt;

use bytes::Bytes;
use trunkline_wire::{Code, Detail, Status};

use crate::Metadata;

/// The result of a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

type Source = Box<dyn StdError + Send + Sync>;

/// Why a call failed: a code, a message, typed details, metadata, and whose word it is.
///
/// It is one pointer wide. `?` turns any error with `impl From<Mine> for Error` into one, and a handler may return such
/// an error itself:
///
/// ```
/// use trunkline::{Code, Error};
///
/// enum Refused { NoSuchOrder(u64) }
///
/// impl From<Refused> for Error {
///     fn from(refused: Refused) -> Self {
///         match refused {
///             Refused::NoSuchOrder(number) => Error::not_found(format!("order {number} does not exist")),
///         }
///     }
/// }
/// # assert_eq!(Error::from(Refused::NoSuchOrder(7)).code(), Code::NotFound);
/// ```
///
/// ```
/// use trunkline::{Code, Error};
/// let error = Error::new(Code::NotFound, "no such order");
/// assert_eq!(error.code(), Code::NotFound);
/// assert!(!error.is_from_peer());
/// assert_eq!(error.to_string(), "not_found: no such order");
/// ```
pub struct Error {
    inner: Box<Inner>,
}

struct Inner {
    code: Code,
    message: String,
    details: Vec<Detail>,
    from_peer: bool,
    headers: Metadata,
    trailers: Metadata,
    source: Option<Source>,
}

impl Error {
    /// An error of `code` with a message for developers. A `code` of `Ok` becomes `Unknown`: an error is never a success.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let code = if code == Code::Ok { Code::Unknown } else { code };
        Self {
            inner: Box::new(Inner {
                code,
                message: message.into(),
                details: Vec::new(),
                from_peer: false,
                headers: Metadata::new(),
                trailers: Metadata::new(),
                source: None,
            }),
        }
    }

    /// Adds the error that caused this one. It stays on this side: only code, message and details cross the wire.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Source>) -> Self {
        self.inner.source = Some(source.into());
        self
    }

    /// Adds a typed detail: the full message name and the serialised message (`google.protobuf.Any`).
    /// See [`details`](crate::details) for the usual ones.
    #[must_use]
    pub fn with_detail(mut self, type_name: impl Into<String>, value: impl Into<Bytes>) -> Self {
        self.inner.details.push(Detail { type_name: type_name.into(), value: value.into() });
        self
    }

    /// Replaces the metadata sent with the error (trailers; for Connect unary, headers).
    #[must_use]
    pub fn with_metadata(mut self, metadata: Metadata) -> Self {
        self.inner.trailers = metadata;
        self
    }

    /// The code.
    pub fn code(&self) -> Code {
        self.inner.code
    }

    /// The message, without the code's name.
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// The typed details, in order, those of unknown types included.
    pub fn details(&self) -> &[Detail] {
        &self.inner.details
    }

    /// Whether the peer sent this error; otherwise this side made it.
    pub fn is_from_peer(&self) -> bool {
        self.inner.from_peer
    }

    /// The response headers that had arrived before the call failed.
    pub fn headers(&self) -> &Metadata {
        &self.inner.headers
    }

    /// The metadata that came, or will go, with the error: the trailers.
    pub fn metadata(&self) -> &Metadata {
        &self.inner.trailers
    }

    /// The metadata, to be changed.
    pub fn metadata_mut(&mut self) -> &mut Metadata {
        &mut self.inner.trailers
    }

    pub(crate) fn with_headers(mut self, headers: Metadata) -> Self {
        self.inner.headers = headers;
        self
    }

    pub(crate) fn from_status(status: Status, trailers: Metadata, from_peer: bool) -> Self {
        let mut error = Self::new(status.code, status.message);
        error.inner.details = status.details;
        error.inner.from_peer = from_peer;
        error.inner.trailers = trailers;
        error
    }

    pub(crate) fn local(status: Status) -> Self {
        let trailers = Metadata::from_headers(status.metadata.clone());
        Self::from_status(status, trailers, false)
    }

    pub(crate) fn into_status(self) -> Status {
        let inner = *self.inner;
        Status {
            code: inner.code,
            message: inner.message,
            details: inner.details,
            metadata: inner.trailers.into_headers(),
        }
    }
}

macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident => $code:ident),* $(,)?) => {
        impl Error {
            $(
                $(#[$doc])*
                pub fn $name(message: impl Into<String>) -> Self {
                    Self::new(Code::$code, message)
                }
            )*
        }
    };
}

constructors! {
    /// An error of code `Canceled`.
    canceled => Canceled,
    /// An error of code `Unknown`.
    unknown => Unknown,
    /// An error of code `InvalidArgument`.
    invalid_argument => InvalidArgument,
    /// An error of code `DeadlineExceeded`.
    deadline_exceeded => DeadlineExceeded,
    /// An error of code `NotFound`.
    not_found => NotFound,
    /// An error of code `AlreadyExists`.
    already_exists => AlreadyExists,
    /// An error of code `PermissionDenied`.
    permission_denied => PermissionDenied,
    /// An error of code `ResourceExhausted`.
    resource_exhausted => ResourceExhausted,
    /// An error of code `FailedPrecondition`.
    failed_precondition => FailedPrecondition,
    /// An error of code `Aborted`.
    aborted => Aborted,
    /// An error of code `OutOfRange`.
    out_of_range => OutOfRange,
    /// An error of code `Unimplemented`.
    unimplemented => Unimplemented,
    /// An error of code `Internal`.
    internal => Internal,
    /// An error of code `Unavailable`.
    unavailable => Unavailable,
    /// An error of code `DataLoss`.
    data_loss => DataLoss,
    /// An error of code `Unauthenticated`.
    unauthenticated => Unauthenticated,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.inner.code)?;
        if !self.inner.message.is_empty() {
            write!(f, ": {}", self.inner.message)?;
        }
        if self.inner.from_peer {
            f.write_str(" (from peer)")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            // `main` prints an error by this: one line that a person can read. `{:#?}` shows everything.
            return fmt::Display::fmt(self, f);
        }
        f.debug_struct("Error")
            .field("code", &self.inner.code)
            .field("message", &self.inner.message)
            .field("from_peer", &self.inner.from_peer)
            .field("details", &self.inner.details)
            .field("metadata", &self.inner.trailers)
            .field("source", &self.inner.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.inner.source.as_ref().map(|source| source.as_ref() as &(dyn StdError + 'static))
    }
}

impl From<std::convert::Infallible> for Error {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}

#[cfg(test)]
mod tests;
