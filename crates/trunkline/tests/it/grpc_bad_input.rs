//! gRPC requests that are wrong, as raw HTTP/2: each gets the status that the specification gives, and the next call
//! on the same connection is served.

use bytes::{Bytes, BytesMut};
use h2::client::SendRequest;
use http::{HeaderMap, Method, Request, StatusCode};
use tokio::net::TcpStream;

use crate::support::{World, within_bounds};

/// A response as it came: HTTP status, head, body, trailers.
struct Answer {
    status: StatusCode,
    head: HeaderMap,
    body: Bytes,
    trailers: HeaderMap,
}

impl Answer {
    /// A field of the trailers, or of the head when there is nothing else ("Trailers-Only").
    fn field(&self, name: &str) -> &str {
        let value = self.trailers.get(name).or_else(|| self.head.get(name));
        value.map_or("", |value| value.to_str().unwrap())
    }
}

async fn connect(address: &str) -> SendRequest<Bytes> {
    let tcp = TcpStream::connect(address).await.unwrap();
    let (sender, connection) = h2::client::handshake(tcp).await.unwrap();
    tokio::spawn(connection);
    sender.ready().await.unwrap()
}

async fn exchange(
    sender: SendRequest<Bytes>,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: &'static [u8],
) -> Result<Answer, h2::Error> {
    let mut request = Request::builder().method(method).uri(format!("http://test{path}"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (response, mut stream) = sender.ready().await?.send_request(request.body(()).unwrap(), false)?;
    // A server may have answered and reset the rest before this is sent.
    let _ = stream.send_data(Bytes::from_static(body), true);
    let (parts, mut incoming) = response.await?.into_parts();
    let mut seen = BytesMut::new();
    while let Some(data) = incoming.data().await {
        let data = data?;
        incoming.flow_control().release_capacity(data.len())?;
        seen.extend_from_slice(&data);
    }
    let trailers = incoming.trailers().await?.unwrap_or_default();
    Ok(Answer { status: parts.status, head: parts.headers, body: seen.freeze(), trailers })
}

const ECHO: &str = "/test.v1.Shapes/Echo";
const GRPC: (&str, &str) = ("content-type", "application/grpc+proto");

async fn next_call_is_served(sender: &SendRequest<Bytes>) {
    let answer = exchange(sender.clone(), Method::POST, ECHO, &[GRPC], b"\0\0\0\0\x04next").await.unwrap();
    assert_eq!((answer.field("grpc-status"), &answer.body[..]), ("0", &b"\0\0\0\0\x04next"[..]));
}

/// Path, headers, body; then HTTP status, gRPC status, and what the message must contain.
type Row =
    (&'static str, &'static [(&'static str, &'static str)], &'static [u8], u16, &'static str, &'static str);

#[tokio::test]
async fn wrong_request_gets_the_status_of_the_specification() {
    let rows: &[Row] = &[
        (ECHO, &[("content-type", "application/grpc")], b"\0\0\0\0\x02ok", 200, "0", ""),
        (ECHO, &[("content-type", "application/grpcx")], b"", 415, "", ""),
        (ECHO, &[("content-type", "application/grpc+msgpack")], b"", 415, "", ""),
        ("/test.v1.Shapes/None", &[GRPC], b"", 200, "12", ""),
        ("/", &[GRPC], b"", 200, "12", ""),
        ("//", &[GRPC], b"", 200, "12", ""),
        (ECHO, &[GRPC], b"", 200, "12", "no message"),
        (ECHO, &[GRPC], b"\0\0\0\0\x01a\0\0\0\0\x01b", 200, "12", "more than one"),
        (ECHO, &[GRPC], b"\0\0", 200, "13", ""),
        (ECHO, &[GRPC], b"\0\0\0\0\x05abc", 200, "13", ""),
        (ECHO, &[GRPC], b"\x02\0\0\0\x01a", 200, "13", ""),
        (ECHO, &[GRPC], b"\x01\0\0\0\x01a", 200, "13", ""),
        (ECHO, &[GRPC], b"\0\x00\x40\x00\x01a", 200, "8", "message_bytes_max"),
        (ECHO, &[GRPC], b"\0\xff\xff\xff\xff", 200, "8", "message_bytes_max"),
        (ECHO, &[GRPC, ("grpc-encoding", "lzma")], b"\0\0\0\0\0", 200, "12", "lzma"),
        (ECHO, &[GRPC, ("grpc-encoding", "gzip")], b"\x01\0\0\0\x01a", 200, "13", ""),
        (ECHO, &[GRPC, ("grpc-encoding", "identity")], b"\0\0\0\0\x02ok", 200, "0", ""),
        (ECHO, &[GRPC, ("grpc-timeout", "123456789S")], b"\0\0\0\0\0", 200, "13", "timeout"),
        (ECHO, &[GRPC, ("grpc-timeout", "1")], b"\0\0\0\0\0", 200, "13", "timeout"),
        (ECHO, &[GRPC, ("grpc-timeout", "soon")], b"\0\0\0\0\0", 200, "13", "timeout"),
        (ECHO, &[GRPC, ("grpc-timeout", "99999999H")], b"\0\0\0\0\x02ok", 200, "0", ""),
    ];
    let world = World::new().await;
    let sender = connect(world.plain_address()).await;
    for (path, headers, body, http_status, grpc_status, message) in rows {
        let what = format!("{path} {headers:?} {body:?}");
        let answer = within_bounds(&what, exchange(sender.clone(), Method::POST, path, headers, body)).await;
        let answer = answer.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(answer.status, *http_status, "{what}");
        let seen = (answer.field("grpc-status"), answer.field("grpc-message"));
        assert_eq!(seen.0, *grpc_status, "{what}: {seen:?}");
        assert!(seen.1.contains(message), "{what}: {seen:?}");
        next_call_is_served(&sender).await;
    }
}

#[tokio::test]
async fn unknown_compression_names_those_that_are_known() {
    let world = World::new().await;
    let sender = connect(world.plain_address()).await;
    let headers = [GRPC, ("grpc-encoding", "lzma")];
    let answer = exchange(sender, Method::POST, ECHO, &headers, b"\0\0\0\0\0").await.unwrap();
    assert_eq!(answer.field("grpc-status"), "12");
    assert!(answer.field("grpc-accept-encoding").contains("gzip"), "{:?}", answer.head);
}

#[tokio::test]
async fn method_other_than_post_is_not_allowed() {
    let world = World::new().await;
    let sender = connect(world.plain_address()).await;
    for method in [Method::PUT, Method::DELETE, Method::OPTIONS] {
        let answer = exchange(sender.clone(), method.clone(), ECHO, &[GRPC], b"").await.unwrap();
        assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{method}");
        assert!(
            answer.head.get("allow").is_some_and(|allow| allow.to_str().unwrap().contains("POST")),
            "{method}"
        );
        next_call_is_served(&sender).await;
    }
}

#[tokio::test]
async fn request_reset_in_the_middle_harms_nobody() {
    let world = World::new().await;
    let sender = connect(world.plain_address()).await;
    for cut in 0..9 {
        let request =
            Request::builder().method(Method::POST).uri(format!("http://test{ECHO}")).header(GRPC.0, GRPC.1);
        let mut ready = sender.clone().ready().await.unwrap();
        let (response, mut stream) = ready.send_request(request.body(()).unwrap(), false).unwrap();
        stream.send_data(Bytes::copy_from_slice(&b"\0\0\0\0\x04next"[..cut]), false).unwrap();
        stream.send_reset(h2::Reason::CANCEL);
        assert!(within_bounds(cut, response).await.is_err());
        next_call_is_served(&sender).await;
    }
}
