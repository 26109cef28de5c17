//! The way of a call through a channel's interceptors: messages are encoded first, the call is opened last, and in
//! between everything is a stream of payloads.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::channel::Begun;
use super::options::earlier;
use super::sender::{SendFault, Sender};
use super::{CallOptions, Channel};
use crate::call::exactly_one;
use crate::codec::{Codec, Format};
use crate::context::{CallContext, Facts, Gone, Peer};
use crate::deadline::within;
use crate::interceptor::{Encoded, Payload};
use crate::streaming::Source;
use crate::transport::Driving;
use crate::transport::memory::AbortOnDrop;
use crate::{Code, Error, Metadata, Request, Response, Result, StreamSender, Streaming};

type Answered = Response<Streaming<Payload>>;

impl Channel {
    /// Runs a call through the interceptors, then over the wire.
    pub(super) async fn intercepted(
        &self,
        begun: Begun,
        messages: Streaming<Payload>,
        mut options: CallOptions,
    ) -> Result<Answered> {
        let deadline = self.deadline(&options);
        let context = CallContext::new(Facts {
            spec: begun.spec,
            protocol: self.protocol(),
            format: begun.format,
            timeout: self.timeout(&options),
            deadline,
            peer: Peer::default(),
            gone: Gone::default(),
        });
        // They are in the deadline now; what an interceptor sets from here on is for one run.
        (options.timeout, options.deadline) = (None, None);
        let channel = self.clone();
        let terminal =
            move |request: Request<Streaming<Payload>>| -> Pin<Box<dyn Future<Output = _> + Send>> {
                let channel = channel.clone();
                Box::pin(async move {
                    let response = channel.open_payloads(begun, deadline, request).await?;
                    if begun.spec.shape.server_streams() { Ok(response) } else { settled(response).await }
                })
            };
        let request = Request::sending(messages, options, context.clone());
        within(deadline, self.chain().run(&context, request, &terminal)).await
    }

    /// As [`intercepted`](Self::intercepted), for procedures that answer one message.
    pub(super) async fn intercepted_one<C: Codec<Res>, Res>(
        &self,
        begun: Begun,
        messages: Streaming<Payload>,
        options: CallOptions,
    ) -> Result<Response<Res>> {
        let (mut stream, metadata, trailers) = self.intercepted(begun, messages, options).await?.into_parts();
        let payload = exactly_one(&mut stream, "answers").await?;
        Ok(Response::received(decode::<C, Res>(&payload)?, metadata, trailers))
    }

    /// As [`intercepted`](Self::intercepted), for procedures that answer any number of messages.
    pub(super) async fn intercepted_many<C, Res>(
        &self,
        begun: Begun,
        messages: Streaming<Payload>,
        options: CallOptions,
    ) -> Result<Response<Streaming<Res>>>
    where
        C: Codec<Res>,
        Res: Send + 'static,
    {
        let response = self.intercepted(begun, messages, options).await?;
        Ok(response.map(|stream| stream.map(|payload| decode::<C, Res>(&payload))))
    }

    /// A bidirectional call whose requests are fed by hand while the interceptors run in a task.
    pub(super) fn intercepted_bidi<Req, Res, C>(
        &self,
        begun: Begun,
        options: CallOptions,
    ) -> (Sender<Req>, Streaming<Res>)
    where
        C: Codec<Req> + Codec<Res>,
        Req: Send + 'static,
        Res: Send + 'static,
    {
        let (feed, fed) = Streaming::channel(1);
        let closed = Arc::new(AtomicBool::new(false));
        let messages = Streaming::from_source(Fed { messages: fed, closed: Arc::clone(&closed) });
        let (channel, deadline) = (self.clone(), self.deadline(&options));
        let task =
            AbortOnDrop(tokio::spawn(async move { channel.intercepted(begun, messages, options).await }));
        let sender = Sender::fed::<C>(Feed { feed, closed, format: begun.format }, deadline);
        let receiver = Streaming::from_source(Later::Running(task));
        (sender, receiver.map(|payload| decode::<C, Res>(&payload)))
    }

    /// Behind all interceptors: opens the call on the wire.
    async fn open_payloads(
        &self,
        begun: Begun,
        deadline: Option<Instant>,
        request: Request<Streaming<Payload>>,
    ) -> Result<Answered> {
        let (mut messages, mut options) = request.into_call();
        // What an interceptor took is gone: a second run has only the time that is left.
        options.deadline = earlier(options.deadline, deadline);
        let deadline = options.timeout.map_or(options.deadline, |_| self.deadline(&options));
        options.timeout = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        if !begun.spec.shape.client_streams() {
            let payload = exactly_one(&mut messages, "wants").await?;
            let mut receiver = self.open_one::<Encoded, Payload>(&begun, &options, &payload)?;
            receiver.keep_deadline(deadline);
            poll_fn(|cx| receiver.poll_started(cx)).await?;
            let headers = receiver.headers().cloned().unwrap_or_default();
            return Ok(Response::received(
                receiver.into_streaming::<Encoded, Payload>(),
                headers,
                Metadata::new(),
            ));
        }
        let (half, mut receiver) = self.open(&begun, &options, Driving::ByTransport)?;
        receiver.keep_deadline(deadline);
        let mut sender = Sender::<Payload>::new::<Encoded>(half, deadline);
        let (tell, failure) = oneshot::channel();
        let mut failure = Failure(Some(failure));
        let pump = AbortOnDrop(tokio::spawn(async move {
            if let Err(SendFault::Source(error)) = sender.pump(&mut messages).await {
                // Nobody listens any more when the call has ended, and then nobody needs to know.
                let _ = tell.send(error);
            }
        }));
        poll_fn(|cx| {
            if let Some(error) = failure.poll_told(cx) {
                return Poll::Ready(Err(error));
            }
            receiver.poll_started(cx)
        })
        .await?;
        let headers = receiver.headers().cloned().unwrap_or_default();
        let stream = receiver.into_streaming::<Encoded, Payload>();
        let pumped = Pumped { stream, failure, _pump: pump };
        Ok(Response::received(Streaming::from_source(pumped), headers, Metadata::new()))
    }
}

/// The response to a procedure that answers one message, once all of it is known: an interceptor shall see the outcome of
/// such a call in one place.
///
/// # Errors
/// What the call failed with, although the response had begun.
async fn settled(response: Answered) -> Result<Answered> {
    let (mut stream, metadata, _) = response.into_parts();
    let message = exactly_one(&mut stream, "answers").await?;
    let trailers = stream.trailers().cloned().unwrap_or_default();
    let settled = Settled { message: Some(message), trailers: trailers.clone() };
    Ok(Response::received(Streaming::from_source(settled), metadata, trailers))
}

/// The one message of a call that has ended well.
struct Settled {
    message: Option<Payload>,
    trailers: Metadata,
}

impl Source<Payload> for Settled {
    fn poll_message(&mut self, _: &mut Context<'_>) -> Poll<Option<Result<Payload>>> {
        Poll::Ready(self.message.take().map(Ok))
    }

    /// For those who observe the stream. What the caller gets are the trailers of the response.
    fn take_trailers(&mut self) -> Option<Metadata> {
        Some(std::mem::take(&mut self.trailers))
    }
}

/// A response that cannot be decoded is the server's fault.
fn decode<C: Codec<T>, T>(payload: &Payload) -> Result<T> {
    payload.read_as::<C, T>("the server's response", Code::Internal)
}

/// The hand of a [`Sender`] whose messages go through interceptors.
pub(super) struct Feed {
    feed: StreamSender<Payload>,
    closed: Arc<AtomicBool>,
    format: Format,
}

impl Feed {
    pub(super) fn format(&self) -> Format {
        self.format
    }

    pub(super) async fn send(&self, payload: Payload) -> Result<()> {
        self.feed.send(payload).await
    }

    pub(super) fn close(self) {
        self.closed.store(true, Ordering::Release);
    }
}

/// What a [`Feed`] was given. A feed that is dropped without being closed fails the call, as a sender does.
struct Fed {
    messages: Streaming<Payload>,
    closed: Arc<AtomicBool>,
}

impl Source<Payload> for Fed {
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Payload>>> {
        match self.messages.poll_message(cx) {
            Poll::Ready(None) if !self.closed.swap(true, Ordering::AcqRel) => Poll::Ready(Some(Err(
                Error::canceled("the sender of the call was dropped before it was closed"),
            ))),
            polled => polled,
        }
    }
}

/// A response that interceptors are still working for.
enum Later {
    Running(AbortOnDrop<Result<Answered>>),
    Begun(Box<Answered>),
    /// The error, until it has been told.
    Failed(Option<Error>),
}

impl Later {
    /// Ready once the response has begun, or will not.
    fn poll_begun(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Self::Running(task) = self else { return Poll::Ready(()) };
        let Poll::Ready(joined) = Pin::new(task).poll(cx) else { return Poll::Pending };
        let broken =
            |error| Err(Error::internal("the task of the interceptors ended early").with_source(error));
        *self = match joined.unwrap_or_else(broken) {
            Ok(response) => Self::Begun(Box::new(response)),
            Err(error) => Self::Failed(Some(error)),
        };
        Poll::Ready(())
    }

    fn take_error(&mut self) -> Option<Error> {
        match self {
            Self::Failed(error) => error.take(),
            _ => None,
        }
    }
}

impl Source<Payload> for Later {
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Payload>>> {
        if self.poll_begun(cx).is_pending() {
            return Poll::Pending;
        }
        if let Self::Begun(response) = self {
            return response.poll_message(cx);
        }
        Poll::Ready(self.take_error().map(Err))
    }

    fn poll_headers(&mut self, cx: &mut Context<'_>) -> Poll<Result<()>> {
        if self.poll_begun(cx).is_pending() {
            return Poll::Pending;
        }
        Poll::Ready(self.take_error().map_or(Ok(()), Err))
    }

    fn headers(&self) -> Option<&Metadata> {
        match self {
            Self::Begun(response) => Some(response.metadata()),
            _ => None,
        }
    }

    fn take_trailers(&mut self) -> Option<Metadata> {
        match self {
            Self::Begun(response) => Streaming::trailers(response).cloned(),
            _ => None,
        }
    }
}

/// The error of a request stream, which ends its call. `None` once it is known that none will come.
struct Failure(Option<oneshot::Receiver<Error>>);

impl Failure {
    fn poll_told(&mut self, cx: &mut Context<'_>) -> Option<Error> {
        let Poll::Ready(told) = Pin::new(self.0.as_mut()?).poll(cx) else { return None };
        self.0 = None;
        // A sender that was dropped without a word has sent all requests.
        told.ok()
    }
}

/// A response whose requests a task is still sending; the task ends with the response.
struct Pumped {
    stream: Streaming<Payload>,
    failure: Failure,
    _pump: AbortOnDrop,
}

impl Source<Payload> for Pumped {
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Payload>>> {
        if let Some(error) = self.failure.poll_told(cx) {
            return Poll::Ready(Some(Err(error)));
        }
        self.stream.poll_message(cx)
    }

    fn take_trailers(&mut self) -> Option<Metadata> {
        self.stream.trailers().cloned()
    }
}
