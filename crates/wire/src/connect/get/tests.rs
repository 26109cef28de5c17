//! Rows for queries; the vectors have whole requests.

use http::{HeaderMap, Method, Version};

use super::{is_asked, read_query, write_query};
use crate::connect::error_json::read_error;
use crate::server::{Accepted, Route, Step, accept};
use crate::tests::chance::Chance;
use crate::tests::testing::{Flip, Runs, config};
use crate::{Code, Compression, RequestHead, Shape};

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

/// The message of a call by this query: its bytes, or the code of the refusal. `Code::Ok` stands for a refusal of the codec, by
/// 415.
fn called(query: &str) -> Result<Vec<u8>, Code> {
    let head = RequestHead {
        method: Method::GET,
        uri: format!("/a.B/C?{query}").parse().unwrap(),
        version: Version::HTTP_11,
        headers: HeaderMap::new(),
    };
    match accept(head, Some(Route { shape: Shape::Unary, no_side_effects: true }), &config()) {
        Accepted::Call(mut call) => {
            let Ok(Step::Message(message)) = call.reader.poll_message() else { panic!("{query}") };
            assert!(matches!(call.reader.poll_message(), Ok(Step::End)));
            Ok(message.to_vec())
        }
        Accepted::Reject(reject) if reject.head.status == 415 => Err(Code::Ok),
        Accepted::Reject(reject) => {
            let status = read_error(&reject.body, Code::Ok).unwrap();
            assert_eq!(reject.head.status, status.code.http_status());
            Err(status.code)
        }
    }
}

/// All orders of these parts.
fn orders<'a>(parts: &[&'a str]) -> Vec<Vec<&'a str>> {
    if parts.is_empty() {
        return vec![Vec::new()];
    }
    let all = (0..parts.len()).flat_map(|at| {
        let mut rest = parts.to_vec();
        let first = rest.remove(at);
        orders(&rest).into_iter().map(move |order| [vec![first], order].concat())
    });
    all.collect()
}

#[test]
fn parameters_stand_in_any_order() {
    let parts = ["connect=v1", "encoding=proto", "base64=1", "compression=runs", "message=A2E"];
    let orders = orders(&parts);
    assert_eq!(orders.len(), 120);
    for order in orders {
        assert_eq!(called(&order.join("&")), Ok(b"aaa".to_vec()), "{order:?}");
        assert_eq!(called(&format!("&x&{}&y=&", order.join("&&"))), Ok(b"aaa".to_vec()), "{order:?}");
    }
}

#[test]
fn parameters_may_be_missing_repeated_and_wrong() {
    let check = |query: &str, expected: Result<&str, Code>| {
        assert_eq!(called(query), expected.map(|text| text.as_bytes().to_vec()), "{query}");
    };
    check("encoding=json&message=hi", Ok("hi"));
    check("encoding=json&message=", Ok(""));
    check("encoding=json&message", Ok(""));
    check("encoding=json", Err(Code::InvalidArgument));
    check("message=hi", Err(Code::Ok));
    check("", Err(Code::Ok));
    check("encoding=&message=hi", Err(Code::Ok));
    check("encoding=JSON&message=hi", Err(Code::Ok));
    check("Encoding=json&message=hi", Err(Code::Ok));
    check("encoding=json+&message=hi", Err(Code::Ok));
    // The first one counts.
    check("encoding=json&encoding=xml&message=hi&message=no", Ok("hi"));
    check("encoding=xml&encoding=json&message=hi", Err(Code::Ok));
    check("encoding=json&message=hi&connect=v1&connect=v2", Ok("hi"));
    check("encoding=json&message=hi&connect=v2&connect=v1", Err(Code::InvalidArgument));
    check("encoding=json&message=aGk&base64=1&base64=0", Ok("hi"));
    check("encoding=json&message=aGk&base64=0&base64=1", Ok("aGk"));
    // Only a one switches base64 on.
    for base64 in ["", "=", "=0", "=true", "=11", "=%30"] {
        check(&format!("encoding=json&message=aGk&base64{base64}"), Ok("aGk"));
    }
    check("encoding=json&message=aGk&base64=%31", Ok("hi"));
    for connect in ["", "v", "1", "V1", "v1+", "v11"] {
        check(&format!("encoding=json&message=hi&connect={connect}"), Err(Code::InvalidArgument));
    }
    for compression in ["", "identity"] {
        check(&format!("encoding=json&message=hi&compression={compression}"), Ok("hi"));
    }
    for compression in ["gzip", "Runs", "runs,flip"] {
        check(&format!("encoding=json&message=hi&compression={compression}"), Err(Code::Unimplemented));
    }
}

#[test]
fn messages_are_read_as_forms_or_as_base64_for_urls() {
    let check = |query: &str, expected: Result<&[u8], Code>| {
        assert_eq!(called(&format!("encoding=json&{query}")), expected.map(<[u8]>::to_vec), "{query}");
    };
    check("message=a+b%20c%2Bd", Ok(b"a b c+d"));
    check("message=%C3%A4%ff%00", Ok(b"\xc3\xa4\xff\0"));
    check("message=a=b==", Ok(b"a=b=="));
    check("message=%26%3d%23", Ok(b"&=#"));
    check("message=%2", Ok(b"%2"));
    check("base64=1&message=", Ok(b""));
    check("base64=1&message=_-8", Ok(b"\xff\xef"));
    check("base64=1&message=_-8=", Ok(b"\xff\xef"));
    check("base64=1&message=_-8%3D", Ok(b"\xff\xef"));
    check("base64=1&message=%5f%2D8", Ok(b"\xff\xef"));
    check("base64=1&message=AQ", Ok(b"\x01"));
    check("base64=1&message=AQ==", Ok(b"\x01"));
    check("base64=1&message=AQ=", Ok(b"\x01"));
    // Stray bits behind the last byte are not looked at.
    check("base64=1&message=AR", Ok(b"\x01"));
    let invalid = Err(Code::InvalidArgument);
    // The standard alphabet is another one, and a plus is a space.
    check("base64=1&message=/w", invalid);
    check("base64=1&message=+w", invalid);
    check("base64=1&message=%2Bw", invalid);
    check("base64=1&message=A", invalid);
    check("base64=1&message=AQ===", invalid);
    check("base64=1&message==", invalid);
    check("base64=1&message=AQ%0A", invalid);
    check("base64=1&message=AQ,AQ", invalid);
}

#[test]
fn compressed_messages_in_queries_are_inflated() {
    let check = |query: &str, expected: Result<&[u8], Code>| {
        assert_eq!(called(&format!("encoding=json&{query}")), expected.map(<[u8]>::to_vec), "{query}");
    };
    check("compression=runs&message=%03a%02b", Ok(b"aaabb"));
    check("compression=runs&base64=1&message=A2ECYg", Ok(b"aaabb"));
    check("compression=flip&base64=1&message=AP8", Ok(b"\xff\0"));
    check("compression=runs&message=", Ok(b""));
    check("compression=runs&message=%03", Err(Code::InvalidArgument));
    check("compression=runs&message=%ffa", Err(Code::ResourceExhausted));
}

#[test]
fn what_is_written_is_read_back() {
    for seed in 0..500 {
        let mut chance = Chance::new(seed);
        let codec = *chance.one_of(&["proto", "json"]);
        let message = if chance.once_in(2) { chance.text(12).into_bytes() } else { chance.bytes(60) };
        let query = write_query(codec, None, &message);
        assert!(query.bytes().all(|byte| byte.is_ascii_graphic()), "{query}");
        assert_eq!(called(&query), Ok(message.clone()), "seed {seed}: {query}");
        let compressions: [&dyn Compression; 2] = [&Runs, &Flip];
        let compression = *chance.one_of(&compressions);
        let mut compressed = bytes::BytesMut::new();
        compression.compress(&message, &mut compressed);
        let query = write_query(codec, Some(compression), &compressed);
        assert_eq!(called(&query), Ok(message), "seed {seed}: {query}");
    }
}

#[test]
fn every_byte_of_a_message_is_written_so_that_it_is_read_back() {
    for byte in 0..=0xff_u8 {
        for codec in ["json", "proto"] {
            let query = write_query(codec, None, &[b'<', byte, b'>']);
            assert_eq!(called(&query), Ok(vec![b'<', byte, b'>']), "{query}");
        }
        let query = write_query("json", None, &[byte]);
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        assert_eq!(query.ends_with(&format!("message={}", char::from(byte))), is_plain, "{query}");
        assert_eq!(query.starts_with("base64=1&"), !byte.is_ascii(), "{query}");
    }
}
