//! Calls with any number of request messages: client stream, half-duplex and full-duplex bidi stream.
//!
//! It decides the order of sending, pausing, receiving and leaving (`testing_clients.md` of the suite). It must not know
//! what the messages hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::vec;

use tokio::sync::oneshot;
use tokio::time::sleep;
use trunkline::{Bidi, CallOptions, Error, Result as CallResult, Streaming};
use trunkline_conformance::proto::connectrpc::conformance::v1 as messages;
use trunkline_conformance::suite;

use self::messages::{
    BidiStreamRequest, BidiStreamResponse, ClientStreamRequest, conformance_service as procedures,
};
use crate::case::{Cancel, Case};
use crate::report::{Report, left};

/// Calls `ClientStream`. The requests are a stream that pauses in front of each message; the call takes them when it can
/// send them.
///
/// # Errors
/// Why the call could not be made.
pub(crate) async fn client_stream(case: &Case<'_>) -> Result<Report, String> {
    let messages = case.messages::<ClientStreamRequest>()?;
    let total = messages.len();
    let (requests, progress) = paced(messages, case.pause(), case.cancel == Cancel::BeforeClose);
    let request = case.with_metadata(requests)?;
    let Progress { taken, ended } = progress;
    let leaves = async {
        // An error means that the requests were dropped before their end; then the call tells why.
        if ended.await.is_err() {
            std::future::pending::<()>().await;
        }
        if case.cancel != Cancel::BeforeClose {
            case.cancel.after_close().await;
        }
    };
    let outcome = tokio::select! {
        outcome = case.channel.client_stream(&procedures::CLIENT_STREAM, request) => outcome,
        () = leaves => Err(left()),
    };
    let mut report = Report::default();
    report.unsent(total - taken.load(Ordering::Relaxed).min(total));
    match outcome {
        Ok(response) => {
            let (message, headers, trailers) = response.into_parts();
            report.headers(&headers);
            report.payload(message.payload.into_option());
            report.trailers(&trailers);
        }
        Err(error) => report.failed(&error),
    }
    Ok(report)
}

/// How far a stream of requests has come.
struct Progress {
    /// Messages that the call has taken for sending.
    taken: Arc<AtomicUsize>,
    /// Tells that the last one has been taken.
    ended: oneshot::Receiver<()>,
}

/// The messages as a stream with a pause in front of each, and how far it has come. With `hold` it never ends: the caller
/// leaves instead.
fn paced<T: Send + 'static>(messages: Vec<T>, pause: Duration, hold: bool) -> (Streaming<T>, Progress) {
    let (end, ended) = oneshot::channel();
    let taken = Arc::new(AtomicUsize::new(0));
    let progress = Progress { taken: Arc::clone(&taken), ended };
    let state: (vec::IntoIter<T>, _) = (messages.into_iter(), Some(end));
    let stream = Streaming::unfold(state, move |(mut messages, mut end)| {
        let taken = Arc::clone(&taken);
        async move {
            if let Some(message) = messages.next() {
                sleep(pause).await;
                taken.fetch_add(1, Ordering::Relaxed);
                return Ok(Some((message, (messages, end))));
            }
            if let Some(end) = end.take() {
                // Nobody waits for the end of a call that has ended itself.
                let _ = end.send(());
            }
            if hold {
                std::future::pending::<()>().await;
            }
            Ok(None)
        }
    });
    (stream, progress)
}

/// Calls `BidiStream`: all requests first, or a response after each of them.
///
/// # Errors
/// Why the call could not be made.
pub(crate) async fn bidi_stream(case: &Case<'_>, full_duplex: bool) -> Result<Report, String> {
    let messages = case.messages::<BidiStreamRequest>()?;
    let mut options = CallOptions::new();
    suite::append(&case.asked.request_headers, options.metadata_mut()).map_err(|error| error.to_string())?;
    if let Some(timeout) = case.asked.timeout_ms {
        options = options.with_timeout(Duration::from_millis(u64::from(timeout)));
    }
    let mut call = case.channel.bidi(&procedures::BIDI_STREAM, options);
    let mut report = Report::default();
    if let Err(error) = converse(case, &mut call, messages, full_duplex, &mut report).await {
        report.failed(&error);
    }
    Ok(report)
}

/// The whole call, from the first request to the last response. What has arrived is in the report, however it ends.
///
/// # Errors
/// How the call ended, or that the caller has left.
async fn converse(
    case: &Case<'_>,
    call: &mut Bidi<BidiStreamRequest, BidiStreamResponse>,
    messages: Vec<BidiStreamRequest>,
    full_duplex: bool,
    report: &mut Report,
) -> CallResult<()> {
    let total = messages.len();
    for (index, message) in messages.into_iter().enumerate() {
        sleep(case.pause()).await;
        if let Err(error) = call.send(message).await {
            report.unsent(total - index);
            return Err(why(call, error).await);
        }
        if full_duplex {
            report.unsent(total - index - 1);
            if !receive(case, call, report).await? {
                break;
            }
            report.unsent(0);
        }
    }
    if case.cancel == Cancel::BeforeClose {
        return Err(left());
    }
    call.close();
    tokio::select! {
        received = receive_rest(case, call, report) => received?,
        () = case.cancel.after_close() => return Err(left()),
    }
    if let Some(trailers) = call.trailers() {
        report.trailers(trailers);
    }
    Ok(())
}

/// Why a request could not be sent: the responses tell, unless they go on.
async fn why(call: &mut Bidi<BidiStreamRequest, BidiStreamResponse>, error: Error) -> Error {
    call.message().await.err().unwrap_or(error)
}

/// Receives all responses that are left. Headers may come without any.
///
/// # Errors
/// How the call ended, or that the caller has left.
async fn receive_rest(
    case: &Case<'_>,
    call: &mut Bidi<BidiStreamRequest, BidiStreamResponse>,
    report: &mut Report,
) -> CallResult<()> {
    report.headers(call.headers().await?);
    while receive(case, call, report).await? {}
    Ok(())
}

/// Receives one response; `false` after the last one.
///
/// # Errors
/// How the call ended, or that the caller has left.
async fn receive(
    case: &Case<'_>,
    call: &mut Bidi<BidiStreamRequest, BidiStreamResponse>,
    report: &mut Report,
) -> CallResult<bool> {
    let Some(message) = call.message().await? else { return Ok(false) };
    if report.responses() == 0 {
        report.headers(call.headers().await?);
    }
    report.payload(message.payload.into_option());
    if case.cancel == Cancel::AfterResponses(report.responses()) {
        return Err(left());
    }
    Ok(true)
}

#[cfg(test)]
mod tests;
