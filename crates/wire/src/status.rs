//! The outcome of a call that failed, as every protocol carries it.

use bytes::Bytes;
use http::HeaderMap;

use crate::Code;

/// Why a call failed: a code, a message for people, and typed details.
#[derive(Debug, Clone)]
pub struct Status {
    /// The code; never `Ok` in a failure that we make.
    pub code: Code,
    /// A message for developers, any UTF-8.
    pub message: String,
    /// Typed details, in order.
    pub details: Vec<Detail>,
    /// Metadata that travels with the error (trailers; for Connect unary, headers).
    pub metadata: HeaderMap,
}

/// One typed detail: a `google.protobuf.Any` whose payload is kept as bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    /// The full message name, without the `type.googleapis.com/` prefix.
    pub type_name: String,
    /// The serialised message.
    pub value: Bytes,
}

/// The longest message that is sent, in bytes. gRPC sends it as a header field, with up to three bytes for one, and a caller
/// refuses a head above its own limit: then the code would be lost with the message.
const MESSAGE_BYTES_MAX: usize = 8 * 1024;

impl Status {
    /// A status of `code` with `message`, without details or metadata.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Vec::new(), metadata: HeaderMap::new() }
    }

    /// The message as it is sent: at most [`MESSAGE_BYTES_MAX`] bytes of it.
    pub(crate) fn sent_message(&self) -> &str {
        let mut end = self.message.len().min(MESSAGE_BYTES_MAX);
        while !self.message.is_char_boundary(end) {
            end -= 1;
        }
        self.message.get(..end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
