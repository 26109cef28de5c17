//! Calls with one request message: unary and server stream.
//!
//! It decides how such a call is made, received and left. It must not know what the messages hold.

use trunkline::proto::{Message, MessageName};
use trunkline::{Procedure, Request, Result as CallResult, Streaming};
use trunkline_conformance::proto::connectrpc::conformance::v1 as messages;

use self::messages::{
    ConformancePayload, ServerStreamRequest, ServerStreamResponse, conformance_service as procedures,
};
use crate::case::{Cancel, Case};
use crate::report::{Report, left};

/// Calls a procedure with one request and one response; `payload` takes the payload out of the response.
///
/// # Errors
/// Why the call could not be made.
pub(crate) async fn unary<Req, Res>(
    case: &Case<'_>,
    procedure: &Procedure<Req, Res>,
    payload: impl FnOnce(Res) -> Option<ConformancePayload>,
) -> Result<Report, String>
where
    Req: Message + MessageName + 'static,
    Res: Message + 'static,
    trunkline::codec::Buffa: trunkline::Codec<Req> + trunkline::Codec<Res>,
{
    let request = case.request()?;
    let mut report = Report::default();
    let outcome = tokio::select! {
        outcome = case.channel.unary(procedure, request) => outcome,
        () = case.cancel.after_close() => Err(left()),
    };
    match outcome {
        Ok(response) => {
            let (message, headers, trailers) = response.into_parts();
            report.headers(&headers);
            report.payload(payload(message));
            report.trailers(&trailers);
        }
        Err(error) => report.failed(&error),
    }
    Ok(report)
}

/// Calls `ServerStream`.
///
/// # Errors
/// Why the call could not be made.
pub(crate) async fn server_stream(case: &Case<'_>) -> Result<Report, String> {
    let request = case.request::<ServerStreamRequest>()?;
    let mut report = Report::default();
    let outcome = tokio::select! {
        outcome = receive_all(case, request, &mut report) => outcome,
        () = case.cancel.after_close() => Err(left()),
    };
    if let Err(error) = outcome {
        report.failed(&error);
    }
    Ok(report)
}

/// Makes the call and receives what comes of it. What had arrived stays in the report when this is dropped, which ends the
/// call.
///
/// # Errors
/// How the call ended, or that the caller has left.
async fn receive_all(
    case: &Case<'_>,
    request: Request<ServerStreamRequest>,
    report: &mut Report,
) -> CallResult<()> {
    let response = case.channel.server_stream(&procedures::SERVER_STREAM, request).await?;
    report.headers(response.metadata());
    let mut messages: Streaming<ServerStreamResponse> = response.into_message();
    while let Some(message) = messages.message().await? {
        report.payload(message.payload.into_option());
        if case.cancel == Cancel::AfterResponses(report.responses()) {
            return Err(left());
        }
    }
    if let Some(trailers) = messages.trailers() {
        report.trailers(trailers);
    }
    Ok(())
}
