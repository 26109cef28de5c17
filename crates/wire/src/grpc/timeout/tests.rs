//! Rows for gRPC's timeouts.

use std::time::Duration;

use http::HeaderValue;

use super::{UNITS, VALUE_MAX, read, write};
use crate::Code;
use crate::tests::chance::Chance;

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

/// The timeout after a trip over the wire, in nanoseconds, and the length of the unit that it was written in.
fn carried(timeout: Duration) -> (u128, u128) {
    let value = write(timeout);
    let (unit, digits) = value.as_bytes().split_last().unwrap();
    assert!((1..=8).contains(&digits.len()), "{value:?}");
    let (_, length) = UNITS.iter().find(|(name, _)| *name == char::from(*unit)).unwrap();
    (read(&value).unwrap().as_nanos(), u128::from(*length))
}

#[test]
fn timeouts_around_every_border_of_units_lose_nothing() {
    for (index, (_, length)) in UNITS.iter().enumerate() {
        let border = VALUE_MAX * u128::from(*length);
        for nanos in [border - 1, border, border + 1] {
            let Ok(nanos) = u64::try_from(nanos) else { continue };
            let (carried, unit) = carried(Duration::from_nanos(nanos));
            assert!(carried >= u128::from(nanos) && carried - u128::from(nanos) < unit, "{nanos}");
            // Up to the border the unit itself does, from there on the next one.
            let is_above = u128::from(nanos) > border;
            assert_eq!(unit, u128::from(UNITS[(index + usize::from(is_above)).min(5)].1), "{nanos}");
        }
    }
    let longest = Duration::from_secs(99_999_999 * 3600);
    for timeout in
        [longest - Duration::from_nanos(1), longest, longest + Duration::from_nanos(1), Duration::MAX]
    {
        assert_eq!(write(timeout), "99999999H");
    }
}

#[test]
fn timeouts_of_any_length_are_never_cut_and_never_zero() {
    let mut chance = Chance::new(1);
    for _ in 0..5000 {
        let nanos = chance.next() >> chance.below(64);
        let (carried, unit) = carried(Duration::from_nanos(nanos));
        assert!(carried >= u128::from(nanos) && carried - u128::from(nanos) < unit, "{nanos}");
        // Eight digits of which the finer unit had needed nine: rounding adds a hundred-thousandth at most.
        assert!(carried - u128::from(nanos) <= u128::from(nanos) / 27_777, "{nanos}");
    }
}

#[test]
fn timeouts_of_every_unit_are_read_at_their_ends() {
    for (unit, length) in UNITS {
        for value in [0, 1, 99_999_999_u64] {
            let expected = u128::from(value) * u128::from(length);
            assert_eq!(read(&format!("{value}{unit}").parse().unwrap()).unwrap().as_nanos(), expected);
            assert_eq!(read(&format!("{value:08}{unit}").parse().unwrap()).unwrap().as_nanos(), expected);
        }
        assert!(read(&format!("100000000{unit}").parse().unwrap()).is_err());
        for other in [format!("1{unit}{unit}"), format!("{unit}1"), format!(" 1{unit}"), format!("1{unit} ")]
        {
            assert!(read(&HeaderValue::from_bytes(other.as_bytes()).unwrap()).is_err(), "{other:?}");
        }
    }
    for byte in (0x20..0x7f_u8).filter(|byte| !b"HMSmun".contains(byte)) {
        assert!(read(&HeaderValue::from_bytes(&[b'1', byte]).unwrap()).is_err(), "{}", char::from(byte));
    }
}
