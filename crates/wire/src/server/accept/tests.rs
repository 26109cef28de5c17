//! Rows for content types and compressions of a head; the vectors have whole refusals.

use http::{HeaderMap, Method, Uri, Version};

use crate::server::{Accepted, Config, Route, accept};
use crate::tests::machines::{KINDS, Kind};
use crate::tests::testing::{config, fields};
use crate::{Protocol, RequestHead, ResponseHead, Shape};

fn accepted(shape: Shape, version: Version, headers: HeaderMap) -> Accepted {
    let uri = Uri::from_static("/a.B/C");
    let head = RequestHead { method: Method::POST, uri, version, headers };
    accept(head, Some(Route { shape, no_side_effects: false }), &config())
}

/// The protocol and codec of a call, or the HTTP status of a refusal.
fn asked(content_type: &str, shape: Shape) -> Result<(Protocol, &'static str), u16> {
    match accepted(shape, Version::HTTP_2, fields(&[("content-type", content_type)])) {
        Accepted::Call(call) => Ok((call.start.protocol, call.start.codec)),
        Accepted::Reject(reject) => Err(reject.head.status.as_u16()),
    }
}

#[test]
fn content_types_are_taken_in_any_case_and_with_parameters() {
    let rows = [
        ("application/grpc", Protocol::Grpc, "proto"),
        ("Application/GRPC+JSON", Protocol::Grpc, "json"),
        ("application/grpc+proto; charset=latin1", Protocol::Grpc, "proto"),
        ("application/grpc;x=y", Protocol::Grpc, "proto"),
        ("application/grpc-web+json ;charset=utf-8", Protocol::GrpcWeb, "json"),
        (" application/grpc-web-text ", Protocol::GrpcWeb, "proto"),
        ("APPLICATION/GRPC-WEB-TEXT+PROTO", Protocol::GrpcWeb, "proto"),
    ];
    for (content_type, protocol, codec) in rows {
        for shape in [Shape::Unary, Shape::ClientStream, Shape::ServerStream, Shape::Bidi] {
            assert_eq!(asked(content_type, shape), Ok((protocol, codec)), "{content_type:?}");
        }
    }
    let of_connect = [
        ("application/json", true, Ok("json")),
        ("Application/Json; charset=UTF-8", true, Ok("json")),
        ("application/json;charset=\"utf-8\";x", true, Ok("json")),
        ("application/json; charset=us-ascii", true, Err(415)),
        ("application/proto; charset=latin1", true, Err(415)),
        ("application/connect+json; charset=utf-8", false, Ok("json")),
        ("application/connect+JSON", false, Ok("json")),
        ("application/connect+json; charset=utf-16", false, Err(415)),
        ("application/connect+", false, Err(415)),
        ("application/connect", false, Err(415)),
        ("application/json", false, Err(415)),
        ("application/connect+json", true, Err(415)),
        ("application/ json", true, Err(415)),
        ("application/json, application/proto", true, Err(415)),
    ];
    for (content_type, is_unary, codec) in of_connect {
        let shape = if is_unary { Shape::Unary } else { Shape::ServerStream };
        let expected = codec.map(|codec| (Protocol::Connect, codec));
        assert_eq!(asked(content_type, shape), expected, "{content_type:?}");
    }
}

#[test]
fn responses_repeat_the_content_type_in_lower_case() {
    for kind in KINDS {
        let loud = format!("{}; x=y", kind.content_type().to_uppercase());
        let headers = fields(&[("content-type", &loud)]);
        let Accepted::Call(mut call) = accepted(kind.shape(), Version::HTTP_2, headers) else {
            panic!("{loud} is refused")
        };
        let head = call.writer.head(HeaderMap::new());
        let finish = call.writer.finish(Ok(()), HeaderMap::new(), &mut bytes::BytesMut::new());
        let head = head.or(finish.head).unwrap();
        assert_eq!(head.headers["content-type"], kind.content_type());
    }
}

/// The name of the compression that a response has, for a request of this kind with these two fields.
fn response_compression(kind: Kind, encoding: Option<&str>, accept: Option<&str>) -> Option<String> {
    let accept_name = match kind {
        Kind::ConnectUnary => "accept-encoding",
        Kind::ConnectStream => "connect-accept-encoding",
        Kind::Grpc | Kind::GrpcWeb | Kind::GrpcWebText => "grpc-accept-encoding",
    };
    let mut rows = vec![("content-type", kind.content_type())];
    rows.extend(encoding.map(|name| (kind.encoding(), name)));
    rows.extend(accept.map(|list| (accept_name, list)));
    let Accepted::Call(mut call) = accepted(kind.shape(), Version::HTTP_2, fields(&rows)) else {
        panic!("{kind:?}: {rows:?} is refused")
    };
    let mut body = bytes::BytesMut::new();
    let head = call.writer.head(HeaderMap::new());
    let encoded = call.writer.message(&mut body, &mut |target| {
        target.extend_from_slice(b"aaaa");
        Ok(())
    });
    encoded.unwrap();
    let finish = call.writer.finish(Ok(()), HeaderMap::new(), &mut body);
    let head: ResponseHead = head.or(finish.head).unwrap();
    head.headers.get(kind.encoding()).map(|name| name.to_str().unwrap().to_owned())
}

#[test]
fn responses_are_compressed_as_the_caller_accepts() {
    let rows = [
        (None, None, None),
        (None, Some(""), None),
        (None, Some("identity"), None),
        (None, Some("br,zstd"), None),
        (None, Some("flip"), Some("flip")),
        (None, Some("identity,flip"), Some("flip")),
        (None, Some("flip,flip,runs"), Some("flip")),
        (None, Some(" ,, br , flip ,"), Some("flip")),
        (None, Some("\tflip\t"), Some("flip")),
        (None, Some("Flip"), None),
        (None, Some("flip runs"), None),
        (None, Some("flip;q=0,runs;q=0.5"), Some("runs")),
        (Some("flip"), None, Some("flip")),
        (Some("flip"), Some("runs,flip"), Some("flip")),
        (Some("flip"), Some("runs"), Some("runs")),
        (Some("flip"), Some("identity"), None),
        (Some("identity"), Some("runs"), Some("runs")),
        (Some("identity"), None, None),
        (Some(""), None, None),
    ];
    for kind in KINDS {
        for (encoding, accept, expected) in rows {
            let seen = response_compression(kind, encoding, accept);
            assert_eq!(seen.as_deref(), expected, "{kind:?}: {encoding:?}, accepting {accept:?}");
        }
    }
}

#[test]
fn unknown_compressions_are_refused_with_those_known() {
    for kind in KINDS {
        for name in ["gzip", "Runs", "runs ", "runs,flip", "\u{e4}"] {
            let headers = fields(&[("content-type", kind.content_type()), (kind.encoding(), name)]);
            let Accepted::Reject(reject) = accepted(kind.shape(), Version::HTTP_2, headers) else {
                panic!("{kind:?}: {name} is taken")
            };
            let text = format!("{:?} {}", reject.head.headers, String::from_utf8_lossy(&reject.body));
            assert!(text.contains("runs,flip"), "{text}");
            let code = match kind {
                Kind::ConnectUnary | Kind::ConnectStream => text.contains("\"code\":\"unimplemented\""),
                _ => reject.head.headers["grpc-status"] == "12",
            };
            assert!(code, "{kind:?}: {text}");
        }
    }
}

#[test]
fn grpc_alone_needs_http_2() {
    for version in [Version::HTTP_09, Version::HTTP_10, Version::HTTP_11, Version::HTTP_2, Version::HTTP_3] {
        for kind in KINDS {
            let headers = fields(&[("content-type", kind.content_type())]);
            let status = match accepted(kind.shape(), version, headers) {
                Accepted::Call(_) => 200,
                Accepted::Reject(reject) => reject.head.status.as_u16(),
            };
            let is_refused = kind == Kind::Grpc && version < Version::HTTP_2;
            assert_eq!(status, if is_refused { 505 } else { 200 }, "{kind:?} over {version:?}");
        }
    }
}

#[test]
fn types_that_would_have_done_are_all_taken() {
    for shape in [Shape::Unary, Shape::Bidi] {
        let Accepted::Reject(reject) = accepted(shape, Version::HTTP_2, HeaderMap::new()) else {
            panic!("a head without a content type is taken")
        };
        let list = reject.head.headers["accept-post"].to_str().unwrap();
        assert_eq!(list.split(", ").count(), 11, "{list}");
        for content_type in list.split(", ") {
            assert!(asked(content_type, shape).is_ok(), "{content_type}");
        }
    }
    let bare = Config { codecs: Vec::new(), ..config() };
    let head = RequestHead {
        method: Method::POST,
        uri: Uri::from_static("/a.B/C"),
        version: Version::HTTP_2,
        headers: fields(&[("content-type", "application/grpc")]),
    };
    let route = Route { shape: Shape::Unary, no_side_effects: false };
    let Accepted::Reject(reject) = accept(head, Some(route), &bare) else { panic!("no codec is known") };
    assert_eq!(
        (reject.head.status.as_u16(), &reject.head.headers["accept-post"]),
        (415, &"".parse().unwrap())
    );
}
