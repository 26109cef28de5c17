//! One function for each shape: from the accepted call to the end of its response.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::intercepted::{
    Answered, Asked, answered_many, answered_one, ask_many, ask_one, serve_many, serve_one,
};
use super::panic::caught;
use super::{Call, ResponseSink};
use crate::codec::Codec;
use crate::context::{CallContext, GoneOnDrop};
use crate::deadline::within;
use crate::{Error, Request, Response, Result, Streaming};

/// One request, one response.
pub(crate) async fn serve_unary<C, Req, Res, E, Fut>(
    call: Call,
    handler: impl Fn(Request<Req>) -> Fut + Send + Sync + 'static,
) where
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
        return serve_one(call, &terminal).await;
    }
    let Call { metadata, mut reader, sink, context, .. } = call;
    let ending = context.clone();
    let work = async {
        let message = reader.single::<C, Req>().await?;
        handle(&handler, Request::received(message, metadata, context)).await
    };
    answer_one::<C, Res>(&ending, sink, work).await;
}

/// Many requests, one response.
pub(crate) async fn serve_client_stream<C, Req, Res, E, Fut>(
    call: Call,
    handler: impl Fn(Request<Streaming<Req>>) -> Fut + Send + Sync + 'static,
) where
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
        return serve_one(call, &terminal).await;
    }
    let Call { metadata, reader, sink, context, .. } = call;
    let ending = context.clone();
    let request = Request::received(reader.into_streaming::<C, Req>(), metadata, context);
    answer_one::<C, Res>(&ending, sink, handle(&handler, request)).await;
}

/// One request, many responses.
pub(crate) async fn serve_server_stream<C, Req, Res, E, Fut>(
    call: Call,
    handler: impl Fn(Request<Req>) -> Fut + Send + Sync + 'static,
) where
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
        return serve_many(call, &terminal).await;
    }
    let Call { metadata, mut reader, sink, context, .. } = call;
    let ending = context.clone();
    let work = async {
        let message = reader.single::<C, Req>().await?;
        handle(&handler, Request::received(message, metadata, context)).await
    };
    answer_many::<C, Res>(&ending, sink, work).await;
}

/// Many requests, many responses.
pub(crate) async fn serve_bidi<C, Req, Res, E, Fut>(
    call: Call,
    handler: impl Fn(Request<Streaming<Req>>) -> Fut + Send + Sync + 'static,
) where
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
        return serve_many(call, &terminal).await;
    }
    let Call { metadata, reader, sink, context, .. } = call;
    let ending = context.clone();
    let request = Request::received(reader.into_streaming::<C, Req>(), metadata, context);
    answer_many::<C, Res>(&ending, sink, handle(&handler, request)).await;
}

type Boxed = Pin<Box<dyn Future<Output = Result<Answered>> + Send>>;

/// What lies behind all interceptors: `run` with the handler, as often as they ask.
fn terminal<H, F, Fut>(handler: H, run: F) -> impl Fn(Asked) -> Boxed + Send + Sync
where
    H: Send + Sync + 'static,
    F: Fn(Asked, Arc<H>) -> Fut + Send + Sync,
    Fut: Future<Output = Result<Answered>> + Send + 'static,
{
    let handler = Arc::new(handler);
    move |asked| Box::pin(run(asked, Arc::clone(&handler)))
}

/// Runs `work` within the deadline and writes its one message, or its error.
pub(super) async fn answer_one<C: Codec<Res>, Res>(
    context: &CallContext,
    sink: ResponseSink,
    work: impl Future<Output = Result<Response<Res>>>,
) {
    let _gone = GoneOnDrop(context.gone());
    match within(context.deadline(), work).await {
        Ok(response) => sink.answer::<C, Res>(response),
        Err(error) => sink.fail(error),
    }
}

/// Runs `work` and all that its stream gives within the deadline, writing each message as it comes.
pub(super) async fn answer_many<C: Codec<Res>, Res>(
    context: &CallContext,
    mut sink: ResponseSink,
    work: impl Future<Output = Result<Response<Streaming<Res>>>>,
) {
    let _gone = GoneOnDrop(context.gone());
    let streamed = async {
        let response = work.await?;
        sink.compress(response.compression());
        let (mut messages, metadata, trailers) = response.into_parts();
        // Before the first message: a caller may wait for the headers and have nothing to send until then.
        sink.head(metadata);
        caught(sink.send_all::<C, Res>(&mut messages)).await?;
        Ok(trailers)
    };
    match within(context.deadline(), streamed).await {
        Ok(trailers) => sink.succeed(trailers),
        Err(error) => sink.fail(error),
    }
}

/// Runs a handler. A panic ends this call and nothing else.
pub(super) async fn handle<Req, Res, E, Fut>(handler: impl Fn(Req) -> Fut, request: Req) -> Result<Res>
where
    E: Into<Error>,
    Fut: Future<Output = Result<Res, E>>,
{
    caught(async move { handler(request).await.map_err(Into::into) }).await
}
