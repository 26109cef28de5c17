//! The way of a call through a server's interceptors: encoded messages outside, the handler's messages inside.

use std::future::Future;

use super::Call;
use super::answer::{AnswerMany, AnswerOne};
use super::panic::caught;
use super::serve::Serving;
use crate::codec::{Codec, Format};
use crate::interceptor::{Encoded, Payload, Terminal};
use crate::{Code, Error, Request, Response, Result, Streaming};

/// A call as interceptors see it.
pub(super) type Asked = Request<Streaming<Payload>>;

/// A response as interceptors see it.
pub(super) type Answered = Response<Streaming<Payload>>;

/// Serves a call that answers one message.
pub(super) fn serve_one(call: Call, terminal: Box<Terminal>) -> Serving {
    let Call { metadata, reader, sink, context, chain } = call;
    let ending = context.clone();
    let work = async move {
        let messages = reader.into_streaming::<Encoded, Payload>();
        let request = Request::received(messages, metadata, context.clone());
        let mut response = chain.run(&context, request, &*terminal).await?;
        let payload = exactly_one(&mut response, "answers").await?;
        Ok(response.map(|_| payload))
    };
    Box::pin(AnswerOne::<Encoded, Payload, _>::new(&ending, sink, caught(work)))
}

/// Serves a call that answers any number of messages.
pub(super) fn serve_many(call: Call, terminal: Box<Terminal>) -> Serving {
    let Call { metadata, reader, sink, context, chain } = call;
    let ending = context.clone();
    let work = async move {
        let messages = reader.into_streaming::<Encoded, Payload>();
        let request = Request::received(messages, metadata, context.clone());
        chain.run(&context, request, &*terminal).await
    };
    Box::pin(AnswerMany::<Encoded, Payload, _>::new(&ending, sink, caught(work)))
}

/// Runs a handler that takes one message.
pub(super) async fn ask_one<C, Req, Res, E, Fut>(
    mut asked: Asked,
    handler: &impl Fn(Request<Req>) -> Fut,
) -> Result<Response<Res>>
where
    C: Codec<Req>,
    E: Into<Error>,
    Fut: Future<Output = Result<Response<Res>, E>>,
{
    let payload = exactly_one(&mut asked, "wants").await?;
    let message = decode::<C, Req>(&payload)?;
    handler(asked.map(|_| message)).await.map_err(Into::into)
}

/// Runs a handler that takes any number of messages.
pub(super) async fn ask_many<C, Req, Res, E, Fut>(
    asked: Asked,
    handler: &impl Fn(Request<Streaming<Req>>) -> Fut,
) -> Result<Response<Res>>
where
    C: Codec<Req>,
    Req: Send + 'static,
    E: Into<Error>,
    Fut: Future<Output = Result<Response<Res>, E>>,
{
    let messages = asked.map(|payloads| payloads.map(|payload| decode::<C, Req>(&payload)));
    handler(messages).await.map_err(Into::into)
}

/// A request that cannot be decoded is the caller's fault.
fn decode<C: Codec<T>, T>(payload: &Payload) -> Result<T> {
    payload.read_as::<C, T>("the request", Code::InvalidArgument)
}

/// The one message of a handler, encoded.
pub(super) fn answered_one<C: Codec<Res>, Res>(format: Format, response: Response<Res>) -> Result<Answered> {
    let payload = Payload::encode::<C, Res>(format, &response)?;
    Ok(response.map(|_| Streaming::from_iter([payload])))
}

/// The messages of a handler, encoded as they come.
pub(super) fn answered_many<C, Res>(format: Format, response: Response<Streaming<Res>>) -> Answered
where
    C: Codec<Res>,
    Res: Send + 'static,
{
    response.map(|messages| messages.map(move |message| Payload::encode::<C, Res>(format, &message)))
}

/// The message of a stream that must have exactly one; `side` completes "the procedure … exactly one message".
///
/// # Errors
/// `Unimplemented` for none or more than one, as without interceptors ("Status codes" of gRPC).
pub(crate) async fn exactly_one(messages: &mut Streaming<Payload>, side: &str) -> Result<Payload> {
    let Some(payload) = messages.message().await? else {
        return Err(Error::unimplemented(format!(
            "there is no message, and the procedure {side} exactly one"
        )));
    };
    if messages.message().await?.is_some() {
        return Err(Error::unimplemented(format!(
            "there are several messages, and the procedure {side} exactly one"
        )));
    }
    Ok(payload)
}
