//! Requests: a message, or a stream of them, with metadata, and on the server with the facts of the call.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use futures_core::Stream;
use http::Extensions;
use tokio::time::Instant;

use crate::call::exactly_one;
use crate::client::SendCompression;
use crate::compress::Compression;
use crate::interceptor::Payload;
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
    options: CallOptions,
    context: Option<CallContext>,
}

impl<T> Request<T> {
    /// A request with empty metadata.
    pub fn new(message: T) -> Self {
        Self { message, options: CallOptions::new(), context: None }
    }

    pub(crate) fn received(message: T, metadata: Metadata, context: CallContext) -> Self {
        Self::sending(message, CallOptions { metadata, ..CallOptions::new() }, context)
    }

    pub(crate) fn sending(message: T, options: CallOptions, context: CallContext) -> Self {
        Self { message, options, context: Some(context) }
    }

    /// The same request with one more metadata value.
    ///
    /// # Errors
    /// As for [`Metadata::append`].
    pub fn with_metadata(mut self, key: &str, value: &str) -> Result<Self> {
        self.options.metadata.append(key, value)?;
        Ok(self)
    }

    /// The same request, to be answered within `timeout` from the moment the call starts.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.options = self.options.with_timeout(timeout);
        self
    }

    /// The same request, to be answered until `deadline`. With a timeout as well, its own or the channel's, the earlier end
    /// counts.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tokio::time::Instant;
    /// use trunkline::Request;
    ///
    /// // Several calls that shall be over together.
    /// let deadline = Instant::now() + Duration::from_secs(2);
    /// let requests = ["one", "two"].map(|name| Request::new(name.to_owned()).with_deadline(deadline));
    /// # drop(requests);
    /// ```
    #[must_use]
    pub fn with_deadline(mut self, deadline: Instant) -> Self {
        self.options = self.options.with_deadline(deadline);
        self
    }

    /// The same request, made to serve the call of `context`: it has until the deadline of that call, so that nobody works
    /// for a caller who has given up. Nothing else is handed on, metadata neither.
    ///
    /// ```
    /// # use trunkline::{Request, Response, Result, health::{HealthCheckRequest, HealthClient}};
    /// async fn ready(request: Request<String>, next: &HealthClient) -> Result<Response<bool>> {
    ///     let question = HealthCheckRequest { service: request.to_string(), ..Default::default() };
    ///     next.check(Request::new(question).within(request.context())).await?;
    ///     Ok(true.into())
    /// }
    /// ```
    #[must_use]
    pub fn within<'a>(mut self, context: impl Into<Option<&'a CallContext>>) -> Self {
        self.options = self.options.within(context);
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
        self.options.compression = SendCompression::With(Arc::new(compression));
        self
    }

    /// The same request, sent as it is whatever the channel says: for what is compressed already, or secret.
    #[must_use]
    pub fn without_compression(mut self) -> Self {
        self.options.compression = SendCompression::Plain;
        self
    }

    /// The metadata: on the server what the caller sent, without the headers of HTTP and the protocol.
    pub fn metadata(&self) -> &Metadata {
        &self.options.metadata
    }

    /// The metadata, to be changed.
    pub fn metadata_mut(&mut self) -> &mut Metadata {
        &mut self.options.metadata
    }

    /// Values that travel beside the request on this side of the wire, one of each type: what an interceptor of the server
    /// has found out for the handler, or what a caller tells the interceptors of its channel. They cost nothing unless used.
    ///
    /// ```
    /// use trunkline::{Error, Request, Response, Result};
    ///
    /// /// What an interceptor has put there by `request.extensions_mut().insert(User(..))`.
    /// #[derive(Clone)]
    /// struct User(String);
    ///
    /// async fn who(request: Request<String>) -> Result<Response<String>> {
    ///     let user = request.extensions().get::<User>().ok_or_else(|| Error::unauthenticated("who calls?"))?;
    ///     Ok(user.0.clone().into())
    /// }
    /// ```
    pub fn extensions(&self) -> &Extensions {
        &self.options.extensions
    }

    /// The values beside the request, to be changed.
    pub fn extensions_mut(&mut self) -> &mut Extensions {
        &mut self.options.extensions
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
        Request { message: change(self.message), options: self.options, context: self.context }
    }

    pub(crate) fn into_call(self) -> (T, CallOptions) {
        (self.message, self.options)
    }
}

impl Request<Streaming<Payload>> {
    /// The request with its one message read, for an interceptor that runs the rest of a call more than once, or wants to
    /// know the message first. [`again`](Request::again) makes of it what [`Next::run`](crate::interceptor::Next::run) takes.
    ///
    /// ```
    /// use trunkline::interceptor::{Interceptor, Next, Payload};
    /// use trunkline::{Code, Request, Response, Result, Streaming};
    ///
    /// /// Asks again where nobody was there to answer.
    /// struct Persistent;
    ///
    /// impl Interceptor for Persistent {
    ///     async fn intercept(
    ///         &self,
    ///         request: Request<Streaming<Payload>>,
    ///         next: Next<'_>,
    ///     ) -> Result<Response<Streaming<Payload>>> {
    ///         if next.context().spec().shape.client_streams() {
    ///             return next.run(request).await;
    ///         }
    ///         let request = request.into_single().await?;
    ///         for _ in 1..3 {
    ///             match next.run(request.again()).await {
    ///                 Err(error) if error.code() == Code::Unavailable => {}
    ///                 outcome => return outcome,
    ///             }
    ///         }
    ///         next.run(request.again()).await
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// What ended the stream; `Unimplemented` when it has no message, or more than one.
    pub async fn into_single(mut self) -> Result<Request<Payload>> {
        let payload = exactly_one(&mut self, "wants").await?;
        Ok(self.map(|_| payload))
    }
}

impl Request<Payload> {
    /// The request as [`Next::run`](crate::interceptor::Next::run) takes it, as often as it is wanted. The bytes are shared;
    /// metadata and all else are as they are now, and the deadline of the call stays.
    #[must_use]
    pub fn again(&self) -> Request<Streaming<Payload>> {
        Request {
            message: Streaming::from_iter([self.message.clone()]),
            options: self.options.clone(),
            context: self.context.clone(),
        }
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
