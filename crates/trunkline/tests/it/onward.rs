//! Deadlines as instants, and how they are handed on: by a caller, by a handler, by an interceptor for one run.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;
use trunkline::interceptor::{Interceptor, Next, Payload};
use trunkline::server::{Routes, Service};
use trunkline::{
    Bidi, CallOptions, Channel, Code, Error, Procedure, Request, Response, Result, Server, Streaming, testkit,
};

use crate::support::{CHAT, Case, FACTS, HANG, Proc, between, cases, within_bounds};

/// The seconds, rounded up to tens, within which the server says that the call must end.
async fn seconds(channel: &Channel, request: Request<Bytes>) -> Option<u64> {
    let reply = channel.unary(&FACTS, request).await.unwrap().into_message();
    let text = String::from_utf8(reply.to_vec()).unwrap();
    let within = text.split(' ').find_map(|fact| fact.strip_prefix("within:Some("))?;
    within.trim_end_matches(')').parse().ok()
}

fn seconds_from_now(seconds: u64) -> Instant {
    Instant::now() + Duration::from_secs(seconds)
}

/// What a channel, a request and an interceptor may say of the end of a call.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    channel: Option<u64>,
    timeout: Option<u64>,
    deadline: Option<u64>,
    /// Of the interceptor, for each run; there is none unless it says something.
    run: Option<Said>,
    expected: u64,
}

#[derive(Debug, Clone, Copy)]
enum Said {
    Nothing,
    Timeout(u64),
    Deadline(u64),
    /// It makes a request of its own.
    Anew,
}

impl Interceptor for Said {
    async fn intercept(
        &self,
        request: Request<Streaming<Payload>>,
        next: Next<'_>,
    ) -> Result<Response<Streaming<Payload>>> {
        next.run(match *self {
            Self::Nothing => request,
            Self::Timeout(seconds) => request.with_timeout(Duration::from_secs(seconds)),
            Self::Deadline(seconds) => request.with_deadline(seconds_from_now(seconds)),
            Self::Anew => Request::new(request.into_message()),
        })
        .await
    }
}

async fn check(case: &Case, row: Row) {
    let build = |builder: trunkline::ChannelBuilder| {
        let builder = match row.channel {
            Some(seconds) => builder.timeout(Duration::from_secs(seconds)),
            None => builder,
        };
        row.run.into_iter().fold(builder, trunkline::ChannelBuilder::intercept)
    };
    let (channel, _serving) = between(case, |server| server, build).await;
    let mut request = Request::new(Bytes::new());
    if let Some(seconds) = row.timeout {
        request = request.with_timeout(Duration::from_secs(seconds));
    }
    if let Some(seconds) = row.deadline {
        request = request.with_deadline(seconds_from_now(seconds));
    }
    let seen = within_bounds((case, row), seconds(&channel, request)).await;
    assert_eq!(seen, Some(row.expected), "{case:?} {row:?}");
}

#[tokio::test]
async fn earliest_end_counts() {
    let row = Row::default();
    let rows = [
        Row { deadline: Some(50), expected: 50, ..row },
        Row { deadline: Some(50), timeout: Some(70), expected: 50, ..row },
        Row { deadline: Some(50), timeout: Some(30), expected: 30, ..row },
        Row { deadline: Some(50), channel: Some(30), expected: 30, ..row },
        Row { deadline: Some(50), channel: Some(70), expected: 50, ..row },
        // A timeout of the call takes the place of the channel's.
        Row { deadline: Some(50), timeout: Some(60), channel: Some(30), expected: 50, ..row },
        Row { deadline: Some(50), run: Some(Said::Nothing), expected: 50, ..row },
        Row { channel: Some(30), timeout: Some(60), run: Some(Said::Nothing), expected: 60, ..row },
        Row { deadline: Some(50), run: Some(Said::Anew), expected: 50, ..row },
        Row { deadline: Some(50), run: Some(Said::Timeout(20)), expected: 20, ..row },
        Row { deadline: Some(50), run: Some(Said::Deadline(20)), expected: 20, ..row },
        Row { deadline: Some(50), run: Some(Said::Timeout(90)), expected: 50, ..row },
        Row { channel: Some(50), run: Some(Said::Deadline(90)), expected: 50, ..row },
        Row { run: Some(Said::Timeout(20)), expected: 20, ..row },
    ];
    for case in cases() {
        for row in rows {
            check(&case, row).await;
        }
    }
}

#[tokio::test]
async fn deadline_that_has_passed_ends_the_call() {
    for case in cases() {
        let (channel, _serving) = between(&case, |server| server, |builder| builder).await;
        let past = Request::new(Bytes::new()).with_deadline(Instant::now());
        let error = within_bounds(case, channel.unary(&HANG, past)).await.unwrap_err();
        assert_eq!(error.code(), Code::DeadlineExceeded, "{case:?}: {error}");
        let mut call: Bidi<Bytes, Bytes> =
            channel.bidi(&CHAT, CallOptions::new().with_deadline(Instant::now()));
        let error = within_bounds(case, call.message()).await.unwrap_err();
        assert_eq!(error.code(), Code::DeadlineExceeded, "{case:?}: {error}");
    }
}

/// Asks the server behind it what it knows of the call made to serve this one.
struct Front(Channel);

const ASK: Proc = Procedure::unary("test.v1.Front", "Ask", "/test.v1.Front/Ask");

impl Service for Front {
    fn name(&self) -> &'static str {
        "test.v1.Front"
    }

    fn register(self, routes: &mut Routes) {
        routes.unary(&ASK, &std::sync::Arc::new(self), |front, request: Request<Bytes>| async move {
            let onward = Request::new(Bytes::new()).within(request.context());
            Ok::<_, Error>(front.0.unary(&FACTS, onward).await?.into_message().into())
        });
    }
}

#[tokio::test]
async fn handler_hands_its_deadline_on() {
    for case in cases() {
        let (back, _serving) = between(&case, |server| server, |builder| builder).await;
        let front = testkit::pair(Server::new().service(Front(back)));
        // Without a word of the caller it is the limit of the server in front.
        for (timeout, expected) in [(None, "within:Some(86400)"), (Some(50), "within:Some(50)")] {
            let mut request = Request::new(Bytes::new());
            if let Some(seconds) = timeout {
                request = request.with_timeout(Duration::from_secs(seconds));
            }
            let reply = within_bounds(case, front.unary(&ASK, request)).await.unwrap().into_message();
            let facts = String::from_utf8(reply.to_vec()).unwrap();
            assert!(facts.split(' ').any(|fact| fact == expected), "{case:?}: {facts}");
        }
    }
}
