//! Serves one connection over hyper: every request goes to the call room, every response comes out of a pipe.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};

use super::body::PipeBody;
use super::exchange::{exchange, response};
use super::lent::lend;
use super::{fault, http1_buffer_bytes};
use crate::Limits;
use crate::context::Peer;
use crate::transport::Answer;
use crate::transport::sniff::Spoken;

/// What every connection of a server shares.
pub(crate) struct Shared {
    pub(crate) answer: Arc<dyn Answer>,
    pub(crate) limits: Arc<Limits>,
}

/// Serves `io` until the peer closes it, or, after `shutdown` is ready, until the calls in flight have ended. A connection
/// that an application has upgraded is served until that lets go of it.
pub(crate) async fn serve_connection<I>(
    io: I,
    spoken: Spoken,
    peer: Peer,
    shared: Arc<Shared>,
    shutdown: impl Future<Output = ()> + Send,
) where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let limits = Arc::clone(&shared.limits);
    let peer = Arc::new(peer);
    let service = service_fn(move |request| handle(request, Arc::clone(&peer), Arc::clone(&shared)));
    let mut shutdown = pin!(shutdown);
    // An error here is the peer's or the network's: the calls in flight have been told, there is nobody else to tell.
    match spoken {
        Spoken::Http1 => {
            let (io, lender) = lend(io);
            let mut builder = http1::Builder::new();
            builder.timer(TokioTimer::new()).header_read_timeout(limits.head_timeout);
            builder.max_buf_size(http1_buffer_bytes(&limits));
            {
                let connection = builder.serve_connection(TokioIo::new(io), service).with_upgrades();
                let mut connection = pin!(connection);
                tokio::select! {
                    _ = connection.as_mut() => {}
                    () = shutdown.as_mut() => {
                        connection.as_mut().graceful_shutdown();
                        let _ = connection.await;
                    }
                }
            }
            // At once, unless the connection has been upgraded.
            lender.returned().await;
        }
        Spoken::Http2 => {
            let mut builder = http2::Builder::new(TokioExecutor::new());
            builder
                .timer(TokioTimer::new())
                .keep_alive_interval(limits.ping_interval)
                .keep_alive_timeout(limits.ping_timeout)
                .max_concurrent_streams(limits.streams_max)
                // A caller that leaves a burst of calls must not take the others on its connection with it.
                .max_pending_accept_reset_streams(limits.streams_max as usize)
                .max_header_list_size(limits.metadata_bytes_max)
                .initial_stream_window_size(limits.stream_window_bytes)
                .initial_connection_window_size(limits.connection_window_bytes);
            let mut connection = pin!(builder.serve_connection(TokioIo::new(io), service));
            tokio::select! {
                _ = connection.as_mut() => return,
                () = shutdown.as_mut() => connection.as_mut().graceful_shutdown(),
            }
            let _ = connection.await;
        }
    }
}

type Request = hyper::Request<hyper::body::Incoming>;
type Response = hyper::Response<PipeBody>;

/// Answers one request. An error makes hyper reset the stream with its code, or close an HTTP/1.1 connection.
async fn handle(request: Request, peer: Arc<Peer>, shared: Arc<Shared>) -> Result<Response, h2::Error> {
    let exchanged = exchange(request, &peer, &*shared.answer, &shared.limits).await;
    let (head, body) = exchanged.map_err(|reset| fault::code_of(reset.reason()))?;
    Ok(response(head, body))
}
