//! Rows for requests: what each protocol sends for the same plan.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Uri, Version};

use super::{ClientCall, Event, Plan, start, start_get};
use crate::tests::testing::{Runs, compressions, fields, rows};
use crate::{Code, Compression, Compressions, Protocol, ResponseHead, Shape, Status};

/// A plan of which the rows change what they are about.
fn plan<'a>(protocol: Protocol, shape: Shape, base: &'a Uri, metadata: &'a HeaderMap) -> Plan<'a> {
    Plan {
        protocol,
        text: false,
        shape,
        base,
        path: "/a.B/C",
        version: Version::HTTP_2,
        codec: "proto",
        timeout: Some(Duration::from_millis(1500)),
        metadata,
        send_compression: Some(Arc::new(Runs)),
        compress_bytes_min: 0,
        accept_compressions: compressions(),
        message_bytes_max: 64,
    }
}

const BASE: &str = "https://localhost:8080/v1/";

fn begin(protocol: Protocol, shape: Shape, change: impl FnOnce(&mut Plan<'_>)) -> ClientCall {
    let base = Uri::from_static(BASE);
    let metadata = fields(&[("x-a", "1"), ("x-a", "2"), ("grpc-status", "3"), ("te", "gzip")]);
    let mut plan = plan(protocol, shape, &base, &metadata);
    change(&mut plan);
    start(plan).unwrap()
}

fn lines(call: &ClientCall) -> Vec<String> {
    let mut lines = vec![format!("{} {}", call.head.method, call.head.uri)];
    lines.extend(rows(&call.head.headers));
    lines
}

#[test]
fn request_heads() {
    let check = |call: &ClientCall, expected: &[&str]| {
        let mut all =
            vec!["POST https://localhost:8080/v1/a.B/C", "x-a: 1", "x-a: 2", "user-agent: trunkline/0.1.0"];
        all.extend(expected);
        assert_eq!(lines(call), all);
    };
    check(
        &begin(Protocol::Connect, Shape::Unary, |_| {}),
        &[
            "accept-encoding: runs,flip",
            "connect-timeout-ms: 1500",
            "content-type: application/proto",
            "connect-protocol-version: 1",
            "content-encoding: runs",
        ],
    );
    check(
        &begin(Protocol::Connect, Shape::Bidi, |_| {}),
        &[
            "connect-accept-encoding: runs,flip",
            "connect-timeout-ms: 1500",
            "content-type: application/connect+proto",
            "connect-protocol-version: 1",
            "connect-content-encoding: runs",
        ],
    );
    check(
        &begin(Protocol::Grpc, Shape::Unary, |_| {}),
        &[
            "content-type: application/grpc+proto",
            "grpc-timeout: 1500000u",
            "grpc-encoding: runs",
            "grpc-accept-encoding: runs,flip",
            "te: trailers",
        ],
    );
    check(
        &begin(Protocol::GrpcWeb, Shape::Unary, |plan| {
            plan.text = true;
            plan.codec = "json";
            plan.timeout = None;
            plan.send_compression = None;
            plan.accept_compressions = Arc::new(Compressions::none());
        }),
        &[
            "content-type: application/grpc-web-text+json",
            "x-grpc-web: 1",
            "accept: application/grpc-web-text",
        ],
    );
}

#[test]
fn the_callers_user_agent_wins() {
    let base = Uri::from_static(BASE);
    let metadata = fields(&[("user-agent", "mine/1")]);
    let call = start(plan(Protocol::Grpc, Shape::Unary, &base, &metadata)).unwrap();
    assert_eq!(call.head.headers.get_all("user-agent").iter().collect::<Vec<_>>(), ["mine/1"]);
}

#[test]
fn addresses_are_joined_or_refused() {
    let check = |base: &'static str, path: &str, expected: Option<&str>| {
        let (base, metadata) = (Uri::from_static(base), HeaderMap::new());
        let plan = Plan { path, ..plan(Protocol::Grpc, Shape::Unary, &base, &metadata) };
        match start(plan) {
            Ok(call) => assert_eq!(Some(call.head.uri.to_string().as_str()), expected),
            Err(status) => {
                assert_eq!(status.code, Code::InvalidArgument);
                assert_eq!(expected, None, "{}", status.message);
            }
        }
    };
    check("http://a", "/b.C/D", Some("http://a/b.C/D"));
    check("http://a/", "/b.C/D", Some("http://a/b.C/D"));
    check("http://a:1/x/y/?q=1", "/b.C/D", Some("http://a:1/x/y/b.C/D"));
    check("/only/path", "/b.C/D", Some("/only/path/b.C/D"));
    check("http://a", "b.C/D", None);
    check("http://a", "", None);
    check("http://a", "/b C", None);
    check("http://a", "/b\n", None);
    // Authority without scheme or path.
    check("a:1", "/b.C/D", None);
}

#[test]
fn codecs_that_fit_no_header_are_refused() {
    let (base, metadata) = (Uri::from_static(BASE), HeaderMap::new());
    for protocol in [Protocol::Connect, Protocol::Grpc, Protocol::GrpcWeb] {
        let plan = Plan { codec: "a\nb", ..plan(protocol, Shape::Unary, &base, &metadata) };
        assert_eq!(start(plan).unwrap_err().code, Code::InvalidArgument);
    }
}

#[test]
fn request_bodies() {
    let check = |protocol, shape, text: bool, compression: bool, expected: &[u8]| {
        let mut call = begin(protocol, shape, |plan| {
            plan.text = text;
            plan.compress_bytes_min = 3;
            if !compression {
                plan.send_compression = None;
            }
        });
        let mut body = BytesMut::from(&b"#"[..]);
        let mut encode = |target: &mut BytesMut| {
            target.extend_from_slice(b"aa");
            Ok(())
        };
        call.writer.message(&mut body, &mut encode).unwrap();
        if protocol == Protocol::Connect && shape == Shape::Unary {
            assert!(call.writer.message(&mut body, &mut encode).is_err(), "a unary request has one message");
        }
        let mut fail = |target: &mut BytesMut| {
            target.extend_from_slice(b"half");
            Err(Status::new(Code::DataLoss, ""))
        };
        assert!(call.writer.message(&mut body, &mut fail).is_err());
        call.writer.finish(&mut body);
        assert_eq!(body, expected);
    };
    check(Protocol::Connect, Shape::Unary, false, false, b"#aa");
    // The head has promised it, so even what is below the minimum is compressed.
    check(Protocol::Connect, Shape::Unary, false, true, b"#\x02a");
    check(Protocol::Connect, Shape::Bidi, false, true, b"#\0\0\0\0\x02aa");
    check(Protocol::Grpc, Shape::Unary, false, true, b"#\0\0\0\0\x02aa");
    check(Protocol::GrpcWeb, Shape::Unary, false, true, b"#\0\0\0\0\x02aa");
    check(Protocol::GrpcWeb, Shape::Unary, true, true, b"#AAAAAAJhYQ==");
}

#[test]
fn requests_by_get_have_no_body() {
    let check = |codec: &str, compression: Option<Arc<dyn Compression>>, bytes_min: usize, query: &str| {
        let (base, metadata) = (Uri::from_static(BASE), fields(&[("x-a", "1")]));
        let mut plan = plan(Protocol::Connect, Shape::Unary, &base, &metadata);
        plan.codec = codec;
        plan.send_compression = compression;
        plan.compress_bytes_min = bytes_min;
        let mut call = start_get(plan, b"aaa").unwrap();
        assert_eq!(
            lines(&call),
            [
                &format!("GET https://localhost:8080/v1/a.B/C?{query}"),
                "x-a: 1",
                "user-agent: trunkline/0.1.0",
                "accept-encoding: runs,flip",
                "connect-timeout-ms: 1500"
            ]
        );
        let mut body = BytesMut::new();
        assert!(call.writer.message(&mut body, &mut |_| Ok(())).is_err());
        call.writer.finish(&mut body);
        assert!(body.is_empty());
    };
    check("json", None, 0, "connect=v1&encoding=json&message=aaa");
    check(
        "proto",
        Some(Arc::new(Runs)),
        0,
        "base64=1&compression=runs&connect=v1&encoding=proto&message=A2E",
    );
    check(
        "proto",
        Some(Arc::new(Runs)),
        3,
        "base64=1&compression=runs&connect=v1&encoding=proto&message=A2E",
    );
    check("proto", Some(Arc::new(Runs)), 4, "base64=1&connect=v1&encoding=proto&message=YWFh");
}

#[test]
fn a_message_too_long_for_an_address_is_refused() {
    let (base, metadata) = (Uri::from_static(BASE), HeaderMap::new());
    let plan = Plan { send_compression: None, ..plan(Protocol::Connect, Shape::Unary, &base, &metadata) };
    assert_eq!(start_get(plan, &[1; 100_000]).unwrap_err().code, Code::InvalidArgument);
}

fn head(status: u16, headers: &[(&str, &str)]) -> ResponseHead {
    ResponseHead { status: status.try_into().unwrap(), headers: fields(headers) }
}

#[test]
fn a_reader_takes_calls_in_any_order() {
    for (protocol, shape) in [
        (Protocol::Connect, Shape::Unary),
        (Protocol::Connect, Shape::Bidi),
        (Protocol::Grpc, Shape::Unary),
        (Protocol::GrpcWeb, Shape::Unary),
    ] {
        let mut reader = begin(protocol, shape, |_| {}).reader;
        assert!(matches!(reader.poll_event(), Event::NeedMore));
        reader.receive(Bytes::from_static(b"in front of the head"));
        assert!(matches!(reader.poll_event(), Event::NeedMore));
        reader.receive_end(None);
        for _ in 0..3 {
            let Event::End(outcome) = reader.poll_event() else { panic!("the response has ended") };
            assert_eq!(outcome.result.unwrap_err().code, Code::Internal);
            assert!(!outcome.from_peer);
        }
        assert!(reader.receive_head(head(200, &[("x-a", "1")])).len() <= 1);
        reader.receive(Bytes::from_static(b"late"));
        reader.receive_end(Some(HeaderMap::new()));
        assert!(matches!(reader.poll_event(), Event::End(_)));
    }
}

#[test]
fn a_second_head_says_nothing() {
    let mut reader = begin(Protocol::Grpc, Shape::Unary, |_| {}).reader;
    assert_eq!(
        reader.receive_head(head(200, &[("content-type", "application/grpc"), ("x-a", "1")])).len(),
        1
    );
    assert!(reader.receive_head(head(500, &[("x-b", "1")])).is_empty());
    reader.receive_end(Some(fields(&[("grpc-status", "0")])));
    assert!(matches!(reader.poll_event(), Event::End(outcome) if outcome.result.is_ok()));
}

#[test]
fn what_the_server_said_survives_a_broken_connection() {
    let check = |protocol, shape, content_type: &str, end: &'static [u8]| {
        let mut reader = begin(protocol, shape, |_| {}).reader;
        reader.receive_head(head(200, &[("content-type", content_type)]));
        assert!(!reader.peer_ended());
        reader.receive(Bytes::from_static(end));
        assert!(matches!(reader.poll_event(), Event::NeedMore));
        assert!(reader.peer_ended());
        reader.receive_end(None);
        assert!(matches!(reader.poll_event(), Event::End(outcome) if outcome.result.is_ok()));
    };
    check(Protocol::Connect, Shape::Bidi, "application/connect+proto", b"\x02\0\0\0\x02{}");
    check(Protocol::GrpcWeb, Shape::Bidi, "application/grpc-web", b"\x80\0\0\0\x0egrpc-status:0\n");
}
