//! How fields are sent: the bytes, the second time above all.

use bytes::BytesMut;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};

use super::{Encoder, RequestFields};
use crate::hpack::Decoder;
use crate::hpack::tests::bytes;

fn map(fields: &[(&str, &str)]) -> HeaderMap {
    let field = |&(name, value): &(&str, &str)| {
        (name.parse::<HeaderName>().unwrap(), value.parse::<HeaderValue>().unwrap())
    };
    fields.iter().map(field).collect()
}

fn trailers(encoder: &mut Encoder, fields: &[(&str, &str)]) -> Vec<u8> {
    let mut target = BytesMut::new();
    encoder.trailers(&map(fields), &mut target);
    target.to_vec()
}

fn request(encoder: &mut Encoder, path: &str) -> Vec<u8> {
    let (method, fields) = (Method::POST, HeaderMap::new());
    let head = RequestFields { method: &method, scheme: "http", authority: "a", path, fields: &fields };
    let mut target = BytesMut::new();
    encoder.request(&head, &mut target);
    target.to_vec()
}

/// What one field becomes, the first time and the second.
fn check(name: &str, value: &str, first: &str, second: &str) {
    let mut encoder = Encoder::new();
    for expected in [first, second] {
        let seen = trailers(&mut encoder, &[(name, value)]);
        assert_eq!(seen, bytes(expected), "{name}: {value}: {seen:02x?}");
    }
}

#[test]
fn fields_that_repeat_are_indexed() {
    check("content-type", "application/grpc", "5f \"application/grpc\"", "be");
    check("grpc-encoding", "gzip", "40 \"grpc-encoding\" \"gzip\"", "be");
    check("te", "trailers", "40 \"te\" \"trailers\"", "be");
    check("grpc-status", "0", "40 \"grpc-status\" \"0\"", "be");
    check("user-agent", "", "7a \"\"", "be");
}

#[test]
fn other_fields_are_spelled_out() {
    for (name, value, block) in [
        ("grpc-status", "5", "00 \"grpc-status\" \"5\""),
        ("grpc-timeout", "1S", "00 \"grpc-timeout\" \"1S\""),
        ("content-length", "5", "0f0d \"5\""),
        ("date", "today", "0f12 \"today\""),
        ("x-a", "b", "00 \"x-a\" \"b\""),
        ("cookie", "at least twenty bytes", "0f11 \"at least twenty bytes\""),
    ] {
        check(name, value, block, block);
    }
}

#[test]
fn credentials_are_never_indexed() {
    for (name, value, block) in [
        ("authorization", "Basic YTpi", "1f08 \"Basic YTpi\""),
        ("proxy-authorization", "x", "1f22 \"x\""),
        ("set-cookie", "a=b", "1f28 \"a=b\""),
        ("cookie", "a=b", "1f11 \"a=b\""),
    ] {
        check(name, value, block, block);
    }
    for (name, block) in [("content-type", "1f10 \"x\""), ("x-a", "10 \"x-a\" \"x\"")] {
        let mut value = HeaderValue::from_static("x");
        value.set_sensitive(true);
        let fields = HeaderMap::from_iter([(name.parse().unwrap(), value)]);
        let mut target = BytesMut::new();
        Encoder::new().trailers(&fields, &mut target);
        assert_eq!(target, bytes(block)[..], "{name}");
    }
}

#[test]
fn fields_of_a_connection_are_not_sent() {
    for (name, value) in [
        ("connection", "close"),
        ("keep-alive", "5"),
        ("proxy-connection", "close"),
        ("transfer-encoding", "chunked"),
        ("upgrade", "h2c"),
        ("te", "gzip"),
    ] {
        check(name, value, "", "");
    }
}

#[test]
fn a_response_again_is_a_handful_of_bytes() {
    let head =
        map(&[("content-type", "application/grpc"), ("grpc-accept-encoding", "gzip"), ("server", "a")]);
    let mut encoder = Encoder::new();
    for expected in [None, Some("88 c1 c0 bf be"), Some("88 c1 c0 bf be")] {
        let mut target = BytesMut::new();
        encoder.response(StatusCode::OK, &head, &mut target);
        encoder.trailers(&map(&[("grpc-status", "0")]), &mut target);
        assert!(expected.is_none_or(|expected| target == bytes(expected)[..]), "{target:02x?}");
    }
}

#[test]
fn statuses_are_indexed_where_the_static_table_has_them() {
    for (status, block) in [
        (200, "88"),
        (204, "89"),
        (206, "8a"),
        (304, "8b"),
        (400, "8c"),
        (404, "8d"),
        (500, "8e"),
        (415, "08 \"415\""),
    ] {
        let mut target = BytesMut::new();
        Encoder::new().response(StatusCode::from_u16(status).unwrap(), &HeaderMap::new(), &mut target);
        assert_eq!(target, bytes(block)[..], "{status}");
    }
}

#[test]
fn request_heads_leave_out_what_is_empty() {
    for (method, scheme, authority, path, block) in [
        ("GET", "https", "", "/", "82 87 84"),
        ("POST", "http", "a", "/b", "83 86 44 \"/b\" 41 \"a\""),
        ("CONNECT", "", "a:1", "", "02 \"CONNECT\" 41 \"a:1\""),
        ("OPTIONS", "ftp", "", "*", "02 \"OPTIONS\" 06 \"ftp\" 44 \"*\""),
    ] {
        let (method, fields) = (method.parse().unwrap(), HeaderMap::new());
        let mut target = BytesMut::new();
        Encoder::new().request(
            &RequestFields { method: &method, scheme, authority, path, fields: &fields },
            &mut target,
        );
        assert_eq!(target, bytes(block)[..], "{method}");
    }
}

/// Settings since the last block, and what the next one begins with.
fn check_sizes(settings: &[usize], expected: &str) {
    let mut encoder = Encoder::new();
    settings.iter().for_each(|&bytes| encoder.set_table_bytes_max(bytes));
    assert_eq!(
        trailers(&mut encoder, &[("date", "x")]),
        bytes(&format!("{expected} 0f12 \"x\"")),
        "{settings:?}"
    );
    assert_eq!(trailers(&mut encoder, &[("date", "x")]), bytes("0f12 \"x\""), "{settings:?}: told once");
}

#[test]
fn sizes_go_in_front_of_the_next_block() {
    check_sizes(&[], "");
    check_sizes(&[4096], "");
    check_sizes(&[1 << 20], "");
    check_sizes(&[0], "20");
    check_sizes(&[100], "3f45");
    check_sizes(&[100, 4096], "3f45 3fe11f");
    check_sizes(&[0, 100, 1 << 20], "20 3fe11f");
    check_sizes(&[100, 0], "20");
    check_sizes(&[0, 100, 50], "20 3f13");
}

#[test]
fn a_table_of_nothing_is_not_used() {
    let mut encoder = Encoder::new();
    encoder.set_table_bytes_max(0);
    for size_update in ["20", "", ""] {
        let expected = bytes(&format!("{size_update} 0f10 \"application/grpc\""));
        assert_eq!(trailers(&mut encoder, &[("content-type", "application/grpc")]), expected);
    }
}

#[test]
fn paths_without_end_do_not_evict_what_repeats() {
    let mut encoder = Encoder::new();
    trailers(&mut encoder, &[("content-type", "application/grpc")]);
    for number in 0..1000 {
        request(&mut encoder, &format!("/users/{number}/with/a/path/of/some/length"));
    }
    assert_eq!(trailers(&mut encoder, &[("content-type", "application/grpc")]).len(), 1, "it is still there");
    assert!(encoder.table.bytes() < 4096 / 2 + 200, "{} bytes", encoder.table.bytes());
}

#[test]
fn a_path_that_comes_back_is_indexed_in_the_end() {
    let mut encoder = Encoder::new();
    for number in 0..100 {
        request(&mut encoder, &format!("/users/{number}/with/a/path/of/some/length"));
    }
    let lengths = [(); 3].map(|()| request(&mut encoder, "/a.B/C/behind/them/all").len());
    assert!(lengths[0] > 20 && lengths[1] > 20 && lengths[2] < 6, "{lengths:?}");
}

#[test]
fn values_of_half_the_table_are_not_indexed() {
    let large = "x".repeat(2048);
    let mut encoder = Encoder::new();
    for _ in 0..3 {
        assert!(trailers(&mut encoder, &[("user-agent", &large)]).len() > 2048);
    }
    assert_eq!(encoder.table.len(), 0);
}

/// A name that only the dynamic table has is taken from there.
#[test]
fn a_name_of_the_dynamic_table_is_used() {
    let mut encoder = Encoder::new();
    let blocks = ["gzip", "br", "gzip"].map(|value| trailers(&mut encoder, &[("grpc-encoding", value)]));
    assert_eq!(blocks, [bytes("40 \"grpc-encoding\" \"gzip\""), bytes("7e \"br\""), bytes("bf")]);
    let mut decoder = Decoder::new(4096);
    for (block, value) in blocks.iter().zip(["gzip", "br", "gzip"]) {
        assert_eq!(decoder.decode(block, 1 << 10).unwrap().fields["grpc-encoding"], value);
    }
}
