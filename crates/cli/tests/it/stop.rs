//! How `trunkline serve` ends.
#![cfg(unix)]

use std::io::{Read as _, Write as _};

use crate::program::{Served, read_all};

#[test]
fn signal_ends_the_server_with_0() {
    for name in ["TERM", "INT"] {
        let server = Served::start(&[]);
        server.signal(name);
        let (status, rest) = server.ended();
        assert_eq!(status.code(), Some(0), "{name}");
        assert!(rest.contains("Ctrl-C stops.") && rest.contains("stopping:"), "{rest}");
    }
}

#[test]
fn open_call_ends_before_the_server_does() {
    let server = Served::start(&[]);
    // The second answer comes 300 ms after the first, so the signal meets the call between the two.
    let body = r#"{"responseParameters":[{"size":1},{"size":2,"intervalUs":300000}]}"#;
    let mut envelope = vec![0];
    envelope.extend((body.len() as u32).to_be_bytes());
    envelope.extend(body.as_bytes());
    let mut stream = server.connect();
    let head = format!(
        "POST /grpc.testing.TestService/StreamingOutputCall HTTP/1.1\r\nhost: localhost\r\n\
         content-type: application/connect+json\r\ncontent-length: {}\r\n\r\n",
        envelope.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&envelope).unwrap();
    let mut first = [0; 1];
    stream.read_exact(&mut first).unwrap();
    server.signal("TERM");
    let seen = read_all(&mut stream);
    // Both payloads, zeros in base64, then the envelope that ends a stream.
    for part in ["\"body\":\"AA==\"", "\"body\":\"AAA=\"", "{}"] {
        assert!(seen.contains(part), "{part} is not in {seen}");
    }
    assert_eq!(server.ended().0.code(), Some(0));
}

#[test]
fn idle_connection_does_not_hold_the_server() {
    let server = Served::start(&[]);
    let mut idle = server.connect();
    idle.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut first = [0; 1];
    idle.read_exact(&mut first).unwrap();
    let silent = server.connect();
    server.signal("TERM");
    assert_eq!(server.ended().0.code(), Some(0));
    drop(silent);
}
