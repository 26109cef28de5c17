//! A client's connections over hyper: one shared HTTP/2 connection, or a pool of HTTP/1.1 ones, made when needed and
//! again when lost.
//!
//! Which connection a call takes:
//!
//! | spoken | connections | a call takes |
//! |---|---|---|
//! | HTTP/2 | one; the calls that arrive while it is being made wait for it | that one |
//! | HTTP/1.1 | as many as calls are in flight, kept up to `idle_connections_max` | one that is free, or a new one |
//! | by ALPN | the first one decides for all that follow | as above |
//!
//! A request that never left, because the kept connection turned out closed, goes once more on a new one. A request that
//! may have left is never repeated: only the caller knows whether that does harm.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use http::{HeaderValue, Uri, Version};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use trunkline_wire::{RequestHead, ResponseHead};

use super::body::{PipeBody, ReceivedBody};
use super::{fault, http1_buffer_bytes};
use crate::Limits;
use crate::transport::engine::client::{Call, Handle, Outcome};
use crate::transport::memory::AbortOnDrop;
use crate::transport::pipe::pipe;
use crate::transport::{Driving, Http2, Incoming, Opened, Reset, ResetReason, Transport};

/// Which HTTP a channel speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speak {
    /// HTTP/1.1.
    Http1,
    /// HTTP/2, in clear text by prior knowledge.
    Http2,
    /// What TLS agrees on by ALPN.
    Negotiated,
}

/// Where a channel connects to, and how.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) speak: Speak,
    pub(crate) http2: Http2,
    /// The Unix socket to connect to, in place of host and port.
    #[cfg(unix)]
    pub(crate) socket: Option<std::path::PathBuf>,
    #[cfg(feature = "tls")]
    pub(crate) tls: Option<crate::transport::tls::Connector>,
}

/// The transport of a channel to one endpoint.
pub(crate) struct HyperTransport {
    pool: Arc<Pool>,
}

impl HyperTransport {
    pub(crate) fn new(endpoint: Endpoint, limits: Arc<Limits>) -> Self {
        let http1_only = AtomicBool::new(endpoint.speak == Speak::Http1);
        let pool = Pool {
            endpoint,
            limits,
            http1_only,
            shared: tokio::sync::Mutex::default(),
            handles: Mutex::default(),
            idle: Mutex::default(),
        };
        Self { pool: Arc::new(pool) }
    }

    /// Connects now, so that a wrong address shows before the first call.
    ///
    /// # Errors
    /// DNS, TCP, TLS or the HTTP/2 handshake failed.
    pub(crate) async fn connect(&self) -> Result<(), Reset> {
        match self.pool.checkout().await? {
            Sender::Http1(sender) => self.pool.give_back(sender),
            Sender::Http2(_) | Sender::Engine(_) => {}
        }
        Ok(())
    }
}

impl Transport for HyperTransport {
    fn version(&self) -> Version {
        if self.pool.http1_only.load(Ordering::Relaxed) { Version::HTTP_11 } else { Version::HTTP_2 }
    }

    fn open(&self, head: RequestHead, driving: Driving) -> Opened {
        if self.pool.endpoint.http2 == Http2::Engine {
            return self.open_call(head, driving);
        }
        let (writer, reader) = pipe(self.pool.limits.stream_buffer_bytes_max);
        let send = Arc::clone(&self.pool).send(head, PipeBody::new(reader, None), None);
        let response: crate::transport::ResponseFuture = match driving {
            Driving::ByCaller => Box::pin(send),
            Driving::ByTransport => Box::pin(detached(AbortOnDrop(tokio::spawn(send)))),
        };
        Opened { outgoing: Box::new(writer), response }
    }
}

impl HyperTransport {
    /// Opens a call that the engine carries, or HTTP/1.1 if that is what the server turns out to speak.
    fn open_call(&self, head: RequestHead, driving: Driving) -> Opened {
        let (call, outgoing) = Call::new(self.pool.limits.stream_buffer_bytes_max);
        let (pool, head) = (Arc::clone(&self.pool), Box::new(head));
        let response: crate::transport::ResponseFuture = match pool.submit_at_once(head, &call) {
            Ok(()) => Box::pin(pool.finish_call(call)),
            Err(head) => {
                let send = pool.send_call(head, call, 1);
                match driving {
                    Driving::ByCaller => Box::pin(send),
                    Driving::ByTransport => Box::pin(detached(AbortOnDrop(tokio::spawn(send)))),
                }
            }
        };
        Opened { outgoing: Box::new(outgoing), response }
    }
}

type Response = (ResponseHead, Box<dyn Incoming>);

/// The response that a task waits for; the task ends when this is dropped.
async fn detached(task: AbortOnDrop<Result<Response, Reset>>) -> Result<Response, Reset> {
    task.await.unwrap_or_else(|error| {
        Err(Reset::new(ResetReason::Broken, "the task of the call ended early").with_source(error))
    })
}

struct Pool {
    endpoint: Endpoint,
    limits: Arc<Limits>,
    /// HTTP/1.1 was asked for, or negotiated by the first connection.
    http1_only: AtomicBool,
    /// The HTTP/2 connection that all calls share. The lock is held while connecting, so that calls wait for one
    /// connection instead of making many.
    shared: tokio::sync::Mutex<Option<http2::SendRequest<PipeBody>>>,
    idle: Mutex<Vec<http1::SendRequest<PipeBody>>>,
    /// The connections of the engine.
    handles: Mutex<Vec<Arc<Handle>>>,
}

enum Sender {
    Http1(http1::SendRequest<PipeBody>),
    Http2(http2::SendRequest<PipeBody>),
    Engine(Arc<Handle>),
}

/// A kept connection may turn out closed just when it is used; a request that never left goes once more, on a new one.
const ATTEMPTS_MAX: usize = 2;

impl Pool {
    /// Takes a call to a connection that is there and has room.
    ///
    /// # Errors
    /// The head again: there is none.
    fn submit_at_once(&self, head: Box<RequestHead>, call: &Call) -> Result<(), Box<RequestHead>> {
        match self.ready_handle() {
            Some(handle) => handle.submit(head, call),
            None => Err(head),
        }
    }

    /// Waits for the response of a call that a connection has; one that never left goes to another.
    async fn finish_call(self: Arc<Self>, call: Call) -> Result<Response, Reset> {
        match call.outcome().await? {
            Outcome::Response(head, body) => Ok((head, body)),
            // Boxed, since it is rare and as large as a call.
            Outcome::Unsent(head, call) => Box::pin(self.send_call(head, call, 2)).await,
        }
    }

    /// Takes a call to a connection, which is made if need be.
    async fn send_call(
        self: Arc<Self>,
        mut head: Box<RequestHead>,
        mut call: Call,
        first_attempt: usize,
    ) -> Result<Response, Reset> {
        for _ in first_attempt..=ATTEMPTS_MAX {
            match self.checkout().await? {
                Sender::Engine(handle) => match handle.submit(head, &call) {
                    Ok(()) => match call.outcome().await? {
                        Outcome::Response(head, body) => return Ok((head, body)),
                        Outcome::Unsent(again, same) => (head, call) = (again, same),
                    },
                    Err(again) => head = again,
                },
                sender @ Sender::Http1(_) => {
                    let body = PipeBody::of_cell(call.reader(self.limits.stream_buffer_bytes_max));
                    return self.send(*head, body, Some(sender)).await;
                }
                Sender::Http2(_) => break,
            }
        }
        let message = "the request never left: each connection ended before it could take it";
        Err(Reset::new(ResetReason::ConnectionLost, message))
    }

    /// The connection of the engine with the least to do. `None` when a new one would be better.
    fn ready_handle(&self) -> Option<Arc<Handle>> {
        let mut handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner);
        handles.retain(|handle| handle.is_open());
        let least = handles.iter().min_by_key(|handle| handle.load())?;
        (least.has_room() || handles.len() >= self.limits.client_connections_max).then(|| Arc::clone(least))
    }

    /// Sends a request over hyper, at first on `sender` if there is one.
    async fn send(
        self: Arc<Self>,
        head: RequestHead,
        body: PipeBody,
        mut sender: Option<Sender>,
    ) -> Result<Response, Reset> {
        let mut request = hyper::Request::new(body);
        *request.method_mut() = head.method;
        *request.uri_mut() = head.uri;
        *request.headers_mut() = head.headers;
        for attempt in 1.. {
            let sender = match sender.take() {
                Some(sender) => sender,
                None => self.checkout().await?,
            };
            let error = match sender {
                Sender::Http1(sender) => match self.send_http1(sender, request).await {
                    Ok(response) => return Ok(response),
                    Err(error) => error,
                },
                Sender::Http2(sender) => match send_http2(sender, request).await {
                    Ok(response) => return Ok(response),
                    Err(error) => error,
                },
                Sender::Engine(_) => {
                    let message = "the server speaks HTTP/1.1 at one time and HTTP/2 at another";
                    return Err(Reset::new(ResetReason::Broken, message));
                }
            };
            match error {
                (Some(unsent), _) if attempt < ATTEMPTS_MAX => request = *unsent,
                (_, error) => return Err(fault::reset_from("the request failed", error)),
            }
        }
        unreachable!("the loop returns at the last attempt")
    }

    async fn send_http1(
        &self,
        mut sender: http1::SendRequest<PipeBody>,
        mut request: hyper::Request<PipeBody>,
    ) -> Result<Response, Failed> {
        let uri = request.uri().clone();
        to_origin_form(&mut request);
        let sent = sender.try_send_request(request);
        // The connection is busy until the response has been read; until then `checkout` passes it over.
        self.give_back(sender);
        sent.await.map(received).map_err(|mut error| {
            let unsent = error.take_message().map(|mut request| {
                *request.uri_mut() = uri;
                Box::new(request)
            });
            (unsent, error.into_error())
        })
    }

    fn give_back(&self, sender: http1::SendRequest<PipeBody>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < self.limits.idle_connections_max {
            idle.push(sender);
        }
    }

    fn take_idle(&self) -> Option<http1::SendRequest<PipeBody>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|sender| !sender.is_closed());
        let ready = idle.iter().position(http1::SendRequest::is_ready)?;
        Some(idle.swap_remove(ready))
    }

    async fn checkout(&self) -> Result<Sender, Reset> {
        if self.http1_only.load(Ordering::Acquire) {
            return match self.take_idle() {
                Some(sender) => Ok(Sender::Http1(sender)),
                None => self.connect().await,
            };
        }
        if let Some(handle) = self.ready_handle() {
            return Ok(Sender::Engine(handle));
        }
        let mut shared = self.shared.lock().await;
        // Another call may have made one meanwhile.
        if let Some(handle) = self.ready_handle() {
            return Ok(Sender::Engine(handle));
        }
        if let Some(sender) = shared.as_ref().filter(|sender| !sender.is_closed()) {
            return Ok(Sender::Http2(sender.clone()));
        }
        let sender = self.connect().await?;
        match &sender {
            Sender::Http2(sender) => *shared = Some(sender.clone()),
            Sender::Engine(handle) => {
                self.handles.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(handle));
            }
            Sender::Http1(_) => self.http1_only.store(true, Ordering::Release),
        }
        Ok(sender)
    }

    async fn connect(&self) -> Result<Sender, Reset> {
        let Endpoint { host, port, .. } = &self.endpoint;
        let limit = self.limits.connect_timeout;
        // Boxed, since a TLS handshake is 16 KiB of state that only the first call of a connection needs.
        let connected = tokio::time::timeout(limit, Box::pin(self.connect_without_limit())).await;
        connected.unwrap_or_else(|_| {
            let message =
                format!("cannot connect to {host}:{port}: no answer within connect_timeout ({limit:?})");
            Err(Reset::new(ResetReason::ConnectionLost, message))
        })
    }

    async fn connect_without_limit(&self) -> Result<Sender, Reset> {
        let Endpoint { host, port, speak, .. } = &self.endpoint;
        #[cfg(unix)]
        if let Some(path) = &self.endpoint.socket {
            let stream = tokio::net::UnixStream::connect(path).await.map_err(|error| {
                let message = format!("cannot connect to unix:{}: {error}", path.display());
                Reset::new(ResetReason::ConnectionLost, message).with_source(error)
            })?;
            return match speak {
                Speak::Http1 => self.handshake_http1(stream).await,
                Speak::Http2 | Speak::Negotiated => self.handshake_http2(stream).await,
            };
        }
        let bare_host = host.trim_start_matches('[').trim_end_matches(']');
        let tcp = TcpStream::connect((bare_host, *port)).await.map_err(|error| {
            let message = format!("cannot connect to {host}:{port}: {error}");
            Reset::new(ResetReason::ConnectionLost, message).with_source(error)
        })?;
        // Small messages shall leave at once; failing to say so costs only delay.
        let _ = tcp.set_nodelay(true);
        #[cfg(feature = "tls")]
        if let Some(connector) = &self.endpoint.tls {
            let (stream, negotiated_http2) = connector.handshake(bare_host, tcp).await.map_err(|error| {
                let hint = crate::transport::tls::hint(&error);
                let message = format!("TLS handshake with {host}:{port} failed: {error}{hint}");
                Reset::new(ResetReason::ConnectionLost, message).with_source(error)
            })?;
            return match (speak, negotiated_http2) {
                (Speak::Http2, false) => {
                    let message =
                        format!("{host}:{port} does not speak HTTP/2: it did not choose h2 by ALPN");
                    Err(Reset::new(ResetReason::ConnectionLost, message))
                }
                (Speak::Http2 | Speak::Negotiated, true) => self.handshake_http2(stream).await,
                _ => self.handshake_http1(stream).await,
            };
        }
        match speak {
            Speak::Http1 => self.handshake_http1(tcp).await,
            Speak::Http2 | Speak::Negotiated => self.handshake_http2(tcp).await,
        }
    }

    async fn handshake_http2<I>(&self, io: I) -> Result<Sender, Reset>
    where
        I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        if self.endpoint.http2 == Http2::Engine {
            return Ok(Sender::Engine(Handle::connect(io, &self.limits)));
        }
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .max_header_list_size(self.limits.metadata_bytes_max)
            .initial_stream_window_size(self.limits.stream_window_bytes)
            .initial_connection_window_size(self.limits.connection_window_bytes);
        let handshake = builder.handshake(TokioIo::new(io)).await;
        let (sender, connection) =
            handshake.map_err(|error| fault::reset_from("the HTTP/2 handshake failed", error))?;
        // Each call learns of the end of the connection by itself.
        tokio::spawn(async move { drop(connection.await) });
        Ok(Sender::Http2(sender))
    }

    async fn handshake_http1<I>(&self, io: I) -> Result<Sender, Reset>
    where
        I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (sender, connection) = http1::Builder::new()
            .max_buf_size(http1_buffer_bytes(&self.limits))
            .handshake(TokioIo::new(io))
            .await
            .map_err(|error| fault::reset_from("the HTTP/1.1 connection failed", error))?;
        tokio::spawn(async move { drop(connection.await) });
        Ok(Sender::Http1(sender))
    }
}

/// A request that failed: the request again if it never left, and why.
type Failed = (Option<Box<hyper::Request<PipeBody>>>, hyper::Error);

async fn send_http2(
    mut sender: http2::SendRequest<PipeBody>,
    request: hyper::Request<PipeBody>,
) -> Result<Response, Failed> {
    if let Err(error) = sender.ready().await {
        return Err((Some(Box::new(request)), error));
    }
    sender.try_send_request(request).await.map(received).map_err(|mut error| {
        let unsent = error.take_message().map(Box::new);
        (unsent, error.into_error())
    })
}

fn received(response: hyper::Response<hyper::body::Incoming>) -> Response {
    let (parts, body) = response.into_parts();
    let head = ResponseHead { status: parts.status, headers: parts.headers };
    (head, Box::new(ReceivedBody::new(body, None)))
}

/// HTTP/1.1 names the authority in `host`, and only path and query in the request line (RFC 9112, 3.2.1).
fn to_origin_form(request: &mut hyper::Request<PipeBody>) {
    let uri = request.uri().clone();
    if let Some(authority) = uri.authority()
        && let Ok(host) = HeaderValue::from_str(authority.as_str())
    {
        request.headers_mut().insert(http::header::HOST, host);
    }
    if let Some(path) = uri.path_and_query() {
        *request.uri_mut() = Uri::from(path.clone());
    }
}
