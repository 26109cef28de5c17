//! `grpc.testing.TestService`: the server side of gRPC's interop tests (`interop-test-descriptions.md`).
//!
//! It decides what each procedure answers, and which wishes of a request are refused. Fields that concern gRPC's load
//! balancers, its authentication and its load reports have no meaning here and are left unanswered.

mod answers;

use trunkline::{Code, Error, Request, Response, Result, Streaming};

use self::answers::{answers, payload};
use super::metadata::Echoed;
use crate::proto::grpc::testing::{
    EchoStatus, Empty, ResponseParameters, SimpleRequest, SimpleResponse, StreamingInputCallRequest,
    StreamingInputCallResponse, StreamingOutputCallRequest, StreamingOutputCallResponse, TestService,
};

/// The service; it keeps nothing.
pub(crate) struct Interop;

/// Most answers that a half-duplex call may ask for: its requests are kept until the last has come.
const HALF_DUPLEX_ANSWERS_MAX: usize = 10_000;

/// What a proxy may keep a cacheable answer for; the interop tests ask for some such header.
const CACHE_CONTROL: (&str, &str) = ("cache-control", "max-age=60, public");

type Requests = Request<Streaming<StreamingOutputCallRequest>>;
type Answers = Response<Streaming<StreamingOutputCallResponse>>;

impl TestService for Interop {
    async fn empty_call(&self, request: Request<Empty>) -> Result<Response<Empty>> {
        Ok(Echoed::of(request.metadata())?.onto(Empty::default()))
    }

    async fn unary_call(&self, request: Request<SimpleRequest>) -> Result<Response<SimpleResponse>> {
        let echoed = Echoed::of(request.metadata())?;
        match simple(&request) {
            Ok(response) => Ok(echoed.onto(response)),
            Err(error) => Err(echoed.onto_error(error)),
        }
    }

    async fn cacheable_unary_call(
        &self,
        request: Request<SimpleRequest>,
    ) -> Result<Response<SimpleResponse>> {
        let response = self.unary_call(request).await?;
        response.with_metadata(CACHE_CONTROL.0, CACHE_CONTROL.1)
    }

    async fn streaming_output_call(&self, request: Request<StreamingOutputCallRequest>) -> Result<Answers> {
        let echoed = Echoed::of(request.metadata())?;
        let requests = Streaming::from_iter([request.into_message()]);
        Ok(echoed.onto(answers(requests)))
    }

    async fn streaming_input_call(
        &self,
        request: Request<Streaming<StreamingInputCallRequest>>,
    ) -> Result<Response<StreamingInputCallResponse>> {
        let echoed = Echoed::of(request.metadata())?;
        let mut requests = request.into_message();
        let mut bytes: u64 = 0;
        while let Some(request) = requests.message().await? {
            bytes += request.payload.body.len() as u64;
        }
        let Ok(aggregated_payload_size) = i32::try_from(bytes) else {
            let message = format!("{bytes} bytes of payload do not fit into aggregated_payload_size");
            return Err(echoed.onto_error(Error::out_of_range(message)));
        };
        Ok(echoed.onto(StreamingInputCallResponse {
            aggregated_payload_size,
            ..StreamingInputCallResponse::default()
        }))
    }

    async fn full_duplex_call(&self, request: Requests) -> Result<Answers> {
        let echoed = Echoed::of(request.metadata())?;
        Ok(echoed.onto(answers(request.into_message())))
    }

    async fn half_duplex_call(&self, request: Requests) -> Result<Answers> {
        let echoed = Echoed::of(request.metadata())?;
        let mut requests = request.into_message();
        let mut kept: Vec<ResponseParameters> = Vec::new();
        while let Some(request) = requests.message().await? {
            if let Some(error) = wanted_failure(request.response_status.as_option()) {
                return Err(echoed.onto_error(error));
            }
            kept.extend(request.response_parameters);
            if kept.len() > HALF_DUPLEX_ANSWERS_MAX {
                let message =
                    format!("more than {HALF_DUPLEX_ANSWERS_MAX} answers are asked for in one call");
                return Err(echoed.onto_error(Error::resource_exhausted(message)));
            }
        }
        let all =
            StreamingOutputCallRequest { response_parameters: kept, ..StreamingOutputCallRequest::default() };
        Ok(echoed.onto(answers(Streaming::from_iter([all]))))
    }

    async fn unimplemented_call(&self, _: Request<Empty>) -> Result<Response<Empty>> {
        Err(Error::unimplemented("grpc.testing.TestService/UnimplementedCall is left out on purpose"))
    }
}

fn simple(request: &SimpleRequest) -> Result<SimpleResponse> {
    if let Some(error) = wanted_failure(request.response_status.as_option()) {
        return Err(error);
    }
    let mut response = SimpleResponse {
        payload: payload(request.response_type.as_known(), request.response_size)?.into(),
        ..SimpleResponse::default()
    };
    if request.fill_server_id {
        response.server_id = format!("trunkline-{}", std::process::id());
    }
    Ok(response)
}

/// The error that a request asks for ("status_code_and_message"); code 0 asks for none.
fn wanted_failure(status: Option<&EchoStatus>) -> Option<Error> {
    let status = status.filter(|status| status.code != 0)?;
    // A negative number has no code either, so it is answered as any number without one.
    let code = u64::try_from(status.code).map_or(Code::Unknown, Code::from_number);
    Some(Error::new(code, status.message.clone()))
}

#[cfg(test)]
mod tests;
