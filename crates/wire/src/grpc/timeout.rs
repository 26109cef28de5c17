//! gRPC's timeout field: at most eight digits and a unit (`PROTOCOL-HTTP2.md`, "Timeout").

use std::time::Duration;

use http::HeaderValue;

use crate::{Code, Status};

/// The units, finest first, with their length in nanoseconds.
const UNITS: [(char, u64); 6] = [
    ('n', 1),
    ('u', 1_000),
    ('m', 1_000_000),
    ('S', 1_000_000_000),
    ('M', 60 * 1_000_000_000),
    ('H', 3_600 * 1_000_000_000),
];

const NANOS_PER_SECOND: u128 = 1_000_000_000;

/// The largest number of eight digits.
const VALUE_MAX: u128 = 99_999_999;

/// Reads the field.
///
/// # Errors
/// `Internal`. `statuscodes.md` lists `INVALID_ARGUMENT` among the codes that a gRPC library never makes itself, and a
/// malformed field is the peer's library breaking the protocol.
pub(crate) fn read(value: &HeaderValue) -> Result<Duration, Status> {
    let bytes = value.as_bytes();
    let malformed = |why: &str| {
        let seen = String::from_utf8_lossy(bytes);
        Status::new(Code::Internal, format!("grpc: the timeout {seen:?} is malformed: {why}"))
    };
    let Some((unit, digits)) = bytes.split_last() else {
        return Err(malformed("it is empty"));
    };
    let Some((_, nanos)) = UNITS.iter().find(|(name, _)| *name == char::from(*unit)) else {
        return Err(malformed("it has no unit"));
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(malformed("its value is not a number"));
    }
    if digits.len() > 8 {
        return Err(malformed("more than eight digits"));
    }
    let value = digits.iter().fold(0_u64, |value, digit| value * 10 + u64::from(digit - b'0'));
    // In 128 bits, because 99,999,999 hours are more nanoseconds than 64 bits hold.
    let nanos = u128::from(value) * u128::from(*nanos);
    let seconds = u64::try_from(nanos / NANOS_PER_SECOND).unwrap_or(u64::MAX);
    let rest = u32::try_from(nanos % NANOS_PER_SECOND).unwrap_or_default();
    Ok(Duration::new(seconds, rest))
}

/// Writes the field in the finest unit that fits. Rounded up, so that a positive timeout never becomes zero.
pub(crate) fn write(timeout: Duration) -> HeaderValue {
    let nanos = timeout.as_nanos();
    let text = UNITS
        .iter()
        .map(|(unit, length)| (unit, nanos.div_ceil(u128::from(*length))))
        .find(|(_, value)| *value <= VALUE_MAX)
        .map_or_else(|| format!("{VALUE_MAX}H"), |(unit, value)| format!("{value}{unit}"));
    HeaderValue::from_str(&text).expect("digits and a letter are visible ASCII")
}

#[cfg(test)]
mod tests;
