//! The answers of the streaming procedures: as many, as large and as far apart as requests ask for, made one at a time.

use std::time::Duration;
use std::vec;

use trunkline::{Error, Result, Streaming};

use super::wanted_failure;
use crate::proto::grpc::testing::{
    Payload, PayloadType, ResponseParameters, StreamingOutputCallRequest, StreamingOutputCallResponse,
};

/// Largest payload of one answer, in bytes: what our own clients receive by default, less room for the fields around it.
pub(super) const PAYLOAD_BYTES_MAX: i32 = (4 << 20) - 64;

/// What is left to answer of the request read last.
#[derive(Default)]
struct Due {
    kind: Option<PayloadType>,
    answers: vec::IntoIter<ResponseParameters>,
}

/// Answers each request as it comes. A request that asks for a failure ends the stream there.
pub(super) fn answers(
    requests: Streaming<StreamingOutputCallRequest>,
) -> Streaming<StreamingOutputCallResponse> {
    Streaming::unfold((requests, Due::default()), async |(mut requests, mut due)| {
        loop {
            if let Some(wanted) = due.answers.next() {
                let answer = answer(due.kind, &wanted).await?;
                return Ok(Some((answer, (requests, due))));
            }
            let Some(request) = requests.message().await? else { return Ok(None) };
            if let Some(error) = wanted_failure(request.response_status.as_option()) {
                return Err(error);
            }
            let kind = request.response_type.as_known();
            due = Due { kind, answers: request.response_parameters.into_iter() };
        }
    })
}

async fn answer(
    kind: Option<PayloadType>,
    wanted: &ResponseParameters,
) -> Result<StreamingOutputCallResponse> {
    let payload = payload(kind, wanted.size)?;
    if let Ok(pause @ 1..) = u64::try_from(wanted.interval_us) {
        tokio::time::sleep(Duration::from_micros(pause)).await;
    }
    Ok(StreamingOutputCallResponse { payload: payload.into(), ..StreamingOutputCallResponse::default() })
}

/// A payload of `size` zeros; `kind` is `None` when the request names one that nobody has defined.
pub(super) fn payload(kind: Option<PayloadType>, size: i32) -> Result<Payload> {
    let kind =
        kind.ok_or_else(|| Error::invalid_argument("response_type is unknown; 0 (COMPRESSABLE) is known"))?;
    let Ok(bytes) = usize::try_from(size) else {
        return Err(Error::invalid_argument(format!("a payload of {size} bytes is asked for")));
    };
    if size > PAYLOAD_BYTES_MAX {
        let message =
            format!("a payload of {size} bytes is asked for, above the {PAYLOAD_BYTES_MAX} that are sent");
        return Err(Error::resource_exhausted(message));
    }
    Ok(Payload { r#type: kind.into(), body: vec![0; bytes], ..Payload::default() })
}
