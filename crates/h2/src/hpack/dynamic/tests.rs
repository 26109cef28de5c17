//! Rows for what stays in a table.

use super::Dynamic;

/// Inserts each entry, whose value is its size, and compares what is left, newest first.
fn check(bytes_max: usize, inserted: &[usize], expected: &[usize]) {
    let mut table = Dynamic::new(bytes_max);
    inserted.iter().for_each(|&bytes| table.insert(bytes, bytes));
    assert_eq!(table.entries().copied().collect::<Vec<_>>(), expected, "{inserted:?} in {bytes_max}");
    assert_eq!(table.bytes(), expected.iter().sum());
    assert_eq!(table.len(), expected.len());
    assert_eq!(table.entry(0).map(|(entry, _)| entry), expected.first());
    assert!(table.entry(expected.len()).is_none());
}

#[test]
fn insert_evicts_the_oldest() {
    check(100, &[], &[]);
    check(100, &[40, 60], &[60, 40]);
    check(100, &[40, 60, 33], &[33, 60]);
    check(100, &[40, 60, 41], &[41]);
    check(100, &[40, 100], &[100]);
    check(100, &[40, 101], &[]);
    check(0, &[32], &[]);
}

#[test]
fn resize_evicts_and_stays() {
    let mut table = Dynamic::new(100);
    [50, 40].iter().for_each(|&bytes| table.insert(bytes, bytes));
    for (bytes_max, expected) in [(90, &[40, 50][..]), (89, &[40]), (200, &[40]), (39, &[]), (100, &[])] {
        table.resize(bytes_max);
        assert_eq!(table.entries().copied().collect::<Vec<_>>(), expected, "resized to {bytes_max}");
        assert_eq!(table.bytes_max(), bytes_max);
    }
}
