//! Pages for people beside the procedures.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::raw::connect;
use crate::support::{server, within_bounds};

#[tokio::test]
async fn page_answers_get_and_head_and_nothing_else() {
    let rows: &[(&str, u16, &str, &str)] = &[
        (
            "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
            200,
            "content-type: text/html",
            "<p>hello</p>",
        ),
        (
            "GET /?query HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
            200,
            "content-length: 12",
            "<p>hello</p>",
        ),
        ("HEAD / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", 200, "content-length: 12", ""),
        ("DELETE / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", 405, "allow: get, head", ""),
        ("GET /other HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", 404, "", "no procedure"),
    ];
    let limits = trunkline::Limits::default();
    let server = server(&std::sync::Arc::default(), &limits).page("/", "text/html", "<p>hello</p>");
    let bound = server.bind("127.0.0.1:0").await.unwrap();
    let address = bound.local_address();
    let serving = tokio::spawn(bound.serve());
    for (request, status, head_has, body) in rows {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        within_bounds(request, stream.read_to_string(&mut answer)).await.unwrap();
        let (head, seen) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{request:?}: {head}");
        assert!(head.to_lowercase().contains(head_has), "{request:?}: {head}");
        assert_eq!(seen.is_empty(), body.is_empty(), "{request:?}: {seen:?}");
        assert!(seen.contains(body), "{request:?}: {seen:?}");
    }
    serving.abort();
}

/// A page is answered behind its request, so that what is wrong with the rest of that can still be told. What makes no end is
/// not waited for.
#[tokio::test]
async fn page_is_answered_when_its_request_has_ended_is_long_or_late() {
    let mut limits = trunkline::Limits::default();
    limits.head_timeout = std::time::Duration::from_millis(200);
    let server = server(&std::sync::Arc::default(), &limits).page("/", "text/html", "<p>hello</p>");
    let bound = server.bind("127.0.0.1:0").await.unwrap();
    let address = bound.local_address().to_string();
    let serving = tokio::spawn(bound.serve());
    let sender = connect(&address).await;
    // Bytes of the body that are sent, and whether it ends with them.
    for (sent, ends) in [(0, true), (5, true), (200_000, true), (0, false), (5, false), (200_000, false)] {
        let what = format!("{sent} bytes, ended: {ends}");
        let mut ready = sender.clone().ready().await.unwrap();
        let head = http::Request::builder().uri("http://test/").body(()).unwrap();
        let (response, mut stream) = ready.send_request(head, false).unwrap();
        stream.send_data(vec![7; sent].into(), ends).unwrap();
        let response = within_bounds(&what, response).await.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(response.status(), 200, "{what}");
        let body = within_bounds(&what, response.into_body().data()).await.unwrap().unwrap();
        assert_eq!(body, "<p>hello</p>", "{what}");
    }
    // A length that is not kept is told, although a page would answer without a look at the body.
    let head = http::Request::builder().uri("http://test/").header("content-length", "1").body(()).unwrap();
    let mut ready = sender.clone().ready().await.unwrap();
    let (response, mut stream) = ready.send_request(head, false).unwrap();
    tokio::task::yield_now().await;
    stream.send_data("two".into(), true).unwrap();
    let error = within_bounds("a wrong length", response).await.unwrap_err();
    assert_eq!(error.reason(), Some(h2::Reason::PROTOCOL_ERROR));
    serving.abort();
}
