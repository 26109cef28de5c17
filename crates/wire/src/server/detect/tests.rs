//! Rows for content types.

use http::{HeaderMap, HeaderValue, Method, Version};

use super::{Asked, detect, is_call};
use crate::RequestHead;

#[test]
fn content_types_name_a_protocol_and_a_codec() {
    let rows = [
        ("application/grpc", Asked::Grpc("proto")),
        ("application/grpc+json", Asked::Grpc("json")),
        ("application/grpc+", Asked::Grpc("")),
        ("application/grpc-web", Asked::GrpcWeb("proto")),
        ("application/grpc-web+json", Asked::GrpcWeb("json")),
        ("application/grpc-web-text", Asked::GrpcWebText("proto")),
        ("application/grpc-web-text+json", Asked::GrpcWebText("json")),
        ("application/connect+proto", Asked::ConnectStream("proto")),
        ("application/proto", Asked::ConnectUnary("proto")),
        ("application/json", Asked::ConnectUnary("json")),
        ("application/", Asked::ConnectUnary("")),
        ("application/grpc-webtext", Asked::ConnectUnary("grpc-webtext")),
        ("application/grpcx", Asked::ConnectUnary("grpcx")),
        ("application/connect", Asked::ConnectUnary("connect")),
        ("text/plain", Asked::Other),
        ("image/jpeg", Asked::Other),
        ("application", Asked::Other),
        ("", Asked::Other),
    ];
    for (essence, asked) in rows {
        assert_eq!(detect(essence), asked, "{essence}");
    }
}

#[test]
fn call_is_what_no_other_http_could_be() {
    type Row = (Method, &'static str, &'static [(&'static str, &'static str)], bool);
    let rows: &[Row] = &[
        (Method::POST, "/a", &[("content-type", "application/grpc")], true),
        (Method::POST, "/a", &[("content-type", "application/grpc+json; charset=utf-8")], true),
        (Method::POST, "/a", &[("content-type", "Application/gRPC-Web+proto")], true),
        (Method::POST, "/a", &[("content-type", "application/grpc-web-text")], true),
        (Method::POST, "/a", &[("content-type", "application/connect+json")], true),
        (
            Method::POST,
            "/a",
            &[("content-type", "application/json"), ("connect-protocol-version", "1")],
            true,
        ),
        (
            Method::POST,
            "/a",
            &[("content-type", "application/json"), ("connect-protocol-version", "7")],
            true,
        ),
        (Method::POST, "/a", &[("content-type", "application/json")], false),
        (Method::POST, "/a", &[("content-type", "application/proto")], false),
        (Method::POST, "/a", &[("content-type", "text/html")], false),
        (Method::POST, "/a", &[("connect-protocol-version", "1")], false),
        (Method::POST, "/a?connect=v1", &[], false),
        (Method::GET, "/a?connect=v1", &[], true),
        (Method::GET, "/a?connect=v2", &[], false),
        (Method::GET, "/a", &[], false),
    ];
    for (method, uri, fields, expected) in rows {
        let mut headers = HeaderMap::new();
        for (name, value) in *fields {
            headers.insert(*name, HeaderValue::from_str(value).unwrap());
        }
        let (method, uri) = (method.clone(), uri.parse().unwrap());
        let head = RequestHead { method, uri, version: Version::HTTP_11, headers };
        assert_eq!(is_call(&head), *expected, "{head:?}");
    }
}
