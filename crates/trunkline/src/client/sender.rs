//! The request messages of one call on their way out.

use std::fmt;
use std::future::poll_fn;
use std::task::{Context, Poll};

use tokio::time::Instant;

use super::channel::RequestHalf;
use super::intercepted::Feed;
use crate::codec::{Codec, Format};
use crate::deadline::within;
use crate::interceptor::Payload;
use crate::transport::Reset;
use crate::{Error, Result, Streaming};

/// Sends the requests of a [`Bidi`](super::Bidi) call. Dropping it without [`close`](Self::close) resets the call.
///
/// A message is encoded where `send` is called, straight into the buffer of its stream; there is no task and no channel
/// in between. When the server is slow, `send` waits.
///
/// ```no_run
/// # async fn run(chat: trunkline::Bidi<String, String>) -> trunkline::Result<()> {
/// let (mut sender, mut replies) = chat.split();
/// let sending = tokio::spawn(async move {
///     for word in ["one", "two"] {
///         sender.send(word.to_owned()).await?;
///     }
///     sender.close();
///     Ok::<(), trunkline::Error>(())
/// });
/// while let Some(reply) = replies.message().await? {
///     println!("{reply}");
/// }
/// # drop(sending); Ok(()) }
/// ```
pub struct Sender<T> {
    state: State,
    write: fn(&mut RequestHalf, &T) -> Result<()>,
    encode: fn(Format, &T) -> Result<Payload>,
    deadline: Option<Instant>,
}

enum State {
    Open(RequestHalf),
    /// The messages go through interceptors first.
    Fed(Feed),
    Closed,
    Failed(Error),
}

/// Why sending a whole stream ended early.
pub(super) enum SendFault {
    /// The stream of requests failed, or a request cannot be encoded.
    Source(Error),
    /// The server takes no more.
    Refused,
}

impl<T> Sender<T> {
    pub(super) fn new<C: Codec<T>>(half: RequestHalf, deadline: Option<Instant>) -> Self {
        Self::of::<C>(State::Open(half), deadline)
    }

    pub(super) fn fed<C: Codec<T>>(feed: Feed, deadline: Option<Instant>) -> Self {
        Self::of::<C>(State::Fed(feed), deadline)
    }

    fn of<C: Codec<T>>(state: State, deadline: Option<Instant>) -> Self {
        Self { state, write: RequestHalf::write::<C, T>, encode: Payload::encode::<C, T>, deadline }
    }

    pub(super) fn failed(error: Error) -> Self {
        let refused = |_, _: &T| Err(Error::failed_precondition("the call has not begun"));
        Self { state: State::Failed(error), write: |_, _| Ok(()), encode: refused, deadline: None }
    }

    /// Waits for room and sends one message; it leaves at once.
    ///
    /// # Errors
    /// `Canceled` when the server takes no more requests: receive to learn how the call ended. `FailedPrecondition`
    /// after [`close`](Self::close). `DeadlineExceeded` when there was no room until the deadline.
    ///
    /// # Cancel safety
    /// Dropping the future before it is ready sends nothing.
    pub async fn send(&mut self, message: T) -> Result<()> {
        let deadline = self.deadline;
        let half = match &mut self.state {
            State::Open(half) => half,
            State::Fed(feed) => {
                let payload = (self.encode)(feed.format(), &message)?;
                return within(deadline, feed.send(payload)).await;
            }
            State::Closed => return Err(Error::failed_precondition("this side of the call has been closed")),
            State::Failed(error) => return Err(Error::new(error.code(), error.message())),
        };
        let room = within(deadline, async { Ok(poll_fn(|cx| poll_room(half, cx)).await) }).await?;
        if room.is_err() {
            return Err(Error::canceled(
                "the server takes no more requests; receive to learn how the call ended",
            ));
        }
        (self.write)(half, &message)?;
        half.outgoing.flush();
        Ok(())
    }

    /// Sends a whole stream, then closes this side. Messages that are ready together travel together.
    ///
    /// # Errors
    /// An error in `messages` resets the call and is returned; `Canceled` as for [`send`](Self::send).
    pub async fn send_all(&mut self, mut messages: Streaming<T>) -> Result<()> {
        let deadline = self.deadline;
        match within(deadline, async { Ok(self.pump(&mut messages).await) }).await? {
            Ok(()) => Ok(()),
            Err(SendFault::Source(error)) => Err(error),
            Err(SendFault::Refused) => {
                Err(Error::canceled("the server takes no more requests; receive to learn how the call ended"))
            }
        }
    }

    /// Tells the server that no more requests follow.
    pub fn close(&mut self) {
        match std::mem::replace(&mut self.state, State::Closed) {
            State::Open(mut half) => half.finish(),
            State::Fed(feed) => feed.close(),
            State::Closed | State::Failed(_) => {}
        }
    }

    pub(super) async fn pump(&mut self, messages: &mut Streaming<T>) -> Result<(), SendFault> {
        if let State::Fed(feed) = &self.state {
            let fed = feed_all(feed, self.encode, messages).await;
            match &fed {
                Ok(()) => self.close(),
                // Dropping the feed unclosed fails the call.
                Err(_) => self.state = State::Closed,
            }
            return fed;
        }
        let State::Open(half) = &mut self.state else { return Err(SendFault::Refused) };
        let write = self.write;
        let sent = poll_fn(|cx| poll_pump(half, write, messages, cx)).await;
        match &sent {
            Ok(()) => self.close(),
            // Dropping the half unfinished resets the call.
            Err(_) => self.state = State::Closed,
        }
        sent
    }
}

async fn feed_all<T>(
    feed: &Feed,
    encode: fn(Format, &T) -> Result<Payload>,
    messages: &mut Streaming<T>,
) -> Result<(), SendFault> {
    while let Some(message) = messages.message().await.map_err(SendFault::Source)? {
        let payload = encode(feed.format(), &message).map_err(SendFault::Source)?;
        feed.send(payload).await.map_err(|_| SendFault::Refused)?;
    }
    Ok(())
}

fn poll_room(half: &mut RequestHalf, cx: &mut Context<'_>) -> Poll<Result<(), Reset>> {
    half.outgoing.poll_reserve(cx, 0).map(|reserved| reserved.map(|_| ()))
}

fn poll_pump<T>(
    half: &mut RequestHalf,
    write: fn(&mut RequestHalf, &T) -> Result<()>,
    messages: &mut Streaming<T>,
    cx: &mut Context<'_>,
) -> Poll<Result<(), SendFault>> {
    loop {
        // Credit first: a message taken from its source without credit would have nowhere to wait.
        match poll_room(half, cx) {
            Poll::Ready(Ok(())) => {}
            Poll::Ready(Err(_)) => return Poll::Ready(Err(SendFault::Refused)),
            Poll::Pending => return Poll::Pending,
        }
        match messages.poll_message(cx) {
            Poll::Ready(Some(Ok(message))) => {
                if let Err(error) = write(half, &message) {
                    return Poll::Ready(Err(SendFault::Source(error)));
                }
            }
            Poll::Ready(Some(Err(error))) => return Poll::Ready(Err(SendFault::Source(error))),
            Poll::Ready(None) => return Poll::Ready(Ok(())),
            Poll::Pending => {
                half.outgoing.flush();
                return Poll::Pending;
            }
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.state {
            State::Open(_) | State::Fed(_) => "open",
            State::Closed => "closed",
            State::Failed(_) => "failed",
        };
        f.debug_struct("Sender").field("state", &state).finish_non_exhaustive()
    }
}
