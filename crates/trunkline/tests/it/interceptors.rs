//! Interceptors on both sides, around every shape, over everything that carries calls.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use trunkline::codec::{Codec, CodecFault, Format, Raw};
use trunkline::interceptor::{Interceptor, Next, Payload};
use trunkline::{
    CallOptions, Channel, Code, Error, Procedure, Request, Response, Result, Seen, Shape, Streaming, testkit,
};

use crate::support::{
    CHAT, COUNT, Case, ECHO, FACTS, HANG, JOIN, Over, Through, World, between, cases, server, within_bounds,
};

type Log = Arc<Mutex<Vec<String>>>;

/// Writes down what passes, under a name.
#[derive(Clone)]
struct Watch {
    name: &'static str,
    log: Log,
}

impl Watch {
    fn note(&self, what: impl std::fmt::Display) {
        self.log.lock().unwrap().push(format!("{} {what}", self.name));
    }

    fn watched(&self, side: &'static str, stream: Streaming<Payload>) -> Streaming<Payload> {
        let watch = self.clone();
        stream.observe(move |seen| match seen {
            Seen::Message(payload) => {
                watch.note(format_args!("{side} {}", String::from_utf8_lossy(payload.bytes())));
            }
            Seen::Failed(error) => watch.note(format_args!("{side} {}", error.code())),
            Seen::End(_) => watch.note(format_args!("{side} end")),
            _ => {}
        })
    }
}

impl Interceptor for Watch {
    async fn intercept(
        &self,
        request: Request<Streaming<Payload>>,
        next: Next<'_>,
    ) -> Result<Response<Streaming<Payload>>> {
        let spec = next.context().spec();
        self.note(format_args!("{} {:?}", spec.method, spec.shape));
        let request = request.map(|stream| self.watched("request", stream));
        match next.run(request).await {
            Ok(response) => Ok(response.map(|stream| self.watched("response", stream))),
            Err(error) => {
                self.note(format_args!("error {}", error.code()));
                Err(error)
            }
        }
    }
}

/// A server and a channel with one watch on each side.
async fn watched(case: &Case) -> (Channel, Log, impl Sized) {
    let log = Log::default();
    let watch = |name| Watch { name, log: Arc::clone(&log) };
    let (channel, serving) = between(
        case,
        |server| server.intercept(watch("server")),
        |builder| builder.intercept(watch("client")),
    )
    .await;
    (channel, log, serving)
}
/// What one side saw, in order.
fn seen(log: &Log, name: &str) -> Vec<String> {
    let log = log.lock().unwrap();
    log.iter().filter_map(|line| line.strip_prefix(name)).map(|line| line.trim().to_owned()).collect()
}

#[tokio::test]
async fn every_shape_is_seen_on_both_sides() {
    for case in cases() {
        for shape in [Shape::Unary, Shape::ServerStream, Shape::ClientStream, Shape::Bidi] {
            let (channel, log, _serving) = watched(&case).await;
            let expected: &[&str] = match shape {
                Shape::Unary => {
                    let reply =
                        within_bounds(case, channel.unary(&ECHO, Bytes::from_static(b"a"))).await.unwrap();
                    assert_eq!(reply.into_message(), "a");
                    &["Echo Unary", "request a", "request end", "response a", "response end"]
                }
                Shape::ServerStream => {
                    let response =
                        within_bounds(case, channel.server_stream(&COUNT, Bytes::from_static(b"\x02")));
                    let mut stream = response.await.unwrap().into_message();
                    while within_bounds(case, stream.message()).await.unwrap().is_some() {}
                    assert!(stream.trailers().is_some(), "{case:?}");
                    &[
                        "Count ServerStream",
                        "request \x02",
                        "request end",
                        "response \x02",
                        "response \x02",
                        "response end",
                    ]
                }
                Shape::ClientStream => {
                    let requests = Streaming::from_iter([Bytes::from_static(b"a"), Bytes::from_static(b"b")]);
                    let reply =
                        within_bounds(case, channel.client_stream(&JOIN, Request::new(requests))).await;
                    assert_eq!(reply.unwrap().into_message(), "a,b");
                    &[
                        "Join ClientStream",
                        "request a",
                        "request b",
                        "request end",
                        "response a,b",
                        "response end",
                    ]
                }
                Shape::Bidi => {
                    let mut call = channel.bidi(&CHAT, CallOptions::new());
                    within_bounds(case, async {
                        call.send(Bytes::from_static(b"a")).await.unwrap();
                        call.close();
                        assert_eq!(call.message().await.unwrap().unwrap(), "a");
                        assert!(call.message().await.unwrap().is_none());
                        assert!(call.trailers().is_some(), "{case:?}");
                    })
                    .await;
                    &["Chat Bidi", "request a", "request end", "response a", "response end"]
                }
            };
            for side in ["client", "server"] {
                let mut seen = seen(&log, side);
                // Requests and responses of a bidirectional call pass each other in any order.
                let mut expected: Vec<_> = expected.iter().map(|line| (*line).to_owned()).collect();
                if shape == Shape::Bidi {
                    seen.sort();
                    expected.sort();
                }
                assert_eq!(seen, expected, "{case:?} {shape:?} {side}");
            }
        }
    }
}

#[tokio::test]
async fn metadata_trailers_and_errors_pass_through() {
    for case in cases() {
        let (channel, log, _serving) = watched(&case).await;
        let request = || Request::new(Bytes::from_static(b"x")).with_metadata("echo", "1").unwrap();
        let response = within_bounds(case, channel.unary(&ECHO, request())).await.unwrap();
        assert_eq!(response.metadata().value("echoed"), Some("1"), "{case:?}");
        assert_eq!(response.trailers().value("echoed-trailer"), Some("1"), "{case:?}");
        let failing = request().with_metadata("fail", "no").unwrap();
        let error = within_bounds(case, channel.unary(&ECHO, failing)).await.unwrap_err();
        assert_eq!((error.code(), error.message()), (Code::FailedPrecondition, "no"), "{case:?}");
        assert_eq!(error.metadata().value("echoed-trailer"), Some("1"), "{case:?}");
        assert_eq!(error.details().len(), 1, "{case:?}");
        assert!(error.is_from_peer(), "{case:?}");
        let server = seen(&log, "server");
        assert_eq!(server.last().map(String::as_str), Some("error failed_precondition"), "{case:?}");
    }
}

#[tokio::test]
async fn first_added_is_outermost() {
    let log = Log::default();
    let watch = |name| Watch { name, log: Arc::clone(&log) };
    let server =
        server(&Arc::default(), &trunkline::Limits::default()).intercept(watch("s1")).intercept(watch("s2"));
    let builder = Channel::builder("memory").intercept(watch("c1")).intercept(watch("c2"));
    testkit::pair_with(server, builder).unary(&ECHO, Bytes::new()).await.unwrap();
    let log = log.lock().unwrap();
    let order: Vec<_> = log.iter().filter(|line| line.ends_with("Unary")).map(|line| &line[..2]).collect();
    assert_eq!(order, ["c1", "c2", "s1", "s2"]);
}

/// Adds a token that grows stale, and gets a new one when the server says so.
struct Token(Mutex<u32>);

impl Interceptor for Token {
    async fn intercept(
        &self,
        request: Request<Streaming<Payload>>,
        next: Next<'_>,
    ) -> Result<Response<Streaming<Payload>>> {
        let mut request = request.into_single().await?;
        loop {
            let token = *self.0.lock().unwrap();
            request.metadata_mut().insert("token", &token.to_string())?;
            match next.run(request.again()).await {
                Err(error) if error.code() == Code::Unauthenticated && token < 2 => {
                    *self.0.lock().unwrap() += 1;
                }
                outcome => return outcome,
            }
        }
    }
}

/// Wants token 2, and answers by itself when the message is `who`.
struct Doorkeeper;

impl Interceptor for Doorkeeper {
    async fn intercept(
        &self,
        request: Request<Streaming<Payload>>,
        next: Next<'_>,
    ) -> Result<Response<Streaming<Payload>>> {
        if request.metadata().value("token") != Some("2") {
            return Err(Error::unauthenticated("stale token"));
        }
        next.run(request).await
    }
}

#[tokio::test]
async fn interceptor_may_refuse_and_run_the_rest_again() {
    for case in cases() {
        for first in [1, 2, 3] {
            let what = format!("{case:?}, token {first}");
            let token = Token(Mutex::new(first));
            let (channel, _serving) =
                between(&case, |server| server.intercept(Doorkeeper), |builder| builder.intercept(token))
                    .await;
            for message in ["in", "again"] {
                let request = Request::new(Bytes::from(message)).with_metadata("echo", "1").unwrap();
                let outcome = within_bounds(case, channel.unary(&ECHO, request)).await;
                let seen = outcome.map(|reply| (reply.trailers().values("echoed-trailer").count(), reply));
                match seen {
                    Ok((trailers, reply)) => {
                        assert_eq!(
                            (trailers, reply.into_message().as_ref()),
                            (1, message.as_bytes()),
                            "{what}"
                        );
                    }
                    Err(error) => {
                        assert_eq!((first, error.code()), (3, Code::Unauthenticated), "{what}: {error}");
                    }
                }
            }
        }
    }
}

/// Panics, or passes everything on.
struct Panics;

impl Interceptor for Panics {
    async fn intercept(
        &self,
        request: Request<Streaming<Payload>>,
        next: Next<'_>,
    ) -> Result<Response<Streaming<Payload>>> {
        assert!(next.context().spec().method != "Echo", "an interceptor that panics on purpose");
        next.run(request).await
    }
}

#[tokio::test]
async fn panic_of_an_interceptor_ends_its_own_call() {
    for case in cases().into_iter().filter(|case| case.over == Over::Memory) {
        let server = server(&Arc::default(), &trunkline::Limits::default()).intercept(Panics);
        let channel = testkit::pair_with(server, case.builder("memory"));
        let error = within_bounds(case, channel.unary(&ECHO, Bytes::new())).await.unwrap_err();
        assert_eq!(error.code(), Code::Internal, "{case:?}");
        assert!(within_bounds(case, channel.unary(&FACTS, Bytes::new())).await.is_ok(), "{case:?}");
    }
}

#[tokio::test]
async fn deadlines_and_leaving_count_with_interceptors_too() {
    for case in cases() {
        let log = Log::default();
        let world = World::new().await;
        let watch = Watch { name: "client", log: Arc::clone(&log) };
        let channel = world.channel_with(&case, |builder| builder.intercept(watch));
        let request = Request::new(Bytes::new()).with_timeout(Duration::from_millis(50));
        let error = within_bounds(case, channel.unary(&HANG, request)).await.unwrap_err();
        assert_eq!(error.code(), Code::DeadlineExceeded, "{case:?}: {error}");
        within_bounds(case, world.shapes.left.notified()).await;
        let (mut sender, receiver) = channel.bidi(&CHAT, CallOptions::new()).split();
        within_bounds(case, sender.send(Bytes::from_static(b"a"))).await.unwrap();
        drop(receiver);
        let ended =
            within_bounds(case, async { while sender.send(Bytes::from_static(b"a")).await.is_ok() {} });
        ended.await;
    }
}

#[tokio::test]
async fn request_stream_that_fails_ends_an_intercepted_call_with_its_code() {
    for case in cases() {
        let (channel, _, _serving) = watched(&case).await;
        let requests = Streaming::unfold(2, async |left| match left {
            0 => Err(Error::out_of_range("no more")),
            left => Ok(Some((Bytes::from_static(b"a"), left - 1))),
        });
        let error =
            within_bounds(case, channel.client_stream(&JOIN, Request::new(requests))).await.unwrap_err();
        assert_eq!((error.code(), error.message()), (Code::OutOfRange, "no more"), "{case:?}");
    }
}

/// A codec that writes and cannot read.
struct WriteOnly;

impl Codec<Bytes> for WriteOnly {
    const FORMATS: &'static [Format] = Raw::FORMATS;

    fn size_hint(format: Format, value: &Bytes) -> usize {
        Raw::size_hint(format, value)
    }

    fn encode(format: Format, value: &Bytes, target: &mut BytesMut) -> Result<(), CodecFault> {
        Raw::encode(format, value, target)
    }

    fn decode(_: Format, _: Bytes) -> Result<Bytes, CodecFault> {
        Err(CodecFault::unimplemented("it only writes"))
    }
}

#[tokio::test]
async fn codec_that_cannot_is_unimplemented_with_interceptors_and_without() {
    let echo: Procedure<Bytes, Bytes, WriteOnly> =
        Procedure::unary("test.v1.Shapes", "Echo", "/test.v1.Shapes/Echo");
    let world = World::new().await;
    for case in cases() {
        for intercepted in [false, true] {
            let what = format!("{case:?}, intercepted {intercepted}");
            let channel =
                world.channel_with(
                    &case,
                    |builder| {
                        if intercepted { builder.intercept(Through) } else { builder }
                    },
                );
            let error = channel.unary(&echo, Bytes::from_static(b"x")).await.expect_err(&what);
            assert_eq!(error.code(), Code::Unimplemented, "{what}: {error}");
            assert!(error.message().starts_with("the server's response is not valid"), "{what}: {error}");
            assert!(!error.is_from_peer(), "{what}");
        }
    }
}
