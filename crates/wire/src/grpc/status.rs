//! The outcome of a call as fields: `grpc-status`, `grpc-message` and `grpc-status-details-bin`, in trailers, in a
//! trailers-only head, or in gRPC-Web's last envelope.

use base64::Engine as _;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue};

use super::{details, headers, percent};
use crate::client::Outcome;
use crate::metadata::{self, BASE64};
use crate::{Code, Protocol, Status};

/// Adds the outcome and its metadata to `fields`.
pub(crate) fn write(fields: &mut HeaderMap, outcome: Result<(), Status>, trailers: HeaderMap) {
    match outcome {
        Ok(()) => {
            fields.insert(headers::STATUS, HeaderValue::from_static("0"));
        }
        Err(status) => write_failure(fields, status),
    }
    metadata::append_to(fields, trailers);
}

/// Adds the fields of a failure. Details go into `google.rpc.Status`, which repeats code and message because readers of other
/// stacks take them from there.
fn write_failure(fields: &mut HeaderMap, status: Status) {
    // Zero would turn a failure into a success.
    let code = if status.code == Code::Ok { Code::Internal } else { status.code };
    fields.insert(headers::STATUS, HeaderValue::from(u16::from(code.number())));
    if !status.message.is_empty() {
        fields.insert(headers::MESSAGE, percent::encode(status.sent_message()));
    }
    if !status.details.is_empty() {
        let rich = BASE64.encode(details::write(code, &status));
        let value = HeaderValue::try_from(rich).expect("the base64 alphabet is visible ASCII");
        fields.insert(headers::STATUS_DETAILS, value);
    }
    metadata::append_to(fields, status.metadata);
}

/// Reads the outcome that `fields` tell; gives them back when they tell none.
///
/// A status that is no number is `Unknown`, and no word of the peer's; a number that nobody has defined is `Unknown` with the
/// peer's message.
pub(crate) fn read(fields: HeaderMap, protocol: Protocol) -> Result<Outcome, HeaderMap> {
    let Some(number) = fields.get(headers::STATUS) else { return Err(fields) };
    let Some(number) = parse_number(number) else {
        let seen = String::from_utf8_lossy(number.as_bytes());
        let status = Status::new(Code::Unknown, format!("{protocol}: {seen:?} is no number of a code"));
        return Ok(outcome(Err(status), metadata::received(fields), false));
    };
    let result = if number == 0 { Ok(()) } else { Err(read_failure(&fields, number)) };
    Ok(outcome(result, metadata::received(fields), true))
}

/// A number of at most ten digits: what does not fit an int32 is no code's.
fn parse_number(value: &HeaderValue) -> Option<u64> {
    let digits = value.as_bytes();
    if digits.is_empty() || digits.len() > 10 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(digits.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0')))
}

/// `grpc-status` and `grpc-message` rule; the details only add to them, and details that cannot be read must not hide
/// the error itself.
fn read_failure(fields: &HeaderMap, number: u64) -> Status {
    let message = fields.get(headers::MESSAGE).map(percent::decode).unwrap_or_default();
    let mut status = Status::new(Code::from_number(number), message);
    let rich = fields.get(headers::STATUS_DETAILS).and_then(|value| BASE64.decode(value.as_bytes()).ok());
    if let Some(rich) = rich.and_then(|bytes| details::read(&Bytes::from(bytes))) {
        status.details = rich.details;
        if status.message.is_empty() {
            status.message = rich.message;
        }
    }
    status
}

/// An outcome whose status carries the trailers too.
pub(crate) fn outcome(result: Result<(), Status>, trailers: HeaderMap, from_peer: bool) -> Outcome {
    let result = result.map_err(|mut status| {
        status.metadata.clone_from(&trailers);
        status
    });
    Outcome { result, trailers, from_peer }
}
