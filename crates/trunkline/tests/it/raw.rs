//! Callers that write their requests themselves, as bytes of HTTP/1.1 or as frames of HTTP/2, and read what comes back.

use std::io::Write;

use bytes::Bytes;
use h2::client::SendRequest;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::within_bounds;

/// The paths of all shapes, with a body of two envelopes in each.
pub(crate) const PATHS: &[&str] =
    &["/test.v1.Shapes/Echo", "/test.v1.Shapes/Count", "/test.v1.Shapes/Join", "/test.v1.Shapes/Chat"];

/// Every form in which envelopes travel: content type, and whether it is base64.
pub(crate) const FORMS: &[(&str, bool)] = &[
    ("application/grpc+proto", false),
    ("application/grpc-web+proto", false),
    ("application/grpc-web-text+proto", true),
    ("application/connect+proto", false),
];

/// A connection over HTTP/2.
pub(crate) async fn connect(address: &str) -> SendRequest<Bytes> {
    let tcp = TcpStream::connect(address).await.unwrap();
    let (sender, connection) = h2::client::handshake(tcp).await.unwrap();
    tokio::spawn(connection);
    sender.ready().await.unwrap()
}

/// The head of a POST.
pub(crate) fn request(path: &str, content_type: &str) -> http::Request<()> {
    let request = http::Request::builder().method("POST").uri(format!("http://test{path}"));
    request.header("content-type", content_type).body(()).unwrap()
}

/// The whole answer as text, trailers and all, or the error in its place.
pub(crate) async fn answer(
    sender: &SendRequest<Bytes>,
    request: http::Request<()>,
    body: Bytes,
) -> Result<String, h2::Error> {
    let (response, mut stream) = sender.clone().ready().await?.send_request(request, false)?;
    // A server may have answered and reset the rest before this is sent.
    let _ = stream.send_data(body, true);
    let response = response.await?;
    let mut text = format!("{:?} {:?}\n", response.status(), response.headers());
    let mut incoming = response.into_body();
    while let Some(data) = incoming.data().await {
        let data = data?;
        incoming.flow_control().release_capacity(data.len())?;
        text.push_str(&String::from_utf8_lossy(&data));
    }
    text.push_str(&format!("\n{:?}", incoming.trailers().await?));
    Ok(text)
}

pub(crate) async fn next_call_is_served(sender: &SendRequest<Bytes>) {
    let next = request(PATHS[0], "application/proto");
    let seen = within_bounds("next", answer(sender, next, Bytes::from_static(b"next"))).await.unwrap();
    assert!(seen.starts_with("200 ") && seen.contains("\nnext\n"), "{seen}");
}

/// Base64 as `base64` would write it: the test must not lean on the code that it tests.
fn base64(bytes: &[u8]) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = Vec::new();
    for three in bytes.chunks(3) {
        let bits =
            three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for index in 0..4 {
            let symbol = ALPHABET[(bits >> (18 - 6 * index)) as usize & 63];
            text.push(if index <= three.len() { symbol } else { b'=' });
        }
    }
    text
}

/// A body as it stands in one of [`FORMS`].
pub(crate) fn in_form(bytes: &[u8], is_text: bool) -> Vec<u8> {
    if is_text { base64(bytes) } else { bytes.to_vec() }
}

/// An HTTP/1.1 response as text: status, head, body.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

/// Sends the bytes of a request on a connection of its own; `None` when what comes back is no response.
pub(crate) async fn exchange(address: &str, request: &[u8]) -> Option<Answer> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut seen = Vec::new();
    // A reset while reading is an end as well: the server owes nothing more.
    let _ = stream.read_to_end(&mut seen).await;
    let text = String::from_utf8_lossy(&seen).into_owned();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some(Answer { status, head: head.to_lowercase(), body: body.to_owned() })
}

/// A POST that closes its connection.
pub(crate) fn post(path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let mut request = Vec::new();
    let length = body.len();
    write!(
        request,
        "POST {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n"
    )
    .unwrap();
    request.extend_from_slice(body);
    request
}

pub(crate) async fn next_call_over_http1_is_served(address: &str) {
    let request = post("/test.v1.Shapes/Echo", "content-type: application/proto\r\n", b"next");
    let answer = within_bounds("next", exchange(address, &request)).await.unwrap();
    assert_eq!((answer.status, answer.body.as_str()), (200, "next"));
}
