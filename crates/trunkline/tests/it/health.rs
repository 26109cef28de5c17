//! Health while a server stops: who watches is told, let go, and keeps nobody waiting.

use std::time::Duration;

use bytes::Bytes;
use tokio::sync::oneshot;
use trunkline::health::{Health, HealthCheckRequest, HealthClient, HealthListRequest, ServingStatus};
use trunkline::server::Service;
use trunkline::{Code, Limits};

use crate::support::{CHAT, Case, Over, Through, cases, certificates, server, within_bounds};

fn asking(service: &str) -> HealthCheckRequest {
    HealthCheckRequest { service: service.to_owned(), ..HealthCheckRequest::default() }
}

/// What somebody who watches `service` sees from when a shutdown begins.
struct Row {
    service: &'static str,
    said: Option<bool>,
    first: ServingStatus,
    last: Option<ServingStatus>,
}

async fn check(case: &Case, row: &Row, intercepted: bool) {
    let what = format!("{case:?} {:?} {:?}, intercepted {intercepted}", row.service, row.said);
    let health = Health::new();
    if let Some(serving) = row.said {
        health.set_serving(row.service, serving);
    }
    let mut limits = Limits::default();
    // Longer than a test may take: it must not be waited for.
    limits.drain_timeout = Duration::from_secs(3600);
    let (server_tls, client_tls) = certificates();
    let server = server(&std::sync::Arc::default(), &limits);
    let server = match intercepted {
        true => server.service(health.service().intercept(Through)),
        false => server.service(health.service()),
    };
    let server = if case.over == Over::Tls { server.tls(server_tls) } else { server };
    let bound = server.bind("127.0.0.1:0").await.unwrap();
    let channel = case.builder(&bound.target()).tls(client_tls).connect_lazy().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(bound.serve_until(async { drop(stopped.await) }));
    within_bounds(&what, async {
        let client = HealthClient::new(channel);
        let mut watch = client.watch(asking(row.service)).await.unwrap().into_message();
        assert_eq!(watch.message().await.unwrap().unwrap().status, row.first, "{what}");
        stop.send(()).unwrap();
        if let Some(last) = row.last {
            assert_eq!(watch.message().await.unwrap().unwrap().status, last, "{what}");
        }
        let error = watch.message().await.unwrap_err();
        assert_eq!((error.code(), error.is_from_peer()), (Code::Unavailable, true), "{what}: {error}");
        serving.await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn watch_ends_with_its_server() {
    use ServingStatus as S;
    let rows = [
        Row { service: "", said: None, first: S::SERVING, last: Some(S::NOT_SERVING) },
        Row { service: "a.B", said: Some(true), first: S::SERVING, last: Some(S::NOT_SERVING) },
        Row { service: "a.B", said: Some(false), first: S::NOT_SERVING, last: None },
        Row { service: "no.Such", said: None, first: S::SERVICE_UNKNOWN, last: None },
    ];
    for case in cases().into_iter().filter(|case| case.over != Over::Memory) {
        for row in &rows {
            for intercepted in [false, true] {
                check(&case, row, intercepted).await;
            }
        }
    }
}

#[tokio::test]
async fn server_that_stops_is_not_serving_and_one_beside_it_is() {
    let health = Health::new();
    let one = server(&std::sync::Arc::default(), &Limits::default()).service(health.service());
    let other = server(&std::sync::Arc::default(), &Limits::default()).service(health.service());
    let (one, other) = (one.bind("127.0.0.1:0").await.unwrap(), other.bind("127.0.0.1:0").await.unwrap());
    let channels = [one.target(), other.target()]
        .map(|target| trunkline::Channel::builder(&target).connect_lazy().unwrap());
    let (stop, stopped) = oneshot::channel::<()>();
    let stopping = tokio::spawn(one.serve_until(async { drop(stopped.await) }));
    let beside = tokio::spawn(other.serve());
    let [stopped, standing] = channels.clone().map(HealthClient::new);
    within_bounds("stop", async {
        // A call that stands keeps the connection, and the watch tells when the shutdown has begun.
        let mut kept = channels[0].bidi(&CHAT, trunkline::CallOptions::new());
        kept.send(Bytes::from_static(b"a")).await.unwrap();
        kept.message().await.unwrap();
        let mut watch = standing.watch(asking("")).await.unwrap().into_message();
        assert_eq!(watch.message().await.unwrap().unwrap().status, ServingStatus::SERVING);
        assert_eq!(stopped.check(asking("")).await.unwrap().status, ServingStatus::SERVING);
        stop.send(()).unwrap();
        kept.close();
        assert!(kept.message().await.unwrap().is_none());
        stopping.await.unwrap();
        assert_eq!(standing.check(asking("")).await.unwrap().status, ServingStatus::SERVING);
        let list = standing.list(HealthListRequest::default()).await.unwrap().into_message();
        assert!(list.statuses.values().all(|health| health.status == ServingStatus::SERVING));
    })
    .await;
    beside.abort();
}
