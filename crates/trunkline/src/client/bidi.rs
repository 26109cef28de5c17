//! A bidirectional call in the caller's hands.

use crate::{Error, Metadata, Result, Streaming};

use super::Sender;

/// A call on which both sides send at will. Dropping it resets the call.
///
/// ```no_run
/// # async fn run(mut chat: trunkline::Bidi<String, String>) -> trunkline::Result<()> {
/// chat.send("hello".to_owned()).await?;
/// let reply = chat.message().await?;
/// chat.close();
/// while let Some(more) = chat.message().await? {}
/// # drop(reply); Ok(()) }
/// ```
#[derive(Debug)]
#[must_use = "dropping a call resets it"]
pub struct Bidi<Req, Res> {
    sender: Sender<Req>,
    receiver: Streaming<Res>,
}

impl<Req, Res> Bidi<Req, Res> {
    pub(super) fn new(sender: Sender<Req>, receiver: Streaming<Res>) -> Self {
        Self { sender, receiver }
    }

    pub(super) fn failed(error: Error) -> Self
    where
        Res: Send + 'static,
    {
        let sender = Sender::failed(Error::new(error.code(), error.message()));
        Self { sender, receiver: Streaming::failed(error) }
    }

    /// Sends one message; see [`Sender::send`].
    ///
    /// # Errors
    /// As for [`Sender::send`].
    pub async fn send(&mut self, message: Req) -> Result<()> {
        self.sender.send(message).await
    }

    /// Tells the server that no more requests follow.
    pub fn close(&mut self) {
        self.sender.close();
    }

    /// Waits for the response headers. They may come long before the first message.
    ///
    /// # Errors
    /// What ended the call before.
    pub async fn headers(&mut self) -> Result<&Metadata> {
        self.receiver.headers().await
    }

    /// The next response, or `None` after the last one.
    ///
    /// # Errors
    /// What ended the call: the peer's status, or what went wrong on the way.
    pub async fn message(&mut self) -> Result<Option<Res>> {
        self.receiver.message().await
    }

    /// The trailers, once the end has been seen.
    pub fn trailers(&self) -> Option<&Metadata> {
        self.receiver.trailers()
    }

    /// The two directions, to be used from two tasks.
    pub fn split(self) -> (Sender<Req>, Streaming<Res>) {
        (self.sender, self.receiver)
    }
}
