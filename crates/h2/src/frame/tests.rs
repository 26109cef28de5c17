//! Rows for heads of frames and for the frames that are written whole.

use bytes::BytesMut;

use super::*;
use crate::Reason;

fn reads(bytes: &[u8], expected: Option<(usize, u8, u8, u32)>) {
    let expected = expected.map(|(length, kind, flags, stream)| FrameHead { length, kind, flags, stream });
    assert_eq!(FrameHead::read(bytes), expected, "{bytes:?}");
}

fn written(write: impl FnOnce(&mut BytesMut), expected: &[u8]) {
    let mut target = BytesMut::from("before");
    write(&mut target);
    assert_eq!(target, [b"before", expected].concat());
}

#[test]
fn head_reads_nine_bytes_and_no_fewer() {
    reads(b"", None);
    reads(&[0, 0, 0, 0, 0, 0, 0, 0], None);
    reads(&[0; 9], Some((0, 0, 0, 0)));
    reads(&[0, 0, 1, 1, 4, 0, 0, 0, 3, 9, 9], Some((1, kind::HEADERS, flag::END_HEADERS, 3)));
    reads(
        &[0xff, 0xff, 0xff, 0x63, 0xff, 0x7f, 0xff, 0xff, 0xff],
        Some(((1 << 24) - 1, 0x63, 0xff, i32::MAX as u32)),
    );
}

/// RFC 9113, 4.1: the bit in front of the stream's number means nothing.
#[test]
fn head_reserved_bit_is_ignored() {
    reads(&[0, 0, 0, 0, 0, 0x80, 0, 0, 1], Some((0, kind::DATA, 0, 1)));
    reads(&[0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], Some((0, kind::DATA, 0, i32::MAX as u32)));
}

#[test]
fn head_written_is_read_again() {
    for length in [0, 1, 255, 256, 65_536, (1 << 24) - 1] {
        for stream in [0, 1, 0x0102_0304, i32::MAX as u32] {
            let head = FrameHead { length, kind: 7, flags: 0x29, stream };
            assert_eq!(FrameHead::read(&head.bytes()), Some(head));
        }
    }
    let too_long = FrameHead { length: 1 << 24, kind: 0, flags: 0, stream: 1 };
    assert_eq!(FrameHead::read(&too_long.bytes()).map(|head| head.length), Some((1 << 24) - 1));
}

#[test]
fn head_has_the_flags_that_are_set() {
    let head = FrameHead { length: 0, kind: 0, flags: flag::END_STREAM | flag::PADDED, stream: 1 };
    assert!(head.has(flag::END_STREAM) && head.has(flag::PADDED));
    assert!(!head.has(flag::END_HEADERS) && !head.has(flag::PRIORITY));
}

#[test]
fn u31_needs_four_bytes_and_drops_the_highest_bit() {
    assert_eq!(read_u31(&[0, 0, 1]), None);
    assert_eq!(read_u31(&[0, 0, 1, 2]), Some(258));
    assert_eq!(read_u31(&[0xff, 0xff, 0xff, 0xff, 0]), Some(i32::MAX as u32));
}

#[test]
fn frames_are_written_as_the_rfc_lays_them_out() {
    written(|target| write_window_update(target, 5, 258), &[0, 0, 4, 8, 0, 0, 0, 0, 5, 0, 0, 1, 2]);
    written(|target| write_reset(target, 3, Reason::CANCEL), &[0, 0, 4, 3, 0, 0, 0, 0, 3, 0, 0, 0, 8]);
    written(
        |target| write_ping(target, flag::ACK, *b"abcdefgh"),
        &[&[0, 0, 8, 6, 1, 0, 0, 0, 0][..], b"abcdefgh"].concat(),
    );
    written(
        |target| write_go_away(target, 9, Reason::PROTOCOL_ERROR, "no"),
        &[0, 0, 10, 7, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1, b'n', b'o'],
    );
    written(
        |target| write_settings(target, &[(setting::MAX_FRAME_SIZE, 1 << 14), (setting::ENABLE_PUSH, 0)]),
        &[0, 0, 12, 4, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0x40, 0, 0, 2, 0, 0, 0, 0],
    );
    written(write_settings_ack, &[0, 0, 0, 4, 1, 0, 0, 0, 0]);
}

#[test]
fn go_away_carries_a_bounded_text() {
    let mut target = BytesMut::new();
    write_go_away(&mut target, 0, Reason::NO_ERROR, &"x".repeat(10_000));
    assert_eq!(target.len(), HEAD_BYTES + 8 + GO_AWAY_TEXT_BYTES_MAX);
    assert_eq!(FrameHead::read(&target).map(|head| head.length), Some(8 + GO_AWAY_TEXT_BYTES_MAX));
}
