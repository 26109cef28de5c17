//! Requests: a message, or a stream of them, with metadata, and on the server with the facts of the call.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use futures_core::Stream;

use crate::client::SendCompression;
use crate::compress::Compression;
use crate::{CallContext, CallOptions, Metadata, Result, Streaming};

/// A request. It derefs to its message, so `request.name` reads the message's field.
///
/// On the client a bare message will do wherever a request is asked for; make a `Request` to add metadata or a timeout.
///
/// ```
/// use std::time::Duration;
/// use trunkline::Request;
///
/// # fn main() -> trunkline::Result<()> {
/// let request = Request::new("hello".to_owned())
///     .with_metadata("tenant", "blue")?
///     .with_timeout(Duration::from_secs(1));
/// assert_eq!(request.len(), 5);
/// assert_eq!(request.metadata().value("tenant"), Some("blue"));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Request<T> {
    message: T,
    metadata: Metadata,
    timeout: Option<Duration>,
    compression: SendCompression,
    context: Option<CallContext>,
}

impl<T> Request<T> {
    /// A request with empty metadata.
    pub fn new(message: T) -> Self {
        let compression = SendCompression::AsChannel;
        Self { message, metadata: Metadata::new(), timeout: None, compression, context: None }
    }

    pub(crate) fn received(message: T, metadata: Metadata, context: CallContext) -> Self {
        let compression = SendCompression::AsChannel;
        Self { message, metadata, timeout: None, compression, context: Some(context) }
    }

    pub(crate) fn sending(message: T, options: CallOptions, context: CallContext) -> Self {
        let CallOptions { metadata, timeout, compression } = options;
        Self { message, metadata, timeout, compression, context: Some(context) }
    }

    /// The same request with one more metadata value.
    ///
    /// # Errors
    /// As for [`Metadata::append`].
    pub fn with_metadata(mut self, key: &str, value: &str) -> Result<Self> {
        self.metadata.append(key, value)?;
        Ok(self)
    }

    /// The same request, to be answered within `timeout` from the moment the call starts.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The same request, its messages compressed by `compression` whatever the channel says. Those below
    /// `compress_bytes_min` stay as they are. A server that does not know it answers `Unimplemented`.
    ///
    /// ```
    /// use trunkline::{Request, compress::Gzip};
    ///
    /// let request = Request::new("long ".repeat(1000)).with_compression(Gzip::default());
    /// # drop(request);
    /// ```
    #[must_use]
    pub fn with_compression(mut self, compression: impl Compression) -> Self {
        self.compression = SendCompression::With(Arc::new(compression));
        self
    }

    /// The same request, sent as it is whatever the channel says: for what is compressed already, or secret.
    #[must_use]
    pub fn without_compression(mut self) -> Self {
        self.compression = SendCompression::Plain;
        self
    }

    /// The metadata: on the server what the caller sent, without the headers of HTTP and the protocol.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The metadata, to be changed.
    pub fn metadata_mut(&mut self) -> &mut Metadata {
        &mut self.metadata
    }

    /// The facts of the call; `None` for a request that has not been received.
    pub fn context(&self) -> Option<&CallContext> {
        self.context.as_ref()
    }

    /// The message.
    pub fn into_message(self) -> T {
        self.message
    }

    /// The same request with another message.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Request<U> {
        Request {
            message: change(self.message),
            metadata: self.metadata,
            timeout: self.timeout,
            compression: self.compression,
            context: self.context,
        }
    }

    pub(crate) fn into_call(self) -> (T, CallOptions) {
        let Self { message, metadata, timeout, compression, .. } = self;
        (message, CallOptions { metadata, timeout, compression })
    }
}

impl<T> Deref for Request<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.message
    }
}

impl<T> DerefMut for Request<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.message
    }
}

impl<T> From<T> for Request<T> {
    fn from(message: T) -> Self {
        Self::new(message)
    }
}

/// What can be sent where one message is asked for: the message, or a [`Request`] around it.
pub trait IntoRequest<T> {
    /// The request.
    fn into_request(self) -> Request<T>;
}

impl<T> IntoRequest<T> for T {
    fn into_request(self) -> Request<T> {
        Request::new(self)
    }
}

impl<T> IntoRequest<T> for Request<T> {
    fn into_request(self) -> Self {
        self
    }
}

/// What can be sent where many messages are asked for: a stream of messages, a [`Streaming`] (whose failure ends the
/// call with its code), or a [`Request`] around a `Streaming`.
///
/// ```
/// use trunkline::{IntoStreamingRequest, Request, Streaming};
///
/// fn given<T>(requests: impl IntoStreamingRequest<T>) {
///     drop(requests.into_streaming_request());
/// }
/// given::<u8>(Streaming::from_iter([1, 2, 3]));
/// given::<u8>(Request::new(Streaming::from_iter([1, 2, 3])));
/// ```
pub trait IntoStreamingRequest<T> {
    /// The request.
    fn into_streaming_request(self) -> Request<Streaming<T>>;
}

impl<T, S> IntoStreamingRequest<T> for S
where
    S: Stream + Send + 'static,
    S::Item: IntoStreamItem<T>,
    T: Send + 'static,
{
    fn into_streaming_request(self) -> Request<Streaming<T>> {
        Request::new(Streaming::from_items(self))
    }
}

/// What a stream of requests may consist of: messages, or results, of which an error ends the call with its code.
pub trait IntoStreamItem<T> {
    /// The item as a result.
    fn into_stream_item(self) -> Result<T>;
}

impl<T> IntoStreamItem<T> for T {
    fn into_stream_item(self) -> Result<T> {
        Ok(self)
    }
}

impl<T> IntoStreamItem<T> for Result<T> {
    fn into_stream_item(self) -> Self {
        self
    }
}

impl<T> IntoStreamingRequest<T> for Request<Streaming<T>> {
    fn into_streaming_request(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests;
