//! What `trunkline serve` answers to bytes on a socket.

use std::io::Write as _;

use crate::program::{Served, read_all};

const ECHO: &str = "/trunkline.echo.v1.EchoService/Echo";

/// A request as curl would send it, on a connection of its own.
fn request(method: &str, path: &str, headers: &[&str], body: &str) -> String {
    let mut text = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n");
    for header in headers {
        text.push_str(&format!("{header}\r\n"));
    }
    if !body.is_empty() {
        text.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    text.push_str("\r\n");
    text.push_str(body);
    text
}

#[test]
fn server_answers_requests_as_curl_sends_them() {
    let server = Served::start(&[]);
    let json = "content-type: application/json";
    let check = |request: String, status: u16, expected: &[&str]| {
        let seen = server.exchange(request.as_bytes());
        assert!(seen.starts_with(&format!("HTTP/1.1 {status} ")), "{request}\n{seen}");
        for part in expected {
            assert!(seen.contains(part), "{part} is not in the answer to\n{request}\n{seen}");
        }
    };
    let place = format!("http://127.0.0.1:{}", server.port);
    let html = ["content-type: text/html; charset=utf-8\r\n", "<!doctype html>", &place, "EchoService"];
    check(request("GET", "/", &[], ""), 200, &html);
    check(request("HEAD", "/", &[], ""), 200, &["content-type: text/html"]);
    for method in ["POST", "PUT", "DELETE"] {
        check(request(method, "/", &[], ""), 405, &["allow: GET, HEAD\r\n"]);
    }
    check(request("GET", "/nothing", &[], ""), 404, &[]);
    check(
        request("POST", ECHO, &[json], r#"{"message":"hello"}"#),
        200,
        &["\r\n\r\n{\"message\":\"hello\"}"],
    );
    check(request("POST", ECHO, &[json], "{}"), 200, &["\r\n\r\n{}"]);
    check(request("POST", ECHO, &[json], "{"), 400, &["\"code\":\"invalid_argument\""]);
    check(request("POST", ECHO, &[json], r#"{"message":1}"#), 400, &["\"code\":\"invalid_argument\""]);
    check(request("POST", ECHO, &["content-type: text/xml"], "<a/>"), 415, &["accept-post: "]);
    let query = format!("{ECHO}?encoding=json&message=%7B%22message%22%3A%22hello%22%7D");
    check(request("GET", &query, &[], ""), 200, &["\r\n\r\n{\"message\":\"hello\"}"]);
    check(request("POST", "/trunkline.echo.v1.EchoService/Shout", &[json], "{}"), 404, &[]);
    let failing = r#"{"responseStatus":{"code":5,"message":"as asked"}}"#;
    let unary_call = "/grpc.testing.TestService/UnaryCall";
    let answer = "{\"code\":\"not_found\",\"message\":\"as asked\"}";
    check(request("POST", unary_call, &[json], failing), 404, &[answer]);
    let huge = r#"{"responseSize":2147483647}"#;
    check(request("POST", unary_call, &[json], huge), 429, &["\"code\":\"resource_exhausted\""]);
    check(request("POST", "/grpc.health.v1.Health/Check", &[json], "{}"), 200, &["{\"status\":\"SERVING\"}"]);
}

#[test]
fn metadata_comes_back_over_http1() {
    let server = Served::start(&[]);
    let headers = [
        "content-type: application/json",
        "x-grpc-test-echo-initial: blue",
        "x-grpc-test-echo-trailing-bin: q6ur",
    ];
    let seen = server.exchange(request("POST", ECHO, &headers, "{}").as_bytes());
    assert!(seen.contains("x-grpc-test-echo-initial: blue\r\n"), "{seen}");
    assert!(seen.contains("trailer-x-grpc-test-echo-trailing-bin: q6ur\r\n"), "{seen}");
}

#[test]
fn first_line_of_no_http_is_closed_and_the_next_call_served() {
    let server = Served::start(&[]);
    let garbage: [&[u8]; 6] = [
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"hello\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        &[0; 64],
        b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
    ];
    for bytes in garbage {
        let mut stream = server.connect();
        // The server may close before all is written; what counts is that it closes.
        let _ = stream.write_all(bytes);
        let seen = read_all(&mut stream);
        assert!(!seen.starts_with("HTTP/1.1 200"), "{bytes:?}: {seen}");
        let next = server.exchange(request("GET", "/", &[], "").as_bytes());
        assert!(next.starts_with("HTTP/1.1 200 "), "after {bytes:?}: {next}");
    }
}

#[test]
fn first_line_names_the_scheme_and_the_port() {
    let plain = Served::start(&[]);
    assert_eq!(plain.first_line, format!("listening on http://127.0.0.1:{}\n", plain.port));
    let secure = Served::start(&["--tls-self-signed"]);
    assert_eq!(secure.first_line, format!("listening on https://127.0.0.1:{}\n", secure.port));
    // Clear text on a TLS port gets no page.
    let seen = secure.exchange(request("GET", "/", &[], "").as_bytes());
    assert!(!seen.contains("HTTP/1.1 200"), "{seen}");
}

#[tokio::test]
async fn certificate_written_out_is_trusted_by_a_client() {
    let path = std::env::temp_dir().join(format!("trunkline-it-{}.pem", std::process::id()));
    let server = Served::start(&["--tls-self-signed", "--tls-cert-out", path.to_str().unwrap()]);
    let certificate = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let trust = trunkline::transport::tls::ClientTls::trusting_pem(&certificate).unwrap();
    for host in ["127.0.0.1", "localhost"] {
        let target = format!("https://{host}:{}", server.port);
        let channel = trunkline::Channel::builder(&target).tls(trust.clone()).connect().await.unwrap();
        let health = trunkline::health::HealthClient::new(channel);
        let reply = health.check(trunkline::health::HealthCheckRequest::default()).await.unwrap();
        assert_eq!(reply.status.to_i32(), 1, "{host}");
    }
}
