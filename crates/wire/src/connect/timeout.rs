//! Connect's timeout field: milliseconds, at most ten digits (Connect specification, "Timeout-Milliseconds").

use std::time::Duration;

use http::HeaderValue;

use crate::{Code, Status};

/// The largest number of ten digits.
const MILLIS_MAX: u128 = 9_999_999_999;

/// Reads the field.
///
/// # Errors
/// `InvalidArgument`: Connect has no table of codes that only users make, and the caller sent what is wrong.
pub(crate) fn read(value: &HeaderValue) -> Result<Duration, Status> {
    let digits = value.as_bytes();
    let malformed = |why: &str| {
        let seen = String::from_utf8_lossy(digits);
        Status::new(Code::InvalidArgument, format!("connect: the timeout {seen:?} is malformed: {why}"))
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(malformed("not a number of milliseconds"));
    }
    if digits.len() > 10 {
        return Err(malformed("more than ten digits"));
    }
    let millis = digits.iter().fold(0_u64, |millis, digit| millis * 10 + u64::from(digit - b'0'));
    Ok(Duration::from_millis(millis))
}

/// Writes the field. Rounded up, so that a positive timeout never becomes zero.
pub(crate) fn write(timeout: Duration) -> HeaderValue {
    let millis = timeout.as_nanos().div_ceil(1_000_000).min(MILLIS_MAX);
    HeaderValue::from_str(&millis.to_string()).expect("digits are visible ASCII")
}

#[cfg(test)]
mod tests;
