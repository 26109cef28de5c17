//! One function for each shape: from the accepted call to the end of its response.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::Call;
use super::answer::{AnswerMany, AnswerOne};
use super::intercepted::{
    Answered, Asked, answered_many, answered_one, ask_many, ask_one, serve_many, serve_one,
};
use super::panic::caught;
use crate::codec::Codec;
use crate::interceptor::Terminal;
use crate::{Error, Request, Response, Result, Streaming};

/// One request, one response.
pub(crate) fn serve_unary<C, Req, Res, E, Fut>(
    call: Call,
    handler: impl Fn(Request<Req>) -> Fut + Send + Sync + 'static,
) -> Serving
where
    C: Codec<Req> + Codec<Res>,
    Req: Send + 'static,
    Res: Send + 'static,
    E: Into<Error> + 'static,
    Fut: Future<Output = Result<Response<Res>, E>> + Send + 'static,
{
    let format = call.context.format();
    if !call.chain.is_empty() {
        let terminal = terminal(handler, move |asked, handler| async move {
            let response = ask_one::<C, Req, Res, E, Fut>(asked, &*handler).await?;
            answered_one::<C, Res>(format, response)
        });
        return serve_one(call, terminal);
    }
    let Call { metadata, mut reader, sink, context, .. } = call;
    let ending = context.clone();
    let work = async move {
        let message = reader.single::<C, Req>().await?;
        handler(Request::received(message, metadata, context)).await.map_err(Into::into)
    };
    Box::pin(AnswerOne::<C, Res, _>::new(&ending, sink, caught(work)))
}

/// Many requests, one response.
pub(crate) fn serve_client_stream<C, Req, Res, E, Fut>(
    call: Call,
    handler: impl Fn(Request<Streaming<Req>>) -> Fut + Send + Sync + 'static,
) -> Serving
where
    C: Codec<Req> + Codec<Res>,
    Req: Send + 'static,
    Res: Send + 'static,
    E: Into<Error> + 'static,
    Fut: Future<Output = Result<Response<Res>, E>> + Send + 'static,
{
    let format = call.context.format();
    if !call.chain.is_empty() {
        let terminal = terminal(handler, move |asked, handler| async move {
            let response = ask_many::<C, Req, Res, E, Fut>(asked, &*handler).await?;
            answered_one::<C, Res>(format, response)
        });
        return serve_one(call, terminal);
    }
    let Call { metadata, reader, sink, context, .. } = call;
    let ending = context.clone();
    let work = async move {
        let request = Request::received(reader.into_streaming::<C, Req>(), metadata, context);
        handler(request).await.map_err(Into::into)
    };
    Box::pin(AnswerOne::<C, Res, _>::new(&ending, sink, caught(work)))
}

/// One request, many responses.
pub(crate) fn serve_server_stream<C, Req, Res, E, Fut>(
    call: Call,
    handler: impl Fn(Request<Req>) -> Fut + Send + Sync + 'static,
) -> Serving
where
    C: Codec<Req> + Codec<Res>,
    Req: Send + 'static,
    Res: Send + 'static,
    E: Into<Error> + 'static,
    Fut: Future<Output = Result<Response<Streaming<Res>>, E>> + Send + 'static,
{
    let format = call.context.format();
    if !call.chain.is_empty() {
        let terminal = terminal(handler, move |asked, handler| async move {
            let response = ask_one::<C, Req, Streaming<Res>, E, Fut>(asked, &*handler).await?;
            Ok(answered_many::<C, Res>(format, response))
        });
        return serve_many(call, terminal);
    }
    let Call { metadata, mut reader, sink, context, .. } = call;
    let ending = context.clone();
    let work = async move {
        let message = reader.single::<C, Req>().await?;
        handler(Request::received(message, metadata, context)).await.map_err(Into::into)
    };
    Box::pin(AnswerMany::<C, Res, _>::new(&ending, sink, caught(work)))
}

/// Many requests, many responses.
pub(crate) fn serve_bidi<C, Req, Res, E, Fut>(
    call: Call,
    handler: impl Fn(Request<Streaming<Req>>) -> Fut + Send + Sync + 'static,
) -> Serving
where
    C: Codec<Req> + Codec<Res>,
    Req: Send + 'static,
    Res: Send + 'static,
    E: Into<Error> + 'static,
    Fut: Future<Output = Result<Response<Streaming<Res>>, E>> + Send + 'static,
{
    let format = call.context.format();
    if !call.chain.is_empty() {
        let terminal = terminal(handler, move |asked, handler| async move {
            let response = ask_many::<C, Req, Streaming<Res>, E, Fut>(asked, &*handler).await?;
            Ok(answered_many::<C, Res>(format, response))
        });
        return serve_many(call, terminal);
    }
    let Call { metadata, reader, sink, context, .. } = call;
    let ending = context.clone();
    let work = async move {
        let request = Request::received(reader.into_streaming::<C, Req>(), metadata, context);
        handler(request).await.map_err(Into::into)
    };
    Box::pin(AnswerMany::<C, Res, _>::new(&ending, sink, caught(work)))
}

/// A call on its way to the end of its response.
pub(crate) type Serving = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What lies behind all interceptors: `run` with the handler, as often as they ask.
fn terminal<H, F, Fut>(handler: H, run: F) -> Box<Terminal>
where
    H: Send + Sync + 'static,
    F: Fn(Asked, Arc<H>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Answered>> + Send + 'static,
{
    let handler = Arc::new(handler);
    Box::new(move |asked| Box::pin(run(asked, Arc::clone(&handler))))
}
