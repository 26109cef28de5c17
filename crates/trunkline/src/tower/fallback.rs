//! A tower service as the one who answers: its response is written as any other, with the same credit and the same end.
//! It decides what becomes of a service that fails or panics, and knows no protocol.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use bytes::{BufMut, Bytes};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use http_body::{Body, Frame};
use tower_service::Service;
use trunkline_wire::{RequestHead, ResponseHead};

use super::BoxError;
use crate::call::caught;
use crate::context::Peer;
use crate::transport::{Answer, Chunk, Incoming, Outgoing, Reset, ResetReason};
use crate::{Error, Result};

/// The body of a request that a [`Server::fallback`](crate::Server::fallback) reads.
pub struct RequestBody {
    incoming: Box<dyn Incoming>,
    ended: bool,
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Reset;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Reset>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        self.incoming.poll_chunk(cx).map(|chunk| {
            self.ended = !matches!(chunk, Chunk::Data(_));
            match chunk {
                Chunk::Data(data) => Some(Ok(Frame::data(data))),
                Chunk::End(trailers) => trailers.map(|trailers| Ok(Frame::trailers(trailers))),
                Chunk::Reset(reset) => Some(Err(reset)),
            }
        })
    }

    fn is_end_stream(&self) -> bool {
        self.ended
    }
}

impl fmt::Debug for RequestBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestBody").field("ended", &self.ended).finish_non_exhaustive()
    }
}

/// The service, cloned for each request.
pub(super) struct Fallback<S> {
    service: S,
}

impl<S> Fallback<S> {
    pub(super) fn new(service: S) -> Self {
        Self { service }
    }
}

impl<S, B> Answer for Fallback<S>
where
    S: Service<Request<RequestBody>, Response = Response<B>> + Clone + Send + Sync + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    fn answer(
        &self,
        head: RequestHead,
        peer: &Peer,
        mut incoming: Box<dyn Incoming>,
        mut outgoing: Box<dyn Outgoing>,
    ) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let extensions = incoming.extensions();
        let mut request = Request::new(RequestBody { incoming, ended: false });
        *request.method_mut() = head.method;
        *request.uri_mut() = head.uri;
        *request.version_mut() = head.version;
        *request.headers_mut() = head.headers;
        *request.extensions_mut() = extensions;
        request.extensions_mut().insert(peer.clone());
        let service = self.service.clone();
        Box::pin(async move {
            let Ok(response) = caught(ask(service, request)).await else {
                return fail(&mut *outgoing);
            };
            let (parts, body) = response.into_parts();
            outgoing.head(ResponseHead { status: parts.status, headers: parts.headers });
            if caught(send(body, &mut *outgoing)).await.is_err() {
                outgoing.reset(ResetReason::Broken);
            }
        })
    }
}

async fn ask<S, B>(mut service: S, request: Request<RequestBody>) -> Result<Response<B>>
where
    S: Service<Request<RequestBody>, Response = Response<B>>,
    S::Error: Into<BoxError>,
{
    poll_fn(|cx| service.poll_ready(cx)).await.map_err(failed)?;
    service.call(request).await.map_err(failed)
}

/// Sends a body to its end.
async fn send<B>(body: B, outgoing: &mut dyn Outgoing) -> Result<()>
where
    B: Body,
    B::Error: Into<BoxError>,
{
    let mut body = pin!(body);
    loop {
        // Credit first: data taken from the body without credit would have nowhere to wait.
        let reserved = poll_fn(|cx| outgoing.poll_reserve(cx, 0).map(|reserved| reserved.map(|_| ())));
        reserved.await.map_err(Reset::into_error)?;
        let frame = poll_fn(|cx| {
            let polled = body.as_mut().poll_frame(cx);
            if polled.is_pending() {
                outgoing.flush();
            }
            polled
        });
        let Some(frame) = frame.await else {
            outgoing.finish(None);
            return Ok(());
        };
        match frame.map_err(failed)?.into_data() {
            Ok(data) => outgoing.tail().put(data),
            Err(frame) => {
                if let Ok(trailers) = frame.into_trailers() {
                    outgoing.finish(Some(trailers));
                    return Ok(());
                }
            }
        }
    }
}

/// Only that there was an error is of account; the service has had its chance to make a response of it.
fn failed(error: impl Into<BoxError>) -> Error {
    Error::internal(error.into().to_string())
}

/// The response of a service that has given none.
fn fail(outgoing: &mut dyn Outgoing) {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    outgoing.head(ResponseHead { status: StatusCode::INTERNAL_SERVER_ERROR, headers });
    outgoing.tail().extend_from_slice(b"the service behind this path has failed\n");
    outgoing.finish(None);
}
