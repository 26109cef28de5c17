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

#[test]
fn binary_values_of_every_length_and_byte_come_back() {
    for length in 0..=258_usize {
        let bytes: Vec<u8> = (0..length).map(|index| index as u8).collect();
        let value = encode_bin(&bytes);
        assert!(!value.as_bytes().contains(&b'='), "{length} bytes are not padded");
        assert_eq!(value.len(), (length * 4).div_ceil(3));
        assert_eq!(decode_bin(&value).unwrap(), [&bytes[..]], "{length}");
        let padded = format!("{}{}", value.to_str().unwrap(), &"=="[..(3 - length % 3) % 3]);
        assert_eq!(decode_bin(&padded.parse().unwrap()).unwrap(), [&bytes[..]], "{length} padded");
    }
}

#[test]
fn binary_values_that_a_proxy_joined_come_apart() {
    let parts: [&[u8]; 5] = [b"", b"\x01", b"ab", b"\xff\xff\xff", b"\0"];
    let texts: Vec<String> = parts.iter().map(|part| encode_bin(part).to_str().unwrap().to_owned()).collect();
    for separator in [",", ", ", " ,", " , ", ",\t"] {
        let joined = HeaderValue::from_str(&texts.join(separator)).unwrap();
        assert_eq!(decode_bin(&joined).unwrap(), parts, "{separator:?}");
    }
    for broken in ["AQ A", "AQ;AQ", "AQ,*", "AQ,A", "=", "==", "A===", "AQ===", "AQ=,=", "\u{e4}"] {
        let value = HeaderValue::from_bytes(broken.as_bytes()).unwrap();
        assert_eq!(decode_bin(&value), Err(NotBase64), "{broken:?}");
    }
}

#[test]
fn values_come_through_by_every_byte_of_a_field() {
    for byte in (0x20..=0xff_u8).filter(|byte| *byte != 0x7f) {
        let mut metadata = HeaderMap::new();
        metadata.append("x-a", HeaderValue::from_bytes(&[b'<', byte, b'>']).unwrap());
        let mut head = HeaderMap::new();
        append_to(&mut head, metadata.clone());
        assert_eq!(received(head), metadata, "{byte:#x}");
    }
}
