//! Rows for the limit, and for what is left in the buffer.

use super::*;

/// Fills as much as is offered, `source_bytes` at most, and returns what came of it and how much the buffer took.
fn check(source_bytes: usize, bytes_max: usize, expected: &Result<usize, InflateFault>) {
    let mut target = BytesMut::from(&b"before"[..]);
    let mut space = Space::new(&mut target, bytes_max, source_bytes / 1000);
    let mut left = source_bytes;
    let outcome = loop {
        let offered = space.offer();
        assert!((1..=STEP_BYTES_MAX).contains(&offered.len()), "{}", offered.len());
        let count = offered.len().min(left);
        offered[..count].fill(b'x');
        left -= count;
        match space.filled(count) {
            Ok(()) if left == 0 => break Ok(source_bytes),
            Ok(()) => {}
            Err(fault) => break Err(fault),
        }
    };
    drop(space);
    assert_eq!(&outcome, expected, "{source_bytes} of at most {bytes_max}");
    let seen = target.split_off(b"before".len());
    assert_eq!(target, b"before"[..]);
    assert!(seen.len() <= bytes_max.saturating_add(1) && seen.iter().all(|byte| *byte == b'x'));
}

#[test]
fn space_ends_at_the_limit() {
    for limit in [0, 1, STEP_BYTES_MIN - 1, STEP_BYTES_MIN, STEP_BYTES_MAX, STEP_BYTES_MAX + 1, 1_000_000] {
        check(0, limit, &Ok(0));
        check(limit, limit, &Ok(limit));
        check(limit + 1, limit, &Err(InflateFault::TooLarge));
        check(limit + 1_000_000, limit, &Err(InflateFault::TooLarge));
    }
    check(100_000, usize::MAX, &Ok(100_000));
}
