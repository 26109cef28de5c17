//! Pages for people beside the procedures.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

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
