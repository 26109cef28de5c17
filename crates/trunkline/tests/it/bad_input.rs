//! Requests that are wrong, as raw HTTP/1.1: each gets the answer that the specification gives, and the next is served.

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use trunkline::{Code, Limits};

use crate::raw::{FORMS, exchange, in_form, next_call_over_http1_is_served, post};
use crate::support::{ECHO, World, cases, within_bounds};

/// Path, headers, body; then status, and what the head and the body must contain.
type Row = (&'static str, &'static str, &'static [u8], u16, &'static str, &'static str);

const UNARY: &str = "/test.v1.Shapes/Echo";
const STREAM: &str = "/test.v1.Shapes/Count";

#[tokio::test]
async fn wrong_request_gets_the_answer_of_the_specification() {
    let rows: &[Row] = &[
        (UNARY, "content-type: text/plain\r\n", b"x", 415, "accept-post: application/", ""),
        (UNARY, "", b"x", 415, "accept-post: application/", ""),
        (UNARY, "content-type: application/msgpack\r\n", b"x", 415, "accept-post: application/", ""),
        (UNARY, "content-type: application/connect+proto\r\n", b"x", 415, "accept-post: application/", ""),
        (STREAM, "content-type: application/proto\r\n", b"x", 415, "accept-post: application/", ""),
        (UNARY, "content-type: application/grpc\r\n", b"\0\0\0\0\0", 505, "", ""),
        (
            "/test.v1.Shapes/Nope",
            "content-type: application/json\r\n",
            b"{}",
            404,
            "json",
            "\"unimplemented\"",
        ),
        ("/nowhere", "content-type: text/plain\r\n", b"", 404, "", ""),
        (
            UNARY,
            "content-type: application/proto\r\nconnect-timeout-ms: soon\r\n",
            b"",
            400,
            "json",
            "invalid_argument",
        ),
        (
            UNARY,
            "content-type: application/proto\r\nconnect-timeout-ms: -1\r\n",
            b"",
            400,
            "json",
            "invalid_argument",
        ),
        (
            UNARY,
            "content-type: application/proto\r\nconnect-timeout-ms: 12345678901\r\n",
            b"",
            400,
            "json",
            "invalid_argument",
        ),
        (
            UNARY,
            "content-type: application/proto\r\nconnect-protocol-version: 2\r\n",
            b"",
            400,
            "json",
            "invalid_argument",
        ),
        (
            UNARY,
            "content-type: application/proto\r\ncontent-encoding: lzma\r\n",
            b"x",
            501,
            "json",
            "unimplemented",
        ),
        (
            UNARY,
            "content-type: application/proto\r\ncontent-encoding: gzip\r\n",
            b"no gzip",
            400,
            "json",
            "invalid_argument",
        ),
    ];
    let world = World::new().await;
    for (path, headers, body, status, head_has, body_has) in rows {
        let what = format!("{path} {headers:?}");
        let answer = within_bounds(&what, exchange(world.plain_address(), &post(path, headers, body))).await;
        let answer = answer.unwrap_or_else(|| panic!("{what}: no answer"));
        assert_eq!(answer.status, *status, "{what}: {} {}", answer.head, answer.body);
        assert!(answer.head.contains(head_has), "{what}: {}", answer.head);
        assert!(answer.body.contains(body_has), "{what}: {}", answer.body);
        next_call_over_http1_is_served(world.plain_address()).await;
    }
}

#[tokio::test]
async fn broken_chunks_are_the_callers_fault() {
    let world = World::new().await;
    let rows: &[(&[u8], u16, &str)] = &[
        (b"4\r\nnext\r\n0\r\n\r\n", 200, "next"),
        (b"4;ext=1\r\nnext\r\n0\r\nx: y\r\n\r\n", 200, "next"),
        (b"zz\r\nnext", 400, "invalid_argument"),
        (b"-1\r\nnext", 400, "invalid_argument"),
        (b"fffffffffffffffff\r\nnext", 400, "invalid_argument"),
        (b"4\r\nnextX", 400, "invalid_argument"),
    ];
    for (chunks, status, body_has) in rows {
        let head = format!(
            "POST {UNARY} HTTP/1.1\r\nhost: test\r\nconnection: close\r\ncontent-type: application/proto\r\n\
             transfer-encoding: chunked\r\n\r\n"
        );
        let request = [head.as_bytes(), chunks].concat();
        let what = chunks.escape_ascii();
        let answer = within_bounds(&what, exchange(world.plain_address(), &request)).await.unwrap();
        assert_eq!(answer.status, *status, "{what}: {}", answer.body);
        assert!(answer.body.contains(body_has), "{what}: {}", answer.body);
        next_call_over_http1_is_served(world.plain_address()).await;
    }
}

#[tokio::test]
async fn streamed_request_that_is_wrong_ends_with_a_status() {
    // The status stands in the end-stream message of Connect and in the trailers of gRPC-Web.
    let connect = "content-type: application/connect+proto\r\n";
    let web = "content-type: application/grpc-web+proto\r\n";
    let rows: &[(&str, &[u8], &str)] = &[
        (connect, b"", "\"unimplemented\""),
        (connect, b"\0\0\0", "\"invalid_argument\""),
        (connect, b"\0\0\0\0\x05abc", "\"invalid_argument\""),
        (connect, b"\x01\0\0\0\x01x", "\"internal\""),
        (connect, b"\0\xff\xff\xff\xff", "\"resource_exhausted\""),
        (connect, b"\0\0\0\0\x01\x01\0\0\0\0\x01\x01", "\"unimplemented\""),
        (web, b"", "grpc-status: 12"),
        (web, b"\0\0\0", "grpc-status: "),
        (web, b"\0\xff\xff\xff\xff", "grpc-status: 8"),
    ];
    let world = World::new().await;
    for (headers, body, expected) in rows {
        let what = format!("{headers:?} {body:?}");
        let answer =
            within_bounds(&what, exchange(world.plain_address(), &post(STREAM, headers, body))).await;
        let answer = answer.unwrap_or_else(|| panic!("{what}: no answer"));
        assert_eq!(answer.status, 200, "{what}");
        let whole = format!("{}{}", answer.head, answer.body);
        assert!(whole.contains(expected), "{what}: {whole}");
        next_call_over_http1_is_served(world.plain_address()).await;
    }
}

#[tokio::test]
async fn request_cut_at_any_byte_harms_nobody() {
    let world = World::new().await;
    let unary = ("application/proto", false, UNARY);
    let streams = FORMS.iter().map(|(form, is_text)| (*form, *is_text, STREAM));
    for (content_type, is_text, path) in streams.chain([unary]) {
        let body = if path == UNARY { b"\x02m".to_vec() } else { in_form(b"\0\0\0\0\x02\x01m", is_text) };
        let whole = post(path, &format!("content-type: {content_type}\r\n"), &body);
        for cut in 0..whole.len() {
            let mut stream = TcpStream::connect(world.plain_address()).await.unwrap();
            stream.write_all(&whole[..cut]).await.unwrap();
            stream.shutdown().await.unwrap();
            let mut seen = Vec::new();
            let _ = within_bounds((content_type, cut), stream.read_to_end(&mut seen)).await;
            let text = String::from_utf8_lossy(&seen);
            for answered in ["\x02m", "\0\0\0\0\x02\x01m", "AAAAAAIBb", "grpc-status: 0"] {
                assert!(
                    !text.contains(answered),
                    "{content_type} cut at {cut}: no message was whole: {text}"
                );
            }
        }
        next_call_over_http1_is_served(world.plain_address()).await;
    }
}

#[tokio::test]
async fn body_of_a_refused_request_is_taken_before_the_next_one() {
    let world = World::new().await;
    let unread_bytes_max = Limits::default().unread_bytes_max;
    // Bytes of a body that is sent after its request has been refused; whether the connection goes on.
    for (length, goes_on) in [(0, true), (1, true), (300_000, true), (2 * unread_bytes_max, false)] {
        let mut stream = TcpStream::connect(world.plain_address()).await.unwrap();
        let head = format!(
            "POST {UNARY} HTTP/1.1\r\nhost: test\r\ncontent-type: text/plain\r\ncontent-length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut status = [0; 12];
        within_bounds(length, stream.read_exact(&mut status)).await.unwrap();
        assert_eq!(&status, b"HTTP/1.1 415");
        // A server that has seen enough closes while we send.
        let sent = within_bounds(length, stream.write_all(&vec![b'x'; length])).await;
        let request = post(UNARY, "content-type: application/proto\r\n", b"next");
        let sent = sent.is_ok() && stream.write_all(&request).await.is_ok();
        let mut seen = Vec::new();
        let _ = within_bounds(length, stream.read_to_end(&mut seen)).await;
        assert_eq!(sent && seen.ends_with(b"\r\n\r\nnext"), goes_on, "{length}");
        next_call_over_http1_is_served(world.plain_address()).await;
    }
}

#[tokio::test]
async fn first_line_that_is_no_http_is_closed_without_a_word() {
    let world = World::new().await;
    let rows: &[&[u8]] = &[
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"GET /\r\n",
        b"GET / HTTP/2.0\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
        b"\0\0\0\0",
        b"{\"json\": true}\n",
    ];
    for row in rows {
        let mut stream = TcpStream::connect(world.plain_address()).await.unwrap();
        stream.write_all(row).await.unwrap();
        let mut seen = Vec::new();
        let _ = within_bounds(row, stream.read_to_end(&mut seen)).await;
        assert!(seen.is_empty(), "{row:?}: {seen:?}");
        next_call_over_http1_is_served(world.plain_address()).await;
    }
}

#[tokio::test]
async fn message_above_the_limit_is_resource_exhausted() {
    let mut limits = Limits::default();
    limits.message_bytes_max = 10_000;
    let world = World::with_limits(limits).await;
    for case in cases() {
        for compressed in [false, true] {
            let channel = world.channel_with(&case, |builder| match compressed {
                true => builder.send_compressed(trunkline::compress::Gzip::default()),
                false => builder,
            });
            let what = format!("{case:?} compressed {compressed}");
            let fits = within_bounds(&what, channel.unary(&ECHO, Bytes::from(vec![b'x'; 10_000]))).await;
            assert_eq!(fits.unwrap_or_else(|error| panic!("{what}: {error}")).len(), 10_000);
            // Ten megabytes of one letter are ten kilobytes of gzip: the limit counts what comes out.
            let error = within_bounds(&what, channel.unary(&ECHO, Bytes::from(vec![b'x'; 10_001])))
                .await
                .unwrap_err();
            assert_eq!(error.code(), Code::ResourceExhausted, "{what}: {error}");
            let next = within_bounds(&what, channel.unary(&ECHO, Bytes::from_static(b"next"))).await;
            assert_eq!(next.unwrap().into_message(), "next", "{what}");
        }
    }
}

#[tokio::test]
async fn response_above_the_limit_is_the_callers_to_refuse() {
    let world = World::new().await;
    for case in cases() {
        let mut limits = Limits::default();
        limits.message_bytes_max = 100;
        let channel = world.channel_with(&case, |builder| builder.limits(limits));
        let error =
            within_bounds(case, channel.unary(&ECHO, Bytes::from(vec![b'x'; 101]))).await.unwrap_err();
        assert_eq!(error.code(), Code::ResourceExhausted, "{case:?}: {error}");
        assert!(!error.is_from_peer(), "{case:?}");
    }
}
