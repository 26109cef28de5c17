//! Rows for bytes on their way: in order, each once, large ones from where they lie.

use super::*;

/// From here on the rows send by reference.
const LARGE: usize = 4096;

/// Writes "head", then `bytes` of a body of `of` bytes, then "tail".
fn filled(bytes: usize, of: usize) -> (Out, BytesMut, Vec<u8>) {
    let mut out = Out::default();
    let body: Vec<u8> = (0..of).map(|place| place as u8).collect();
    let mut data = BytesMut::from(&body[..]);
    out.tail().extend_from_slice(b"head");
    out.take(&mut data, bytes, bytes >= LARGE);
    out.tail().extend_from_slice(b"tail");
    let expected = [b"head", &body[..bytes.min(of)], b"tail"].concat();
    (out, data, expected)
}

fn drained(out: &mut Out, step: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while !out.first().is_empty() {
        let first = out.first();
        let taken = first.len().min(step);
        bytes.extend_from_slice(&first[..taken]);
        out.advance(taken);
    }
    assert_eq!(out.len(), 0);
    bytes
}

#[test]
fn out_keeps_order_and_loses_nothing() {
    for (bytes, of) in
        [(0, 0), (3, 3), (3, 9), (9, 3), (LARGE - 1, LARGE), (LARGE, LARGE), (LARGE, 3 * LARGE)]
    {
        for step in [1, 7, LARGE, usize::MAX] {
            let (mut out, data, expected) = filled(bytes, of);
            assert_eq!(out.len(), expected.len());
            assert_eq!(data.len(), of - bytes.min(of), "what is not taken stays");
            assert!(drained(&mut out, step) == expected, "{bytes} of {of} in steps of {step}");
        }
    }
}

#[test]
fn out_slices_are_what_first_gives_piece_by_piece() {
    let (out, _, expected) = filled(LARGE, LARGE);
    let mut slices = [IoSlice::new(&[]); 4];
    assert_eq!(out.slices(&mut slices), 3);
    assert_eq!(slices.iter().map(|slice| &slice[..]).collect::<Vec<_>>().concat(), expected);
    assert_eq!(out.slices(&mut [IoSlice::new(&[]); 2]), 2);
    assert_eq!(out.slices(&mut []), 0);
    assert_eq!(Out::default().slices(&mut slices), 0);
}

#[test]
fn out_advances_over_several_pieces_at_once() {
    for bytes in [1, 4, 5, LARGE + 4, LARGE + 6] {
        let (mut out, _, expected) = filled(LARGE, LARGE);
        out.advance(bytes);
        assert_eq!(out.len(), expected.len() - bytes);
        assert_eq!(drained(&mut out, usize::MAX), &expected[bytes..]);
    }
}

#[test]
fn out_large_payloads_are_not_copied_and_small_ones_leave_the_buffer_whole() {
    let mut large = BytesMut::zeroed(LARGE);
    let place = large.as_ptr();
    let mut out = Out::default();
    out.take(&mut large, LARGE, true);
    assert_eq!(out.first().as_ptr(), place);

    let mut small = BytesMut::with_capacity(100);
    small.extend_from_slice(b"small");
    let place = small.as_ptr();
    out.take(&mut small, 5, false);
    assert!(small.is_empty() && small.as_ptr() == place && small.capacity() == 100);
}

#[test]
fn out_gives_a_large_buffer_back() {
    let mut out = Out::default();
    out.tail().extend_from_slice(&vec![0; TAIL_BYTES_KEPT + 1]);
    out.advance(1);
    assert!(out.tail().capacity() >= TAIL_BYTES_KEPT);
    out.advance(TAIL_BYTES_KEPT);
    assert_eq!(out.tail().capacity(), 0);
    out.tail().extend_from_slice(&[0; 1000]);
    out.advance(1000);
    assert!(out.tail().capacity() >= 1000, "a small one is kept");
}

#[test]
fn out_shrinks_only_when_nothing_waits() {
    let (mut out, _, expected) = filled(LARGE, LARGE);
    out.shrink();
    assert_eq!(out.len(), expected.len());
    out.advance(expected.len());
    out.shrink();
    assert_eq!((out.len(), out.tail().capacity()), (0, 0));
}
