//! Rows for responses: what each protocol writes for the same call.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Method, Uri, Version};

use super::{Accepted, Config, Finish, Route, ServerCall, Step, accept};
use crate::tests::testing::{config, fields, rows};
use crate::{Code, Detail, Protocol, RequestHead, Shape, Status};

/// The call that a head with these fields begins.
fn call_with(config: &Config, shape: Shape, headers: &[(&str, &str)]) -> ServerCall {
    let head = RequestHead {
        method: Method::POST,
        uri: Uri::from_static("/a.B/C"),
        version: Version::HTTP_2,
        headers: fields(headers),
    };
    match accept(head, Some(Route { shape, no_side_effects: false }), config) {
        Accepted::Call(call) => *call,
        Accepted::Reject(reject) => panic!("{headers:?}: {reject:?}"),
    }
}

fn call(shape: Shape, headers: &[(&str, &str)]) -> ServerCall {
    call_with(&config(), shape, headers)
}

fn encode(plain: &'static [u8]) -> impl FnMut(&mut BytesMut) -> Result<(), Status> {
    move |target| {
        target.extend_from_slice(plain);
        Ok(())
    }
}

/// The lines of a finished response: status, fields, body, trailers.
fn lines(head: Option<crate::ResponseHead>, finish: Finish, body: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    assert!(head.is_none() || finish.head.is_none(), "a response has one head");
    if let Some(head) = head.or(finish.head) {
        lines.push(head.status.as_u16().to_string());
        lines.extend(rows(&head.headers));
    }
    lines.push(format!("\"{}\"", body.escape_ascii()));
    lines.extend(finish.trailers.iter().flat_map(rows).map(|row| format!("trailer {row}")));
    lines
}

/// Answers with a head, perhaps a message, and an outcome.
fn answer(mut call: ServerCall, message: Option<&'static [u8]>, outcome: Result<(), Status>) -> Vec<String> {
    let mut body = BytesMut::new();
    let head = call.writer.head(fields(&[("x-a", "1"), ("content-type", "text/html")]));
    if let Some(message) = message {
        call.writer.message(&mut body, &mut encode(message)).unwrap();
    }
    let finish = call.writer.finish(outcome, fields(&[("x-c", "2"), ("grpc-status", "7")]), &mut body);
    let again = call.writer.finish(Ok(()), HeaderMap::new(), &mut body);
    assert!(again.head.is_none() && again.trailers.is_none(), "a response ends once");
    assert!(call.writer.message(&mut body, &mut encode(b"late")).is_err());
    lines(head, finish, &body)
}

fn failure() -> Status {
    let mut status = Status::new(Code::NotFound, "no ä");
    status.details.push(Detail { type_name: "a.B".to_owned(), value: Bytes::from_static(b"\x01") });
    status.metadata = fields(&[("x-d", "3"), ("trailer-x", "4")]);
    status
}

#[test]
fn connect_unary_responses() {
    let headers = [("content-type", "application/proto"), ("accept-encoding", "br, runs")];
    assert_eq!(
        answer(call(Shape::Unary, &headers), Some(b"aaa"), Ok(())),
        [
            "200",
            "x-a: 1",
            "trailer-x-c: 2",
            "content-type: application/proto",
            "content-length: 2",
            "content-encoding: runs",
            "accept-encoding: runs,flip",
            r#""\x03a""#
        ]
    );
    // The message that was written before the error is taken back.
    let json = r#"{\"code\":\"not_found\",\"message\":\"no \xc3\xa4\",\"details\":[{\"type\":\"a.B\",\"value\":\"AQ\"}]}"#;
    assert_eq!(
        answer(call(Shape::Unary, &headers), Some(b"aaa"), Err(failure())),
        [
            "404",
            "x-a: 1",
            "trailer-x-d: 3",
            "trailer-x-c: 2",
            "content-type: application/json",
            "content-length: 78",
            "accept-encoding: runs,flip",
            &format!("\"{json}\"")
        ]
    );
}

#[test]
fn connect_unary_compresses_only_what_is_worth_it() {
    let small = Config { compress_bytes_min: 4, ..config() };
    let headers = [("content-type", "application/proto"), ("accept-encoding", "runs")];
    let seen = answer(call_with(&small, Shape::Unary, &headers), Some(b"aaa"), Ok(()));
    assert!(!seen.iter().any(|line| line.starts_with("content-encoding")), "{seen:?}");
    let seen = answer(call_with(&small, Shape::Unary, &headers), Some(b"aaaa"), Ok(()));
    assert!(seen.contains(&"content-encoding: runs".to_owned()), "{seen:?}");
}

#[test]
fn connect_unary_keeps_what_is_in_front_of_its_message() {
    let mut call = call(Shape::Unary, &[("content-type", "application/proto")]);
    let mut body = BytesMut::from(&b"#"[..]);
    call.writer.message(&mut body, &mut encode(b"hello")).unwrap();
    assert!(call.writer.message(&mut body, &mut encode(b"again")).is_err());
    assert_eq!(body, "#hello");
    call.writer.finish(Err(Status::new(Code::Internal, "")), HeaderMap::new(), &mut body);
    assert_eq!(body, "#{\"code\":\"internal\"}");
}

#[test]
fn connect_stream_responses() {
    let headers = [("content-type", "application/connect+json"), ("connect-accept-encoding", "flip")];
    assert_eq!(
        answer(call(Shape::Bidi, &headers), Some(b"hi"), Ok(())),
        [
            "200",
            "content-type: application/connect+json",
            "connect-accept-encoding: runs,flip",
            "connect-content-encoding: flip",
            "x-a: 1",
            r#""\x01\x00\x00\x00\x02\x97\x96\x02\x00\x00\x00\x1a{\"metadata\":{\"x-c\":[\"2\"]}}""#
        ]
    );
    let seen = answer(call(Shape::Bidi, &headers[..1]), None, Err(Status::new(Code::Aborted, "no")));
    let body = r#""\x02\x00\x00\x00D{\"error\":{\"code\":\"aborted\",\"message\":\"no\"},\"metadata\":{\"x-c\":[\"2\"]}}""#;
    assert_eq!(seen.last().unwrap(), body);
}

#[test]
fn grpc_responses() {
    let headers = [("content-type", "application/grpc"), ("grpc-encoding", "runs")];
    assert_eq!(
        answer(call(Shape::Unary, &headers), Some(b"aaa"), Ok(())),
        [
            "200",
            "content-type: application/grpc",
            "grpc-encoding: runs",
            "grpc-accept-encoding: runs,flip",
            "x-a: 1",
            r#""\x01\x00\x00\x00\x02\x03a""#,
            "trailer grpc-status: 0",
            "trailer x-c: 2"
        ]
    );
    assert_eq!(
        answer(call(Shape::Unary, &[("content-type", "application/grpc+proto")]), None, Err(failure())),
        [
            "200",
            "content-type: application/grpc+proto",
            "grpc-accept-encoding: runs,flip",
            "x-a: 1",
            r#""""#,
            "trailer grpc-status: 5",
            "trailer grpc-message: no %C3%A4",
            "trailer grpc-status-details-bin: CAUSBW5vIMOkGhwKF3R5cGUuZ29vZ2xlYXBpcy5jb20vYS5CEgEB",
            "trailer x-d: 3",
            "trailer x-c: 2"
        ]
    );
}

#[test]
fn grpc_web_responses() {
    let web = [("content-type", "application/grpc-web+proto")];
    assert_eq!(
        answer(call(Shape::Unary, &web), Some(b"hi"), Ok(())),
        [
            "200",
            "content-type: application/grpc-web+proto",
            "grpc-accept-encoding: runs,flip",
            "x-a: 1",
            r#""\x00\x00\x00\x00\x02hi\x80\x00\x00\x00\x18grpc-status: 0\r\nx-c: 2\r\n""#
        ]
    );
    let text = [("content-type", "application/grpc-web-text")];
    let seen = answer(call(Shape::Unary, &text), Some(b"hi"), Ok(()));
    assert_eq!(seen.last().unwrap(), r#""AAAAAAJoaQ==gAAAABhncnBjLXN0YXR1czogMA0KeC1jOiAyDQo=""#);
}

#[test]
fn responses_without_head_and_body_are_one_head() {
    let check = |content_type: &str, expected: &[&str]| {
        let mut call = call(Shape::Bidi, &[("content-type", content_type)]);
        let mut body = BytesMut::new();
        let outcome = Err(Status::new(Code::Aborted, ""));
        let finish = call.writer.finish(outcome, fields(&[("x-c", "2")]), &mut body);
        assert_eq!(lines(None, finish, &body), expected);
    };
    let accept = "grpc-accept-encoding: runs,flip";
    check(
        "application/grpc",
        &["200", "content-type: application/grpc", accept, "grpc-status: 10", "x-c: 2", r#""""#],
    );
    check(
        "application/grpc-web",
        &["200", "content-type: application/grpc-web", accept, "grpc-status: 10", "x-c: 2", r#""""#],
    );
    // Connect has no such form: the end message follows the head.
    check(
        "application/connect+proto",
        &[
            "200",
            "content-type: application/connect+proto",
            "connect-accept-encoding: runs,flip",
            r#""\x02\x00\x00\x005{\"error\":{\"code\":\"aborted\"},\"metadata\":{\"x-c\":[\"2\"]}}""#,
        ],
    );
}

#[test]
fn a_head_that_was_forgotten_comes_with_the_end() {
    for content_type in ["application/grpc", "application/grpc-web", "application/connect+proto"] {
        let mut call = call(Shape::Bidi, &[("content-type", content_type)]);
        let mut body = BytesMut::new();
        call.writer.message(&mut body, &mut encode(b"hi")).unwrap();
        let finish = call.writer.finish(Ok(()), HeaderMap::new(), &mut body);
        let head = finish.head.unwrap();
        assert_eq!(head.headers["content-type"], content_type);
        assert!(!head.headers.contains_key("grpc-status"), "the status is in the end");
        assert_eq!(finish.trailers.is_some(), content_type == "application/grpc");
    }
}

#[test]
fn a_failure_that_says_ok_is_internal() {
    for (content_type, shape) in [
        ("application/grpc", Shape::Unary),
        ("application/proto", Shape::Unary),
        ("application/connect+proto", Shape::Bidi),
    ] {
        let seen =
            answer(call(shape, &[("content-type", content_type)]), None, Err(Status::new(Code::Ok, "")));
        let seen = seen.join(" ");
        assert!(seen.contains("internal") || seen.contains("grpc-status: 13"), "{seen}");
    }
}

#[test]
fn the_configuration_may_ask_for_connects_version() {
    let strict = Config { require_connect_version: true, ..config() };
    let check = |method: Method, uri: &'static str, headers: &[(&str, &str)], is_call: bool| {
        let headers = fields(headers);
        let head = RequestHead { method, uri: Uri::from_static(uri), version: Version::HTTP_11, headers };
        let route = Route { shape: Shape::Unary, no_side_effects: true };
        match accept(head, Some(route), &strict) {
            Accepted::Call(_) => assert!(is_call, "{uri}"),
            Accepted::Reject(reject) => {
                assert!(!is_call, "{uri}");
                assert_eq!(reject.head.status, 400);
            }
        }
    };
    let json = ("content-type", "application/json");
    check(Method::POST, "/a.B/C", &[json], false);
    check(Method::POST, "/a.B/C", &[json, ("connect-protocol-version", "1")], true);
    check(Method::GET, "/a.B/C?encoding=json&message=1", &[], false);
    check(Method::GET, "/a.B/C?encoding=json&message=1&connect=v1", &[], true);
}

#[test]
fn responses_to_get_may_be_cached_by_what_the_caller_accepts() {
    let head = RequestHead {
        method: Method::GET,
        uri: Uri::from_static("/a.B/C?connect=v1&encoding=json&message=1"),
        version: Version::HTTP_11,
        headers: fields(&[("accept-encoding", "runs"), ("connect-timeout-ms", "5")]),
    };
    let route = Route { shape: Shape::Unary, no_side_effects: true };
    let Accepted::Call(mut call) = accept(head, Some(route), &config()) else { panic!("refused") };
    assert_eq!(call.start.timeout, Some(Duration::from_millis(5)));
    assert_eq!((call.start.protocol, call.start.codec), (Protocol::Connect, "json"));
    // The content of a GET has no meaning, and the message is there before it.
    call.reader.receive(Bytes::from_static(b"ignored"));
    assert!(matches!(call.reader.poll_message(), Ok(Step::Message(message)) if message == "1"));
    assert!(matches!(call.reader.poll_message(), Ok(Step::End)));
    let seen = answer(*call, Some(b"aaa"), Ok(()));
    assert!(seen.contains(&"vary: accept-encoding".to_owned()), "{seen:?}");
    assert!(seen.contains(&"content-encoding: runs".to_owned()), "{seen:?}");
}

#[test]
fn a_reader_that_failed_takes_no_more() {
    let mut call = call(Shape::Bidi, &[("content-type", "application/grpc")]);
    call.reader.receive(Bytes::from_static(b"\xff\0\0\0\0"));
    assert!(call.reader.poll_message().is_err());
    call.reader.receive(Bytes::from_static(b"\0\0\0\0\0"));
    call.reader.receive_end();
    assert!(matches!(call.reader.poll_message(), Ok(Step::End)));
}

#[test]
fn handler_chooses_among_what_the_caller_accepts() {
    // Protocol, shape, the names of encoding and accept fields.
    let protocols = [
        ("application/proto", Shape::Unary, "content-encoding", "accept-encoding"),
        (
            "application/connect+proto",
            Shape::ServerStream,
            "connect-content-encoding",
            "connect-accept-encoding",
        ),
        ("application/grpc", Shape::Unary, "grpc-encoding", "grpc-accept-encoding"),
        ("application/grpc-web", Shape::ServerStream, "grpc-encoding", "grpc-accept-encoding"),
    ];
    // What the caller accepts, what the handler chooses, whether that is done, the encoding that the head names.
    let choices: [(Option<&str>, &str, bool, Option<&str>); 8] = [
        (Some("runs, flip"), "identity", true, None),
        (Some("runs, flip"), "runs", true, Some("runs")),
        (Some("runs, flip"), "flip", true, Some("flip")),
        (Some("runs"), "flip", false, Some("runs")),
        (Some("runs, flip;q=0"), "flip", false, Some("runs")),
        (Some("runs, br"), "br", false, Some("runs")),
        (None, "runs", false, None),
        (None, "identity", true, None),
    ];
    for (content_type, shape, encoding, accept) in protocols {
        for (accepted, name, done, expected) in choices {
            let what = format!("{content_type}, {accepted:?}, {name}");
            let mut headers = vec![("content-type", content_type)];
            headers.extend(accepted.map(|accepted| (accept, accepted)));
            let mut call = call(shape, &headers);
            assert_eq!(call.writer.choose_compression(name), done, "{what}");
            let (mut body, early) = (BytesMut::new(), call.writer.head(HeaderMap::new()));
            call.writer.message(&mut body, &mut encode(b"aaaa")).unwrap();
            let is_sent = early.is_some();
            let finish = call.writer.finish(Ok(()), HeaderMap::new(), &mut body);
            let head = early.or(finish.head).expect("a response has a head");
            let named = head.headers.get(encoding).map(|value| value.to_str().unwrap());
            assert_eq!(named, expected, "{what}");
            let plain = body.windows(4).any(|window| window == b"aaaa");
            assert_eq!(plain, expected.is_none(), "{what}: {body:?}");
            assert!(is_sent || shape == Shape::Unary, "{what}");
        }
    }
}

#[test]
fn head_that_was_sent_binds_the_choice() {
    let mut call = call(
        Shape::ServerStream,
        &[("content-type", "application/grpc"), ("grpc-accept-encoding", "runs,flip")],
    );
    let head = call.writer.head(HeaderMap::new()).unwrap();
    assert_eq!(head.headers["grpc-encoding"], "runs");
    assert!(!call.writer.choose_compression("flip"), "the head says runs");
    let mut body = BytesMut::new();
    for (name, flag) in [("identity", 0), ("runs", 1), ("identity", 0)] {
        assert!(call.writer.choose_compression(name), "{name}");
        body.clear();
        call.writer.message(&mut body, &mut encode(b"aaaa")).unwrap();
        assert_eq!(body[0], flag, "{name}");
    }
}
