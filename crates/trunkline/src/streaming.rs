//! Streams of messages, the same type in every place: what a handler receives and answers, what a client receives.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use tokio::sync::mpsc;

use crate::request::IntoStreamItem;
use crate::{Error, Metadata, Result};

/// A stream of messages. Read it with [`message`](Self::message) or as a `Stream`; make one with
/// [`from_iter`](Self::from_iter), [`new`](Self::new) or [`channel`](Self::channel).
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> trunkline::Result<()> {
/// let mut numbers = trunkline::Streaming::from_iter([1, 2]);
/// assert_eq!(numbers.message().await?, Some(1));
/// assert_eq!(numbers.message().await?, Some(2));
/// assert_eq!(numbers.message().await?, None);
/// # Ok(()) }
/// ```
pub struct Streaming<T> {
    source: Box<dyn Source<T>>,
    trailers: Option<Metadata>,
    none: Metadata,
}

/// Where the messages come from.
pub(crate) trait Source<T>: Send {
    /// The next message; `None` at the end, which repeats.
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T>>>;

    /// Waits for the headers of a response; a source that is no response has none to wait for.
    fn poll_headers(&mut self, _: &mut Context<'_>) -> Poll<Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// The headers, once they have arrived.
    fn headers(&self) -> Option<&Metadata> {
        None
    }

    /// The trailers, once the end has been seen.
    fn take_trailers(&mut self) -> Option<Metadata> {
        None
    }
}

impl<T> Streaming<T> {
    pub(crate) fn from_source(source: impl Source<T> + 'static) -> Self {
        Self { source: Box::new(source), trailers: None, none: Metadata::new() }
    }

    /// The next message, or `None` after the last one.
    ///
    /// # Errors
    /// What ended the stream: the peer's status, a broken connection, a limit or the deadline. After an error the
    /// stream is at its end.
    ///
    /// # Cancel safety
    /// Safe: a message is never lost when the future is dropped.
    pub async fn message(&mut self) -> Result<Option<T>> {
        poll_fn(|cx| self.poll_message(cx)).await.transpose()
    }

    /// As [`message`](Self::message), for those who poll.
    pub fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        let polled = self.source.poll_message(cx);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) && self.trailers.is_none() {
            self.trailers = self.source.take_trailers();
        }
        polled
    }

    /// Waits for the response headers of a stream that a client receives; other streams have none.
    ///
    /// # Errors
    /// What ended the call before.
    pub async fn headers(&mut self) -> Result<&Metadata> {
        poll_fn(|cx| self.source.poll_headers(cx)).await?;
        Ok(self.source.headers().unwrap_or(&self.none))
    }

    /// The trailers of a received stream, once its end has been seen. On an error they are in
    /// [`Error::metadata`] as well.
    pub fn trailers(&self) -> Option<&Metadata> {
        self.trailers.as_ref()
    }
}

impl<T: Send + 'static> Streaming<T> {
    /// A stream of results: an error ends the call with its code.
    pub fn new<S, E>(stream: S) -> Self
    where
        S: Stream<Item = Result<T, E>> + Send + 'static,
        E: Into<Error>,
    {
        Self::from_source(FromStream { stream: Box::pin(stream) })
    }

    /// A stream of messages that cannot fail.
    pub fn from_messages<S>(stream: S) -> Self
    where
        S: Stream<Item = T> + Send + 'static,
    {
        Self::from_items(stream)
    }

    /// A stream of messages or of results.
    pub(crate) fn from_items<S>(stream: S) -> Self
    where
        S: Stream + Send + 'static,
        S::Item: IntoStreamItem<T>,
    {
        Self::from_source(FromItems { stream: Box::pin(stream) })
    }

    /// A stream that is only an error.
    pub fn failed(error: impl Into<Error>) -> Self {
        Self::from_source(Failed { error: Some(error.into()) })
    }

    /// The messages of an iterator, taken when they can be sent.
    #[allow(clippy::should_implement_trait, reason = "FromIterator cannot ask for Send")]
    pub fn from_iter<I>(messages: I) -> Self
    where
        I: IntoIterator<Item = T>,
        I::IntoIter: Send + 'static,
    {
        Self::from_source(FromIter { messages: messages.into_iter() })
    }

    /// A stream made step by step: `step` takes the state and gives a message with the next state, or `None` at the end.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> trunkline::Result<()> {
    /// let mut down = trunkline::Streaming::unfold(2, async |n| Ok((n > 0).then(|| (n, n - 1))));
    /// assert_eq!(down.message().await?, Some(2));
    /// assert_eq!(down.message().await?, Some(1));
    /// assert_eq!(down.message().await?, None);
    /// # Ok(()) }
    /// ```
    pub fn unfold<S, F, Fut>(state: S, step: F) -> Self
    where
        S: Send + 'static,
        F: FnMut(S) -> Fut + Send + 'static,
        Fut: Future<Output = Result<Option<(T, S)>>> + Send + 'static,
    {
        Self::from_source(Unfold { state: Some(state), step, next: None })
    }

    /// A stream fed by hand, for a handler whose answers come from elsewhere: what is sent into the [`StreamSender`] comes out, and at most `capacity` messages wait.
    /// The stream ends when the sender is dropped. A capacity of 0 counts as 1.
    pub fn channel(capacity: usize) -> (StreamSender<T>, Self) {
        let (sender, receiver) = mpsc::channel(capacity.max(1));
        (StreamSender { sender }, Self::from_source(FromChannel { receiver }))
    }
}

impl<T: Send + 'static> Streaming<T> {
    /// The same stream with each message changed, or refused with an error that ends it. Headers and trailers stay.
    pub fn map<U, F>(self, change: F) -> Streaming<U>
    where
        F: FnMut(T) -> Result<U> + Send + 'static,
    {
        Streaming::from_source(Map { stream: self, change })
    }

    /// The same stream, with `observer` shown each message and the end as they pass.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> trunkline::Result<()> {
    /// use trunkline::{Seen, Streaming};
    /// let mut count = 0;
    /// let mut stream = Streaming::from_iter(["a", "b"]).observe(move |seen| match seen {
    ///     Seen::Message(_) => count += 1,
    ///     Seen::End(_) => assert_eq!(count, 2),
    ///     _ => {}
    /// });
    /// while stream.message().await?.is_some() {}
    /// # Ok(()) }
    /// ```
    pub fn observe<F>(self, observer: F) -> Self
    where
        F: FnMut(Seen<'_, T>) + Send + 'static,
    {
        Self::from_source(Observe { stream: self, observer, ended: false })
    }
}

impl<T> Stream for Streaming<T> {
    type Item = Result<T>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_message(cx)
    }
}

impl<T> fmt::Debug for Streaming<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Streaming").field("trailers", &self.trailers).finish_non_exhaustive()
    }
}

/// Feeds a [`Streaming`] made by [`Streaming::channel`].
#[derive(Debug)]
pub struct StreamSender<T> {
    sender: mpsc::Sender<Result<T>>,
}

impl<T> Clone for StreamSender<T> {
    fn clone(&self) -> Self {
        Self { sender: self.sender.clone() }
    }
}

impl<T> StreamSender<T> {
    /// Waits for room and hands over a message.
    ///
    /// # Errors
    /// `Canceled` when the stream has been dropped: nobody will read the message.
    ///
    /// # Cancel safety
    /// The message is lost if the future is dropped before it has room.
    pub async fn send(&self, message: T) -> Result<()> {
        self.sender.send(Ok(message)).await.map_err(|_| stream_dropped())
    }

    /// Ends the stream with an error.
    ///
    /// # Errors
    /// As for [`send`](Self::send).
    pub async fn fail(self, error: impl Into<Error>) -> Result<()> {
        self.sender.send(Err(error.into())).await.map_err(|_| stream_dropped())
    }

    /// Waits until the stream has been dropped.
    pub async fn closed(&self) {
        self.sender.closed().await;
    }
}

fn stream_dropped() -> Error {
    Error::canceled("the stream that this message was for has been dropped")
}

/// What [`Streaming::observe`] shows.
#[derive(Debug)]
#[non_exhaustive]
pub enum Seen<'a, T> {
    /// A message passes.
    Message(&'a T),
    /// The stream ends with this error.
    Failed(&'a Error),
    /// The stream ends well; the trailers, where it is a response that a client receives.
    End(Option<&'a Metadata>),
}

struct Map<T, F> {
    stream: Streaming<T>,
    change: F,
}

impl<T, U, F> Source<U> for Map<T, F>
where
    F: FnMut(T) -> Result<U> + Send,
{
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<U>>> {
        self.stream.poll_message(cx).map(|next| next.map(|message| message.and_then(&mut self.change)))
    }

    fn poll_headers(&mut self, cx: &mut Context<'_>) -> Poll<Result<()>> {
        self.stream.source.poll_headers(cx)
    }

    fn headers(&self) -> Option<&Metadata> {
        self.stream.source.headers()
    }

    fn take_trailers(&mut self) -> Option<Metadata> {
        self.stream.trailers.take()
    }
}

struct Observe<T, F> {
    stream: Streaming<T>,
    observer: F,
    ended: bool,
}

impl<T, F> Source<T> for Observe<T, F>
where
    F: FnMut(Seen<'_, T>) + Send,
{
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        let polled = self.stream.poll_message(cx);
        match &polled {
            Poll::Ready(_) if self.ended => {}
            Poll::Ready(Some(Ok(message))) => (self.observer)(Seen::Message(message)),
            Poll::Ready(Some(Err(error))) => (self.observer)(Seen::Failed(error)),
            Poll::Ready(None) => (self.observer)(Seen::End(self.stream.trailers.as_ref())),
            Poll::Pending => {}
        }
        self.ended |= matches!(polled, Poll::Ready(None | Some(Err(_))));
        polled
    }

    fn poll_headers(&mut self, cx: &mut Context<'_>) -> Poll<Result<()>> {
        self.stream.source.poll_headers(cx)
    }

    fn headers(&self) -> Option<&Metadata> {
        self.stream.source.headers()
    }

    fn take_trailers(&mut self) -> Option<Metadata> {
        self.stream.trailers.take()
    }
}

struct FromStream<S> {
    stream: Pin<Box<S>>,
}

impl<T, E, S> Source<T> for FromStream<S>
where
    S: Stream<Item = Result<T, E>> + Send,
    E: Into<Error>,
{
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        self.stream.as_mut().poll_next(cx).map(|next| next.map(|item| item.map_err(Into::into)))
    }
}

struct FromItems<S> {
    stream: Pin<Box<S>>,
}

impl<T, S> Source<T> for FromItems<S>
where
    S: Stream + Send,
    S::Item: IntoStreamItem<T>,
{
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        self.stream.as_mut().poll_next(cx).map(|next| next.map(IntoStreamItem::into_stream_item))
    }
}

struct FromIter<I> {
    messages: I,
}

impl<T, I> Source<T> for FromIter<I>
where
    I: Iterator<Item = T> + Send,
{
    fn poll_message(&mut self, _: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        Poll::Ready(self.messages.next().map(Ok))
    }
}

struct Unfold<S, F, Fut> {
    state: Option<S>,
    step: F,
    next: Option<Pin<Box<Fut>>>,
}

impl<T, S, F, Fut> Source<T> for Unfold<S, F, Fut>
where
    S: Send,
    F: FnMut(S) -> Fut + Send,
    Fut: Future<Output = Result<Option<(T, S)>>> + Send,
{
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        if let Some(state) = self.state.take() {
            self.next = Some(Box::pin((self.step)(state)));
        }
        // Neither a state nor a step under way: the end has been seen.
        let Some(next) = self.next.as_mut() else { return Poll::Ready(None) };
        let Poll::Ready(stepped) = next.as_mut().poll(cx) else { return Poll::Pending };
        self.next = None;
        Poll::Ready(match stepped {
            Ok(Some((message, state))) => {
                self.state = Some(state);
                Some(Ok(message))
            }
            Ok(None) => None,
            Err(error) => Some(Err(error)),
        })
    }
}

struct Failed {
    error: Option<Error>,
}

impl<T> Source<T> for Failed {
    fn poll_message(&mut self, _: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        Poll::Ready(self.error.take().map(Err))
    }
}

struct FromChannel<T> {
    receiver: mpsc::Receiver<Result<T>>,
}

impl<T: Send> Source<T> for FromChannel<T> {
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        self.receiver.poll_recv(cx)
    }
}

#[cfg(test)]
mod tests;
