//! How messages become bytes and back. The core knows only the pair of functions below, never a message library.
//!
//! A codec of one's own is a type with an implementation of [`Codec`] for each message, or one for all of them, named in
//! the third parameter of [`Procedure`](crate::Procedure):
//!
//! ```
//! use bytes::{Bytes, BytesMut};
//! use trunkline::codec::{Codec, CodecFault, Format};
//!
//! /// Text as it is, under the content type `application/plain`.
//! struct Plain;
//!
//! impl Codec<String> for Plain {
//!     const FORMATS: &'static [Format] = &[Format::named("plain")];
//!
//!     fn size_hint(_: Format, value: &String) -> usize {
//!         value.len()
//!     }
//!
//!     fn encode(_: Format, value: &String, target: &mut BytesMut) -> Result<(), CodecFault> {
//!         target.extend_from_slice(value.as_bytes());
//!         Ok(())
//!     }
//!
//!     fn decode(_: Format, payload: Bytes) -> Result<String, CodecFault> {
//!         String::from_utf8(payload.into()).map_err(CodecFault::new)
//!     }
//! }
//!
//! const SHOUT: trunkline::Procedure<String, String, Plain> =
//!     trunkline::Procedure::unary("demo.v1.Voice", "Shout", "/demo.v1.Voice/Shout");
//! # assert_eq!(SHOUT.spec().method, "Shout");
//! ```

mod buffa;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "prost")]
mod prost;
mod raw;

use std::fmt;

use bytes::{Bytes, BytesMut};
use trunkline_wire::{Code, Status};

pub use self::buffa::{Binary, Buffa};
#[cfg(feature = "prost")]
pub use self::prost::Prost;
pub use self::raw::Raw;

/// The name of a codec on the wire: the part of the content type behind `application/` or `application/grpc+`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Format(&'static str);

impl Format {
    /// Binary Protobuf, `proto`.
    pub const PROTO: Self = Self("proto");
    /// The JSON mapping of Protobuf, `json`.
    pub const JSON: Self = Self("json");

    /// A format of one's own. `name` goes into content types: lower-case letters, digits and dashes.
    pub const fn named(name: &'static str) -> Self {
        Self(name)
    }

    /// The name.
    pub const fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A family of message types that can be written and read in some formats, such as [`Buffa`] for generated messages.
///
/// Metadata, limits and compression are not its business: it sees one message and its bytes.
pub trait Codec<T>: 'static {
    /// Formats known, the preferred one first: what a server takes, and what a channel speaks unless it is told otherwise.
    const FORMATS: &'static [Format];

    /// Whether a channel may be told to speak `format`: one of `FORMATS`, for codecs that look at it.
    fn knows(format: Format) -> bool {
        Self::FORMATS.contains(&format)
    }

    /// How many bytes `value` takes, or a guess: what is reserved before writing.
    fn size_hint(format: Format, value: &T) -> usize;

    /// Appends `value` to `target`.
    ///
    /// # Errors
    /// What could not be written, in words for the developer of this side.
    fn encode(format: Format, value: &T, target: &mut BytesMut) -> Result<(), CodecFault>;

    /// Reads one message from the whole of `payload`.
    ///
    /// # Errors
    /// What is wrong with the bytes, in words for the developer of the other side.
    fn decode(format: Format, payload: Bytes) -> Result<T, CodecFault>;
}

/// Why a message could not be written or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodecFault {
    seen: String,
    unimplemented: bool,
}

impl CodecFault {
    /// A fault with what was seen.
    pub fn new(seen: impl fmt::Display) -> Self {
        Self { seen: seen.to_string(), unimplemented: false }
    }

    /// The fault of being asked for a format that is not in `FORMATS`.
    pub fn unknown_format(format: Format) -> Self {
        Self::new(format_args!("no codec for format {format}"))
    }

    /// The fault of a codec that names a format and cannot do it for these messages. Whoever meets it, the call ends in
    /// `Unimplemented`: neither the message nor this side is broken.
    pub fn unimplemented(seen: impl fmt::Display) -> Self {
        Self { unimplemented: true, ..Self::new(seen) }
    }

    /// The code of a call that ends by this fault; `otherwise` is whose fault it is in the usual case.
    fn code(&self, otherwise: Code) -> Code {
        if self.unimplemented { Code::Unimplemented } else { otherwise }
    }
}

/// What stands around a message on the wire, at most: room for it beside the message saves a second allocation.
pub(crate) const ENVELOPE_BYTES: usize = 16;

/// Appends `message` to `target`; `what` begins the error, such as "the response".
///
/// # Errors
/// `Internal`: a message that cannot be written is this side's fault; or what [`CodecFault::unimplemented`] says.
pub(crate) fn write<C: Codec<T>, T>(
    format: Format,
    what: &str,
    message: &T,
    target: &mut BytesMut,
) -> Result<(), Status> {
    C::encode(format, message, target).map_err(|fault| {
        Status::new(fault.code(Code::Internal), format!("{what} cannot be written as {format}: {fault}"))
    })
}

/// Reads the message in `payload`; `what` begins the error.
///
/// # Errors
/// `broken`, which says whose fault a payload is that cannot be read; or what [`CodecFault::unimplemented`] says.
pub(crate) fn read<C: Codec<T>, T>(
    format: Format,
    what: &str,
    broken: Code,
    payload: Bytes,
) -> Result<T, Status> {
    C::decode(format, payload)
        .map_err(|fault| Status::new(fault.code(broken), format!("{what} is not valid {format}: {fault}")))
}

impl fmt::Display for CodecFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.seen)
    }
}

impl std::error::Error for CodecFault {}

#[cfg(test)]
mod tests;
