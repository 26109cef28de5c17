//! Codes on the wire: every code in every place of every protocol, and HTTP statuses where a response has no code.

use bytes::BytesMut;
use http::HeaderMap;

use crate::client::{Event, Outcome};
use crate::tests::machines::{KINDS, Kind};
use crate::tests::testing::fields;
use crate::{Code, ResponseHead, Status};

/// Number, name and the HTTP status of a unary error, of every code (`statuscodes.md`; Connect specification, "Error codes").
const CODES: [(u64, &str, u16); 16] = [
    (1, "canceled", 499),
    (2, "unknown", 500),
    (3, "invalid_argument", 400),
    (4, "deadline_exceeded", 504),
    (5, "not_found", 404),
    (6, "already_exists", 409),
    (7, "permission_denied", 403),
    (8, "resource_exhausted", 429),
    (9, "failed_precondition", 400),
    (10, "aborted", 409),
    (11, "out_of_range", 400),
    (12, "unimplemented", 501),
    (13, "internal", 500),
    (14, "unavailable", 503),
    (15, "data_loss", 500),
    (16, "unauthenticated", 401),
];

/// A whole response with these parts.
fn outcome(kind: Kind, head: ResponseHead, body: &[u8], trailers: Option<HeaderMap>) -> Outcome {
    let mut reader = kind.client();
    reader.receive_head(head);
    reader.receive(BytesMut::from(body).freeze());
    reader.receive_end(trailers);
    match reader.poll_event() {
        Event::End(outcome) => outcome,
        event => panic!("{kind:?}: {event:?}"),
    }
}

/// What a server sends for a failure of this code: HTTP status, fields of the head, body, and trailers.
fn failed(kind: Kind, code: Code, with_head: bool) -> (ResponseHead, BytesMut, Option<HeaderMap>) {
    let mut writer = kind.server(false).writer;
    let mut body = BytesMut::new();
    let head = if with_head { writer.head(HeaderMap::new()) } else { None };
    let finish = writer.finish(Err(Status::new(code, "")), HeaderMap::new(), &mut body);
    (head.or(finish.head).unwrap(), body, finish.trailers)
}

#[test]
fn codes_are_written_in_the_form_of_each_protocol() {
    for (number, name, http_status) in CODES {
        let code = Code::from_number(number);
        let json = format!("{{\"code\":\"{name}\"}}");
        let line = format!("grpc-status: {number}\r\n");
        for with_head in [false, true] {
            let (head, body, _) = failed(Kind::ConnectUnary, code, with_head);
            assert_eq!((head.status.as_u16(), &body[..]), (http_status, json.as_bytes()));

            let (head, body, _) = failed(Kind::ConnectStream, code, with_head);
            assert_eq!((head.status.as_u16(), &body[5..]), (200, format!("{{\"error\":{json}}}").as_bytes()));

            let (head, body, trailers) = failed(Kind::Grpc, code, with_head);
            let fields = if with_head { trailers.unwrap() } else { head.headers };
            assert_eq!(fields["grpc-status"], number.to_string().as_str());
            assert!(head.status == 200 && body.is_empty());

            let (head, body, _) = failed(Kind::GrpcWeb, code, with_head);
            assert_eq!(head.status, 200);
            match head.headers.get("grpc-status") {
                Some(status) => assert_eq!(status, number.to_string().as_str()),
                None => assert_eq!(&body[5..], line.as_bytes()),
            }
            assert_eq!(head.headers.contains_key("grpc-status"), !with_head);
        }
    }
}

#[test]
fn codes_are_read_in_the_form_of_each_protocol() {
    for (number, name, http_status) in CODES {
        let code = Code::from_number(number);
        let check = |kind: Kind, head: ResponseHead, body: &[u8], trailers: Option<HeaderMap>| {
            let outcome = outcome(kind, head, body, trailers);
            assert_eq!(outcome.result.unwrap_err().code, code, "{kind:?} {name}");
            assert!(outcome.from_peer);
        };
        let json = |http_status: u16| ResponseHead {
            headers: fields(&[("content-type", "application/json")]),
            ..Kind::ConnectUnary.head(http_status, false)
        };
        let error = format!("{{\"code\":\"{name}\"}}");
        check(Kind::ConnectUnary, json(http_status), error.as_bytes(), None);
        // The name rules, whatever the HTTP status.
        check(Kind::ConnectUnary, json(418), error.as_bytes(), None);

        let enveloped = |flag: u8, payload: &str| {
            let mut body = BytesMut::new();
            crate::envelope::append(&mut body, flag, payload.as_bytes());
            body
        };
        let end = enveloped(2, &format!("{{\"error\":{error}}}"));
        check(Kind::ConnectStream, Kind::ConnectStream.head(200, false), &end, None);

        let trailers = fields(&[("grpc-status", &number.to_string())]);
        check(Kind::Grpc, Kind::Grpc.head(200, false), b"", Some(trailers.clone()));
        let block = enveloped(0x80, &format!("grpc-status:{number}"));
        check(Kind::GrpcWeb, Kind::GrpcWeb.head(200, false), &block, None);
        for kind in [Kind::Grpc, Kind::GrpcWeb, Kind::GrpcWebText] {
            let mut head = kind.head(200, false);
            head.headers.extend(trailers.clone());
            check(kind, head, b"", None);
        }
    }
}

#[test]
fn numbers_and_names_of_no_code_are_unknown() {
    // A number is the peer's word even if nobody has defined it; what is no int32 is no number of a code.
    let numbers = ["17", "99", "4294967295", "9999999999", "0017", "0000000017"];
    let others =
        ["-1", "+5", "1.0", "", "0x5", "5 5", "10000000000", "00000000005", "99999999999999999999999"];
    for (number, from_peer) in numbers.map(|n| (n, true)).into_iter().chain(others.map(|n| (n, false))) {
        let trailers = fields(&[("grpc-status", number), ("grpc-message", "why")]);
        let outcome = outcome(Kind::Grpc, Kind::Grpc.head(200, false), b"", Some(trailers));
        let status = outcome.result.unwrap_err();
        assert_eq!(status.code, Code::Unknown, "{number:?}");
        assert_eq!((outcome.from_peer, status.message == "why"), (from_peer, from_peer), "{number:?}");
    }
}

/// The code of an HTTP status without a better one (Connect specification, "HTTP to error code", and gRPC's
/// `http-grpc-status-mapping.md`).
fn of_http(status: u16) -> Code {
    match status {
        400 => Code::Internal,
        401 => Code::Unauthenticated,
        403 => Code::PermissionDenied,
        404 => Code::Unimplemented,
        429 | 502..=504 => Code::Unavailable,
        _ => Code::Unknown,
    }
}

#[test]
fn responses_without_a_code_are_known_by_their_http_status() {
    for http_status in (100..=999).filter(|status| *status != 200) {
        assert_eq!(Code::from_http_status(http_status.try_into().unwrap()), of_http(http_status));
        for kind in KINDS {
            for body in [&b""[..], b"<html>", b"\0\0\0\0\x02hi"] {
                let outcome = outcome(kind, kind.head(http_status, false), body, kind.trailers());
                let status = outcome.result.unwrap_err();
                assert_eq!(status.code, of_http(http_status), "{kind:?} {http_status}");
                assert!(
                    status.message.ends_with(&format!("HTTP status {http_status}")),
                    "{}",
                    status.message
                );
                assert!(!outcome.from_peer);
            }
        }
    }
}

#[test]
fn a_head_that_is_the_whole_response_may_be_followed_by_empty_trailers() {
    for (trailers, expected) in [
        (None, Code::NotFound),
        (Some(HeaderMap::new()), Code::NotFound),
        (Some(fields(&[("grpc-status", "10")])), Code::Aborted),
        (Some(fields(&[("x-a", "1")])), Code::Unknown),
    ] {
        let mut head = Kind::Grpc.head(200, false);
        head.headers.insert("grpc-status", "5".parse().unwrap());
        let outcome = outcome(Kind::Grpc, head, b"", trailers.clone());
        assert_eq!(outcome.result.unwrap_err().code, expected, "{trailers:?}");
    }
}

#[test]
fn what_goes_on_behind_the_end_of_a_call_is_told_before_the_body_ends() {
    for (kind, parts) in [
        (Kind::ConnectStream, [&b"\x02\0\0\0\x02{}"[..], b"\0"]),
        (Kind::GrpcWeb, [b"\x80\0\0\0\x0dgrpc-status:0", b"\0"]),
        (Kind::GrpcWebText, [b"gAAAAA1ncnBjLXN0YXR1czow", b"AAAA"]),
        (Kind::GrpcWebText, [b"gAAAAA1ncnBjLXN0YXR1czow", b"#AAA"]),
    ] {
        let mut reader = kind.client();
        reader.receive_head(kind.head(200, false));
        reader.receive(parts[0].into());
        assert!(matches!(reader.poll_event(), Event::NeedMore), "{kind:?}");
        assert!(reader.peer_ended());
        reader.receive(parts[1].into());
        let Event::End(outcome) = reader.poll_event() else {
            panic!("{kind:?} waits for what no end can mend")
        };
        let status = outcome.result.unwrap_err();
        assert_eq!(status.code, Code::Internal);
        assert!(status.message.contains("goes on behind the"), "{}", status.message);
    }
}

#[test]
fn broken_text_is_what_is_told_of_a_body_that_it_cuts() {
    for text in [&b"AAAAAAJo#"[..], b"AAAAAAJo#AAA", b"AAAAAAJoA", b"#"] {
        let mut reader = Kind::GrpcWebText.server(false).reader;
        reader.receive(text.into());
        reader.receive_end();
        let status = reader.poll_message().unwrap_err();
        assert!(status.message.contains("not base64"), "{}: {}", text.escape_ascii(), status.message);
        let outcome = outcome(Kind::GrpcWebText, Kind::GrpcWebText.head(200, false), text, None);
        assert_eq!(outcome.result.unwrap_err().message, status.message);
    }
}
