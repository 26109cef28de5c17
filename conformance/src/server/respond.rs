//! Answers as a test wants them: metadata, payloads, pauses and errors in the order that the suite fixes.
//!
//! It decides the content and order of answers (comments of `service.proto`). It must not know which procedure answers:
//! `wrap` puts a payload into the message of one.

use std::time::Duration;
use std::vec;

use tokio::time::sleep;
use trunkline::{Metadata, Response, Result, Streaming};
use trunkline_conformance::proto::connectrpc::conformance::v1 as messages;
use trunkline_conformance::suite;

use self::messages::conformance_payload::RequestInfo;
use self::messages::unary_response_definition::Response as Asked;
use self::messages::{
    BidiStreamRequest, ConformancePayload, Header, StreamResponseDefinition, UnaryResponseDefinition,
};

/// The answer of a procedure that answers with one message: after the pause, the data of the definition and what was seen
/// of the request. Without a definition there is only what was seen.
///
/// # Errors
/// The error that the test wants; what was seen of the request is its last detail.
pub(crate) async fn once<T>(
    definition: Option<UnaryResponseDefinition>,
    seen: RequestInfo,
    wrap: impl FnOnce(ConformancePayload) -> T,
) -> Result<Response<T>> {
    let definition = definition.unwrap_or_default();
    sleep(pause(definition.response_delay_ms)).await;
    let data = match definition.response {
        Some(Asked::Error(error)) => {
            let mut error = suite::to_error(&error).with_message_detail(&seen);
            // An error of ours has one set of metadata; the suite takes headers in it as well as trailers.
            suite::append(&definition.response_headers, error.metadata_mut())?;
            suite::append(&definition.response_trailers, error.metadata_mut())?;
            return Err(error);
        }
        Some(Asked::ResponseData(data)) => data,
        None => Vec::new(),
    };
    let mut response = Response::new(wrap(payload(data, Some(seen))));
    suite::append(&definition.response_headers, response.metadata_mut())?;
    suite::append(&definition.response_trailers, response.trailers_mut())?;
    Ok(response)
}

/// Answers with all payloads of the script, then with its end. The headers leave before the first pause, so that a caller
/// who waits for them is not held up.
pub(crate) fn stream<T: Send + 'static>(
    script: Script,
    wrap: impl Fn(ConformancePayload) -> T + Send + Copy + 'static,
) -> Response<Streaming<T>> {
    respond(script, |script| {
        Streaming::unfold(script, move |mut script: Script| async move {
            let Some(data) = script.data.next() else { return script.end() };
            let payload = script.payload(data).await;
            Ok(Some((wrap(payload), script)))
        })
    })
}

/// Answers each request with the next payload, beginning with the request that the script has seen already. When the
/// requests end, the rest of the script follows; when the script ends first, the requests are of no account any more.
pub(crate) fn in_turns<T: Send + 'static>(
    script: Script,
    requests: Streaming<BidiStreamRequest>,
    wrap: impl Fn(ConformancePayload) -> T + Send + Copy + 'static,
) -> Response<Streaming<T>> {
    respond(script, |script| {
        Streaming::unfold((script, requests), move |(mut script, mut requests)| async move {
            // What was seen has been answered, so it is the turn of the other side.
            if script.seen.is_none()
                && let Some(request) = requests.message().await?
            {
                script.seen =
                    Some(RequestInfo { requests: vec![suite::pack(&request)], ..RequestInfo::default() });
            }
            let Some(data) = script.data.next() else { return script.end() };
            let payload = script.payload(data).await;
            Ok(Some((wrap(payload), (script, requests))))
        })
    })
}

/// What is left to be answered on a stream.
pub(crate) struct Script {
    /// Sent as soon as the handler returns.
    headers: Metadata,
    /// Sent at the end, whether it is good or bad.
    trailers: Metadata,
    /// The data of each answer to come.
    data: vec::IntoIter<Vec<u8>>,
    /// The wait in front of each answer.
    pause: Duration,
    /// How the stream ends, if not well.
    error: Option<Box<messages::Error>>,
    /// What was seen since the last answer.
    seen: Option<RequestInfo>,
    /// Whether there was an answer that has told what was seen first.
    answered: bool,
}

impl Script {
    /// The script of a definition; without one there is nothing to answer.
    ///
    /// # Errors
    /// Metadata that cannot be sent.
    pub(crate) fn new(definition: Option<StreamResponseDefinition>, seen: RequestInfo) -> Result<Self> {
        let definition = definition.unwrap_or_default();
        Ok(Self {
            headers: metadata(&definition.response_headers)?,
            trailers: metadata(&definition.response_trailers)?,
            data: definition.response_data.into_iter(),
            pause: pause(definition.response_delay_ms),
            error: definition.error.into_option().map(Box::new),
            seen: Some(seen),
            answered: false,
        })
    }

    /// The next payload, after the pause in front of it.
    async fn payload(&mut self, data: Vec<u8>) -> ConformancePayload {
        sleep(self.pause).await;
        self.answered = true;
        payload(data, self.seen.take())
    }

    /// The end of the stream. An error without an answer before it says what was seen.
    fn end<T>(self) -> Result<Option<T>> {
        let Some(error) = self.error else { return Ok(None) };
        let mut error = suite::to_error(&error).with_metadata(self.trailers);
        if let Some(seen) = self.seen.filter(|_| !self.answered) {
            error = error.with_message_detail(&seen);
        }
        Err(error)
    }
}

/// Headers and trailers of the script around a stream of its answers.
fn respond<T>(script: Script, stream: impl FnOnce(Script) -> Streaming<T>) -> Response<Streaming<T>> {
    let (headers, trailers) = (script.headers.clone(), script.trailers.clone());
    let mut response = Response::new(stream(script));
    *response.metadata_mut() = headers;
    *response.trailers_mut() = trailers;
    response
}

/// A payload with the data of the definition.
fn payload(data: Vec<u8>, seen: Option<RequestInfo>) -> ConformancePayload {
    ConformancePayload { data, request_info: seen.into(), ..ConformancePayload::default() }
}

/// The suite's headers as metadata of a response.
///
/// # Errors
/// A key or value that cannot be sent.
fn metadata(headers: &[Header]) -> Result<Metadata> {
    let mut metadata = Metadata::new();
    suite::append(headers, &mut metadata)?;
    Ok(metadata)
}

/// A pause of the suite, which counts in milliseconds.
fn pause(milliseconds: u32) -> Duration {
    Duration::from_millis(u64::from(milliseconds))
}

#[cfg(test)]
mod tests;
