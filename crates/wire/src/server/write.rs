//! The response of one call, whatever form it has.

use std::fmt;
use std::sync::Arc;

use bytes::BytesMut;
use http::HeaderMap;

use super::Finish;
use crate::compress::{IDENTITY, Offer};
use crate::connect::stream::StreamWriter;
use crate::connect::unary::UnaryWriter;
use crate::{Code, Compression, ResponseHead, Status, grpc, grpc_web};

/// Writes the response of one call.
///
/// First `head`, then any number of messages, then `finish`. A call that fails before it began may leave out the first two:
/// protocols that have a shorter form for that then use it.
pub struct ServerWriter {
    form: Form,
    offer: Offer,
    is_finished: bool,
}

/// How a response is put on the wire.
pub(crate) enum Form {
    ConnectUnary(UnaryWriter),
    ConnectStream(StreamWriter),
    Grpc(grpc::server::Writer),
    GrpcWeb(grpc_web::server::Writer),
}

impl ServerWriter {
    pub(crate) fn new(form: Form, offer: Offer) -> Self {
        Self { form, offer, is_finished: false }
    }

    /// Chooses how the messages from here on are compressed, in place of what was agreed: by the compression of this
    /// name, or not at all for `identity`. Says whether it was done: a compression that the caller does not accept
    /// or this side does not know changes nothing, and neither does one that a head already sent did not name.
    pub fn choose_compression(&mut self, name: &str) -> bool {
        let chosen = match name {
            IDENTITY => None,
            name if self.form.compression().is_some_and(|agreed| agreed.name() == name) => return true,
            name => match self.offer.find(name) {
                Some(found) => Some(Arc::clone(found)),
                None => return false,
            },
        };
        self.form.compress_with(chosen)
    }

    /// The response head with the handler's metadata. Connect unary answers `None` and keeps the metadata: its
    /// head says how the call ended, so it comes with `finish`.
    ///
    /// Names that belong to HTTP or a protocol are left out (see [`crate::metadata::is_reserved`]).
    pub fn head(&mut self, metadata: HeaderMap) -> Option<ResponseHead> {
        match &mut self.form {
            Form::ConnectUnary(writer) => {
                writer.head(metadata);
                None
            }
            Form::ConnectStream(writer) => Some(writer.head(metadata)),
            Form::Grpc(writer) => Some(writer.head(metadata)),
            Form::GrpcWeb(writer) => Some(writer.head(metadata)),
        }
    }

    /// Appends one message to `target`, enveloped and compressed as agreed. `encode` appends the plain message.
    /// On error `target` is as it was.
    ///
    /// Connect unary takes the message back out of `target` when the outcome is an error, so `finish` must get the same
    /// target, with nothing behind the message.
    ///
    /// # Errors
    /// What `encode` returned, or `ResourceExhausted` for a message above 4 GiB.
    pub fn message(
        &mut self,
        target: &mut BytesMut,
        encode: &mut dyn FnMut(&mut BytesMut) -> Result<(), Status>,
    ) -> Result<(), Status> {
        if self.is_finished {
            return Err(Status::new(Code::Internal, "a message was written behind the end of the response"));
        }
        match &mut self.form {
            Form::ConnectUnary(writer) => writer.message(target, encode),
            Form::ConnectStream(writer) => writer.envelopes.message(target, encode),
            Form::Grpc(writer) => {
                writer.envelopes.message(target, encode)?;
                writer.wrote = true;
                Ok(())
            }
            Form::GrpcWeb(writer) => writer.message(target, encode),
        }
    }

    /// Ends the response: appends what belongs into the body to `target` and gives head and trailers.
    ///
    /// `trailers` are the handler's; those of a failed `outcome` are in its status. A second call gives nothing.
    pub fn finish(
        &mut self,
        outcome: Result<(), Status>,
        trailers: HeaderMap,
        target: &mut BytesMut,
    ) -> Finish {
        if std::mem::replace(&mut self.is_finished, true) {
            return Finish::default();
        }
        match &mut self.form {
            Form::ConnectUnary(writer) => writer.finish(outcome, trailers, target),
            Form::ConnectStream(writer) => writer.finish(outcome, trailers, target),
            Form::Grpc(writer) => writer.finish(outcome, trailers),
            Form::GrpcWeb(writer) => writer.finish(outcome, trailers, target),
        }
    }
}

impl Form {
    /// The compression of the next message.
    fn compression(&self) -> Option<&Arc<dyn Compression>> {
        match self {
            Self::ConnectUnary(writer) => writer.compression.as_ref(),
            Self::ConnectStream(writer) => writer.envelopes.compression(),
            Self::Grpc(writer) => writer.envelopes.compression(),
            Self::GrpcWeb(writer) => writer.inner.envelopes.compression(),
        }
    }

    fn compress_with(&mut self, chosen: Option<Arc<dyn Compression>>) -> bool {
        match self {
            // Its head comes last and tells what was done.
            Self::ConnectUnary(writer) => {
                writer.compression = chosen;
                true
            }
            Self::ConnectStream(writer) => writer.compress_with(chosen),
            Self::Grpc(writer) => writer.compress_with(chosen),
            Self::GrpcWeb(writer) => writer.inner.compress_with(chosen),
        }
    }
}

impl fmt::Debug for ServerWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerWriter").field("is_finished", &self.is_finished).finish_non_exhaustive()
    }
}
