//! Servers that answer wrong over HTTP/1.1: each answer is the code that the specification gives, never a success and
//! never a hang.

use trunkline::{Code, Error, Protocol};

use crate::peers::{
    JSON, PROTO, STREAM, TEXT, WEB, bytes_peer, envelope, over_http1, response, stream, unary,
};
use crate::support::within_bounds;

fn check(what: &str, error: &Error, code: Code, from_peer: bool) {
    assert_eq!((error.code(), error.is_from_peer()), (code, from_peer), "{what}: {error}");
}

#[tokio::test]
async fn wrong_answer_to_a_unary_connect_call_has_its_code() {
    let nested = [b"{\"code\":\"not_found\",\"details\":".to_vec(), vec![b'['; 100_000]].concat();
    let closed = [&nested[..], &vec![b']'; 100_000], b"}"].concat();
    let long = format!("{{\"code\":\"not_found\",\"message\":\"{}\"}}", "m".repeat(200_000));
    let too_long = format!("{{\"code\":\"not_found\",\"message\":\"{}\"}}", "m".repeat(1 << 20));
    let cut_json = b"{\"code\":\"not_fou";
    let rows: Vec<(&str, Vec<u8>, Code, bool)> = vec![
        ("no type", response(200, "", b"x"), Code::Unknown, false),
        ("other codec", response(200, JSON, b"{}"), Code::Internal, false),
        ("html", response(200, "content-type: text/html\r\n", b"<p>"), Code::Unknown, false),
        ("unknown status", response(418, "", b""), Code::Unknown, false),
        ("redirect", response(302, "location: /x\r\n", b""), Code::Unknown, false),
        ("not modified", response(304, "", b""), Code::Unknown, false),
        ("switching", response(101, "upgrade: x\r\nconnection: upgrade\r\n", b""), Code::Unknown, false),
        ("unavailable page", response(503, "content-type: text/html\r\n", b"<p>"), Code::Unavailable, false),
        ("cut error", response(404, JSON, cut_json), Code::Unimplemented, false),
        ("error is a list", response(404, JSON, b"[]"), Code::Unimplemented, false),
        ("error is no JSON", response(500, JSON, b"\xff\xfe"), Code::Unknown, false),
        ("error is empty", response(429, JSON, b""), Code::Unavailable, false),
        ("error of ok", response(400, JSON, b"{\"code\":\"ok\"}"), Code::Internal, true),
        ("error of a number", response(400, JSON, b"{\"code\":5,\"message\":6}"), Code::Internal, true),
        ("error is nested", response(404, JSON, &nested), Code::Unimplemented, false),
        ("error is nested and closed", response(404, JSON, &closed), Code::Unimplemented, false),
        ("error is long", response(400, JSON, long.as_bytes()), Code::NotFound, true),
        ("error is too long", response(400, JSON, too_long.as_bytes()), Code::Internal, false),
        (
            "compression",
            response(200, &format!("{PROTO}content-encoding: br\r\n"), b"x"),
            Code::Internal,
            false,
        ),
        (
            "no gzip",
            response(200, &format!("{PROTO}content-encoding: gzip\r\n"), b"x"),
            Code::Internal,
            false,
        ),
        (
            "length lies",
            response(200, &format!("{PROTO}content-length: 9\r\n"), b"x"),
            Code::Unavailable,
            false,
        ),
        (
            "two lengths",
            response(200, &format!("{PROTO}content-length: 1\r\ncontent-length: 2\r\n"), b"x"),
            Code::Internal,
            false,
        ),
        (
            "bad chunk",
            response(200, &format!("{PROTO}transfer-encoding: chunked\r\n"), b"zz\r\nx"),
            Code::Internal,
            false,
        ),
        (
            "cut chunk",
            response(200, &format!("{PROTO}transfer-encoding: chunked\r\n"), b"5\r\nx"),
            Code::Unavailable,
            false,
        ),
        ("no HTTP", b"SSH-2.0-x\r\n\r\n".to_vec(), Code::Internal, false),
        ("HTTP/2 settings", b"\0\0\0\x04\0\0\0\0\0".to_vec(), Code::Internal, false),
        ("nothing", Vec::new(), Code::Unavailable, false),
        ("half a head", b"HTTP/1.1 200 OK\r\ncontent-ty".to_vec(), Code::Unavailable, false),
        ("head without end", response(200, &"x: y\r\n".repeat(100_000), b""), Code::Internal, false),
        (
            "field above the limit",
            response(200, &format!("x: {}\r\n", "y".repeat(200_000)), b""),
            Code::Internal,
            false,
        ),
    ];
    for (what, bytes, code, from_peer) in rows {
        let peer = bytes_peer(bytes).await;
        let channel = over_http1(&peer.target, Protocol::Connect, false);
        let error = within_bounds(what, unary(&channel)).await.unwrap_err();
        check(what, &error, code, from_peer);
    }
}

#[tokio::test]
async fn wrong_answer_to_a_connect_stream_has_its_code() {
    let message = envelope(0, b"m");
    let with = |end: &[u8]| response(200, STREAM, &[&message[..], end].concat());
    let nested = [b"{\"error\":".to_vec(), vec![b'['; 100_000]].concat();
    let rows: Vec<(&str, Vec<u8>, usize, Option<Code>)> = vec![
        ("good", with(&envelope(2, b"{}")), 1, None),
        ("no end", with(b""), 1, Some(Code::Internal)),
        ("end is empty", with(&envelope(2, b"")), 1, Some(Code::Internal)),
        ("end is a list", with(&envelope(2, b"[]")), 1, Some(Code::Internal)),
        ("end is cut", with(&envelope(2, b"{}")[..6]), 1, Some(Code::Internal)),
        ("end is nested", with(&envelope(2, &nested)), 1, Some(Code::Internal)),
        ("end is too long", with(&envelope(2, &vec![b' '; 1 << 20])), 1, Some(Code::ResourceExhausted)),
        ("end compressed", with(&envelope(3, b"{}")), 1, Some(Code::Internal)),
        ("error is no object", with(&envelope(2, b"{\"error\":7}")), 1, Some(Code::Unknown)),
        ("error is empty", with(&envelope(2, b"{\"error\":{}}")), 1, Some(Code::Unknown)),
        ("metadata is wrong", with(&envelope(2, b"{\"metadata\":{\"\xc3\xa4\":[1],\"b\":\"c\"}}")), 1, None),
        (
            "message behind the end",
            with(&[envelope(2, b"{}"), message.clone()].concat()),
            1,
            Some(Code::Internal),
        ),
        ("two ends", with(&[envelope(2, b"{}"), envelope(2, b"{}")].concat()), 1, Some(Code::Internal)),
        ("unknown flag", with(&envelope(4, b"m")), 1, Some(Code::Internal)),
        ("promise of 4 GiB", with(b"\0\xff\xff\xff\xff"), 1, Some(Code::ResourceExhausted)),
        ("unary type", response(200, PROTO, b"m"), 0, Some(Code::Unknown)),
        ("error page", response(502, "content-type: text/html\r\n", b"<p>"), 0, Some(Code::Unavailable)),
    ];
    for (what, bytes, count, code) in rows {
        let peer = bytes_peer(bytes).await;
        let channel = over_http1(&peer.target, Protocol::Connect, false);
        let (seen, end) = within_bounds(what, stream(&channel)).await;
        assert_eq!((seen, end.as_ref().err().map(Error::code)), (count, code), "{what}: {end:?}");
    }
}

#[tokio::test]
async fn wrong_answer_in_grpc_web_has_its_code() {
    let message = envelope(0, b"m");
    let with = |end: &[u8]| response(200, WEB, &[&message[..], end].concat());
    let trailers = |block: &[u8]| with(&envelope(0x80, block));
    let long = format!("grpc-status: 5\r\ngrpc-message: {}\r\n", "m".repeat(200_000));
    let head_too = format!("{WEB}grpc-status: 5\r\n");
    let rows: Vec<(&str, Vec<u8>, Option<Code>)> = vec![
        ("good", trailers(b"grpc-status: 0\r\n"), None),
        ("good in upper case, without space", trailers(b"Grpc-Status:0"), None),
        ("no trailers", with(b""), Some(Code::Internal)),
        ("trailers are empty", trailers(b""), Some(Code::Unknown)),
        ("trailers are garbage", trailers(&[0xff; 1000]), Some(Code::Unknown)),
        ("trailers are cut", with(&envelope(0x80, b"grpc-status: 0")[..9]), Some(Code::Internal)),
        ("trailers are too long", trailers(&vec![b'a'; 1 << 20]), Some(Code::ResourceExhausted)),
        ("message is long", trailers(long.as_bytes()), Some(Code::NotFound)),
        (
            "message behind the trailers",
            with(&[envelope(0x80, b"grpc-status: 0\r\n"), message.clone()].concat()),
            Some(Code::Internal),
        ),
        ("status is a word", trailers(b"grpc-status: ok\r\n"), Some(Code::Unknown)),
        ("status is negative", trailers(b"grpc-status: -1\r\n"), Some(Code::Unknown)),
        ("status is unknown", trailers(b"grpc-status: 17\r\n"), Some(Code::Unknown)),
        ("status is huge", trailers(b"grpc-status: 99999999999\r\n"), Some(Code::Unknown)),
        (
            "status in head and trailers",
            response(200, &head_too, &[&message[..], &envelope(0x80, b"grpc-status: 0\r\n")].concat()),
            None,
        ),
        ("status in the head, then a body without", response(200, &head_too, &message), Some(Code::Internal)),
        ("status in the head alone", response(200, &head_too, b""), Some(Code::NotFound)),
        ("flag 0x40", with(&envelope(0x40, b"m")), Some(Code::Internal)),
        (
            "details are garbage",
            trailers(b"grpc-status: 5\r\ngrpc-status-details-bin: \xff!\r\n"),
            Some(Code::NotFound),
        ),
        ("text is garbage", response(200, TEXT, b"!!!!"), Some(Code::Internal)),
        ("text is cut", response(200, TEXT, b"AAAAAAFtgAAAAA9ncnBjLXN0YXR1czo"), Some(Code::Internal)),
    ];
    for (what, bytes, code) in rows {
        let peer = bytes_peer(bytes).await;
        let channel = over_http1(&peer.target, Protocol::GrpcWeb, false);
        let error = within_bounds(what, unary(&channel)).await.err();
        assert_eq!(error.as_ref().map(Error::code), code, "{what}: {error:?}");
    }
}

#[tokio::test]
async fn answer_cut_at_any_byte_is_never_a_success() {
    let body = [envelope(0, b"m"), envelope(2, b"{}")].concat();
    let web = [envelope(0, b"m"), envelope(0x80, b"grpc-status: 0\r\n")].concat();
    let rows = [
        ("unary", Protocol::Connect, response(200, &format!("{PROTO}content-length: 1\r\n"), b"m")),
        ("stream", Protocol::Connect, response(200, STREAM, &body)),
        ("unary", Protocol::GrpcWeb, response(200, WEB, &web)),
        ("stream", Protocol::GrpcWeb, response(200, WEB, &web)),
        ("unary", Protocol::GrpcWeb, response(200, TEXT, b"AAAAAAFtgAAAABBncnBjLXN0YXR1czogMA0K")),
        ("stream", Protocol::GrpcWeb, response(200, TEXT, b"AAAAAAFtgAAAABBncnBjLXN0YXR1czogMA0K")),
    ];
    for (shape, protocol, whole) in rows {
        for cut in 0..=whole.len() {
            let peer = bytes_peer(whole[..cut].to_vec()).await;
            let channel = over_http1(&peer.target, protocol, false);
            let what = format!("{protocol} {shape} cut at {cut} of {}", whole.len());
            let seen = match shape {
                "unary" => within_bounds(&what, unary(&channel)).await.map(|_| ()),
                _ => within_bounds(&what, stream(&channel)).await.1,
            };
            assert_eq!(seen.is_ok(), cut == whole.len(), "{what}: {seen:?}");
        }
    }
}
