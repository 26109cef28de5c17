//! Which path leads to which handler.
//!
//! Generated code calls the functions here. A service can be written by hand just as well, which is the way to use a
//! codec of one's own, or none: here payloads are passed through as they are.
//!
//! ```
//! use std::sync::Arc;
//!
//! use bytes::Bytes;
//! use trunkline::codec::Raw;
//! use trunkline::server::{Routes, Service};
//! use trunkline::{Error, Procedure, Request, Response, Server, testkit};
//!
//! const ECHO: Procedure<Bytes, Bytes, Raw> = Procedure::unary("demo.v1.Pipe", "Echo", "/demo.v1.Pipe/Echo");
//!
//! struct Pipe;
//!
//! impl Service for Pipe {
//!     fn name(&self) -> &'static str {
//!         "demo.v1.Pipe"
//!     }
//!
//!     fn register(self, routes: &mut Routes) {
//!         routes.unary(&ECHO, &Arc::new(self), |_, request: Request<Bytes>| async move {
//!             Ok::<_, Error>(Response::new(request.into_message()))
//!         });
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Error> {
//! let channel = testkit::pair(Server::new().service(Pipe));
//! assert_eq!(channel.unary(&ECHO, Bytes::from_static(b"hi")).await?.into_message(), "hi");
//! # Ok(()) }
//! ```

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::call::{Call, serve_bidi, serve_client_stream, serve_server_stream, serve_unary};
use crate::codec::{Codec, Format};
use crate::interceptor::{Chain, Interceptor};
use crate::procedure::{Procedure, Spec};
use crate::reflection::File;
use crate::{Error, Request, Response, Result, Streaming};

#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a service",
    note = "wrap an implementation of a generated trait such as `Greet` in its server: `GreetServer::new(..)`"
)]
/// A service that a [`Server`](crate::Server) can serve. Generated code implements it for each `XServer`.
pub trait Service: Send + Sync + 'static {
    /// The full name, `package.Service`.
    fn name(&self) -> &'static str;

    /// The descriptors of its schema and of all that it imports, for reflection. Without a schema there are none.
    fn files(&self) -> &'static [File] {
        &[]
    }

    /// Adds its procedures.
    fn register(self, routes: &mut Routes)
    where
        Self: Sized;

    /// The same service with an interceptor around every call of it, inside of those added before and of those of the
    /// [`Server`](crate::Server), and around no other service.
    ///
    /// ```
    /// # use trunkline::interceptor::{Interceptor, Next, Payload};
    /// # use trunkline::{Request, Response, Result, Streaming};
    /// use trunkline::health::Health;
    /// use trunkline::server::{Server, Service};
    ///
    /// # struct Doorkeeper;
    /// # impl Interceptor for Doorkeeper {
    /// #     async fn intercept(&self, request: Request<Streaming<Payload>>, next: Next<'_>)
    /// #         -> Result<Response<Streaming<Payload>>> { next.run(request).await }
    /// # }
    /// # fn served(orders: impl Service) -> Server {
    /// // Whoever asks for our health needs no token.
    /// Server::new().service(orders.intercept(Doorkeeper)).service(Health::new().service())
    /// # }
    /// ```
    fn intercept<I: Interceptor>(self, interceptor: I) -> Intercepted<Self, I>
    where
        Self: Sized,
    {
        Intercepted { service: self, interceptor }
    }
}

/// A service with an interceptor around it; see [`Service::intercept`].
#[derive(Debug)]
#[must_use]
pub struct Intercepted<S, I> {
    service: S,
    interceptor: I,
}

impl<S: Service, I: Interceptor> Service for Intercepted<S, I> {
    fn name(&self) -> &'static str {
        self.service.name()
    }

    fn files(&self) -> &'static [File] {
        self.service.files()
    }

    fn register(self, routes: &mut Routes) {
        let mut inner = Chain::default();
        inner.push(self.interceptor);
        let mut own = Routes::default();
        self.service.register(&mut own);
        own.change_chains(|outer| outer.and_then(&inner));
        routes.entries.extend(own.entries);
        routes.drains.append(&mut own.drains);
    }
}

/// The procedures of a server, by path.
#[derive(Default)]
pub struct Routes {
    entries: HashMap<&'static str, Entry>,
    drains: Vec<Drain>,
}

/// What is run when the server begins to drain.
type Drain = Box<dyn Fn() + Send + Sync>;

/// What lies behind a path.
pub(crate) struct Entry {
    pub(crate) spec: Spec,
    pub(crate) formats: &'static [Format],
    pub(crate) chain: Arc<Chain>,
    pub(crate) handler: Handler,
}

/// A handler whose message types have been forgotten: it takes a call to the end of its response.
pub(crate) type Handler = Box<dyn Fn(Call) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

impl Routes {
    /// Adds a unary procedure.
    pub fn unary<S, Req, Res, C, E, F, Fut>(
        &mut self,
        procedure: &Procedure<Req, Res, C>,
        service: &Arc<S>,
        handler: F,
    ) where
        S: Send + Sync + 'static,
        Req: Send + 'static,
        Res: Send + 'static,
        C: Codec<Req> + Codec<Res>,
        E: Into<Error> + 'static,
        F: Fn(Arc<S>, Request<Req>) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<Response<Res>, E>> + Send + 'static,
    {
        let service = Arc::clone(service);
        self.insert::<C, Req>(
            procedure.spec(),
            Box::new(move |call| {
                let (service, handler) = (Arc::clone(&service), handler.clone());
                serve_unary::<C, Req, Res, E, Fut>(call, move |request| {
                    handler(Arc::clone(&service), request)
                })
            }),
        );
    }

    /// Adds a server-streaming procedure.
    pub fn server_stream<S, Req, Res, C, E, F, Fut>(
        &mut self,
        procedure: &Procedure<Req, Res, C>,
        service: &Arc<S>,
        handler: F,
    ) where
        S: Send + Sync + 'static,
        Req: Send + 'static,
        Res: Send + 'static,
        C: Codec<Req> + Codec<Res>,
        E: Into<Error> + 'static,
        F: Fn(Arc<S>, Request<Req>) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<Response<Streaming<Res>>, E>> + Send + 'static,
    {
        let service = Arc::clone(service);
        self.insert::<C, Req>(
            procedure.spec(),
            Box::new(move |call| {
                let (service, handler) = (Arc::clone(&service), handler.clone());
                serve_server_stream::<C, Req, Res, E, Fut>(call, move |request| {
                    handler(Arc::clone(&service), request)
                })
            }),
        );
    }

    /// Adds a client-streaming procedure.
    pub fn client_stream<S, Req, Res, C, E, F, Fut>(
        &mut self,
        procedure: &Procedure<Req, Res, C>,
        service: &Arc<S>,
        handler: F,
    ) where
        S: Send + Sync + 'static,
        Req: Send + 'static,
        Res: Send + 'static,
        C: Codec<Req> + Codec<Res>,
        E: Into<Error> + 'static,
        F: Fn(Arc<S>, Request<Streaming<Req>>) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<Response<Res>, E>> + Send + 'static,
    {
        let service = Arc::clone(service);
        self.insert::<C, Req>(
            procedure.spec(),
            Box::new(move |call| {
                let (service, handler) = (Arc::clone(&service), handler.clone());
                serve_client_stream::<C, Req, Res, E, Fut>(call, move |request| {
                    handler(Arc::clone(&service), request)
                })
            }),
        );
    }

    /// Adds a bidirectional procedure.
    pub fn bidi<S, Req, Res, C, E, F, Fut>(
        &mut self,
        procedure: &Procedure<Req, Res, C>,
        service: &Arc<S>,
        handler: F,
    ) where
        S: Send + Sync + 'static,
        Req: Send + 'static,
        Res: Send + 'static,
        C: Codec<Req> + Codec<Res>,
        E: Into<Error> + 'static,
        F: Fn(Arc<S>, Request<Streaming<Req>>) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<Response<Streaming<Res>>, E>> + Send + 'static,
    {
        let service = Arc::clone(service);
        self.insert::<C, Req>(
            procedure.spec(),
            Box::new(move |call| {
                let (service, handler) = (Arc::clone(&service), handler.clone());
                serve_bidi::<C, Req, Res, E, Fut>(call, move |request| handler(Arc::clone(&service), request))
            }),
        );
    }

    /// The last one registered for a path wins, as with any map of routes.
    fn insert<C: Codec<Req>, Req>(&mut self, spec: &Spec, handler: Handler) {
        let entry = Entry { spec: *spec, formats: C::FORMATS, chain: Arc::default(), handler };
        self.entries.insert(spec.path, entry);
    }

    /// Has `told` run when a shutdown begins, before the calls in flight are waited for.
    pub(crate) fn at_drain(&mut self, told: impl Fn() + Send + Sync + 'static) {
        self.drains.push(Box::new(told));
    }

    pub(crate) fn drain(&self) {
        self.drains.iter().for_each(|told| told());
    }

    /// Changes the interceptors of all procedures.
    pub(crate) fn change_chains(&mut self, change: impl Fn(&Chain) -> Chain) {
        for entry in self.entries.values_mut() {
            entry.chain = Arc::new(change(&entry.chain));
        }
    }

    pub(crate) fn find(&self, path: &str) -> Option<&Entry> {
        self.entries.get(path)
    }

    pub(crate) fn formats(&self) -> impl Iterator<Item = &'static [Format]> + '_ {
        self.entries.values().map(|entry| entry.formats)
    }
}

impl fmt::Debug for Routes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.entries.keys()).finish()
    }
}
