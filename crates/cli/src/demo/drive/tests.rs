use trunkline::{Protocol, Server, testkit};

use super::*;
use crate::service;

const KINDS: [Kind; 6] =
    [Kind::Unary, Kind::UnaryJson, Kind::UnaryGet, Kind::ServerStream, Kind::ClientStream, Kind::Bidi];

const LOAD: Load = Load { callers: 2, lasting: Duration::from_millis(20) };

fn channel(server: Server, kind: Kind) -> Channel {
    let builder = Channel::builder("memory").protocol(Protocol::Connect).format(kind.format());
    testkit::pair_with(server, builder.use_get(kind == Kind::UnaryGet))
}

#[tokio::test]
async fn right_answers_are_counted_for_every_kind() {
    for kind in KINDS {
        let (server, _) = service::server();
        let figures = drive(Ok(channel(server, kind)), kind, LOAD).await;
        assert_eq!((figures.errors, figures.wrong), (0, vec![]), "{kind:?}");
        assert!(figures.calls >= u64::from(LOAD.callers), "{kind:?}");
        assert!(figures.per_second > 0.0 && figures.p50 <= figures.p99, "{kind:?}");
    }
}

#[tokio::test]
async fn wrong_answers_are_errors_for_every_kind() {
    for kind in KINDS {
        let figures = drive(Ok(channel(Server::new(), kind)), kind, LOAD).await;
        // Both calls of the trial, and each caller, twice, until it gives up or the time is over.
        assert!(figures.errors >= 2 + 2 * u64::from(LOAD.callers), "{kind:?}: {figures:?}");
        assert!(figures.errors <= 2 + 2 * u64::from(LOAD.callers) * CALLER_ERRORS_MAX, "{kind:?}");
        assert_eq!(figures.calls, 0, "{kind:?}");
        assert!(figures.wrong.iter().any(|wrong| wrong.contains("unimplemented")), "{kind:?}: {figures:?}");
    }
}

#[tokio::test]
async fn channel_that_cannot_be_made_is_one_error() {
    let figures = drive(Err(trunkline::Error::invalid_argument("no target")), Kind::Unary, LOAD).await;
    assert_eq!((figures.errors, figures.wrong), (1, vec!["invalid_argument: no target".to_owned()]));
}
