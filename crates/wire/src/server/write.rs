//! The response of one call, whatever form it has.

use std::fmt;

use bytes::BytesMut;
use http::HeaderMap;

use super::Finish;
use crate::connect::stream::StreamWriter;
use crate::connect::unary::UnaryWriter;
use crate::{Code, ResponseHead, Status, grpc, grpc_web};

/// Writes the response of one call.
///
/// First `head`, then any number of messages, then `finish`. A call that fails before it began may leave out the first two:
/// protocols that have a shorter form for that then use it.
pub struct ServerWriter {
    form: Form,
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
    pub(crate) fn new(form: Form) -> Self {
        Self { form, is_finished: false }
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

impl fmt::Debug for ServerWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerWriter").field("is_finished", &self.is_finished).finish_non_exhaustive()
    }
}
