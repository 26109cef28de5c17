//! Rows for Connect's timeouts.

use std::time::Duration;

use http::HeaderValue;

use super::{read, write};
use crate::Code;
use crate::tests::chance::Chance;

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

#[test]
fn timeouts_of_any_length_are_never_cut_and_never_zero() {
    let mut chance = Chance::new(1);
    for _ in 0..5000 {
        let timeout = Duration::from_nanos(chance.next() >> chance.below(64));
        let value = write(timeout);
        assert!((1..=10).contains(&value.len()), "{value:?}");
        let carried = read(&value).unwrap();
        if timeout <= Duration::from_millis(9_999_999_999) {
            assert!(carried >= timeout && carried - timeout < Duration::from_millis(1), "{timeout:?}");
        } else {
            assert_eq!(value, "9999999999", "{timeout:?}");
        }
    }
}

#[test]
fn timeouts_around_every_power_of_ten_come_back() {
    for digits in 0..10 {
        let millis = 10_u64.pow(digits);
        for millis in [millis - 1, millis, millis + 1] {
            let timeout = Duration::from_millis(millis);
            assert_eq!(read(&write(timeout)).unwrap(), timeout);
            assert_eq!(read(&write(timeout - Duration::from_nanos(millis.min(1)))).unwrap(), timeout);
        }
    }
}
