//! Rows for flow control: what a window lets pass, and when it is opened again.

use std::time::Duration;

use super::*;
use crate::tests::some_instant;

#[test]
fn send_window_gives_what_is_there() {
    let mut window = SendWindow::new(10);
    window.take(10);
    assert_eq!(window.bytes(), 0);
    assert!(window.change(3));
    assert_eq!(window.bytes(), 3);
}

/// RFC 9113, 6.9.2: settings may take away what has been sent already.
#[test]
fn send_window_below_zero_gives_nothing_until_it_is_made_good() {
    let mut window = SendWindow::new(10);
    window.take(10);
    assert!(window.change(-10));
    assert_eq!(window.bytes(), 0);
    assert!(window.change(10));
    assert_eq!(window.bytes(), 0);
    assert!(window.change(1));
    assert_eq!(window.bytes(), 1);
}

/// RFC 9113, 6.9.1: no window is above 2^31-1.
#[test]
fn send_window_has_a_largest_size() {
    let largest = i32::MAX as u32;
    assert!(SendWindow::new(0).change(i64::from(largest)));
    assert!(SendWindow::new(largest - 1).change(1));
    assert!(!SendWindow::new(largest).change(1));
    assert!(!SendWindow::new(1).change(i64::from(largest)));
}

#[test]
fn receive_window_takes_what_was_allowed() {
    let mut window = ReceiveWindow::new(10);
    assert!(window.receive(4));
    assert!(window.receive(6));
    assert!(window.receive(0));
    assert!(!window.receive(1));
}

/// What a window grants when the bytes in each row have come and are done with.
fn grants(size: u32, rows: &[(u32, Option<u32>)]) {
    let now = some_instant();
    let mut window = ReceiveWindow::new(size);
    for (place, (bytes, expected)) in rows.iter().enumerate() {
        assert!(window.receive(*bytes as usize), "row {place}");
        window.release(*bytes);
        assert_eq!(window.grant(None, u32::MAX, now), *expected, "row {place}");
    }
}

#[test]
fn receive_window_is_opened_again_by_halves() {
    grants(10, &[(4, None), (1, Some(5)), (4, None), (6, Some(10)), (0, None)]);
    grants(11, &[(5, None), (1, Some(6))]);
    grants(1, &[(1, Some(1)), (1, Some(1)), (0, None)]);
}

/// A WINDOW_UPDATE by nothing is an error (RFC 9113, 6.9), so none is ever due.
#[test]
fn receive_window_of_nothing_grants_nothing() {
    grants(0, &[(0, None)]);
}

#[test]
fn receive_window_opening_owes_the_difference() {
    let now = some_instant();
    let mut window = ReceiveWindow::opening(100, 1000);
    assert!(window.receive(100));
    assert_eq!(window.grant(None, 1000, now), Some(900));
    assert!(window.receive(900) && !window.receive(1));
    let mut narrow = ReceiveWindow::opening(100, 10);
    assert_eq!((narrow.grant(None, 1000, now), narrow.size()), (None, 100));
}

/// A peer that uses up half of a window in less than two round trips is held up by it.
#[test]
fn receive_window_grows_where_the_path_is_long() {
    let check = |rtt: Option<u64>, gap: u64, size_max: u32, expected: (Option<u32>, u32)| {
        let mut now = some_instant();
        let mut window = ReceiveWindow::new(100);
        let mut granted = None;
        for _ in 0..2 {
            assert!(window.receive(50));
            window.release(50);
            granted = window.grant(rtt.map(Duration::from_millis), size_max, now);
            now += Duration::from_millis(gap);
        }
        assert_eq!((granted, window.size()), expected, "{rtt:?}, {gap}, {size_max}");
    };
    check(Some(10), 19, 1000, (Some(150), 200));
    check(Some(10), 20, 1000, (Some(50), 100));
    check(Some(10), 19, 130, (Some(80), 130));
    check(Some(10), 19, 100, (Some(50), 100));
    check(Some(10), 19, 10, (Some(50), 100));
    check(None, 1, 1000, (Some(50), 100));
}
