//! A server inside of an application, and an application inside of a server: both as [`tower_service::Service`], which is
//! what axum and hyper understand. Feature `tower`.
//!
//! [`Server::into_service`] makes a service of a whole server, to mount in axum or hyper beside routes of other kinds.
//! [`Server::fallback`] is the other way round: our server owns the port and hands on what is no call. This module decides
//! how requests and responses are turned into one another; it knows nothing of a protocol.
//!
//! # Mounted in axum
//!
//! ```no_run
//! use axum::{Router, routing::get};
//! use trunkline::{Server, health::Health};
//!
//! # async fn run() -> std::io::Result<()> {
//! let calls = Server::new().service(Health::new().service());
//! let app = Router::new()
//!     .route("/version", get(|| async { "1.0" }))
//!     .fallback_service(calls.into_service());
//! axum::serve(tokio::net::TcpListener::bind("127.0.0.1:8080").await?, app).await
//! # }
//! ```
//!
//! The connection is the application's, and so is all that concerns it: TLS, the shutdown, how many streams and how long
//! heads there may be. Of [`Limits`](crate::Limits) those hold that concern a call. gRPC needs HTTP/2, so axum's feature
//! `http2` must be on. A [`Peer`] among the extensions of the request is what handlers see as the peer.
//!
//! # Behind a server
//!
//! ```no_run
//! use axum::{Router, routing::get};
//! use trunkline::{Server, health::Health};
//!
//! # async fn run() -> trunkline::Result<()> {
//! let rest = Router::new().route("/version", get(|| async { "1.0" }));
//! Server::new().service(Health::new().service()).fallback(rest).serve("127.0.0.1:8080").await
//! # }
//! ```

mod fallback;

use std::convert::Infallible;
use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::{Frame, SizeHint};
use trunkline_wire::ResponseHead;

pub use tower_service::Service;

pub use self::fallback::RequestBody;
use crate::Peer;
use crate::server::Server;
use crate::transport::hyper::body::PipeBody;
use crate::transport::hyper::exchange::{exchange, response};
use crate::transport::hyper::fault;
use crate::transport::hyper::server::Shared;
use crate::transport::{Reset, ResetReason};

impl Server {
    /// Makes a service of this server, with all its protocols, pages and interceptors, to mount in an application.
    ///
    /// [`tls`](Self::tls) has no effect: the application holds the connection.
    pub fn into_service(self) -> Mounted {
        let dispatch = self.into_dispatch();
        let limits = Arc::new(dispatch.limits().clone());
        Mounted { shared: Arc::new(Shared { answer: Arc::new(dispatch), limits }) }
    }

    /// Hands requests on to `service` that are for nobody here: no procedure and no page has the path, and the request is
    /// no call. A call of an unknown procedure is still answered in its own protocol.
    ///
    /// A POST of `application/json` is a call when it names the version of the Connect protocol, as Connect's clients do;
    /// plain curl that has mistaken a path meets `service`.
    ///
    /// The service sees a [`Peer`] among the extensions of the request, beside what the HTTP connection has put there:
    /// `hyper::upgrade::on` works, for websockets and the like over HTTP/1.1. A shutdown waits for connections that were
    /// upgraded as it does for calls, and closes them after `drain_timeout`. A response over HTTP/1.1 begins when the request has
    /// been read or dropped, as all responses of this server do.
    pub fn fallback<S, B>(mut self, service: S) -> Self
    where
        S: Service<Request<RequestBody>, Response = Response<B>> + Clone + Send + Sync + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send,
        B: http_body::Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        self.fallback = Some(Arc::new(fallback::Fallback::new(service)));
        self
    }

    /// As [`fallback`](Self::fallback), for a service that answers calls itself: a router of tonic, or axum's with calls
    /// among its routes. Calls of procedures that this server does not have go there as well, and what it answers travels
    /// over Trunkline's engine; limits of connections, TLS and the shutdown are this server's.
    ///
    /// ```no_run
    /// # async fn run(greeter: axum::Router) -> trunkline::Result<()> {
    /// // In place of `tonic::transport::Server::builder().add_service(..).serve(..)`, where `greeter` is what
    /// // `tonic::service::Routes::new(..).into_axum_router()` gives:
    /// trunkline::Server::new().mount(greeter).serve("127.0.0.1:8080").await
    /// # }
    /// ```
    pub fn mount<S, B>(mut self, service: S) -> Self
    where
        S: Service<Request<RequestBody>, Response = Response<B>> + Clone + Send + Sync + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send,
        B: http_body::Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        self = self.fallback(service);
        self.takes_calls = true;
        self
    }
}

/// An error of whatever type.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// A whole server as a service, for requests with bodies of any type. Clones share it.
///
/// It needs no connection: a request is answered as it stands.
///
/// ```
/// use trunkline::tower::Service as _;
/// use trunkline::{Server, health::Health};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut service = Server::new().service(Health::new().service()).into_service();
/// let request = http::Request::post("/grpc.health.v1.Health/Check")
///     .header("content-type", "application/json")
///     .body(axum::body::Body::from("{}"))?;
/// assert_eq!(service.call(request).await?.status(), 200);
/// # Ok(()) }
/// ```
///
/// # Cost
/// A box for the request's body and one for the call; a task only for a call that must wait.
#[derive(Clone)]
pub struct Mounted {
    shared: Arc<Shared>,
}

/// A response in the making. Dropping it cancels the call.
pub struct ResponseFuture(Pin<Box<dyn Future<Output = Response<Body>> + Send>>);

/// The body of a response. Dropping it before its end cancels the call.
pub struct Body {
    /// None when there is nothing to say.
    pipe: Option<PipeBody>,
}

impl<B> Service<Request<B>> for Mounted
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    /// Always ready: what bounds the calls in flight is the application's connection.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> ResponseFuture {
        let shared = Arc::clone(&self.shared);
        let peer = request.extensions().get::<Peer>().cloned().unwrap_or_default();
        let request = request.map(Box::pin);
        ResponseFuture(Box::pin(async move {
            match exchange(request, &peer, &*shared.answer, &shared.limits).await {
                Ok((head, body)) => response(head, Body { pipe: Some(body) }),
                Err(reset) => response(head_for(reset.reason()), Body { pipe: None }),
            }
        }))
    }
}

/// What a reset in place of a response becomes, for a service without errors cannot reset a stream.
///
/// It is a status without a content type, which clients of every protocol must read as an error by their tables of HTTP
/// statuses. The status is that of the code ("Error Codes" of Connect). Of the codes that a reset can have, Connect's and
/// gRPC's tables lead back from it to the code for `unavailable` and `permission_denied`, and to another error for the rest.
fn head_for(reason: ResetReason) -> ResponseHead {
    ResponseHead { status: reason.code().http_status(), headers: HeaderMap::new() }
}

impl Future for ResponseFuture {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx).map(Ok)
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    /// hyper finds the code of RST_STREAM among its sources.
    type Error = Reset;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Reset>>> {
        let Some(pipe) = &mut self.pipe else { return Poll::Ready(None) };
        pipe.poll_piece(cx).map(|piece| piece.map(|frame| frame.map_err(|reset| with_code(&reset))))
    }

    fn is_end_stream(&self) -> bool {
        self.pipe.as_ref().is_none_or(http_body::Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.pipe.as_ref().map_or_else(|| SizeHint::with_exact(0), http_body::Body::size_hint)
    }
}

/// The reset with the error that makes hyper send its code, whatever layers are between.
fn with_code(reset: &Reset) -> Reset {
    let code = h2::Error::from(fault::code_of(reset.reason()));
    Reset::new(reset.reason(), reset.to_string()).with_source(code)
}

impl fmt::Debug for Mounted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mounted").field("limits", &self.shared.limits).finish_non_exhaustive()
    }
}

impl fmt::Debug for ResponseFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Body").field("bytes_left", &http_body::Body::size_hint(self).exact()).finish()
    }
}

#[cfg(test)]
mod tests;
