//! One function for each shape: from the accepted call to the end of its response.

use std::future::Future;

use super::Call;
use super::panic::caught;
use crate::codec::Codec;
use crate::context::GoneOnDrop;
use crate::deadline::within;
use crate::{Error, Request, Response, Result, Streaming};

/// One request, one response.
pub(crate) async fn serve_unary<C, Req, Res, E, Fut>(call: Call, handler: impl FnOnce(Request<Req>) -> Fut)
where
    C: Codec<Req> + Codec<Res>,
    E: Into<Error>,
    Fut: Future<Output = Result<Response<Res>, E>>,
{
    let Call { metadata, mut reader, sink, context } = call;
    let _gone = GoneOnDrop(context.gone());
    let deadline = context.deadline();
    let work = async {
        let message = reader.single::<C, Req>().await?;
        handle(handler, Request::received(message, metadata, context)).await
    };
    match within(deadline, work).await {
        Ok(response) => sink.answer::<C, Res>(response),
        Err(error) => sink.fail(error),
    }
}

/// Many requests, one response.
pub(crate) async fn serve_client_stream<C, Req, Res, E, Fut>(
    call: Call,
    handler: impl FnOnce(Request<Streaming<Req>>) -> Fut,
) where
    C: Codec<Req> + Codec<Res>,
    Req: Send + 'static,
    E: Into<Error>,
    Fut: Future<Output = Result<Response<Res>, E>>,
{
    let Call { metadata, reader, sink, context } = call;
    let _gone = GoneOnDrop(context.gone());
    let deadline = context.deadline();
    let request = Request::received(reader.into_streaming::<C, Req>(), metadata, context);
    match within(deadline, handle(handler, request)).await {
        Ok(response) => sink.answer::<C, Res>(response),
        Err(error) => sink.fail(error),
    }
}

/// One request, many responses.
pub(crate) async fn serve_server_stream<C, Req, Res, E, Fut>(
    call: Call,
    handler: impl FnOnce(Request<Req>) -> Fut,
) where
    C: Codec<Req> + Codec<Res>,
    E: Into<Error>,
    Fut: Future<Output = Result<Response<Streaming<Res>>, E>>,
{
    let Call { metadata, mut reader, mut sink, context } = call;
    let _gone = GoneOnDrop(context.gone());
    let deadline = context.deadline();
    let work = async {
        let message = reader.single::<C, Req>().await?;
        let response = handle(handler, Request::received(message, metadata, context)).await?;
        let (mut messages, metadata, trailers) = response.into_parts();
        sink.head(metadata);
        caught(sink.send_all::<C, Res>(&mut messages)).await?;
        Ok(trailers)
    };
    match within(deadline, work).await {
        Ok(trailers) => sink.succeed(trailers),
        Err(error) => sink.fail(error),
    }
}

/// Many requests, many responses.
pub(crate) async fn serve_bidi<C, Req, Res, E, Fut>(
    call: Call,
    handler: impl FnOnce(Request<Streaming<Req>>) -> Fut,
) where
    C: Codec<Req> + Codec<Res>,
    Req: Send + 'static,
    E: Into<Error>,
    Fut: Future<Output = Result<Response<Streaming<Res>>, E>>,
{
    let Call { metadata, reader, mut sink, context } = call;
    let _gone = GoneOnDrop(context.gone());
    let deadline = context.deadline();
    let work = async {
        let request = Request::received(reader.into_streaming::<C, Req>(), metadata, context);
        let response = handle(handler, request).await?;
        let (mut messages, metadata, trailers) = response.into_parts();
        sink.head(metadata);
        caught(sink.send_all::<C, Res>(&mut messages)).await?;
        Ok(trailers)
    };
    match within(deadline, work).await {
        Ok(trailers) => sink.succeed(trailers),
        Err(error) => sink.fail(error),
    }
}

/// Runs a handler. A panic ends this call and nothing else.
async fn handle<Req, Res, E, Fut>(handler: impl FnOnce(Req) -> Fut, request: Req) -> Result<Res>
where
    E: Into<Error>,
    Fut: Future<Output = Result<Res, E>>,
{
    caught(async move { handler(request).await.map_err(Into::into) }).await
}
