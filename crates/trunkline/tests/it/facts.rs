//! What a handler learns of its call, and what a caller may rely on of the types.

use std::time::Duration;

use bytes::Bytes;
use trunkline::{
    Bidi, CallContext, Channel, Code, Error, Limits, Metadata, Protocol, Request, Response, Sender, Server,
    Streaming,
};

use crate::support::{Case, FACTS, Over, REFUSE, World, cases, within_bounds};

async fn facts(channel: &Channel, request: Request<Bytes>) -> Vec<String> {
    let response = channel.unary(&FACTS, request).await.unwrap_or_else(|error| panic!("{error}"));
    let text = String::from_utf8(response.into_message().to_vec()).unwrap();
    text.split(' ').map(str::to_owned).collect()
}

fn expected(case: &Case) -> Vec<String> {
    let protocol = match case.protocol {
        Protocol::Connect => "connect",
        Protocol::Grpc => "grpc",
        _ => "grpc-web",
    };
    let address = if case.over == Over::Memory { "none" } else { "127.0.0.1" };
    [
        "test.v1.Shapes".to_owned(),
        "Facts".to_owned(),
        "/test.v1.Shapes/Facts".to_owned(),
        "Unary".to_owned(),
        "Idempotent".to_owned(),
        protocol.to_owned(),
        "proto".to_owned(),
        format!("tls:{}", case.over == Over::Tls),
        format!("peer:{address}"),
        format!("local:{address}"),
    ]
    .into()
}

#[tokio::test]
async fn handler_learns_procedure_protocol_peer_and_deadline() {
    let world = World::new().await;
    for case in cases() {
        let channel = world.channel(&case);
        let seen = within_bounds(case, facts(&channel, Request::new(Bytes::new()))).await;
        assert_eq!(seen[..10], expected(&case), "{case:?}");
        assert_eq!(seen[10..], ["asked:None", "within:Some(86400)", "canceled:false"], "{case:?}");
        let request = Request::new(Bytes::new()).with_timeout(Duration::from_secs(50));
        let seen = within_bounds(case, facts(&channel, request)).await;
        assert!(seen[10].starts_with("asked:Some("), "{case:?}: {}", seen[10]);
        assert_eq!(seen[11..], ["within:Some(50)", "canceled:false"], "{case:?}");
    }
}

#[tokio::test]
async fn timeout_of_the_channel_counts_unless_the_call_says_otherwise() {
    let world = World::new().await;
    for case in cases() {
        let channel = world.channel_with(&case, |builder| builder.timeout(Duration::from_secs(30)));
        let seen = within_bounds(case, facts(&channel, Request::new(Bytes::new()))).await;
        assert_eq!(seen[11], "within:Some(30)", "{case:?}");
        let request = Request::new(Bytes::new()).with_timeout(Duration::from_secs(70));
        let seen = within_bounds(case, facts(&channel, request)).await;
        assert_eq!(seen[11], "within:Some(70)", "{case:?}");
    }
}

#[tokio::test]
async fn server_has_the_last_word_on_timeouts() {
    let mut limits = Limits::default();
    limits.timeout_max = Duration::from_secs(20);
    let world = World::with_limits(limits).await;
    for case in cases() {
        let channel = world.channel(&case);
        for timeout in [None, Some(Duration::from_secs(3600)), Some(Duration::from_secs(10))] {
            let mut request = Request::new(Bytes::new());
            if let Some(timeout) = timeout {
                request = request.with_timeout(timeout);
            }
            let seen = within_bounds(case, facts(&channel, request)).await;
            let left = if timeout == Some(Duration::from_secs(10)) { 10 } else { 20 };
            assert_eq!(seen[11], format!("within:Some({left})"), "{case:?} {timeout:?}");
        }
    }
}

#[tokio::test]
async fn error_of_a_handlers_own_becomes_a_status() {
    let world = World::new().await;
    for case in cases() {
        let error = within_bounds(case, world.channel(&case).unary(&REFUSE, Bytes::new())).await.unwrap_err();
        assert_eq!((error.code(), error.message()), (Code::PermissionDenied, "refused: closed"), "{case:?}");
        assert!(error.is_from_peer(), "{case:?}");
    }
}

#[test]
fn types_can_be_sent_to_other_tasks() {
    fn sendable<T: Send + 'static>() {}
    fn shareable<T: Send + Sync + Clone + 'static>() {}
    sendable::<Error>();
    sendable::<Request<Bytes>>();
    sendable::<Response<Bytes>>();
    sendable::<Streaming<Bytes>>();
    sendable::<Bidi<Bytes, Bytes>>();
    sendable::<Sender<Bytes>>();
    sendable::<Server>();
    shareable::<Channel>();
    shareable::<CallContext>();
    shareable::<Metadata>();
    shareable::<Limits>();
}

#[test]
fn futures_of_calls_can_be_sent_to_other_tasks() {
    fn sendable<T: Send>(_: T) {}
    let channel = Channel::builder("http://127.0.0.1:1").connect_lazy().unwrap();
    sendable(channel.unary(&FACTS, Bytes::new()));
    sendable(channel.server_stream(&crate::support::COUNT, Bytes::new()));
    sendable(
        channel.client_stream(&crate::support::JOIN, Request::new(Streaming::from_iter([Bytes::new()]))),
    );
    sendable(Channel::connect("http://127.0.0.1:1"));
}
