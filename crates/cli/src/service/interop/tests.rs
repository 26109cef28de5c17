use trunkline::{CallOptions, Server, testkit};

use super::*;
use crate::proto::grpc::testing::{Payload, TestServiceClient, TestServiceServer};
use crate::service::{ECHO_HEADER, ECHO_TRAILER};

fn client() -> TestServiceClient {
    TestServiceClient::new(testkit::pair(Server::new().service(TestServiceServer::new(Interop))))
}

fn status(code: i32) -> EchoStatus {
    EchoStatus { code, message: "as asked".to_owned(), ..EchoStatus::default() }
}

fn sized(response_size: i32) -> SimpleRequest {
    SimpleRequest { response_size, ..SimpleRequest::default() }
}

fn wanting(sizes: &[i32]) -> StreamingOutputCallRequest {
    let parameters = |&size: &i32| ResponseParameters { size, ..ResponseParameters::default() };
    StreamingOutputCallRequest {
        response_parameters: sizes.iter().map(parameters).collect(),
        ..StreamingOutputCallRequest::default()
    }
}

/// The sizes of the payloads that came, and the code of the end.
async fn sizes(answers: Result<Answers>) -> (Vec<usize>, Code) {
    let mut answers = match answers {
        Ok(answers) => answers.into_message(),
        Err(error) => return (Vec::new(), error.code()),
    };
    let mut seen = Vec::new();
    loop {
        match answers.message().await {
            Ok(Some(answer)) => seen.push(answer.payload.body.len()),
            Ok(None) => return (seen, Code::Ok),
            Err(error) => return (seen, error.code()),
        }
    }
}

#[tokio::test]
async fn unary_call_answers_the_size_or_says_why_not() {
    let check = async |request: SimpleRequest, expected: Result<usize, Code>| {
        let seen = client().unary_call(request.clone()).await;
        let seen = seen.map(|response| response.payload.body.len()).map_err(|error| error.code());
        assert_eq!(seen, expected, "{request:?}");
        let seen = client().cacheable_unary_call(request.clone()).await;
        let seen = seen.map(|response| response.payload.body.len()).map_err(|error| error.code());
        assert_eq!(seen, expected, "{request:?}");
    };
    check(sized(0), Ok(0)).await;
    check(sized(314_159), Ok(314_159)).await;
    check(sized(answers::PAYLOAD_BYTES_MAX), Ok(answers::PAYLOAD_BYTES_MAX as usize)).await;
    check(sized(answers::PAYLOAD_BYTES_MAX + 1), Err(Code::ResourceExhausted)).await;
    check(sized(i32::MAX), Err(Code::ResourceExhausted)).await;
    check(sized(-1), Err(Code::InvalidArgument)).await;
    check(sized(i32::MIN), Err(Code::InvalidArgument)).await;
    check(SimpleRequest { response_type: 7.into(), ..sized(1) }, Err(Code::InvalidArgument)).await;
    let failing = |code| SimpleRequest { response_status: status(code).into(), ..sized(1) };
    check(failing(0), Ok(1)).await;
    check(failing(2), Err(Code::Unknown)).await;
    check(failing(16), Err(Code::Unauthenticated)).await;
    check(failing(17), Err(Code::Unknown)).await;
    check(failing(-1), Err(Code::Unknown)).await;
}

#[tokio::test]
async fn unary_call_gives_the_message_of_the_status() {
    // "special_status_message" of the interop tests: white space and characters beyond ASCII survive.
    let message = "\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n";
    let status = EchoStatus { code: 2, message: message.to_owned(), ..EchoStatus::default() };
    let request = SimpleRequest { response_status: status.into(), ..SimpleRequest::default() };
    assert_eq!(client().unary_call(request).await.unwrap_err().message(), message);
}

#[tokio::test]
async fn unary_call_names_the_server_when_asked_to() {
    let plain = client().unary_call(sized(1)).await.unwrap();
    assert_eq!(plain.server_id, "");
    let named = client().unary_call(SimpleRequest { fill_server_id: true, ..sized(1) }).await.unwrap();
    assert!(named.server_id.starts_with("trunkline-"), "{}", named.server_id);
}

#[tokio::test]
async fn cacheable_call_may_be_kept() {
    let response = client().cacheable_unary_call(sized(1)).await.unwrap();
    assert_eq!(response.metadata().value("cache-control"), Some("max-age=60, public"));
    assert_eq!(client().unary_call(sized(1)).await.unwrap().metadata().value("cache-control"), None);
}

#[tokio::test]
async fn streaming_output_call_answers_each_size_in_order() {
    let check = async |request: StreamingOutputCallRequest, expected: &[usize], code: Code| {
        let seen = sizes(client().streaming_output_call(request).await).await;
        assert_eq!(seen, (expected.to_vec(), code));
    };
    check(wanting(&[]), &[], Code::Ok).await;
    check(wanting(&[31_415, 9, 2_653, 58_979]), &[31_415, 9, 2_653, 58_979], Code::Ok).await;
    check(wanting(&[1, -1, 2]), &[1], Code::InvalidArgument).await;
    check(wanting(&[1, i32::MAX]), &[1], Code::ResourceExhausted).await;
    let unknown = StreamingOutputCallRequest { response_type: (-3).into(), ..wanting(&[1]) };
    check(unknown, &[], Code::InvalidArgument).await;
    let failing = StreamingOutputCallRequest { response_status: status(9).into(), ..wanting(&[1]) };
    check(failing, &[], Code::FailedPrecondition).await;
}

#[tokio::test(start_paused = true)]
async fn streaming_output_call_keeps_its_intervals() {
    let start = tokio::time::Instant::now();
    let mut request = wanting(&[1, 2, 3]);
    for (parameters, interval_us) in request.response_parameters.iter_mut().zip([2_000_000, -5, 500_000]) {
        parameters.interval_us = interval_us;
    }
    let mut answers = client().streaming_output_call(request).await.unwrap().into_message();
    for expected in [2_000, 2_000, 2_500] {
        answers.message().await.unwrap().unwrap();
        let seen = start.elapsed().as_millis();
        // The timer counts in steps of a millisecond.
        assert!((expected..=expected + 2).contains(&seen), "{seen} ms");
    }
}

#[tokio::test]
async fn streaming_input_call_adds_the_sizes_up() {
    let check = async |sizes: &[usize], expected: i32| {
        let request = |&size: &usize| StreamingInputCallRequest {
            payload: Payload { body: vec![0; size], ..Payload::default() }.into(),
            ..StreamingInputCallRequest::default()
        };
        let requests: Vec<_> = sizes.iter().map(request).collect();
        let response = client().streaming_input_call(Request::new(Streaming::from_iter(requests))).await;
        assert_eq!(response.unwrap().aggregated_payload_size, expected);
    };
    check(&[], 0).await;
    check(&[0, 0], 0).await;
    check(&[27_182, 8, 1_828, 45_904], 74_922).await;
}

#[tokio::test]
async fn full_duplex_call_answers_as_requests_come() {
    let mut call = client().full_duplex_call();
    for sizes in [&[31_415][..], &[], &[9, 2_653], &[0]] {
        call.send(wanting(sizes)).await.unwrap();
        for &size in sizes {
            assert_eq!(call.message().await.unwrap().unwrap().payload.body.len(), size as usize);
        }
    }
    let failing = StreamingOutputCallRequest { response_status: status(2).into(), ..wanting(&[1]) };
    call.send(failing).await.unwrap();
    let error = call.message().await.unwrap_err();
    assert_eq!((error.code(), error.message()), (Code::Unknown, "as asked"));
}

#[tokio::test]
async fn half_duplex_call_answers_after_the_last_request() {
    let check = async |requests: Vec<StreamingOutputCallRequest>, expected: &[usize], code: Code| {
        let mut call = client().half_duplex_call();
        for request in requests {
            call.send(request).await.unwrap();
        }
        call.close();
        let (_sender, answers) = call.split();
        assert_eq!(sizes(Ok(Response::new(answers))).await, (expected.to_vec(), code));
    };
    check(vec![], &[], Code::Ok).await;
    check(vec![wanting(&[1, 2]), wanting(&[]), wanting(&[3])], &[1, 2, 3], Code::Ok).await;
    check(vec![wanting(&vec![0; HALF_DUPLEX_ANSWERS_MAX + 1])], &[], Code::ResourceExhausted).await;
    let failing = StreamingOutputCallRequest { response_status: status(5).into(), ..wanting(&[1]) };
    check(vec![wanting(&[1]), failing], &[], Code::NotFound).await;
}

#[tokio::test]
async fn empty_and_unimplemented_calls() {
    assert_eq!(client().empty_call(Empty::default()).await.unwrap().into_message(), Empty::default());
    let error = client().unimplemented_call(Empty::default()).await.unwrap_err();
    assert_eq!(error.code(), Code::Unimplemented);
}

#[tokio::test]
async fn metadata_comes_back_on_every_shape() {
    let mut options = CallOptions::new();
    options.metadata_mut().append(ECHO_HEADER, "test_initial_metadata_value").unwrap();
    options.metadata_mut().append_bin(ECHO_TRAILER, &[0xab, 0xab, 0xab]).unwrap();
    let trailer =
        |metadata: Option<&trunkline::Metadata>| metadata.and_then(|metadata| metadata.bin(ECHO_TRAILER));
    let mut request = Request::new(sized(1));
    *request.metadata_mut() = options.metadata_mut().clone();
    let response = client().unary_call(request).await.unwrap();
    assert_eq!(response.metadata().value(ECHO_HEADER), Some("test_initial_metadata_value"));
    assert_eq!(trailer(Some(response.trailers())).as_deref(), Some(&[0xab; 3][..]));

    let mut call = client().full_duplex_call_with(options.clone());
    call.send(wanting(&[1])).await.unwrap();
    call.close();
    while call.message().await.unwrap().is_some() {}
    assert_eq!(call.headers().await.unwrap().value(ECHO_HEADER), Some("test_initial_metadata_value"));
    assert_eq!(trailer(call.trailers()).as_deref(), Some(&[0xab; 3][..]));

    let mut request = Request::new(SimpleRequest { response_status: status(3).into(), ..sized(1) });
    *request.metadata_mut() = options.metadata_mut().clone();
    let error = client().unary_call(request).await.unwrap_err();
    assert_eq!(trailer(Some(error.metadata())).as_deref(), Some(&[0xab; 3][..]));
}
