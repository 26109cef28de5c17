//! Rows for `google.rpc.Status`.

use bytes::Bytes;

use super::{RichStatus, read, type_name, write};
use crate::tests::chance::Chance;
use crate::{Code, Detail, Status};

fn detail(name: &str, value: &'static [u8]) -> Detail {
    Detail { type_name: name.to_owned(), value: Bytes::from_static(value) }
}

#[test]
fn statuses_are_written_as_protobuf() {
    let mut status = Status::new(Code::NotFound, "no");
    assert_eq!(write(status.code, &status), b"\x08\x05\x12\x02no");
    status.details = vec![detail("a.B", b"\x01"), detail("c.D", b"")];
    let mut expected = b"\x08\x05\x12\x02no".to_vec();
    expected.extend_from_slice(b"\x1a\x1c\x0a\x17type.googleapis.com/a.B\x12\x01\x01");
    expected.extend_from_slice(b"\x1a\x19\x0a\x17type.googleapis.com/c.D");
    assert_eq!(write(status.code, &status), expected);
}

#[test]
fn what_is_written_is_read_back() {
    let mut status = Status::new(Code::Aborted, "ä".repeat(200));
    status.details = vec![detail("a.b.C", &[7; 300]), detail("x", b"")];
    let read = read(&write(status.code, &status).into()).unwrap();
    assert_eq!(read, RichStatus { code: 10, message: status.message, details: status.details });
}

#[test]
fn foreign_messages_are_read_leniently() {
    let check = |bytes: &'static [u8], expected: Option<(u64, &str, usize)>| {
        let read = read(&Bytes::from_static(bytes)).map(|s| (s.code, s.message, s.details.len()));
        assert_eq!(
            read,
            expected.map(|(code, message, details)| (code, message.to_owned(), details)),
            "{bytes:?}"
        );
    };
    check(b"", Some((0, "", 0)));
    check(b"\x12\x02no\x08\x05", Some((5, "no", 0)));
    // The last value of a field counts.
    check(b"\x08\x05\x08\x06", Some((6, "", 0)));
    // Unknown fields of every wire type, and a known number with another type.
    check(b"\x20\x01\x29abcdefgh\x35abcd\x3a\x01x\x0a\x00\x08\x07", Some((7, "", 0)));
    // A negative code, as an int32 is written.
    check(b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", Some((u64::MAX, "", 0)));
    check(b"\x12\x01\xff", Some((0, "\u{fffd}", 0)));
    check(b"\x1a\x00\x1a\x02\x0a\x00", Some((0, "", 2)));
    // No messages: cut, too long, groups, and a varint without an end.
    check(b"\x08", None);
    check(b"\x12\x05no", None);
    check(b"\x29abc", None);
    check(b"\x0b", None);
    check(b"\x1a\x01\x08", None);
    check(b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", None);
    check(b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", None);
}

#[test]
fn every_cut_of_a_message_is_read_or_refused() {
    let mut status = Status::new(Code::Aborted, "no");
    status.details = vec![detail("a.b.C", b"\x01\x02")];
    let whole = Bytes::from(write(status.code, &status));
    // Between two fields a cut message is a shorter one; inside a field it is none.
    let borders = [0, 2, 6, 6 + 2 + whole[7] as usize];
    assert_eq!(borders[3], whole.len());
    for end in 0..=whole.len() {
        let cut = read(&whole.slice(..end));
        assert_eq!(cut.is_some(), borders.contains(&end), "{end} of {} bytes", whole.len());
    }
    for (begin, details) in [(2, 1), (6, 1), (whole.len(), 0)] {
        assert_eq!(read(&whole.slice(begin..)).unwrap().details.len(), details);
    }
}

#[test]
fn type_names_stand_behind_the_last_slash() {
    for (url, name) in
        [("type.googleapis.com/a.B", "a.B"), ("a.B", "a.B"), ("x/y/a.B", "a.B"), ("", ""), ("/", "")]
    {
        assert_eq!(type_name(url), name);
    }
}

/// A field with a length.
fn field(tag: u8, bytes: &[u8]) -> Vec<u8> {
    [&[tag, u8::try_from(bytes.len()).unwrap()], bytes].concat()
}

#[test]
fn lengths_beyond_their_message_are_refused_at_every_depth() {
    let check =
        |bytes: &[u8]| assert_eq!(read(&Bytes::copy_from_slice(bytes)), None, "{}", bytes.escape_ascii());
    for length in [1_u8, 2, 0x7f] {
        // At the end of the status; at the end of the detail, with more of the status behind it.
        check(&[0x1a, length]);
        check(&[&field(0x1a, &[0x0a, length])[..], b"\x12\x02no"].concat());
        check(&[&field(0x1a, &[0x12, length])[..], &[0; 200]].concat());
        check(&field(0x1a, &[b"\x0a\x01x\x7a", &[length][..]].concat()));
    }
    // Lengths of two to ten bytes, up to the largest number.
    for size in 2..=10 {
        let length = [vec![0xff; size - 1], vec![0x01]].concat();
        check(&[&[0x12], &length[..], b"no"].concat());
        check(&field(0x1a, &[&[0x12], &length[..], b"no"].concat()));
    }
}

#[test]
fn varints_are_read_up_to_ten_bytes() {
    let check = |varint: &[u8], expected: Option<u64>| {
        let bytes = Bytes::from([&[0x08], varint].concat());
        assert_eq!(read(&bytes).map(|status| status.code), expected, "{}", varint.escape_ascii());
    };
    check(b"\x05", Some(5));
    // Longer than it has to be, which readers take.
    check(b"\x85\x00", Some(5));
    check(b"\x85\x80\x80\x80\x80\x80\x80\x80\x80\x00", Some(5));
    check(b"\x85\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", None);
    check(b"\xff\xff\xff\xff\x0f", Some(u64::from(u32::MAX)));
    check(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", Some(u64::MAX));
    // Bits above the sixty-fourth are dropped.
    check(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", Some(u64::MAX));
    for size in 1..10 {
        check(&vec![0x80; size], None);
    }
    // The same in a tag: an over-long 1 is the first field all the same.
    let bytes = Bytes::from_static(b"\x88\x80\x00\x07");
    assert_eq!(read(&bytes).unwrap().code, 7);
}

#[test]
fn unknown_fields_of_every_type_are_skipped_at_every_depth() {
    let unknown: [&[u8]; 6] = [
        b"\x78\x01",
        b"\x79abcdefgh",
        b"\x7a\x03abc",
        b"\x7dabcd",
        b"\xf8\xff\xff\xff\x0f\x01",
        // Known numbers under another type.
        b"\x0a\x01x\x10\x01\x1dabcd",
    ];
    for unknown in unknown {
        let inside = if unknown.len() > 6 && unknown[0] == 0x0a { &b"\x08\x01\x15abcd"[..] } else { unknown };
        let any =
            field(0x1a, &[inside, &field(0x0a, b"x/a.B"), inside, &field(0x12, b"\x01"), inside].concat());
        let bytes = [unknown, b"\x08\x05", unknown, &any, unknown, b"\x12\x02no", unknown].concat();
        let status = read(&Bytes::from(bytes)).unwrap();
        let details = vec![detail("a.B", b"\x01")];
        assert_eq!(status, RichStatus { code: 5, message: "no".to_owned(), details });
    }
    // Groups, and wire types that do not exist.
    for wire_type in [3, 4, 6, 7] {
        let tag = 0x78 | wire_type;
        assert_eq!(read(&Bytes::copy_from_slice(&[tag])), None);
        assert_eq!(read(&Bytes::copy_from_slice(&[tag, 0x7c])), None);
        assert_eq!(read(&Bytes::from(field(0x1a, &[tag, 0x01]))), None);
    }
}

#[test]
fn any_bytes_are_read_or_refused_and_never_grow() {
    let mut read_count = 0;
    for seed in 0..3000 {
        let mut chance = Chance::new(seed);
        let mut status = Status::new(Code::Aborted, chance.text(10));
        status.details.push(Detail { type_name: "a.B".to_owned(), value: Bytes::from(chance.bytes(20)) });
        let mut bytes = write(status.code, &status);
        for _ in 0..=chance.below(3) {
            let at = chance.below(bytes.len());
            bytes[at] = chance.next() as u8;
        }
        let length = bytes.len();
        if let Some(read) = read(&Bytes::from(bytes)) {
            read_count += 1;
            // Replaced bytes become three each; nothing else gets longer.
            let values: usize = read.details.iter().map(|d| d.type_name.len() + d.value.len()).sum();
            assert!(read.message.len() + values <= 3 * length, "seed {seed}");
        }
    }
    assert!((500..2900).contains(&read_count), "both sides are tried: {read_count} of 3000 are read");
}
