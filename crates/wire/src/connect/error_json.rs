//! Connect's errors as JSON: the body of a unary error, and the end message of a stream.
//!
//! Written exactly as the specification says ("Error end-stream", "Unary-Response"); read leniently, because a code
//! that we do not know, a missing message or a strange detail must not hide the rest of the error.

use base64::Engine as _;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use crate::grpc::details::type_name;
use crate::metadata::{BASE64, FIELDS_MAX};
use crate::{Code, Detail, Status};

/// What an end message says.
#[derive(Debug, Default)]
pub(crate) struct EndOfStream {
    /// The error, unless the call succeeded.
    pub(crate) error: Option<Status>,
    /// The trailers.
    pub(crate) metadata: HeaderMap,
}

/// Writes one error as an object.
pub(crate) fn write_error(status: &Status, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"code\":");
    write_string(failure_code(status).name(), out);
    if !status.message.is_empty() {
        out.extend_from_slice(b",\"message\":");
        write_string(status.sent_message(), out);
    }
    if !status.details.is_empty() {
        out.extend_from_slice(b",\"details\":");
        write_list(b"[]", &status.details, out, |detail, out| {
            out.extend_from_slice(b"{\"type\":");
            write_string(&detail.type_name, out);
            out.extend_from_slice(b",\"value\":");
            write_string(&BASE64.encode(&detail.value), out);
            out.push(b'}');
        });
    }
    out.push(b'}');
}

/// Writes the end message of a stream.
pub(crate) fn write_end(outcome: &Result<(), Status>, metadata: &HeaderMap) -> Vec<u8> {
    let mut out = vec![b'{'];
    if let Err(status) = outcome {
        out.extend_from_slice(b"\"error\":");
        write_error(status, &mut out);
    }
    if !metadata.is_empty() {
        out.extend_from_slice(if out.len() > 1 { b",\"metadata\":" } else { b"\"metadata\":" });
        write_list(b"{}", metadata.keys(), &mut out, |name, out| {
            write_string(name.as_str(), out);
            out.push(b':');
            write_list(b"[]", metadata.get_all(name), out, |value, out| {
                // JSON is UTF-8, header values need not be: what does not fit is replaced.
                write_string(&String::from_utf8_lossy(value.as_bytes()), out);
            });
        });
    }
    out.push(b'}');
    out
}

/// The code to write: `ok` would turn a failure into a success.
pub(crate) fn failure_code(status: &Status) -> Code {
    if status.code == Code::Ok { Code::Internal } else { status.code }
}

/// Reads an error object; `fallback` is the code when the object names none that we know. `None` when `json` is no
/// object, and so no error of Connect's.
pub(crate) fn read_error(json: &[u8], fallback: Code) -> Option<Status> {
    error_of(&serde_json::from_slice(json).ok()?, fallback)
}

/// Reads an end message; `None` when it is no JSON object. Of its metadata [`FIELDS_MAX`] fields are read.
pub(crate) fn read_end(json: &[u8]) -> Option<EndOfStream> {
    let value: Value = serde_json::from_slice(json).ok()?;
    let end = value.as_object()?;
    let mut metadata = HeaderMap::new();
    for (name, values) in end.get("metadata").and_then(Value::as_object).into_iter().flatten() {
        let Ok(name) = HeaderName::from_bytes(name.as_bytes()) else { continue };
        for text in values.as_array().into_iter().flatten().filter_map(Value::as_str) {
            if metadata.len() >= FIELDS_MAX {
                break;
            }
            if let Ok(value) = HeaderValue::from_bytes(text.as_bytes()) {
                metadata.append(name.clone(), value);
            }
        }
    }
    // A null error is none. Anything else there means that the call failed, even when it cannot be read.
    let error = match end.get("error") {
        None | Some(Value::Null) => None,
        Some(error) => Some(error_of(error, Code::Unknown).unwrap_or_else(|| {
            Status::new(Code::Unknown, "connect: the error in the end of the stream is not an object")
        })),
    };
    Some(EndOfStream { error, metadata })
}

/// The error in a value. Only that it is an object is asked of it: each of its members may be missing or of another type.
fn error_of(value: &Value, fallback: Code) -> Option<Status> {
    let error = value.as_object()?;
    let code = error.get("code").and_then(Value::as_str).and_then(|name| name.parse().ok());
    // `ok` is no error's name.
    let code = code.filter(|code| *code != Code::Ok).unwrap_or(fallback);
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    let mut status = Status::new(code, message);
    let details = error.get("details").and_then(Value::as_array).into_iter().flatten();
    status.details = details.filter_map(detail_of).collect();
    Some(status)
}

/// One detail. `debug` is for people: clients must not depend on it. A detail that cannot be read is left out.
fn detail_of(value: &Value) -> Option<Detail> {
    let type_url = value.get("type")?.as_str()?;
    let value = BASE64.decode(value.get("value")?.as_str()?).ok()?;
    Some(Detail { type_name: type_name(type_url).to_owned(), value: Bytes::from(value) })
}

/// Writes a string with its quotes and escapes.
fn write_string(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(out, text).expect("writing a string into memory has nothing that can fail");
}

/// Writes items between two brackets, with commas.
fn write_list<T>(
    brackets: &[u8; 2],
    items: impl IntoIterator<Item = T>,
    out: &mut Vec<u8>,
    write: impl Fn(T, &mut Vec<u8>),
) {
    out.push(brackets[0]);
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(item, out);
    }
    out.push(brackets[1]);
}

#[cfg(test)]
mod tests;
