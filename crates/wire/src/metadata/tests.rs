//! Rows for names and binary values.

use http::{HeaderMap, HeaderName, HeaderValue};

use super::{NotBase64, append_to, decode_bin, encode_bin, is_reserved, received};
use crate::tests::testing::{fields, rows};

#[test]
fn binary_values_are_written_without_padding() {
    for (bytes, text) in [(&b""[..], ""), (b"\x01", "AQ"), (b"\x01\x02", "AQI"), (b"\xfb\xff\xfe", "+//+")] {
        let value = encode_bin(bytes);
        assert_eq!(value, text);
        assert_eq!(decode_bin(&value).unwrap(), [bytes]);
    }
}

#[test]
fn binary_values_are_read_with_and_without_padding_and_joined() {
    let check = |text: &str, expected: Result<&[&[u8]], NotBase64>| {
        let read = decode_bin(&HeaderValue::from_bytes(text.as_bytes()).unwrap());
        assert_eq!(
            read,
            expected.map(|parts| parts.iter().map(|part| part.to_vec().into()).collect()),
            "{text:?}"
        );
    };
    check("AQ==", Ok(&[b"\x01"]));
    check("AQ", Ok(&[b"\x01"]));
    check("AQ==,AQI , ", Ok(&[b"\x01", b"\x01\x02", b""]));
    check("AQ=", Ok(&[b"\x01"]));
    check("A", Err(NotBase64));
    check("_-8", Err(NotBase64));
    check("AQ==AQ==", Err(NotBase64));
    check("AQ,#", Err(NotBase64));
}

#[test]
fn reserved_names_belong_to_http_or_a_protocol() {
    let reserved = [
        "content-type",
        "content-length",
        "content-encoding",
        "accept-encoding",
        "te",
        "trailer",
        "host",
        "connection",
        "keep-alive",
        "transfer-encoding",
        "upgrade",
        "connect-protocol-version",
        "connect-anything",
        "trailer-x",
        "grpc-status",
        "grpc-anything",
        "x-grpc-web",
    ];
    for name in reserved {
        assert!(is_reserved(&HeaderName::from_static(name)), "{name}");
    }
    let free =
        ["user-agent", "authorization", "x-a", "x-grpc", "grpc-trace-bin", "grpc-tags-bin", "cookie", "date"];
    for name in free {
        assert!(!is_reserved(&HeaderName::from_static(name)), "{name}");
    }
}

#[test]
fn received_metadata_keep_order_and_repeats() {
    let all = fields(&[
        ("x-b", "1"),
        ("content-type", "application/proto"),
        ("grpc-timeout", "1S"),
        ("x-a", "2"),
        ("connect-timeout-ms", "5"),
        ("x-b", "3"),
        ("te", "trailers"),
        ("te", "gzip"),
        ("grpc-previous-rpc-attempts", "4"),
        ("user-agent", "curl"),
    ]);
    let expected = ["x-b: 1", "x-b: 3", "x-a: 2", "grpc-previous-rpc-attempts: 4", "user-agent: curl"];
    assert_eq!(rows(&received(all)), expected);
    assert!(received(HeaderMap::new()).is_empty());
}

#[test]
fn written_metadata_leave_reserved_names_out() {
    let mut head = fields(&[("content-type", "application/grpc"), ("x-a", "1")]);
    append_to(
        &mut head,
        fields(&[
            ("content-type", "text/html"),
            ("x-a", "2"),
            ("grpc-status", "0"),
            ("trailer-x", "3"),
            ("x-b", "4"),
            ("x-b", "5"),
        ]),
    );
    assert_eq!(rows(&head), ["content-type: application/grpc", "x-a: 1", "x-a: 2", "x-b: 4", "x-b: 5"]);
}
