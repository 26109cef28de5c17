//! The request body of one call, whatever form it has.

use std::fmt;
use std::sync::Arc;

use bytes::BytesMut;

use crate::connect::unary;
use crate::envelope::EnvelopeWriter;
use crate::grpc_web::text;
use crate::{Code, Compression, Status};

/// Writes the request body of one call.
///
/// It only appends to targets that the caller owns and drains, so whoever owns the connection decides when bytes are sent.
pub struct ClientWriter {
    form: Form,
}

/// How a body is put on the wire.
pub(crate) enum Form {
    /// The body is one message.
    Bare { compression: Option<Arc<dyn Compression>>, written: bool },
    /// The body is a row of envelopes, in base64 or not.
    Envelopes { writer: EnvelopeWriter, is_text: bool },
    /// The message lies in the head: there is no body.
    Nothing,
}

/// Binary envelopes.
pub(crate) fn envelopes(compression: Option<Arc<dyn Compression>>, compress_bytes_min: usize) -> Form {
    Form::Envelopes { writer: EnvelopeWriter::new(compression, compress_bytes_min), is_text: false }
}

/// The same form, in base64 if asked for.
pub(crate) fn text_if(text: bool, form: Form) -> Form {
    match form {
        Form::Envelopes { writer, .. } => Form::Envelopes { writer, is_text: text },
        form => form,
    }
}

impl ClientWriter {
    pub(crate) fn new(form: Form) -> Self {
        Self { form }
    }

    /// Appends one message to `target`, enveloped and compressed as planned. On error `target` is as it was.
    ///
    /// # Errors
    /// What `encode` returned; `Internal` for a second message of a call whose body is one.
    pub fn message(
        &mut self,
        target: &mut BytesMut,
        encode: &mut dyn FnMut(&mut BytesMut) -> Result<(), Status>,
    ) -> Result<(), Status> {
        match &mut self.form {
            Form::Bare { compression, written: written @ false } => {
                // However small it is: the head has said that the body is compressed.
                unary::append(target, compression.as_deref(), 0, encode)?;
                *written = true;
                Ok(())
            }
            Form::Bare { .. } | Form::Nothing => Err(Status::new(
                Code::Internal,
                "connect: a unary request has one message, and it was written",
            )),
            Form::Envelopes { writer, is_text } => {
                let start = target.len();
                writer.message(target, encode)?;
                if *is_text {
                    text::encode_behind(target, start);
                }
                Ok(())
            }
        }
    }

    /// Appends what ends the request body to `target`. No protocol of today has anything to say there: the end of the body
    /// is the end of the messages.
    pub fn finish(&mut self, target: &mut BytesMut) {
        let _ = target;
    }
}

impl fmt::Debug for ClientWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = match &self.form {
            Form::Bare { .. } => "one bare message",
            Form::Envelopes { is_text: false, .. } => "envelopes",
            Form::Envelopes { is_text: true, .. } => "envelopes in base64",
            Form::Nothing => "nothing",
        };
        f.debug_tuple("ClientWriter").field(&form).finish()
    }
}
