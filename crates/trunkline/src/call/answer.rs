//! The last steps of a call: the handler runs within its deadline, and what came of it is written once.
//!
//! These are futures written out, because an `async` block keeps what it has moved out of as well: nested ones would make
//! every call several times as large, and a call is allocated and moved once for each request.

use std::future::Future;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::ResponseSink;
use super::panic::panicked;
use crate::codec::Codec;
use crate::context::{CallContext, GoneOnDrop};
use crate::deadline::{Timer, exceeded};
use crate::{Metadata, Response, Result, Streaming};

pin_project! {
    /// Runs `work` within the deadline and writes its one message, or its error.
    pub(super) struct AnswerOne<C, Res, W> {
        #[pin]
        work: W,
        timer: Timer,
        // Until the outcome is written.
        sink: Option<ResponseSink>,
        _gone: GoneOnDrop,
        types: PhantomData<fn(C) -> Res>,
    }
}

impl<C, Res, W> AnswerOne<C, Res, W> {
    pub(super) fn new(context: &CallContext, sink: ResponseSink, work: W) -> Self {
        Self {
            work,
            timer: Timer::new(context.deadline()),
            sink: Some(sink),
            _gone: GoneOnDrop(context.clone()),
            types: PhantomData,
        }
    }
}

impl<C, Res, W> Future for AnswerOne<C, Res, W>
where
    C: Codec<Res>,
    W: Future<Output = Result<Response<Res>>>,
{
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        let outcome = match this.work.poll(cx) {
            Poll::Ready(outcome) => outcome,
            Poll::Pending if this.timer.poll(cx).is_pending() => return Poll::Pending,
            Poll::Pending => Err(exceeded()),
        };
        match (this.sink.take(), outcome) {
            (Some(sink), Ok(response)) => sink.answer::<C, Res>(response),
            (Some(sink), Err(error)) => sink.fail(error),
            (None, _) => {}
        }
        Poll::Ready(())
    }
}

pin_project! {
    /// Runs `work` and all that its stream gives within the deadline, writing each message as it comes.
    pub(super) struct AnswerMany<C, Res, W> {
        #[pin]
        work: W,
        timer: Timer,
        // What is being sent, and what follows it, once `work` has ended.
        stream: Option<(Streaming<Res>, Metadata)>,
        // Until the outcome is written.
        sink: Option<ResponseSink>,
        _gone: GoneOnDrop,
        types: PhantomData<fn(C) -> Res>,
    }
}

impl<C, Res, W> AnswerMany<C, Res, W> {
    pub(super) fn new(context: &CallContext, sink: ResponseSink, work: W) -> Self {
        Self {
            work,
            timer: Timer::new(context.deadline()),
            stream: None,
            sink: Some(sink),
            _gone: GoneOnDrop(context.clone()),
            types: PhantomData,
        }
    }
}

impl<C, Res, W> Future for AnswerMany<C, Res, W>
where
    C: Codec<Res>,
    W: Future<Output = Result<Response<Streaming<Res>>>>,
{
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        let Some(sink) = this.sink.as_mut() else { return Poll::Ready(()) };
        let outcome = match poll_many::<C, Res, W>(this.work, this.stream, sink, cx) {
            Poll::Ready(outcome) => outcome,
            Poll::Pending if this.timer.poll(cx).is_pending() => return Poll::Pending,
            Poll::Pending => Err(exceeded()),
        };
        // Whoever feeds the stream learns at once that nobody reads any more.
        let trailers = this.stream.take().map(|(_, trailers)| trailers);
        if let Some(sink) = this.sink.take() {
            match outcome {
                Ok(()) => sink.succeed(trailers.unwrap_or_default()),
                Err(error) => sink.fail(error),
            }
        }
        Poll::Ready(())
    }
}

fn poll_many<C, Res, W>(
    work: Pin<&mut W>,
    stream: &mut Option<(Streaming<Res>, Metadata)>,
    sink: &mut ResponseSink,
    cx: &mut Context<'_>,
) -> Poll<Result<()>>
where
    C: Codec<Res>,
    W: Future<Output = Result<Response<Streaming<Res>>>>,
{
    let messages = match stream {
        Some((messages, _)) => messages,
        None => {
            let Poll::Ready(response) = work.poll(cx)? else { return Poll::Pending };
            sink.compress(response.compression());
            let (messages, metadata, trailers) = response.into_parts();
            // Before the first message: a caller may wait for the headers and have nothing to send until then.
            sink.head(metadata);
            &mut stream.insert((messages, trailers)).0
        }
    };
    // The stream is never polled again after a panic, so nobody sees its broken state.
    catch_unwind(AssertUnwindSafe(|| sink.poll_send_all::<C, Res>(messages, cx)))
        .unwrap_or_else(|_| Poll::Ready(Err(panicked())))
}
