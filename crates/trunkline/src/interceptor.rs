//! Interceptors: code of a user's own around every call, of every shape, on either side.
//!
//! An interceptor sees a call as what all shapes have in common: a stream of encoded messages in, a stream of encoded
//! messages out, metadata in both directions, and the facts of the call. So no shape can slip past it.
//!
//! ```
//! use trunkline::health::{Health, HealthCheckRequest, HealthClient};
//! use trunkline::interceptor::{Interceptor, Next, Payload};
//! use trunkline::{Code, Error, Request, Response, Result, Server, Streaming, testkit};
//!
//! /// Lets nobody in without a token.
//! struct Doorkeeper;
//!
//! impl Interceptor for Doorkeeper {
//!     async fn intercept(
//!         &self,
//!         request: Request<Streaming<Payload>>,
//!         next: Next<'_>,
//!     ) -> Result<Response<Streaming<Payload>>> {
//!         match request.metadata().value("authorization") {
//!             Some("Bearer secret") => next.run(request).await,
//!             _ => Err(Error::unauthenticated(format!("{} needs a token", next.context().spec().path))),
//!         }
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<()> {
//! let server = Server::new().service(Health::new().service()).intercept(Doorkeeper);
//! let client = HealthClient::new(testkit::pair(server));
//! let error = client.check(HealthCheckRequest::default()).await.unwrap_err();
//! assert_eq!(error.code(), Code::Unauthenticated);
//! let request = Request::new(HealthCheckRequest::default()).with_metadata("authorization", "Bearer secret")?;
//! client.check(request).await?;
//! # Ok(()) }
//! ```

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};

use crate::codec::{self, Codec, CodecFault, Format};
use crate::{CallContext, Code, Error, Request, Response, Result, Streaming};

/// Code around every call of a server or channel.
///
/// The first interceptor added is the outermost. On a server it runs after the protocol has accepted the head and before
/// any message is decoded; on a channel after the message is encoded and before the call is opened, so it may change
/// metadata, refuse, answer by itself, or run the rest more than once.
pub trait Interceptor: Send + Sync + 'static {
    /// Handles one call. `next.run(request)` is the rest of it: further interceptors, then the handler or the wire.
    ///
    /// On a unary call each stream has one message. Wrap streams with [`Streaming::map`] and [`Streaming::observe`]: they
    /// keep headers and trailers.
    fn intercept(
        &self,
        request: Request<Streaming<Payload>>,
        next: Next<'_>,
    ) -> impl Future<Output = Result<Response<Streaming<Payload>>>> + Send;
}

/// One message as bytes, with the format they are in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    bytes: Bytes,
    format: Format,
}

impl Payload {
    /// A payload of bytes that are in `format` already.
    pub fn new(format: Format, bytes: impl Into<Bytes>) -> Self {
        Self { bytes: bytes.into(), format }
    }

    /// The payload of a message, by a codec such as [`Buffa`](crate::codec::Buffa).
    ///
    /// # Errors
    /// `Internal` when the codec cannot write it, or what [`CodecFault::unimplemented`] says.
    pub fn encode<C: Codec<T>, T>(format: Format, message: &T) -> Result<Self> {
        let mut bytes = BytesMut::with_capacity(C::size_hint(format, message));
        codec::write::<C, T>(format, "the message", message, &mut bytes).map_err(Error::local)?;
        Ok(Self { bytes: bytes.freeze(), format })
    }

    /// The message, by a codec such as [`Buffa`](crate::codec::Buffa).
    ///
    /// # Errors
    /// `InvalidArgument` when the codec cannot read it, or what [`CodecFault::unimplemented`] says.
    pub fn decode<C: Codec<T>, T>(&self) -> Result<T> {
        self.read_as::<C, T>("the message", Code::InvalidArgument)
    }

    /// As [`decode`](Self::decode), with the words and the code for a message that comes from `what`.
    pub(crate) fn read_as<C: Codec<T>, T>(&self, what: &str, broken: Code) -> Result<T> {
        codec::read::<C, T>(self.format, what, broken, self.bytes.clone()).map_err(Error::local)
    }

    /// The bytes.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }
}

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
type Outcome = Result<Response<Streaming<Payload>>>;

/// What lies behind all interceptors.
pub(crate) type Terminal = dyn Fn(Request<Streaming<Payload>>) -> Boxed<'static, Outcome> + Send + Sync;

/// The rest of a call, as an interceptor sees it.
pub struct Next<'a> {
    rest: &'a [Arc<dyn Link>],
    terminal: &'a Terminal,
    context: &'a CallContext,
}

impl Next<'_> {
    /// Runs the rest of the call. It may be run again: [`Request::into_single`] reads the one message of a request, and
    /// [`Request::again`] makes a request of it for each run.
    ///
    /// A call that answers one message is over when this returns: the error is here, and [`Response::trailers`] has the
    /// trailers. Of a call that answers a stream the response has begun, and the stream has its end.
    ///
    /// # Errors
    /// What ended the call before a response began; for one that answers a single message whatever ended it.
    pub async fn run(&self, request: Request<Streaming<Payload>>) -> Result<Response<Streaming<Payload>>> {
        match self.rest.split_first() {
            Some((link, rest)) => {
                link.intercept(request, Next { rest, terminal: self.terminal, context: self.context }).await
            }
            None => (self.terminal)(request).await,
        }
    }

    /// The facts of the call: procedure, protocol, deadline, and on a server the peer.
    pub fn context(&self) -> &CallContext {
        self.context
    }
}

impl fmt::Debug for Next<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next")
            .field("interceptors", &self.rest.len())
            .field("context", &self.context)
            .finish()
    }
}

/// An interceptor whose future has been boxed.
trait Link: Send + Sync {
    fn intercept<'a>(&'a self, request: Request<Streaming<Payload>>, next: Next<'a>) -> Boxed<'a, Outcome>;
}

impl<I: Interceptor> Link for I {
    fn intercept<'a>(&'a self, request: Request<Streaming<Payload>>, next: Next<'a>) -> Boxed<'a, Outcome> {
        Box::pin(Interceptor::intercept(self, request, next))
    }
}

/// The interceptors of a server or channel, the outermost first.
#[derive(Clone, Default)]
pub(crate) struct Chain {
    links: Vec<Arc<dyn Link>>,
}

impl Chain {
    pub(crate) fn push(&mut self, interceptor: impl Interceptor) {
        self.links.push(Arc::new(interceptor));
    }

    /// These interceptors, with those of `inner` inside of them.
    pub(crate) fn and_then(&self, inner: &Self) -> Self {
        Self { links: self.links.iter().chain(&inner.links).cloned().collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Runs a call through all interceptors to `terminal`.
    pub(crate) async fn run(
        &self,
        context: &CallContext,
        request: Request<Streaming<Payload>>,
        terminal: &Terminal,
    ) -> Outcome {
        Next { rest: &self.links, terminal, context }.run(request).await
    }
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").field("interceptors", &self.links.len()).finish()
    }
}

/// The codec of payloads: they are encoded already.
pub(crate) struct Encoded;

impl Codec<Payload> for Encoded {
    const FORMATS: &'static [Format] = &[Format::PROTO, Format::JSON];

    fn size_hint(_: Format, value: &Payload) -> usize {
        value.bytes.len()
    }

    fn encode(format: Format, value: &Payload, target: &mut BytesMut) -> Result<(), CodecFault> {
        if value.format != format {
            return Err(CodecFault::new(format!("an interceptor made a payload in {}", value.format)));
        }
        target.extend_from_slice(&value.bytes);
        Ok(())
    }

    fn decode(format: Format, bytes: Bytes) -> Result<Payload, CodecFault> {
        Ok(Payload { bytes, format })
    }
}

#[cfg(test)]
mod tests;
