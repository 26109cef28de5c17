//! Rows for `google.rpc.Status`.

use bytes::Bytes;

use super::{RichStatus, read, type_name, write};
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
    for end in 0..whole.len() {
        let _ = read(&whole.slice(..end));
        let _ = read(&whole.slice(end..));
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
