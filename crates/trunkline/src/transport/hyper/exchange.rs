//! One request and its response, whoever received the one and sends the other: our own server, or the application that
//! our service is mounted in.
//!
//! A call is polled once in place; only one that must wait becomes a task. That task is aborted when the response body is
//! dropped, which is what happens when the peer leaves. This module decides when a response may begin; what a reset in its
//! place looks like is for those who send it.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use http::Request;
use trunkline_wire::{RequestHead, ResponseHead};

use super::body::{PipeBody, Received, ReceivedBody};
use super::rest::Rest;
use crate::Limits;
use crate::context::Peer;
use crate::transport::memory::AbortOnDrop;
use crate::transport::pipe::{held_pipe, pipe};
use crate::transport::{Answer, Reset};

/// Answers one request.
///
/// # Errors
/// The reset that came in place of a response.
///
/// # Cancel safety
/// Dropping the future cancels the call.
pub(crate) async fn exchange<B: Received>(
    request: Request<B>,
    peer: &Peer,
    answer: &dyn Answer,
    limits: &Limits,
) -> Result<(ResponseHead, PipeBody), Reset> {
    let (parts, body) = request.into_parts();
    let head =
        RequestHead { method: parts.method, uri: parts.uri, version: parts.version, headers: parts.headers };
    let half_duplex = head.version < http::Version::HTTP_2;
    // On HTTP/2 a stream that nobody reads is reset, and the connection goes on.
    let incoming =
        ReceivedBody::new(body, half_duplex.then(|| Rest::new(limits))).with_extensions(parts.extensions);
    let over = incoming.over();
    let (writer, mut reader) = match half_duplex {
        true => held_pipe(limits.stream_buffer_bytes_max, limits.half_duplex_bytes_max, Arc::clone(&over)),
        false => pipe(limits.stream_buffer_bytes_max),
    };
    let mut call = answer.answer(head, peer, Box::new(incoming), Box::new(writer));
    let task = match poll_once(call.as_mut()).await {
        Poll::Ready(()) => None,
        Poll::Pending => Some(AbortOnDrop(tokio::spawn(call))),
    };
    let head = poll_fn(|cx| reader.poll_head(cx)).await?;
    if half_duplex {
        // A client of HTTP/1.1 reads when it has written: an answer before that could leave both sides writing, and
        // neither reading. A response that has ended waits for nothing more, whoever still holds the request.
        tokio::select! {
            () = over.wait() => {}
            () = poll_fn(|cx| reader.poll_ended(cx)) => {}
        }
        reader.release();
    }
    Ok((head, PipeBody::new(reader, task)))
}

/// The response of a head and a body.
pub(crate) fn response<B>(head: ResponseHead, body: B) -> http::Response<B> {
    let mut response = http::Response::new(body);
    *response.status_mut() = head.status;
    *response.headers_mut() = head.headers;
    response
}

/// Polls once, with this task's waker. A future that stays pending must be polled again by whoever takes it over.
async fn poll_once(mut call: Pin<&mut (dyn Future<Output = ()> + Send)>) -> Poll<()> {
    poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx))).await
}
