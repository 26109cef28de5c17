//! Where handlers run on the engine: in their connection's task until they wait, then in tasks of their own. What that must
//! not change: panics, lost wakes, fairness, the runtime's budget.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{Notify, mpsc};
use trunkline::codec::Raw;
use trunkline::server::{Routes, Service};
use trunkline::{Channel, Code, Error, Handlers, Procedure, Request, Response, Server, Streaming};

use crate::support::within_bounds;

type Proc = Procedure<Bytes, Bytes, Raw>;

const WHERE: Proc = Procedure::unary("test.v1.Inline", "Where", "/test.v1.Inline/Where");
const MOVED: Proc = Procedure::unary("test.v1.Inline", "Moved", "/test.v1.Inline/Moved");
const RACE: Proc = Procedure::unary("test.v1.Inline", "Race", "/test.v1.Inline/Race");
const PANIC: Proc = Procedure::unary("test.v1.Inline", "Panic", "/test.v1.Inline/Panic");
const BUDGET: Proc = Procedure::unary("test.v1.Inline", "Budget", "/test.v1.Inline/Budget");
const SPIN: Proc = Procedure::unary("test.v1.Inline", "Spin", "/test.v1.Inline/Spin");
const FLOOD: Proc = Procedure::server_stream("test.v1.Inline", "Flood", "/test.v1.Inline/Flood");

#[derive(Default)]
struct Inline {
    spinning: Notify,
    spins: AtomicUsize,
}

struct InlineServer(Arc<Inline>);

/// The task that runs this, as a word.
fn task() -> String {
    tokio::task::try_id().map_or_else(|| "none".to_owned(), |id| id.to_string())
}

fn answer(text: String) -> Result<Response<Bytes>, Error> {
    Ok(Response::new(text.into()))
}

impl Service for InlineServer {
    fn name(&self) -> &'static str {
        "test.v1.Inline"
    }

    fn register(self, routes: &mut Routes) {
        routes.unary(&WHERE, &self.0, |_, _: Request<Bytes>| async { answer(task()) });
        routes.unary(&MOVED, &self.0, |_, _: Request<Bytes>| async {
            let before = task();
            tokio::task::yield_now().await;
            answer(format!("{before} {}", task()))
        });
        // Told from another thread, as soon as it waits or sooner.
        routes.unary(&RACE, &self.0, |_, _: Request<Bytes>| async {
            let told = Arc::new(Notify::new());
            let tell = Arc::clone(&told);
            tokio::task::spawn_blocking(move || tell.notify_waiters());
            // A second word, for when the first came before anybody waited.
            let tell = Arc::clone(&told);
            tokio::spawn(async move { tell.notify_one() });
            told.notified().await;
            answer("told".to_owned())
        });
        routes.unary(&PANIC, &self.0, |_, request: Request<Bytes>| async move {
            assert!(request.is_empty(), "a handler that panics on purpose");
            answer("fine".to_owned())
        });
        // More ready things than the runtime lets one task have at once.
        routes.unary(&BUDGET, &self.0, |_, _: Request<Bytes>| async {
            let (sender, mut receiver) = mpsc::channel(1000);
            for number in 0..1000 {
                sender.send(number).await.map_err(|_| Error::internal("nobody receives"))?;
            }
            drop(sender);
            let mut sum = 0;
            while let Some(number) = receiver.recv().await {
                sum += number;
            }
            answer(sum.to_string())
        });
        routes.unary(&SPIN, &self.0, |inline, _: Request<Bytes>| async move {
            inline.spinning.notify_one();
            let until = std::time::Instant::now() + Duration::from_secs(20);
            while inline.spins.load(Ordering::Relaxed) == 0 {
                assert!(std::time::Instant::now() < until, "nobody ended the spinning");
            }
            answer("spun".to_owned())
        });
        routes.server_stream(&FLOOD, &self.0, |_, request: Request<Bytes>| async move {
            let message = request.into_message();
            let stream = Streaming::unfold(message, async |message| Ok(Some((message.clone(), message))));
            Ok::<_, Error>(Response::new(stream))
        });
    }
}

/// A channel to a server of its own, which ends when the set is dropped.
async fn served(inline: &Arc<Inline>, handlers: Handlers) -> (Channel, tokio::task::JoinSet<()>) {
    let server = Server::new().service(InlineServer(Arc::clone(inline))).handlers(handlers);
    let bound = server.bind("127.0.0.1:0").await.unwrap();
    let channel = Channel::connect(&bound.target()).await.unwrap();
    let mut serving = tokio::task::JoinSet::new();
    serving.spawn(bound.serve());
    (channel, serving)
}

async fn call(channel: &Channel, procedure: &Proc) -> String {
    let answered = within_bounds(procedure.spec().method, channel.unary(procedure, Bytes::new())).await;
    String::from_utf8(answered.unwrap().into_message().into()).unwrap()
}

#[tokio::test]
async fn handler_that_does_not_wait_runs_in_its_connections_task() {
    let (inline, _serving) = served(&Arc::default(), Handlers::Inline).await;
    let (spawned, _serving) = served(&Arc::default(), Handlers::Spawned).await;
    assert_eq!(call(&inline, &WHERE).await, call(&inline, &WHERE).await, "one task owns the connection");
    assert_ne!(call(&spawned, &WHERE).await, call(&spawned, &WHERE).await, "each call is a task");
    let moved = call(&inline, &MOVED).await;
    let (before, after) = moved.split_once(' ').unwrap();
    assert_eq!(before, call(&inline, &WHERE).await);
    assert_ne!(before, after, "a handler that waits gets a task of its own");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_wake_is_lost_when_a_handler_moves() {
    let (channel, _serving) = served(&Arc::default(), Handlers::Inline).await;
    for _ in 0..50 {
        let calls = (0..20).map(|_| {
            let channel = channel.clone();
            tokio::spawn(async move { call(&channel, &RACE).await })
        });
        for call in calls.collect::<Vec<_>>() {
            assert_eq!(call.await.unwrap(), "told");
        }
    }
}

#[tokio::test]
async fn panic_among_calls_that_arrive_together_ends_its_own() {
    for handlers in [Handlers::Inline, Handlers::Spawned] {
        let (channel, _serving) = served(&Arc::default(), handlers).await;
        let calls = (0..20).map(|number: usize| {
            let channel = channel.clone();
            let message = if number % 3 == 1 { Bytes::from_static(b"panic") } else { Bytes::new() };
            tokio::spawn(async move { channel.unary(&PANIC, message).await })
        });
        for (number, call) in calls.collect::<Vec<_>>().into_iter().enumerate() {
            let outcome = within_bounds(number, call).await.unwrap();
            match number % 3 {
                1 => assert_eq!(outcome.unwrap_err().code(), Code::Internal, "{number}"),
                _ => assert_eq!(outcome.unwrap().into_message(), "fine", "{number}"),
            }
        }
    }
}

#[tokio::test]
async fn handler_that_uses_up_the_runtimes_budget_goes_on_in_a_task() {
    let (channel, _serving) = served(&Arc::default(), Handlers::Inline).await;
    let calls = (0..50).map(|_| {
        let channel = channel.clone();
        tokio::spawn(async move { call(&channel, &BUDGET).await })
    });
    for call in calls.collect::<Vec<_>>() {
        assert_eq!(call.await.unwrap(), "499500");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn handlers_that_compute_delay_nobody_when_each_is_a_task() {
    let inline = Arc::<Inline>::default();
    let (channel, _serving) = served(&inline, Handlers::Spawned).await;
    let spinning = channel.clone();
    let spun = tokio::spawn(async move { call(&spinning, &SPIN).await });
    within_bounds("spinning", inline.spinning.notified()).await;
    for _ in 0..20 {
        call(&channel, &WHERE).await;
    }
    inline.spins.store(1, Ordering::Relaxed);
    assert_eq!(spun.await.unwrap(), "spun");
}

#[tokio::test]
async fn streams_that_never_end_leave_room_for_other_calls() {
    for handlers in [Handlers::Inline, Handlers::Spawned] {
        let (channel, _serving) = served(&Arc::default(), handlers).await;
        let mut floods = Vec::new();
        for size in [1000, 100_000] {
            let message = Bytes::from(vec![b'x'; size]);
            let mut flood = channel.server_stream(&FLOOD, message).await.unwrap().into_message();
            floods.push(tokio::spawn(async move {
                while flood.message().await.is_ok_and(|message| message.is_some()) {}
            }));
        }
        for _ in 0..20 {
            call(&channel, &WHERE).await;
        }
        floods.iter().for_each(tokio::task::JoinHandle::abort);
    }
}
