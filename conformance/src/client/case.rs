//! One case: which procedure it calls, what every kind of call has in common, and when the caller leaves.
//!
//! A caller leaves by dropping its call, as any user of `trunkline` does; there is no other way to cancel. So it reports the
//! cancellation itself, together with what had arrived until then.
//!
//! It decides what a case means. How a call of each shape is made is decided in `unary` and `streams`.

use std::time::Duration;

use trunkline::proto::{Message, MessageName};
use trunkline::{Channel, Request};
use trunkline_conformance::proto::connectrpc::conformance::v1 as messages;
use trunkline_conformance::suite;

use self::messages::client_compat_request::cancel::CancelTiming;
use self::messages::{ClientCompatRequest, StreamType, conformance_service as procedures};
use crate::channels::Channels;
use crate::report::Report;
use crate::{streams, unary};

/// Makes the call that the case asks for and reports what came of it.
///
/// # Errors
/// Why the call could not be made, in words. What the call itself ends with is in the report.
pub(crate) async fn run(asked: &ClientCompatRequest, channels: &Channels) -> Result<Report, String> {
    let case = Case { channel: channels.channel(asked)?, asked, cancel: Cancel::of(asked) };
    let service = asked.service.as_deref().unwrap_or(procedures::UNARY.spec().service);
    let method = asked.method.as_deref().unwrap_or_default();
    if service != procedures::UNARY.spec().service {
        return Err(format!("no service {service}"));
    }
    match method {
        "Unary" => unary::unary(&case, &procedures::UNARY, |response| response.payload.into()).await,
        "IdempotentUnary" => {
            unary::unary(&case, &procedures::IDEMPOTENT_UNARY, |response| response.payload.into()).await
        }
        "Unimplemented" => unary::unary(&case, &procedures::UNIMPLEMENTED, |_| None).await,
        "ServerStream" => unary::server_stream(&case).await,
        "ClientStream" => streams::client_stream(&case).await,
        "BidiStream" => streams::bidi_stream(&case, case.is_full_duplex()?).await,
        other => Err(format!("no method {other}")),
    }
}

/// A case on its channel.
pub(crate) struct Case<'a> {
    /// The way to the server, perhaps shared with other cases.
    pub(crate) channel: Channel,
    /// The case in the suite's words.
    pub(crate) asked: &'a ClientCompatRequest,
    /// When the caller leaves.
    pub(crate) cancel: Cancel,
}

/// When the caller leaves (`ClientCompatRequest.Cancel` of `client_compat.proto`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cancel {
    /// It stays to the end.
    Never,
    /// In place of the end of its requests.
    BeforeClose,
    /// That long after the end of its requests.
    AfterClose(Duration),
    /// With that many responses in hand.
    AfterResponses(usize),
}

impl Cancel {
    /// When the caller of this case leaves.
    fn of(asked: &ClientCompatRequest) -> Self {
        let Some(cancel) = asked.cancel.as_option() else { return Self::Never };
        match &cancel.cancel_timing {
            Some(CancelTiming::BeforeCloseSend(_)) => Self::BeforeClose,
            Some(CancelTiming::AfterCloseSendMs(wait)) => Self::AfterClose(milliseconds(*wait)),
            Some(CancelTiming::AfterNumResponses(count)) => Self::AfterResponses(*count as usize),
            // As `client_compat.proto` has it: at once.
            None => Self::AfterClose(Duration::ZERO),
        }
    }

    /// Ready when a caller that has ended its requests leaves, which may be never.
    pub(crate) async fn after_close(self) {
        match self {
            Self::AfterClose(wait) => tokio::time::sleep(wait).await,
            Self::BeforeClose | Self::AfterResponses(_) | Self::Never => std::future::pending().await,
        }
    }
}

impl Case<'_> {
    /// The request messages, all of the procedure's type.
    ///
    /// # Errors
    /// A message of another type.
    pub(crate) fn messages<M: Message + MessageName>(&self) -> Result<Vec<M>, String> {
        self.asked.request_messages.iter().map(suite::unpack).collect()
    }

    /// The request of a procedure that takes exactly one message.
    ///
    /// # Errors
    /// Another number of messages, one of another type, or metadata that cannot be sent.
    pub(crate) fn request<M: Message + MessageName>(&self) -> Result<Request<M>, String> {
        let mut messages = self.messages()?;
        match (messages.pop(), messages.len()) {
            (Some(message), 0) => self.with_metadata(message),
            _ => Err("the procedure takes exactly one request message".to_owned()),
        }
    }

    /// `message` with the metadata and the timeout of the case.
    ///
    /// # Errors
    /// Metadata that cannot be sent.
    pub(crate) fn with_metadata<T>(&self, message: T) -> Result<Request<T>, String> {
        let mut request = Request::new(message);
        let appended = suite::append(&self.asked.request_headers, request.metadata_mut());
        appended.map_err(|error| error.to_string())?;
        Ok(match self.asked.timeout_ms {
            Some(timeout) => request.with_timeout(milliseconds(timeout)),
            None => request,
        })
    }

    /// The wait in front of each request message.
    pub(crate) fn pause(&self) -> Duration {
        milliseconds(self.asked.request_delay_ms)
    }

    /// Whether a response follows each request; only the kind of stream tells, the procedure is the same.
    ///
    /// # Errors
    /// A kind of stream that is no bidi stream.
    fn is_full_duplex(&self) -> Result<bool, String> {
        match self.asked.stream_type.as_known() {
            Some(StreamType::STREAM_TYPE_FULL_DUPLEX_BIDI_STREAM) => Ok(true),
            Some(StreamType::STREAM_TYPE_HALF_DUPLEX_BIDI_STREAM) => Ok(false),
            _ => Err(format!("BidiStream cannot be called as {}", self.asked.stream_type)),
        }
    }
}

/// A time of the suite, which counts in milliseconds.
fn milliseconds(count: u32) -> Duration {
    Duration::from_millis(u64::from(count))
}

#[cfg(test)]
mod tests;
