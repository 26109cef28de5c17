//! The procedures of the suite's service (`service.proto`): what of a request is reported, and which messages count.
//!
//! | procedure | definition | requests in the first answer | in later ones |
//! |---|---|---|---|
//! | `Unary`, `IdempotentUnary` | of the request | the one | |
//! | `ClientStream` | of the first request | all | |
//! | `ServerStream` | of the request | the one | none |
//! | `BidiStream`, half duplex | of the first request | all | none |
//! | `BidiStream`, full duplex | of the first request | the first | the one that is answered |
//!
//! It decides what each procedure has seen when it answers. How an answer is put together is decided in `respond`.

use trunkline::{Request, Response, Result, Streaming};
use trunkline_conformance::proto::connectrpc::conformance::v1 as messages;
use trunkline_conformance::suite;

use self::messages::conformance_payload::RequestInfo;
use self::messages::{
    BidiStreamRequest, BidiStreamResponse, ClientStreamRequest, ClientStreamResponse, IdempotentUnaryRequest,
    IdempotentUnaryResponse, ServerStreamRequest, ServerStreamResponse, UnaryRequest, UnaryResponse,
};
use crate::respond::{self, Script};

/// The service. `Unimplemented` is left out, as the suite wants it: the generated trait answers for it.
pub(crate) struct Conformance;

impl messages::ConformanceService for Conformance {
    async fn unary(&self, request: Request<UnaryRequest>) -> Result<Response<UnaryResponse>> {
        let mut seen = seen(&request);
        let message = request.into_message();
        seen.requests.push(suite::pack(&message));
        respond::once(message.response_definition.into_option(), seen, |payload| UnaryResponse {
            payload: payload.into(),
            ..UnaryResponse::default()
        })
        .await
    }

    async fn idempotent_unary(
        &self,
        request: Request<IdempotentUnaryRequest>,
    ) -> Result<Response<IdempotentUnaryResponse>> {
        let mut seen = seen(&request);
        let message = request.into_message();
        seen.requests.push(suite::pack(&message));
        respond::once(message.response_definition.into_option(), seen, |payload| IdempotentUnaryResponse {
            payload: payload.into(),
            ..IdempotentUnaryResponse::default()
        })
        .await
    }

    async fn client_stream(
        &self,
        request: Request<Streaming<ClientStreamRequest>>,
    ) -> Result<Response<ClientStreamResponse>> {
        let mut seen = seen(&request);
        let mut messages = request.into_message();
        let mut definition = None;
        while let Some(message) = messages.message().await? {
            if seen.requests.is_empty() {
                definition = message.response_definition.as_option().cloned();
            }
            seen.requests.push(suite::pack(&message));
        }
        respond::once(definition, seen, |payload| ClientStreamResponse {
            payload: payload.into(),
            ..ClientStreamResponse::default()
        })
        .await
    }

    async fn server_stream(
        &self,
        request: Request<ServerStreamRequest>,
    ) -> Result<Response<Streaming<ServerStreamResponse>>> {
        let mut seen = seen(&request);
        let message = request.into_message();
        seen.requests.push(suite::pack(&message));
        let script = Script::new(message.response_definition.into_option(), seen)?;
        Ok(respond::stream(script, |payload| ServerStreamResponse {
            payload: payload.into(),
            ..ServerStreamResponse::default()
        }))
    }

    async fn bidi_stream(
        &self,
        request: Request<Streaming<BidiStreamRequest>>,
    ) -> Result<Response<Streaming<BidiStreamResponse>>> {
        let mut seen = seen(&request);
        let mut messages = request.into_message();
        let wrap = |payload: messages::ConformancePayload| BidiStreamResponse {
            payload: payload.into(),
            ..BidiStreamResponse::default()
        };
        let Some(first) = messages.message().await? else {
            return Ok(respond::stream(Script::new(None, seen)?, wrap));
        };
        seen.requests.push(suite::pack(&first));
        let definition = first.response_definition.as_option().cloned();
        if first.full_duplex {
            return Ok(respond::in_turns(Script::new(definition, seen)?, messages, wrap));
        }
        while let Some(message) = messages.message().await? {
            seen.requests.push(suite::pack(&message));
        }
        Ok(respond::stream(Script::new(definition, seen)?, wrap))
    }
}

/// What the head of a request tells: its metadata, and the timeout as the caller sent it. The messages are added as they
/// arrive. That a call came by GET is left out, as the suite allows where a server does not tell its handlers.
fn seen<T>(request: &Request<T>) -> RequestInfo {
    let timeout = request.context().and_then(trunkline::CallContext::timeout);
    RequestInfo {
        request_headers: suite::headers(request.metadata()),
        // A timeout that does not fit is longer than any that the suite sends.
        timeout_ms: timeout.map(|timeout| i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX)),
        ..RequestInfo::default()
    }
}
