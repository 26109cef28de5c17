//! Rows for queries; the vectors have whole requests.

use super::{is_asked, read_query, write_query};
use crate::Compression;
use crate::tests::testing::Runs;

#[test]
fn queries_are_written_in_alphabetical_order() {
    let check = |codec: &str, compression: Option<&dyn Compression>, message: &[u8], query: &str| {
        assert_eq!(write_query(codec, compression, message), query);
    };
    check("proto", None, b"\xff\xef", "base64=1&connect=v1&encoding=proto&message=_-8");
    check("proto", None, b"", "base64=1&connect=v1&encoding=proto&message=");
    check("proto", Some(&Runs), b"\x01", "base64=1&compression=runs&connect=v1&encoding=proto&message=AQ");
    check("json", None, b"{\"a\": 1}", "connect=v1&encoding=json&message=%7B%22a%22%3A%201%7D");
    check("json", None, "ä-._~+".as_bytes(), "connect=v1&encoding=json&message=%C3%A4-._~%2B");
    check("json", None, b"\xff", "base64=1&connect=v1&encoding=json&message=_w");
    check("json", Some(&Runs), b"\x01", "base64=1&compression=runs&connect=v1&encoding=json&message=AQ");
}

#[test]
fn queries_are_read_as_forms() {
    let query = read_query("message=a%20b+c%zz&x=y&message=second&%62ase64=1&compression&=&encoding=j%73on");
    assert_eq!(query.message.as_deref(), Some(&b"a b c%zz"[..]));
    assert_eq!(query.base64.as_deref(), Some(&b"1"[..]));
    assert_eq!(query.compression.as_deref(), Some(&b""[..]));
    assert_eq!(query.encoding.as_deref(), Some(&b"json"[..]));
    assert_eq!(query.connect, None);
    assert_eq!(read_query(""), super::Query::default());
}

#[test]
fn queries_of_connect_are_known_by_their_version() {
    for (query, expected) in [
        (None, false),
        (Some(""), false),
        (Some("connect=v1"), true),
        (Some("a=b&connect=v1&c"), true),
        (Some("connect=v2"), false),
        (Some("Connect=v1"), false),
    ] {
        assert_eq!(is_asked(query), expected, "{query:?}");
    }
}
