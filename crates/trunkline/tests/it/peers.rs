//! Servers that send what a test tells them, as raw bytes or as frames, and calls to them.

use bytes::Bytes;
use http::{HeaderMap, Response};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use trunkline::{Channel, HttpVersion, Protocol, Result};

use crate::support::{COUNT, ECHO};

/// A server that ends with the test.
pub(crate) struct Peer {
    pub(crate) target: String,
    task: AbortHandle,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves each connection with `serve`, all at once.
pub(crate) async fn peer<Fut>(serve: impl Fn(TcpStream) -> Fut + Send + 'static) -> Peer
where
    Fut: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}", listener.local_addr().unwrap());
    let task = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });
    Peer { target, task: task.abort_handle() }
}

/// Answers the first bytes of each connection with `answer` and says no more. It reads on, so that what it sent is not
/// lost to a reset.
pub(crate) async fn bytes_peer(answer: Vec<u8>) -> Peer {
    let answer = Bytes::from(answer);
    peer(move |mut stream| {
        let answer = answer.clone();
        async move {
            let mut seen = [0; 4096];
            let _ = stream.read(&mut seen).await;
            let _ = stream.write_all(&answer).await;
            let _ = stream.shutdown().await;
            while matches!(stream.read(&mut seen).await, Ok(1..)) {}
        }
    })
    .await
}

pub(crate) fn over_http1(target: &str, protocol: Protocol, text: bool) -> Channel {
    let builder = Channel::builder(target).protocol(protocol).grpc_web_text(text).http(HttpVersion::Http1);
    builder.connect_lazy().unwrap()
}

/// What a caller of a unary procedure sees.
pub(crate) async fn unary(channel: &Channel) -> Result<Bytes> {
    channel.unary(&ECHO, Bytes::from_static(b"x")).await.map(trunkline::Response::into_message)
}

/// What a caller of a stream sees: how many messages, and the end.
pub(crate) async fn stream(channel: &Channel) -> (usize, Result<()>) {
    let mut messages = match channel.server_stream(&COUNT, Bytes::from_static(b"x")).await {
        Ok(response) => response.into_message(),
        Err(error) => return (0, Err(error)),
    };
    let mut count = 0;
    loop {
        match messages.message().await {
            Ok(Some(_)) => count += 1,
            Ok(None) => return (count, Ok(())),
            Err(error) => return (count, Err(error)),
        }
    }
}

/// An HTTP/1.1 response whose end is the end of the connection.
pub(crate) fn response(status: u16, headers: &str, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 {status} X\r\n{headers}\r\n").as_bytes(), body].concat()
}

/// An envelope.
pub(crate) fn envelope(flags: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap();
    [&[flags][..], &length.to_be_bytes(), payload].concat()
}

pub(crate) const PROTO: &str = "content-type: application/proto\r\n";
pub(crate) const JSON: &str = "content-type: application/json\r\n";
pub(crate) const STREAM: &str = "content-type: application/connect+proto\r\n";
pub(crate) const WEB: &str = "content-type: application/grpc-web+proto\r\n";
pub(crate) const TEXT: &str = "content-type: application/grpc-web-text+proto\r\n";

/// What a scripted HTTP/2 server does behind the head of its response.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) head: &'static [(&'static str, &'static str)],
    pub(crate) body: Bytes,
    pub(crate) end: End,
}

#[derive(Debug, Clone)]
pub(crate) enum End {
    Stream,
    Trailers(Vec<(&'static str, String)>),
    Reset(h2::Reason),
    Drop,
}

pub(crate) async fn http2_peer(script: Script) -> Peer {
    peer(move |stream| {
        let script = script.clone();
        async move {
            let Ok(mut connection) = h2::server::handshake(stream).await else { return };
            while let Some(Ok((_, mut respond))) = connection.accept().await {
                let mut head = Response::builder();
                for (name, value) in script.head {
                    head = head.header(*name, *value);
                }
                let Ok(mut body) = respond.send_response(head.body(()).unwrap(), false) else { continue };
                let _ = body.send_data(script.body.clone(), matches!(script.end, End::Stream));
                match &script.end {
                    End::Stream => {}
                    End::Trailers(rows) => {
                        let mut trailers = HeaderMap::new();
                        for (name, value) in rows {
                            trailers.append(*name, value.parse().unwrap());
                        }
                        let _ = body.send_trailers(trailers);
                    }
                    End::Reset(reason) => body.send_reset(*reason),
                    End::Drop => return,
                }
            }
        }
    })
    .await
}
