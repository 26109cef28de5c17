//! Rows for Connect's timeouts.

use std::time::Duration;

use http::HeaderValue;

use super::{read, write};
use crate::Code;

#[test]
fn timeouts_are_read_and_refused() {
    let good = [("0", 0), ("1", 1), ("1500", 1500), ("0000000001", 1), ("9999999999", 9_999_999_999)];
    for (text, millis) in good {
        assert_eq!(read(&HeaderValue::from_static(text)).unwrap(), Duration::from_millis(millis), "{text}");
    }
    let bad = [
        ("", "not a number"),
        ("-1", "not a number"),
        ("+1", "not a number"),
        ("1.5", "not a number"),
        ("5s", "not a number"),
        ("1 ", "not a number"),
        ("10000000000", "more than ten digits"),
        ("00000000001", "more than ten digits"),
    ];
    for (text, why) in bad {
        let status = read(&HeaderValue::from_static(text)).unwrap_err();
        assert_eq!(status.code, Code::InvalidArgument);
        assert!(status.message.contains(why), "{}", status.message);
    }
}

#[test]
fn timeouts_are_written_rounded_up() {
    let rows = [
        (Duration::ZERO, "0"),
        (Duration::from_nanos(1), "1"),
        (Duration::from_millis(1500), "1500"),
        (Duration::from_micros(1500), "2"),
        (Duration::MAX, "9999999999"),
    ];
    for (timeout, text) in rows {
        assert_eq!(write(timeout), text);
    }
}
