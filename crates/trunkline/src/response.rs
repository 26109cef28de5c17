//! Responses: a message, or a stream of them, with headers and trailers.

use std::ops::{Deref, DerefMut};

use crate::{Metadata, Result};

/// A response. It derefs to its message, so `reply.text` reads the message's field.
///
/// A handler that has nothing to add can say `Ok(message.into())`.
///
/// ```
/// use trunkline::Response;
///
/// # fn main() -> trunkline::Result<()> {
/// let response = Response::new("hi".to_owned()).with_metadata("cache", "miss")?.with_trailer("cost", "3")?;
/// assert_eq!(response.metadata().value("cache"), Some("miss"));
/// assert_eq!(response.trailers().value("cost"), Some("3"));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Response<T> {
    message: T,
    metadata: Metadata,
    trailers: Metadata,
    /// The compression that the handler chose; `identity` for none.
    compression: Option<&'static str>,
}

/// The name of no compression.
const IDENTITY: &str = "identity";

impl<T> Response<T> {
    /// A response without metadata.
    pub fn new(message: T) -> Self {
        Self::received(message, Metadata::new(), Metadata::new())
    }

    pub(crate) fn received(message: T, metadata: Metadata, trailers: Metadata) -> Self {
        Self { message, metadata, trailers, compression: None }
    }

    /// The same response with one more header.
    ///
    /// # Errors
    /// As for [`Metadata::append`].
    pub fn with_metadata(mut self, key: &str, value: &str) -> Result<Self> {
        self.metadata.append(key, value)?;
        Ok(self)
    }

    /// The same response with one more trailer.
    ///
    /// # Errors
    /// As for [`Metadata::append`].
    pub fn with_trailer(mut self, key: &str, value: &str) -> Result<Self> {
        self.trailers.append(key, value)?;
        Ok(self)
    }

    /// The same response, its messages compressed by the compression of this name, such as `gzip`, when the server knows
    /// it and the caller accepts it. Otherwise, and without this, by what they agreed on. Messages below
    /// `compress_bytes_min` stay as they are.
    #[must_use]
    pub fn with_compression(mut self, name: &'static str) -> Self {
        self.compression = Some(name);
        self
    }

    /// The same response, sent as it is: for what is compressed already, or holds a secret beside what a caller can
    /// choose, whose length would tell of it.
    #[must_use]
    pub fn without_compression(self) -> Self {
        self.with_compression(IDENTITY)
    }

    pub(crate) fn compression(&self) -> Option<&'static str> {
        self.compression
    }

    /// The headers, sent before the first message.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The headers, to be changed.
    pub fn metadata_mut(&mut self) -> &mut Metadata {
        &mut self.metadata
    }

    /// The trailers, sent after the last message. For a stream that is being received they are in
    /// [`Streaming::trailers`](crate::Streaming::trailers).
    pub fn trailers(&self) -> &Metadata {
        &self.trailers
    }

    /// The trailers, to be changed.
    pub fn trailers_mut(&mut self) -> &mut Metadata {
        &mut self.trailers
    }

    /// The message.
    pub fn into_message(self) -> T {
        self.message
    }

    /// The same response with another message.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Response<U> {
        let Self { message, metadata, trailers, compression } = self;
        Response { message: change(message), metadata, trailers, compression }
    }

    /// Message, headers and trailers.
    pub fn into_parts(self) -> (T, Metadata, Metadata) {
        (self.message, self.metadata, self.trailers)
    }
}

impl<T> Deref for Response<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.message
    }
}

impl<T> DerefMut for Response<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.message
    }
}

impl<T> From<T> for Response<T> {
    fn from(message: T) -> Self {
        Self::new(message)
    }
}

#[cfg(test)]
mod tests;
