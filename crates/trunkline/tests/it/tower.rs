//! A server mounted in an application, and an application behind a server, each on one port.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::marker::PhantomPinned;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body as AxumBody;
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::routing::{get, post};
use bytes::Bytes;
use http_body::{Body as _, Frame};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use trunkline::tower::Service as _;
use trunkline::{CallOptions, Channel, Code, Error, Limits, Peer, Streaming};

use crate::raw;
use crate::support::{
    CHAT, COUNT, Case, ECHO, FACTS, HANG, JOIN, MISSING, Over, Shapes, cases, server, within_bounds,
};
use crate::upgrades;

/// Something that listens, ended when dropped.
pub(crate) struct Port {
    pub(crate) address: String,
    shapes: Arc<Shapes>,
    _serving: tokio::task::JoinSet<()>,
}

impl Port {
    pub(crate) fn channel(&self, case: &Case) -> Channel {
        case.builder(&format!("http://{}", self.address)).connect_lazy().unwrap()
    }

    /// The whole answer to the text of a request, which asks for the connection to be closed.
    async fn http1(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        within_bounds(request, stream.read_to_end(&mut answer)).await.unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

/// The routes of an application that has nothing to do with calls.
pub(crate) fn routes() -> Router {
    Router::new()
        .route("/version", get(|| async { "1.0" }))
        .route("/echo", post(|body: Bytes| async move { body }))
        .route("/trailers", get(trailers))
        .route("/peer", get(|request: Request| async move { peer_of(&request) }))
        .route(
            "/panic",
            get(|| async {
                if true {
                    panic!("a route that panics on purpose")
                }
            }),
        )
        .route("/large", get(|| async { "x".repeat(1_000_000) }))
        .route(
            "/cut",
            get(|| async {
                AxumBody::new(Pieces { left: [Ok(&b"a"[..]), Err("broken")].into(), trailers: None })
            }),
        )
        .route("/unread", post(|request: Request| async move { format!("{}", request.headers().len()) }))
        .route("/upgrade", get(upgrades::upgrade))
        .route("/declined", get(upgrades::decline))
}

fn peer_of(request: &Request) -> String {
    let peer = request.extensions().get::<Peer>().expect("the server has put it there");
    peer.address.map_or_else(|| "nobody".to_owned(), |address| address.ip().to_string())
}

async fn trailers() -> AxumBody {
    let trailer = (http::HeaderName::from_static("checksum"), http::HeaderValue::from_static("7"));
    let left = [Ok(&b"one"[..]), Ok(b"two")].into();
    AxumBody::new(Pieces { left, trailers: Some(HeaderMap::from_iter([trailer])) })
}

/// Our server as the fallback of an application.
pub(crate) async fn mounted() -> Port {
    mounted_with(|router| router).await
}

async fn mounted_with(change: impl FnOnce(Router) -> Router) -> Port {
    let shapes = Arc::new(Shapes::default());
    let app = routes().fallback_service(server(&shapes, &Limits::default()).into_service());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut serving = tokio::task::JoinSet::new();
    let app = change(app);
    serving.spawn(async move { axum::serve(listener, app).await.unwrap() });
    Port { address, shapes, _serving: serving }
}

/// The application as the fallback of our server.
pub(crate) async fn behind() -> Port {
    let shapes = Arc::new(Shapes::default());
    let server = server(&shapes, &Limits::default()).page("/page", "text/plain", "page").fallback(routes());
    let bound = server.bind("127.0.0.1:0").await.unwrap();
    let address = bound.local_address().to_string();
    let mut serving = tokio::task::JoinSet::new();
    serving.spawn(bound.serve());
    Port { address, shapes, _serving: serving }
}

pub(crate) fn sockets() -> impl Iterator<Item = Case> {
    cases().into_iter().filter(|case| matches!(case.over, Over::Http1 | Over::Http2))
}

/// Every shape is served, with what goes wrong in it.
async fn check_shapes(port: &Port) {
    for case in sockets() {
        let channel = port.channel(&case);
        let work = async {
            for message in ["", "hello", &"x".repeat(300_000)] {
                let reply = channel.unary(&ECHO, Bytes::copy_from_slice(message.as_bytes())).await?;
                assert_eq!(reply.into_message(), message, "{case:?}");
            }
            let mut many = channel.server_stream(&COUNT, Bytes::from_static(b"\x09")).await?.into_message();
            let mut count = 0;
            while many.message().await?.is_some() {
                count += 1;
            }
            assert_eq!(count, 9, "{case:?}");
            let words = Streaming::from_iter([&b"a"[..], b"b"].map(Bytes::from_static));
            let joined = channel.client_stream(&JOIN, trunkline::Request::new(words)).await?;
            assert_eq!(joined.into_message(), "a,b", "{case:?}");
            let mut chat = channel.bidi(&CHAT, CallOptions::default());
            for word in ["one", "two"] {
                chat.send(Bytes::from_static(word.as_bytes())).await?;
                if case.is_full_duplex() {
                    assert_eq!(chat.message().await?.unwrap(), word, "{case:?}");
                }
            }
            chat.close();
            let left = if case.is_full_duplex() { 0 } else { 2 };
            for _ in 0..left {
                assert!(chat.message().await?.is_some(), "{case:?}");
            }
            assert!(chat.message().await?.is_none(), "{case:?}");
            let missing = channel.unary(&MISSING, Bytes::new()).await.unwrap_err();
            assert_eq!(missing.code(), Code::Unimplemented, "{case:?}: {missing}");
            Ok::<_, Error>(())
        };
        within_bounds(case, work).await.unwrap_or_else(|error| panic!("{case:?}: {error}"));
    }
}

/// A caller that leaves is noticed, and the next call is served.
async fn check_cancellation(port: &Port) {
    for case in sockets() {
        let channel = port.channel(&case);
        let call = tokio::spawn({
            let channel = channel.clone();
            async move { channel.unary(&HANG, Bytes::new()).await }
        });
        within_bounds(case, port.shapes.begun.notified()).await;
        call.abort();
        within_bounds(case, port.shapes.left.notified()).await;
        let next = within_bounds(case, channel.unary(&ECHO, Bytes::from_static(b"next"))).await;
        assert_eq!(next.unwrap().into_message(), "next", "{case:?}");
    }
}

#[tokio::test]
async fn mounted_server_serves_every_shape() {
    check_shapes(&mounted().await).await;
}

#[tokio::test]
async fn server_with_a_fallback_serves_every_shape() {
    check_shapes(&behind().await).await;
}

#[tokio::test]
async fn mounted_server_tells_handlers_that_the_caller_has_left() {
    check_cancellation(&mounted().await).await;
}

#[tokio::test]
async fn server_with_a_fallback_tells_handlers_that_the_caller_has_left() {
    check_cancellation(&behind().await).await;
}

/// A request in short, the status, and what the answer has.
type Row = (&'static str, &'static str, u16, &'static str);

async fn check_rows(port: &Port, rows: &[Row]) {
    for (line, rest, status, has) in rows {
        let request = format!("{line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{rest}");
        let answer = port.http1(&request).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{line} {rest}: {answer}");
        assert!(answer.contains(has), "{line} {rest}: {answer}");
    }
}

/// What application routes answer, whoever owns the port.
const ROUTES: &[Row] = &[
    ("GET /version", "\r\n", 200, "\r\n\r\n1.0"),
    ("HEAD /version", "\r\n", 200, "content-length: 3"),
    ("DELETE /version", "\r\n", 405, ""),
    ("POST /echo", "content-type: application/json\r\ncontent-length: 2\r\n\r\n{}", 200, "\r\n\r\n{}"),
    ("POST /echo", "content-length: 0\r\n\r\n", 200, ""),
    ("POST /unread", "content-length: 3\r\n\r\nabc", 200, "\r\n\r\n"),
    ("GET /large", "\r\n", 200, "xxxxxxxx"),
    ("GET /trailers", "te: trailers\r\n\r\n", 200, "two\r\n0\r\n"),
];

#[tokio::test]
async fn routes_of_the_application_answer_beside_the_calls() {
    check_rows(&mounted().await, ROUTES).await;
}

#[tokio::test]
async fn fallback_answers_what_is_no_call() {
    let port = behind().await;
    check_rows(&port, ROUTES).await;
    let of_its_own: &[Row] = &[
        ("GET /peer", "\r\n", 200, "\r\n\r\n127.0.0.1"),
        ("GET /page", "\r\n", 200, "\r\n\r\npage"),
        ("GET /no/such", "\r\n", 404, ""),
        ("POST /no/such", "content-type: application/json\r\ncontent-length: 2\r\n\r\n{}", 404, "\r\n\r\n"),
        ("GET /panic", "\r\n", 500, "has failed"),
        // A procedure keeps its path, and an unknown one is refused as its client understands it.
        ("GET /test.v1.Shapes/Join", "\r\n", 405, "allow: POST"),
        (
            "POST /no.Such/Call",
            "content-type: application/json\r\nconnect-protocol-version: 1\r\ncontent-length: 2\r\n\r\n{}",
            404,
            "\"unimplemented\"",
        ),
        ("GET /no.Such/Call?connect=v1&encoding=json&message=%7b%7d", "\r\n", 404, "\"unimplemented\""),
    ];
    check_rows(&port, of_its_own).await;
    // A body that fails is cut: the chunk that ends it never comes.
    let cut = port.http1("GET /cut HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    assert!(!cut.ends_with("0\r\n\r\n"), "{cut}");
}

#[tokio::test]
async fn trailers_of_the_application_arrive_over_http2() {
    for port in [mounted().await, behind().await] {
        let sender = raw::connect(&port.address).await;
        let request = http::Request::get("http://x/trailers").header("te", "trailers").body(()).unwrap();
        let seen = within_bounds("trailers", raw::answer(&sender, request, Bytes::new())).await.unwrap();
        assert!(seen.starts_with("200 ") && seen.contains("\nonetwo\n"), "{seen}");
        assert!(seen.ends_with("Some({\"checksum\": \"7\"})"), "{seen}");
        raw::next_call_is_served(&sender).await;
    }
}

#[tokio::test]
async fn peer_is_what_the_application_says() {
    let mut peer = Peer::default();
    peer.address = Some("192.0.2.1:7".parse().unwrap());
    for (change, expected) in [(None, "peer:none"), (Some(peer), "peer:192.0.2.1")] {
        let port = mounted_with(|router| match change {
            Some(peer) => router.layer(axum::Extension(peer)),
            None => router,
        })
        .await;
        for case in sockets() {
            let facts = within_bounds(case, port.channel(&case).unary(&FACTS, Bytes::new())).await.unwrap();
            let facts = String::from_utf8(facts.into_message().into()).unwrap();
            assert!(facts.contains(expected), "{case:?}: {facts}");
        }
    }
}

#[tokio::test]
async fn grpc_over_http1_is_refused_when_mounted_too() {
    let rows: &[Row] = &[(
        "POST /test.v1.Shapes/Echo",
        "content-type: application/grpc\r\ncontent-length: 0\r\n\r\n",
        505,
        "",
    )];
    check_rows(&mounted().await, rows).await;
}

type Piece = Result<&'static [u8], &'static str>;

/// A body of one's own: data that are no `Bytes`, an error that is no error of hyper, and never to be moved.
struct Slices {
    left: RefCell<VecDeque<Piece>>,
    _pinned: PhantomPinned,
}

impl http_body::Body for Slices {
    type Data = &'static [u8];
    type Error = &'static str;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, &'static str>>> {
        let next = self.left.borrow_mut().pop_front();
        Poll::Ready(next.map(|piece| piece.map(Frame::data)))
    }
}

/// The same with what axum asks for, and trailers behind it.
struct Pieces {
    left: VecDeque<Piece>,
    trailers: Option<HeaderMap>,
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = &'static str;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, &'static str>>> {
        let next = self.left.pop_front().map(|piece| piece.map(|data| Frame::data(Bytes::from_static(data))));
        Poll::Ready(next.or_else(|| self.trailers.take().map(|trailers| Ok(Frame::trailers(trailers)))))
    }
}

#[tokio::test]
async fn body_of_any_type_is_read_and_its_error_is_the_callers() {
    let rows: [(Vec<Piece>, u16, &[u8]); 5] = [
        (vec![], 200, b""),
        (vec![Ok(b"he"), Ok(b""), Ok(b"llo")], 200, b"hello"),
        (vec![Err("broken")], 400, b"invalid_argument"),
        (vec![Ok(b"he"), Err("broken")], 400, b"invalid_argument"),
        (vec![Ok(b"he"), Err("broken"), Ok(b"llo")], 400, b"the body was cut: broken"),
    ];
    let mut service = server(&Arc::default(), &Limits::default()).into_service();
    for version in [http::Version::HTTP_11, http::Version::HTTP_2] {
        for (pieces, status, has) in &rows {
            let body =
                Slices { left: RefCell::new(pieces.iter().copied().collect()), _pinned: PhantomPinned };
            let request = http::Request::post(ECHO.spec().path)
                .version(version)
                .header("content-type", "application/proto")
                .body(body)
                .unwrap();
            let response = within_bounds(pieces, service.call(request)).await.unwrap();
            assert_eq!(response.status(), *status, "{version:?} {pieces:?}");
            let mut body = response.into_body();
            let mut seen = Vec::new();
            while let Some(frame) =
                within_bounds(pieces, poll_fn(|cx| Pin::new(&mut body).poll_frame(cx))).await
            {
                seen.extend_from_slice(frame.unwrap().data_ref().unwrap());
            }
            let text = String::from_utf8_lossy(&seen).into_owned();
            assert!(text.contains(&*String::from_utf8_lossy(has)), "{version:?} {pieces:?}: {text}");
        }
    }
}
