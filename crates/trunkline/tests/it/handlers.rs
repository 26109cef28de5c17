//! Handlers that misbehave: they panic, block their thread, never answer, or go on when nobody waits. Each harms its own call
//! and nothing else, and a shutdown returns.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use bytes::Bytes;
use h2::client::SendRequest;
use tokio::sync::oneshot;
use trunkline::codec::Raw;
use trunkline::reflection::File;
use trunkline::server::{Routes, Service};
use trunkline::{
    CallOptions, Channel, Code, Error, Handlers, Limits, Procedure, Request, Response, Server, Streaming,
};

use crate::raw::{answer, connect, request};
use crate::support::{CHAT, Case, ECHO, HANG, Over, PANIC, World, cases, within_bounds};

type Proc = Procedure<Bytes, Bytes, Raw>;

const BLOCK: Proc = Procedure::unary("test.v1.Rude", "Block", "/test.v1.Rude/Block");
const STUBBORN: Proc = Procedure::unary("test.v1.Rude", "Stubborn", "/test.v1.Rude/Stubborn");
const SPIN: Proc = Procedure::unary("test.v1.Rude", "Spin", "/test.v1.Rude/Spin");
const GOOD: Proc = Procedure::unary("test.v1.Rude", "Good", "/test.v1.Rude/Good");
const LATE: Proc = Procedure::server_stream("test.v1.Rude", "Late", "/test.v1.Rude/Late");
const JOIN: Proc = Procedure::client_stream("test.v1.Rude", "Join", "/test.v1.Rude/Join");
const TALK: Proc = Procedure::bidi("test.v1.Rude", "Talk", "/test.v1.Rude/Talk");

/// Handlers that wait for the test, and tell it that they have begun.
struct Rude {
    begun: mpsc::SyncSender<()>,
    /// Blocks until the other end is dropped.
    released: Mutex<mpsc::Receiver<()>>,
}

/// The service, what it tells, and what releases it when dropped.
fn rude() -> (RudeServer, mpsc::Receiver<()>, mpsc::SyncSender<()>) {
    let (begun, has_begun) = mpsc::sync_channel(16);
    let (release, released) = mpsc::sync_channel(1);
    (RudeServer(Arc::new(Rude { begun, released: Mutex::new(released) })), has_begun, release)
}

impl Rude {
    fn block(&self) {
        self.begun.send(()).unwrap();
        let _ = self.released.lock().unwrap().recv();
    }
}

struct RudeServer(Arc<Rude>);

impl Service for RudeServer {
    fn name(&self) -> &'static str {
        "test.v1.Rude"
    }

    fn files(&self) -> &'static [File] {
        &[]
    }

    fn register(self, routes: &mut Routes) {
        routes.unary(&GOOD, &self.0, |_, request: Request<Bytes>| async {
            Ok::<_, Error>(Response::new(request.into_message()))
        });
        routes.unary(&BLOCK, &self.0, |rude, _: Request<Bytes>| async move {
            rude.block();
            Ok::<_, Error>(Response::new(Bytes::new()))
        });
        // Work that has been handed to a thread cannot be taken back from it.
        routes.unary(&STUBBORN, &self.0, |rude, _: Request<Bytes>| async move {
            tokio::task::spawn_blocking(move || rude.block()).await.unwrap();
            Ok::<_, Error>(Response::new(Bytes::new()))
        });
        routes.unary(&SPIN, &self.0, |rude, _: Request<Bytes>| async move {
            rude.begun.send(()).unwrap();
            loop {
                tokio::task::yield_now().await;
            }
            #[allow(unreachable_code, reason = "it names the types")]
            Ok::<_, Error>(Response::new(Bytes::new()))
        });
        routes.server_stream(&LATE, &self.0, |_, request: Request<Bytes>| async {
            let stream = Streaming::unfold((3, request.into_message()), async |(left, message)| {
                assert!(left > 0, "a stream that panics on purpose");
                Ok(Some((message.clone(), (left - 1, message))))
            });
            Ok::<_, Error>(Response::new(stream))
        });
        routes.client_stream(&JOIN, &self.0, |_, request: Request<Streaming<Bytes>>| async {
            let mut messages = request.into_message();
            while messages.message().await?.is_some() {}
            if true {
                panic!("a handler that panics on purpose when it has read all");
            }
            Ok::<_, Error>(Response::new(Bytes::new()))
        });
        routes.bidi(&TALK, &self.0, |_, request: Request<Streaming<Bytes>>| async {
            let stream = Streaming::unfold(request.into_message(), async |mut messages| {
                match messages.message().await? {
                    Some(message) if message == "panic" => panic!("a stream that panics on purpose"),
                    next => Ok(next.map(|message| (message, messages))),
                }
            });
            Ok::<_, Error>(Response::new(stream))
        });
    }
}

/// Serves in tasks of this runtime until told to stop.
struct Serving {
    target: String,
    stop: oneshot::Sender<()>,
    ended: tokio::task::JoinHandle<()>,
}

async fn serving(service: RudeServer, limits: Limits) -> Serving {
    let bound = Server::new().service(service).limits(limits).bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}", bound.local_address());
    let (stop, stopped) = oneshot::channel();
    let ended = tokio::spawn(bound.serve_until(async { drop(stopped.await) }));
    Serving { target, stop, ended }
}

fn sockets() -> impl Iterator<Item = Case> {
    cases().into_iter().filter(|case| matches!(case.over, Over::Http1 | Over::Http2))
}

#[tokio::test]
async fn panic_in_any_shape_is_internal_and_spares_the_other_calls() {
    let (service, _begun, _release) = rude();
    let serving = serving(service, Limits::default()).await;
    let internal = |what: &str, case: Case, error: Error| {
        assert_eq!(error.code(), Code::Internal, "{case:?} {what}: {error}");
        assert!(!error.message().contains("on purpose"), "{case:?} {what}: {error}");
    };
    for case in sockets() {
        let channel = case.builder(&serving.target).connect_lazy().unwrap();
        let work = async {
            // A call that is open all the while, on the same connection where there is one.
            let mut open = channel.bidi(&TALK, CallOptions::new());
            open.send(Bytes::from_static(b"before")).await.unwrap();
            let mut late =
                channel.server_stream(&LATE, Bytes::from_static(b"x")).await.unwrap().into_message();
            for _ in 0..3 {
                assert_eq!(late.message().await.unwrap().unwrap(), "x", "{case:?}");
            }
            internal("server stream", case, late.message().await.unwrap_err());
            let messages = Streaming::from_iter([Bytes::new(), Bytes::new()]);
            let joined = channel.client_stream(&JOIN, Request::new(messages)).await;
            internal("client stream", case, joined.unwrap_err());
            let mut talk = channel.bidi(&TALK, CallOptions::new());
            talk.send(Bytes::from_static(b"panic")).await.unwrap();
            talk.close();
            internal("bidi", case, talk.message().await.unwrap_err());
            open.send(Bytes::from_static(b"after")).await.unwrap();
            open.close();
            assert_eq!(open.message().await.unwrap().unwrap(), "before", "{case:?}");
            assert_eq!(open.message().await.unwrap().unwrap(), "after", "{case:?}");
            assert!(open.message().await.unwrap().is_none(), "{case:?}");
        };
        within_bounds(case, work).await;
    }
}

#[tokio::test]
async fn a_thousand_panics_leave_the_connection_as_it_was() {
    let world = World::new().await;
    for case in sockets() {
        let channel = world.channel(&case);
        let mut open = channel.bidi(&CHAT, CallOptions::new());
        open.send(Bytes::from_static(b"open")).await.unwrap();
        for _ in 0..1000 {
            let error = within_bounds(case, channel.unary(&PANIC, Bytes::new())).await.unwrap_err();
            assert_eq!(error.code(), Code::Internal, "{case:?}: {error}");
        }
        open.close();
        assert_eq!(within_bounds(case, open.message()).await.unwrap().unwrap(), "open", "{case:?}");
        let next = within_bounds(case, channel.unary(&ECHO, Bytes::from_static(b"next"))).await;
        assert_eq!(next.unwrap().into_message(), "next", "{case:?}");
    }
}

#[tokio::test]
async fn handler_that_never_answers_is_ended_by_the_servers_own_limit() {
    let mut limits = Limits::default();
    limits.timeout_max = Duration::from_millis(50);
    let world = World::with_limits(limits).await;
    for case in cases() {
        // The caller names no deadline, or one that is further away.
        for timeout in [None, Some(Duration::from_secs(3600))] {
            let mut request = Request::new(Bytes::new());
            if let Some(timeout) = timeout {
                request = request.with_timeout(timeout);
            }
            let channel = world.channel(&case);
            let error = within_bounds(case, channel.unary(&HANG, request)).await.unwrap_err();
            assert_eq!(error.code(), Code::DeadlineExceeded, "{case:?} {timeout:?}: {error}");
            assert!(error.is_from_peer(), "{case:?} {timeout:?}");
            within_bounds(case, world.shapes.left.notified()).await;
            let next = within_bounds(case, channel.unary(&ECHO, Bytes::from_static(b"next"))).await;
            assert_eq!(next.unwrap().into_message(), "next", "{case:?}");
        }
    }
}

/// A runtime of several threads, for handlers that keep one.
fn threads() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap()
}

/// Calls `procedure` on a connection of its own and waits until its handler has begun.
fn begin(
    clients: &tokio::runtime::Runtime,
    target: &str,
    procedure: &'static Proc,
    begun: &mpsc::Receiver<()>,
) -> tokio::task::JoinHandle<trunkline::Result<Response<Bytes>>> {
    let channel = Channel::builder(target).connect_lazy().unwrap();
    let call = clients.spawn(async move { channel.unary(procedure, Bytes::new()).await });
    begun.recv_timeout(Duration::from_secs(20)).expect("the handler begins");
    call
}

#[test]
fn handler_that_keeps_a_thread_delays_no_other_connection_and_no_shutdown() {
    for procedure in [&BLOCK, &STUBBORN, &SPIN] {
        let what = procedure.spec().method;
        // Before what releases the handler: a runtime that is dropped waits for its threads.
        let (servers, clients) = (threads(), threads());
        let (service, begun, release) = rude();
        let mut limits = Limits::default();
        limits.drain_timeout = Duration::from_millis(50);
        let serving = servers.block_on(serving(service, limits));
        let call = begin(&clients, &serving.target, procedure, &begun);
        clients.block_on(async {
            for turn in 0..100 {
                let channel = Channel::builder(&serving.target).connect_lazy().unwrap();
                let next =
                    within_bounds((what, turn), channel.unary(&GOOD, Bytes::from_static(b"next"))).await;
                assert_eq!(next.unwrap().into_message(), "next", "{what}");
            }
            serving.stop.send(()).unwrap();
            within_bounds((what, "shutdown"), serving.ended).await.unwrap();
            let refused = Channel::builder(&serving.target).connect_lazy().unwrap();
            let error =
                within_bounds((what, "refused"), refused.unary(&GOOD, Bytes::new())).await.unwrap_err();
            assert_eq!(error.code(), Code::Unavailable, "{what}: {error}");
        });
        // Only now is the thread given back, and with it the connection that it held.
        drop(release);
        let outcome = clients.block_on(within_bounds((what, "call"), call)).unwrap();
        // One that ran in the task of its connection has answered before that could notice the end.
        let code = outcome.as_ref().err().map(Error::code);
        let inline = what == BLOCK.spec().method;
        assert!(code == Some(Code::Unavailable) || (inline && code.is_none()), "{what}: {code:?}");
        servers.shutdown_background();
    }
}

#[test]
fn handler_that_ignores_its_end_counts_as_a_stream_until_it_has_ended() {
    let (servers, clients) = (threads(), threads());
    let (service, begun, release) = rude();
    let mut limits = Limits::default();
    limits.streams_max = 1;
    let server = Server::new().service(service).limits(limits).handlers(Handlers::Spawned);
    let bound = servers.block_on(server.bind("127.0.0.1:0")).unwrap();
    let address = bound.local_address().to_string();
    servers.spawn(bound.serve());
    clients.block_on(async {
        let sender = connect(&address).await;
        let good = async |sender: &SendRequest<Bytes>| {
            let body = Bytes::from_static(b"next");
            within_bounds("good", answer(sender, request(GOOD.spec().path, "application/proto"), body)).await
        };
        assert!(good(&sender).await.unwrap().starts_with("200 "));
        let mut ready = sender.clone().ready().await.unwrap();
        let (_response, mut stream) =
            ready.send_request(request(BLOCK.spec().path, "application/proto"), false).unwrap();
        stream.send_data(Bytes::new(), true).unwrap();
        tokio::task::block_in_place(|| begun.recv_timeout(Duration::from_secs(20))).unwrap();
        stream.send_reset(h2::Reason::CANCEL);
        // Its stream is gone; the thread that it keeps is not.
        assert_eq!(good(&sender).await.unwrap_err().reason(), Some(h2::Reason::REFUSED_STREAM));
        drop(release);
        let served = async {
            while good(&sender).await.is_err() {
                // A moment: the thread has to wake, and its connection to learn of it.
                assert!(good(&connect(&address).await).await.is_ok());
            }
        };
        within_bounds("the next stream", served).await;
    });
    servers.shutdown_background();
}
