//! A server: services on one port, every protocol, until it is told to stop.

mod dispatch;
mod listen;
mod pulse;
mod routes;
mod target;
#[cfg(unix)]
mod unix;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use tokio::net::{TcpListener, ToSocketAddrs};

pub use self::listen::Bound;
pub use self::routes::{Intercepted, Routes, Service};
#[cfg(unix)]
pub use self::unix::BoundUnix;
use crate::compress::{self, Compressions};
use crate::interceptor::{Chain, Interceptor};
use crate::reflection::File;
use crate::transport::Http2;
use crate::{Error, Limits, Result};

pub(crate) use self::dispatch::Dispatch;

/// A server in the making. Add services, then [`serve`](Self::serve), or [`bind`](Self::bind) for the steps apart.
///
/// gRPC, gRPC-Web and Connect, HTTP/1.1 and HTTP/2 are all on, on the same port: nothing needs to be switched on.
/// A connection whose first bytes are neither is closed.
///
/// A stop that always returns, with calls in flight given `drain_timeout` to end:
///
/// ```no_run
/// # async fn run(greet: impl trunkline::server::Service, stop: tokio::sync::oneshot::Receiver<()>) -> trunkline::Result<()> {
/// let bound = trunkline::Server::new().service(greet).bind("127.0.0.1:0").await?;
/// println!("listening on {}", bound.local_address());
/// bound.serve_until(async { drop(stop.await) }).await;
/// # Ok(()) }
/// ```
///
/// The short form:
///
/// ```no_run
/// # async fn run(greet: impl trunkline::server::Service) -> trunkline::Result<()> {
/// trunkline::Server::new().service(greet).serve("127.0.0.1:8080").await
/// # }
/// ```
#[must_use]
pub struct Server {
    routes: Routes,
    services: Vec<&'static str>,
    files: Vec<&'static [File]>,
    pages: BTreeMap<String, Page>,
    limits: Limits,
    compressions: Arc<Compressions>,
    require_connect_version: bool,
    reflection: bool,
    chain: Chain,
    /// Only the feature `tower` has a way to set it.
    http2: Http2,
    handlers: Handlers,
    pub(crate) fallback: Option<Arc<dyn crate::transport::Answer>>,
    /// The fallback takes calls of unknown procedures as well.
    pub(crate) takes_calls: bool,
    #[cfg(feature = "tls")]
    tls: Option<crate::transport::tls::ServerTls>,
}

/// Where handlers run. Connections of the engine ([`Http2::Engine`]) know the difference; others spawn what must wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Handlers {
    /// A handler is polled once in the task of its connection, and becomes a task of its own only if it must wait. The
    /// cheapest way for handlers that answer at once, or wait.
    #[default]
    Inline,
    /// Each call is a task from the start. For handlers that compute for long, say a millisecond, before they first wait:
    /// the other calls of their connection go on meanwhile, on other threads.
    Spawned,
}

/// A page for people, answered to GET.
pub(crate) struct Page {
    pub(crate) content_type: String,
    pub(crate) body: Bytes,
}

impl Default for Server {
    fn default() -> Self {
        Self::new()
    }
}

impl Server {
    /// A server without services, with the default [`Limits`].
    pub fn new() -> Self {
        Self {
            routes: Routes::default(),
            services: Vec::new(),
            files: Vec::new(),
            pages: BTreeMap::new(),
            limits: Limits::default(),
            compressions: compress::all(),
            require_connect_version: false,
            reflection: false,
            chain: Chain::default(),
            http2: Http2::default(),
            handlers: Handlers::default(),
            fallback: None,
            takes_calls: false,
            #[cfg(feature = "tls")]
            tls: None,
        }
    }

    /// Adds a service. A later one with the same procedure takes its place.
    pub fn service(mut self, service: impl Service) -> Self {
        self.services.push(service.name());
        self.files.push(service.files());
        service.register(&mut self.routes);
        self
    }

    /// Adds server reflection, v1 and v1alpha, for all services of this server, whenever they are added.
    pub fn reflection(mut self) -> Self {
        self.reflection = true;
        self
    }

    /// Puts an interceptor around every call, inside of those added before. For one service only:
    /// [`Service::intercept`].
    pub fn intercept(mut self, interceptor: impl Interceptor) -> Self {
        self.chain.push(interceptor);
        self
    }

    /// Answers GET of `path` with a page. A procedure of the same path comes first.
    pub fn page(mut self, path: &str, content_type: &str, body: impl Into<Bytes>) -> Self {
        let page = Page { content_type: content_type.to_owned(), body: body.into() };
        self.pages.insert(path.to_owned(), page);
        self
    }

    /// Sets the limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Who speaks HTTP/2; Trunkline's own engine by default.
    pub fn http2(mut self, http2: Http2) -> Self {
        self.http2 = http2;
        self
    }

    /// Where handlers run; in their connection's task until they wait, by default.
    pub fn handlers(mut self, handlers: Handlers) -> Self {
        self.handlers = handlers;
        self
    }

    /// Sets the compressions known, in order of preference. All that are compiled in are the default.
    pub fn compressions(mut self, compressions: Compressions) -> Self {
        self.compressions = Arc::new(compressions);
        self
    }

    /// Refuses Connect requests that do not say their protocol version. Off by default, so that plain curl works.
    pub fn require_connect_version(mut self, require: bool) -> Self {
        self.require_connect_version = require;
        self
    }

    /// Serves TLS only.
    #[cfg(feature = "tls")]
    pub fn tls(mut self, tls: crate::transport::tls::ServerTls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// The full names of the services added, in order.
    pub fn service_names(&self) -> &[&'static str] {
        &self.services
    }

    /// Binds `address` and serves until the process ends.
    ///
    /// # Errors
    /// `Unavailable` when the address cannot be bound; the operating system's error is the source.
    pub async fn serve(self, address: impl ToSocketAddrs + fmt::Debug) -> Result<()> {
        self.bind(address).await?.serve().await;
        Ok(())
    }

    /// Binds `address` (port 0 for any free one). From now on connections wait in the listen queue.
    ///
    /// # Errors
    /// As for [`serve`](Self::serve).
    pub async fn bind(self, address: impl ToSocketAddrs + fmt::Debug) -> Result<Bound> {
        // An address given as text is printed as it was given.
        let name = format!("{address:?}").trim_matches('"').to_owned();
        let listener = TcpListener::bind(address).await.map_err(|error| {
            Error::unavailable(format!("cannot listen on {name}: {error}")).with_source(error)
        })?;
        self.listen(listener)
    }

    /// Serves a listener that the caller has bound.
    ///
    /// # Errors
    /// `Unavailable` when the listener cannot tell its address.
    pub fn listen(self, listener: TcpListener) -> Result<Bound> {
        Bound::new(listener, self.into_line())
    }

    /// Binds a Unix socket at `path`. Clients name it as `unix:/the/path`.
    ///
    /// # Errors
    /// `Unavailable` when the path cannot be bound, or another server answers there.
    #[cfg(unix)]
    pub async fn bind_unix(self, path: impl AsRef<std::path::Path>) -> Result<BoundUnix> {
        BoundUnix::bind(path.as_ref(), self.into_line()).await
    }

    fn into_line(self) -> listen::Line {
        #[cfg(feature = "tls")]
        let tls = self.tls.clone();
        let limits = Arc::new(self.limits.clone());
        let (http2, handlers) = (self.http2, self.handlers);
        let dispatch = Arc::new(self.into_dispatch());
        listen::Line::new(
            dispatch,
            limits,
            (http2, handlers),
            #[cfg(feature = "tls")]
            tls,
        )
    }

    pub(crate) fn into_dispatch(mut self) -> Dispatch {
        if self.reflection {
            self = crate::reflection::add_to(self);
        }
        Dispatch::new(self)
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &'static File> + '_ {
        self.files.iter().flat_map(|files| files.iter())
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("services", &self.services)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
