//! The service over the real codec and wire, without a socket.

use trunkline::{CallOptions, Code, Metadata, Request, Server, Streaming, testkit};
use trunkline_conformance::proto::connectrpc::conformance::v1 as messages;
use trunkline_conformance::suite;

use self::messages::conformance_payload::RequestInfo;
use self::messages::unary_response_definition::Response as Asked;
use self::messages::{
    BidiStreamRequest, ClientStreamRequest, ConformanceServiceClient, ConformanceServiceServer, Header,
    ServerStreamRequest, StreamResponseDefinition, UnaryRequest, UnaryResponseDefinition,
    UnimplementedRequest,
};
use crate::service::Conformance;

#[tokio::test]
async fn unary_answers_as_defined() {
    let bare = answered(UnaryRequest::default()).await;
    assert_eq!((bare.data.as_slice(), bare.requests), (&b""[..], 1));
    let response = Some(Asked::ResponseData(b"data".to_vec()));
    let definition = UnaryResponseDefinition { response, ..metadata_of_once() };
    let full = answered(UnaryRequest { response_definition: definition.into(), ..Default::default() }).await;
    assert_eq!((full.data.as_slice(), full.requests), (&b"data"[..], 1));
    assert_eq!((full.header.as_deref(), full.trailer.as_deref()), (Some("1"), Some("2")));
}

#[tokio::test]
async fn unary_fails_as_defined() {
    let response = Some(Asked::Error(Box::new(asked_error())));
    let definition = UnaryResponseDefinition { response, ..metadata_of_once() };
    let request = UnaryRequest { response_definition: definition.into(), ..Default::default() };
    let error = client().unary(request).await.unwrap_err();
    assert_eq!((error.code(), error.message()), (Code::Aborted, "as asked"));
    assert_eq!(seen(&error), Some(1));
    assert_eq!((error.metadata().value("x-head"), error.metadata().value("x-tail")), (Some("1"), Some("2")));
}

#[tokio::test]
async fn unary_sees_metadata_and_timeout() {
    let request = Request::new(UnaryRequest::default()).with_metadata("x-mine", "a").unwrap();
    let request = request.with_timeout(std::time::Duration::from_secs(20));
    let response = client().unary(request).await.unwrap();
    let seen = &response.payload.request_info;
    assert!(seen.request_headers.contains(&header("x-mine", "a")), "{seen:?}");
    assert!(seen.timeout_ms.is_some_and(|timeout| (19_000..=20_000).contains(&timeout)), "{seen:?}");
}

#[tokio::test]
async fn unimplemented_is_left_out() {
    let error = client().unimplemented(UnimplementedRequest::default()).await.unwrap_err();
    assert_eq!(error.code(), Code::Unimplemented);
}

#[tokio::test]
async fn client_stream_takes_the_first_definition() {
    let response = Some(Asked::ResponseData(b"first".to_vec()));
    let first = UnaryResponseDefinition { response, ..Default::default() };
    let second = UnaryResponseDefinition { response: Some(asked_error().into()), ..Default::default() };
    let requests = [first, second].map(|definition| ClientStreamRequest {
        response_definition: definition.into(),
        ..Default::default()
    });
    for (requests, data) in [(&requests[..], &b"first"[..]), (&[], b"")] {
        let stream = Request::new(Streaming::from_iter(requests.to_vec()));
        let response = client().client_stream(stream).await.unwrap();
        assert_eq!(response.payload.data, data);
        assert_eq!(response.payload.request_info.requests.len(), requests.len());
    }
}

#[tokio::test]
async fn server_stream_follows_the_script() {
    check_server_stream(&[], false).await;
    check_server_stream(&[], true).await;
    check_server_stream(&["a"], false).await;
    check_server_stream(&["a", "b", "c"], true).await;
}

#[tokio::test]
async fn bidi_stream_follows_the_script() {
    // Requests, payloads, whether an error ends it, and which requests each answer has seen.
    for full_duplex in [false, true] {
        check_bidi(full_duplex, 0, &[], false, &[]).await;
        check_bidi(full_duplex, 1, &[], true, &[]).await;
        check_bidi(full_duplex, 1, &["a", "b"], false, &[1, 0]).await;
    }
    check_bidi(false, 3, &["a", "b"], true, &[3, 0]).await;
    check_bidi(true, 2, &["a", "b"], true, &[1, 1]).await;
    check_bidi(true, 3, &["a", "b"], false, &[1, 1]).await;
    check_bidi(true, 2, &["a", "b", "c", "d"], true, &[1, 1, 0, 0]).await;
}

async fn check_server_stream(data: &[&str], fails: bool) {
    let request =
        ServerStreamRequest { response_definition: script(data, fails).into(), ..Default::default() };
    let response = client().server_stream(request).await.unwrap();
    assert_eq!(response.metadata().value("x-head"), Some("1"));
    let mut messages = response.into_message();
    for (index, data) in data.iter().enumerate() {
        let message = messages.message().await.unwrap().unwrap();
        assert_eq!(message.payload.data, data.as_bytes());
        assert_eq!(message.payload.request_info.is_set(), index == 0);
    }
    check_end(messages.message().await.map(|message| message.is_none()), fails, data.is_empty().then_some(1));
    assert_eq!(messages.trailers().and_then(|trailers| trailers.value("x-tail")), Some("2"));
}

async fn check_bidi(full_duplex: bool, requests: usize, data: &[&str], fails: bool, seen: &[usize]) {
    let mut call = client().bidi_stream_with(CallOptions::new());
    for index in 0..requests {
        let definition = if index == 0 { Some(script(data, fails)) } else { None };
        let request =
            BidiStreamRequest { response_definition: definition.into(), full_duplex, ..Default::default() };
        // A script that has ended takes no more requests; how it ended shows below.
        let _ = call.send(request).await;
    }
    call.close();
    for (data, seen) in data.iter().zip(seen) {
        let message = call.message().await.unwrap().unwrap();
        assert_eq!(message.payload.data, data.as_bytes());
        assert_eq!(message.payload.request_info.requests.len(), *seen, "{full_duplex} {requests} {data:?}");
    }
    check_end(
        call.message().await.map(|message| message.is_none()),
        fails,
        data.is_empty().then_some(requests),
    );
}

fn check_end(end: trunkline::Result<bool>, fails: bool, requests: Option<usize>) {
    match end {
        Ok(is_end) => assert!(is_end && !fails),
        Err(error) => {
            assert!(fails, "{error}");
            assert_eq!((error.code(), error.message()), (Code::Aborted, "as asked"));
            assert_eq!(seen(&error), requests);
        }
    }
}

struct Answered {
    data: Vec<u8>,
    requests: usize,
    header: Option<String>,
    trailer: Option<String>,
}

async fn answered(request: UnaryRequest) -> Answered {
    let (message, headers, trailers) = client().unary(request).await.unwrap().into_parts();
    let value = |metadata: &Metadata, key| metadata.value(key).map(str::to_owned);
    Answered {
        requests: message.payload.request_info.requests.len(),
        data: message.payload.data.clone(),
        header: value(&headers, "x-head"),
        trailer: value(&trailers, "x-tail"),
    }
}

fn client() -> ConformanceServiceClient {
    let server = Server::new().service(ConformanceServiceServer::new(Conformance));
    ConformanceServiceClient::new(testkit::pair(server))
}

/// How many requests the error's detail has seen.
fn seen(error: &trunkline::Error) -> Option<usize> {
    error.message_detail::<RequestInfo>().map(|seen| seen.requests.len())
}

fn asked_error() -> messages::Error {
    suite::error(&trunkline::Error::aborted("as asked"))
}

fn metadata_of_once() -> UnaryResponseDefinition {
    UnaryResponseDefinition {
        response_headers: vec![header("x-head", "1")],
        response_trailers: vec![header("x-tail", "2")],
        ..UnaryResponseDefinition::default()
    }
}

fn script(data: &[&str], fails: bool) -> StreamResponseDefinition {
    StreamResponseDefinition {
        response_headers: vec![header("x-head", "1")],
        response_trailers: vec![header("x-tail", "2")],
        response_data: data.iter().map(|data| data.as_bytes().to_vec()).collect(),
        error: fails.then(asked_error).into(),
        ..StreamResponseDefinition::default()
    }
}

fn header(name: &str, value: &str) -> Header {
    Header { name: name.to_owned(), value: vec![value.to_owned()], ..Header::default() }
}
