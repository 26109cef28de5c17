//! The response of one call on its way out: head, messages, outcome.

use std::task::{Context, Poll};

use http::HeaderMap;
use trunkline_wire::server::ServerWriter;

use crate::codec::{self, Codec, Format};
use crate::transport::{Outgoing, Reset};
use crate::{Error, Metadata, Response, Result, Streaming};

/// Writes one response.
pub(crate) struct ResponseSink {
    machine: ServerWriter,
    outgoing: Box<dyn Outgoing>,
    format: Format,
}

impl ResponseSink {
    pub(crate) fn new(machine: ServerWriter, outgoing: Box<dyn Outgoing>, format: Format) -> Self {
        Self { machine, outgoing, format }
    }

    /// Sends a whole response of one message.
    pub(crate) fn answer<C: Codec<T>, T>(mut self, response: Response<T>) {
        self.compress(response.compression());
        let (message, metadata, trailers) = response.into_parts();
        self.head(metadata);
        match self.write::<C, T>(&message) {
            Ok(()) => self.finish(Ok(()), trailers),
            Err(error) => self.finish(Err(error), trailers),
        }
    }

    /// Ends the call with an error, before or after the head.
    pub(crate) fn fail(self, error: Error) {
        self.finish(Err(error), Metadata::new());
    }

    /// Ends the call well.
    pub(crate) fn succeed(self, trailers: Metadata) {
        self.finish(Ok(()), trailers);
    }

    /// Takes the handler's choice of a compression. One that the caller does not accept leaves what was agreed.
    pub(crate) fn compress(&mut self, chosen: Option<&'static str>) {
        if let Some(name) = chosen {
            self.machine.choose_compression(name);
        }
    }

    /// Sends the head now, so that the caller sees it before the first message.
    pub(crate) fn head(&mut self, metadata: Metadata) {
        if let Some(head) = self.machine.head(metadata.into_headers()) {
            self.outgoing.head(head);
        }
    }

    /// Sends messages until `messages` ends. Flushes whenever it must wait.
    ///
    /// # Errors
    /// What ended `messages`, what could not be encoded, or that the caller reads no more.
    pub(crate) fn poll_send_all<C: Codec<T>, T>(
        &mut self,
        messages: &mut Streaming<T>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<()>> {
        loop {
            // Credit first: a message taken from its source without credit would have nowhere to wait.
            let Poll::Ready(reserved) = self.poll_reserve(cx) else { return Poll::Pending };
            if let Err(reset) = reserved {
                return Poll::Ready(Err(reset.into_error()));
            }
            match messages.poll_message(cx) {
                Poll::Ready(Some(Ok(message))) => {
                    if let Err(error) = self.write::<C, T>(&message) {
                        return Poll::Ready(Err(error));
                    }
                }
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Err(error)),
                Poll::Ready(None) => return Poll::Ready(Ok(())),
                Poll::Pending => {
                    self.outgoing.flush();
                    return Poll::Pending;
                }
            }
        }
    }

    fn poll_reserve(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Reset>> {
        self.outgoing.poll_reserve(cx, 0).map(|reserved| reserved.map(|_| ()))
    }

    fn write<C: Codec<T>, T>(&mut self, message: &T) -> Result<()> {
        let format = self.format;
        let target = self.outgoing.tail();
        target.reserve(C::size_hint(format, message) + codec::ENVELOPE_BYTES);
        let mut encode =
            |target: &mut bytes::BytesMut| codec::write::<C, T>(format, "the response", message, target);
        self.machine.message(target, &mut encode).map_err(Error::local)
    }

    fn finish(mut self, outcome: Result<(), Error>, trailers: Metadata) {
        let outcome = outcome.map_err(Error::into_status);
        let trailers: HeaderMap = trailers.into_headers();
        let finish = self.machine.finish(outcome, trailers, self.outgoing.tail());
        if let Some(head) = finish.head {
            self.outgoing.head(head);
        }
        self.outgoing.finish(finish.trailers);
    }
}
