//! Serves one connection over hyper: every request goes to the call room, every response comes out of a pipe.
//!
//! A call is polled once in place; only one that must wait becomes a task. That task is aborted when hyper drops the
//! response body, which it does when the peer leaves.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use trunkline_wire::{RequestHead, ResponseHead};

use super::body::{HyperIncoming, PipeBody};
use super::rest::Rest;
use super::{fault, http1_buffer_bytes};
use crate::Limits;
use crate::context::Peer;
use crate::transport::Answer;
use crate::transport::memory::AbortOnDrop;
use crate::transport::pipe::{held_pipe, pipe};
use crate::transport::sniff::Spoken;

/// What every connection of a server shares.
pub(crate) struct Shared {
    pub(crate) answer: Arc<dyn Answer>,
    pub(crate) limits: Arc<Limits>,
}

/// Serves `io` until the peer closes it, or, after `shutdown` is ready, until the calls in flight have ended.
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
    let io = TokioIo::new(io);
    let mut shutdown = pin!(shutdown);
    // An error here is the peer's or the network's: the calls in flight have been told, there is nobody else to tell.
    match spoken {
        Spoken::Http1 => {
            let mut builder = http1::Builder::new();
            builder.timer(TokioTimer::new()).header_read_timeout(limits.head_timeout);
            builder.max_buf_size(http1_buffer_bytes(&limits));
            let mut connection = pin!(builder.serve_connection(io, service));
            tokio::select! {
                _ = connection.as_mut() => return,
                () = shutdown.as_mut() => connection.as_mut().graceful_shutdown(),
            }
            let _ = connection.await;
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
            let mut connection = pin!(builder.serve_connection(io, service));
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
    let (parts, body) = request.into_parts();
    let head =
        RequestHead { method: parts.method, uri: parts.uri, version: parts.version, headers: parts.headers };
    let half_duplex = head.version < http::Version::HTTP_2;
    let limits = &shared.limits;
    // On HTTP/2 a stream that nobody reads is reset, and the connection goes on.
    let incoming = HyperIncoming::new(body, half_duplex.then(|| Rest::new(limits)));
    let over = incoming.over();
    let (writer, mut reader) = match half_duplex {
        true => held_pipe(limits.stream_buffer_bytes_max, limits.half_duplex_bytes_max),
        false => pipe(limits.stream_buffer_bytes_max),
    };
    let mut call = shared.answer.answer(head, &peer, Box::new(incoming), Box::new(writer));
    let task = match poll_once(call.as_mut()).await {
        Poll::Ready(()) => None,
        Poll::Pending => Some(AbortOnDrop(tokio::spawn(call))),
    };
    let head = poll_fn(|cx| reader.poll_head(cx)).await.map_err(|reset| fault::code_of(reset.reason()))?;
    if half_duplex {
        // A client of HTTP/1.1 reads when it has written: an answer before that could leave both sides writing, and
        // neither reading. A response that has ended waits for nothing more, whoever still holds the request.
        tokio::select! {
            () = over.wait() => {}
            () = poll_fn(|cx| reader.poll_ended(cx)) => {}
        }
        reader.release();
    }
    Ok(response(head, PipeBody::new(reader, task)))
}

fn response(head: ResponseHead, body: PipeBody) -> Response {
    let mut response = hyper::Response::new(body);
    *response.status_mut() = head.status;
    *response.headers_mut() = head.headers;
    response
}

/// Polls once, with this task's waker. A future that stays pending must be polled again by whoever takes it over.
async fn poll_once(mut call: Pin<&mut (dyn Future<Output = ()> + Send)>) -> Poll<()> {
    poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx))).await
}
