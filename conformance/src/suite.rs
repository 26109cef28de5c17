//! The suite's words for metadata, errors and messages, and ours.
//!
//! It decides how the two are turned into each other, the same for both programs. It must not know what a test wants.

use trunkline::proto::well_known::Any;
use trunkline::proto::{Message, MessageName};
use trunkline::{Code, Error, Metadata, Result};

use crate::proto::connectrpc::conformance::v1 as suite;

/// What stands in front of a message's name in a `google.protobuf.Any`.
const TYPE_PREFIX: &str = "type.googleapis.com/";

/// Makes all messages of the suite known, so that JSON can carry them inside of a `google.protobuf.Any`.
pub fn register() {
    trunkline::proto::register_types(&[suite::register_types]);
}

/// The suite's form of metadata: each key once, with its values in order (`Header` of `service.proto`).
///
/// A value of a `-bin` key stays as it is on the wire; one that is not UTF-8 has its wrong bytes replaced, because the
/// suite has no other place for it.
pub fn headers(metadata: &Metadata) -> Vec<suite::Header> {
    let mut headers: Vec<suite::Header> = Vec::new();
    for (name, value) in metadata.iter() {
        let value = String::from_utf8_lossy(value).into_owned();
        match headers.iter_mut().find(|header| header.name == name) {
            Some(header) => header.value.push(value),
            None => {
                headers.push(suite::Header {
                    name: name.to_owned(),
                    value: vec![value],
                    ..Default::default()
                });
            }
        }
    }
    headers
}

/// Adds the suite's headers to metadata.
///
/// # Errors
/// `InvalidArgument` for a key or value that [`Metadata::append`] refuses.
pub fn append(headers: &[suite::Header], metadata: &mut Metadata) -> Result<()> {
    for header in headers {
        for value in &header.value {
            metadata.append(&header.name, value)?;
        }
    }
    Ok(())
}

/// The suite's form of an error: code, message and details, in order. Its metadata is reported apart from it.
pub fn error(error: &Error) -> suite::Error {
    let detail = |detail: &trunkline::Detail| Any {
        type_url: format!("{TYPE_PREFIX}{}", detail.type_name),
        value: detail.value.clone(),
        ..Any::default()
    };
    suite::Error {
        code: i32::from(error.code().number()).into(),
        message: Some(error.message().to_owned()),
        details: error.details().iter().map(detail).collect(),
        ..suite::Error::default()
    }
}

/// The error that the suite describes. A code that it leaves out, or that nobody knows, is `Unknown`.
pub fn to_error(error: &suite::Error) -> Error {
    let code = u64::try_from(error.code.to_i32()).map_or(Code::Unknown, Code::from_number);
    let described = Error::new(code, error.message.clone().unwrap_or_default());
    error.details.iter().fold(described, |described, detail| {
        described.with_detail(type_name(&detail.type_url), detail.value.clone())
    })
}

/// The message in `any`, which must be an `M`.
///
/// # Errors
/// What it is instead, in words.
pub fn unpack<M: Message + MessageName>(any: &Any) -> Result<M, String> {
    if type_name(&any.type_url) != M::FULL_NAME {
        return Err(format!("expected a message {}, seen {}", M::FULL_NAME, any.type_url));
    }
    M::decode_from_slice(&any.value).map_err(|error| format!("not a valid {}: {error}", M::FULL_NAME))
}

/// `message` as a `google.protobuf.Any`.
pub fn pack<M: Message + MessageName>(message: &M) -> Any {
    Any::pack(message, M::TYPE_URL)
}

/// The part of a type URL that names the type ("Any" of `any.proto`).
fn type_name(type_url: &str) -> &str {
    type_url.rsplit('/').next().unwrap_or(type_url)
}

#[cfg(test)]
mod tests;
