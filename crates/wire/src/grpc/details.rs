//! `google.rpc.Status` as bytes: the payload of `grpc-status-details-bin`.
//!
//! Three fields of two messages are not worth a code generator: `Status { int32 code = 1; string message = 2;
//! repeated Any details = 3; }` and `Any { string type_url = 1; bytes value = 2; }`.

use bytes::{BufMut, Bytes};

use crate::{Code, Detail, Status};

/// What stands in front of a type's name in an `Any` that we write.
const TYPE_PREFIX: &str = "type.googleapis.com/";

/// The largest varint.
const VARINT_BYTES_MAX: usize = 10;

/// What `google.rpc.Status` says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RichStatus {
    /// The code's number, as sent.
    pub(crate) code: u64,
    /// The message.
    pub(crate) message: String,
    /// The details, in order.
    pub(crate) details: Vec<Detail>,
}

/// Writes `status` without its metadata, under the code that the call ends with.
pub(crate) fn write(code: Code, status: &Status) -> Vec<u8> {
    let mut out = Vec::new();
    out.push(tag(1, VARINT));
    put_varint(&mut out, u64::from(code.number()));
    if !status.message.is_empty() {
        put_bytes(&mut out, 2, status.sent_message().as_bytes());
    }
    for detail in &status.details {
        let mut any = Vec::new();
        put_bytes(&mut any, 1, format!("{TYPE_PREFIX}{}", detail.type_name).as_bytes());
        if !detail.value.is_empty() {
            put_bytes(&mut any, 2, &detail.value);
        }
        put_bytes(&mut out, 3, &any);
    }
    out
}

/// Reads what a peer sent; `None` when it is not a Protobuf message. Unknown fields are skipped.
///
/// # Cost
/// Values share the given bytes. Nesting is two deep by the schema, and nothing deeper is followed.
pub(crate) fn read(bytes: &Bytes) -> Option<RichStatus> {
    let mut status = RichStatus::default();
    let mut fields = Fields { rest: bytes.clone() };
    while let Some((number, field)) = fields.next()? {
        match (number, field) {
            (1, Field::Varint(code)) => status.code = code,
            (2, Field::Bytes(text)) => status.message = String::from_utf8_lossy(&text).into_owned(),
            (3, Field::Bytes(any)) => status.details.push(read_any(any)?),
            _ => {}
        }
    }
    Some(status)
}

fn read_any(bytes: Bytes) -> Option<Detail> {
    let mut detail = Detail { type_name: String::new(), value: Bytes::new() };
    let mut fields = Fields { rest: bytes };
    while let Some((number, field)) = fields.next()? {
        match (number, field) {
            (1, Field::Bytes(url)) => detail.type_name = type_name(&String::from_utf8_lossy(&url)).to_owned(),
            (2, Field::Bytes(value)) => detail.value = value,
            _ => {}
        }
    }
    Some(detail)
}

/// The message name in a type URL: what stands behind the last slash.
pub(crate) fn type_name(url: &str) -> &str {
    url.rsplit_once('/').map_or(url, |(_, name)| name)
}

const VARINT: u8 = 0;
const FIXED64: u8 = 1;
const LENGTH: u8 = 2;
const FIXED32: u8 = 5;

const fn tag(number: u8, wire_type: u8) -> u8 {
    number << 3 | wire_type
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.put_u8((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.put_u8((value & 0x7f) as u8);
}

fn put_bytes(out: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    out.push(tag(number, LENGTH));
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// One field's value. Numbers of fixed size are skipped: no field that we read has one.
enum Field {
    Varint(u64),
    Bytes(Bytes),
    Skipped,
}

/// The fields of one message, in order.
struct Fields {
    rest: Bytes,
}

impl Fields {
    /// The next field with its number. The outer `None` is for bytes that are no message, the inner one for its end.
    fn next(&mut self) -> Option<Option<(u64, Field)>> {
        if self.rest.is_empty() {
            return Some(None);
        }
        let tag = self.varint()?;
        let field = match (tag & 7) as u8 {
            VARINT => Field::Varint(self.varint()?),
            LENGTH => {
                let length = usize::try_from(self.varint()?).ok()?;
                Field::Bytes(self.take(length)?)
            }
            FIXED64 => self.take(8).map(|_| Field::Skipped)?,
            FIXED32 => self.take(4).map(|_| Field::Skipped)?,
            _ => return None,
        };
        Some(Some((tag >> 3, field)))
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for index in 0..VARINT_BYTES_MAX {
            let byte = *self.take(1)?.first()?;
            // The tenth byte carries one bit; what is shifted out above is dropped, as Protobuf readers do.
            value |= u64::from(byte & 0x7f) << (7 * index);
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn take(&mut self, length: usize) -> Option<Bytes> {
        (length <= self.rest.len()).then(|| self.rest.split_to(length))
    }
}

#[cfg(test)]
mod tests;
