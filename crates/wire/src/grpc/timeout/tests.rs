//! Rows for gRPC's timeouts.

use std::time::Duration;

use http::HeaderValue;

use super::{read, write};
use crate::Code;

fn check(text: &str, expected: Result<Duration, &str>) {
    let read = read(&HeaderValue::from_bytes(text.as_bytes()).unwrap());
    match (read, expected) {
        (Ok(timeout), Ok(expected)) => assert_eq!(timeout, expected, "{text:?}"),
        (Err(status), Err(why)) => {
            assert_eq!(status.code, Code::Internal);
            assert!(status.message.contains(why), "{text:?}: {}", status.message);
        }
        (read, _) => panic!("{text:?}: {read:?}"),
    }
}

#[test]
fn timeouts_are_read_and_refused() {
    check("1H", Ok(Duration::from_secs(3600)));
    check("2M", Ok(Duration::from_secs(120)));
    check("3S", Ok(Duration::from_secs(3)));
    check("100m", Ok(Duration::from_millis(100)));
    check("7u", Ok(Duration::from_micros(7)));
    check("9n", Ok(Duration::from_nanos(9)));
    check("0S", Ok(Duration::ZERO));
    check("00000001S", Ok(Duration::from_secs(1)));
    check("99999999H", Ok(Duration::from_secs(99_999_999 * 3600)));
    check("", Err("empty"));
    check("1", Err("no unit"));
    check("100", Err("no unit"));
    check("1s", Err("no unit"));
    check("1 S", Err("not a number"));
    check("S", Err("not a number"));
    check("-1S", Err("not a number"));
    check("+1S", Err("not a number"));
    check("1.5S", Err("not a number"));
    check("123456789S", Err("more than eight digits"));
    check("1\u{b5}", Err("no unit"));
}

#[test]
fn timeouts_are_written_in_the_finest_unit_that_fits() {
    let check = |timeout: Duration, text: &str| {
        assert_eq!(write(timeout), text);
        // Rounded up, never down.
        assert!(read(&write(timeout)).unwrap() >= timeout.min(Duration::from_secs(99_999_999 * 3600)));
    };
    check(Duration::ZERO, "0n");
    check(Duration::from_nanos(1), "1n");
    check(Duration::from_nanos(99_999_999), "99999999n");
    check(Duration::from_nanos(100_000_000), "100000u");
    check(Duration::from_nanos(100_000_001), "100001u");
    check(Duration::from_millis(200), "200000u");
    check(Duration::from_secs(100), "100000m");
    check(Duration::from_nanos(99_999_999_001), "100000m");
    check(Duration::from_secs(100_000), "100000S");
    check(Duration::from_secs(100_000_000), "1666667M");
    check(Duration::from_secs(100_000_000 * 60), "1666667H");
    check(Duration::MAX, "99999999H");
}
