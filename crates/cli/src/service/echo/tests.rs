use trunkline::{Code, Server, testkit};

use super::*;
use crate::proto::trunkline::echo::v1::{EchoServiceClient, EchoServiceServer};

fn client() -> EchoServiceClient {
    EchoServiceClient::new(testkit::pair(Server::new().service(EchoServiceServer::new(Echo))))
}

fn asked(message: &str) -> EchoRequest {
    EchoRequest { message: message.to_owned(), ..EchoRequest::default() }
}

async fn all(mut replies: Streaming<EchoReply>) -> Result<Vec<String>> {
    let mut seen = Vec::new();
    while let Some(reply) = replies.message().await? {
        seen.push(reply.message);
    }
    Ok(seen)
}

#[tokio::test]
async fn echo_says_it_back() {
    for message in ["", "hello", "ä€𝄞", &"x".repeat(100_000)] {
        assert_eq!(client().echo(asked(message)).await.unwrap().message, message);
    }
}

#[tokio::test]
async fn expand_says_it_count_times() {
    let check = async |count: Option<u32>, expected: Result<usize, Code>| {
        let request = EchoRequest { count, ..asked("a") };
        let seen = match client().expand(request).await {
            Ok(replies) => all(replies.into_message()).await,
            Err(error) => Err(error),
        };
        let seen = seen.map(|seen| {
            assert!(seen.iter().all(|message| message == "a"));
            seen.len()
        });
        assert_eq!(seen.map_err(|error| error.code()), expected, "{count:?}");
    };
    check(None, Ok(1)).await;
    check(Some(0), Ok(0)).await;
    check(Some(1), Ok(1)).await;
    check(Some(1000), Ok(1000)).await;
    check(Some(EXPAND_COUNT_MAX), Ok(EXPAND_COUNT_MAX as usize)).await;
    check(Some(EXPAND_COUNT_MAX + 1), Err(Code::InvalidArgument)).await;
    check(Some(u32::MAX), Err(Code::InvalidArgument)).await;
}

#[tokio::test]
async fn collect_joins_by_spaces_within_its_limit() {
    let check = async |messages: Vec<String>, expected: Result<String, Code>| {
        let requests = Streaming::from_iter(messages.into_iter().map(|message| asked(&message)));
        let seen = client().collect(Request::new(requests)).await;
        assert_eq!(seen.map(|reply| reply.into_message().message).map_err(|error| error.code()), expected);
    };
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    check(words(&[]), Ok(String::new())).await;
    check(words(&["a"]), Ok("a".to_owned())).await;
    check(words(&["a", "b", "c"]), Ok("a b c".to_owned())).await;
    check(words(&["", "", "x"]), Ok("  x".to_owned())).await;
    let long = "x".repeat(COLLECT_BYTES_MAX / 2);
    check(vec![long.clone(), long], Err(Code::ResourceExhausted)).await;
}

#[tokio::test]
async fn collect_passes_the_failure_of_its_requests_on() {
    let requests = Streaming::failed(Error::aborted("cut"));
    let error = client().collect(Request::new(requests)).await.unwrap_err();
    assert_eq!(error.code(), Code::Aborted);
}

#[tokio::test]
async fn chat_answers_each_message_before_the_next() {
    let mut chat = client().chat();
    for message in ["a", "", "c"] {
        chat.send(asked(message)).await.unwrap();
        assert_eq!(chat.message().await.unwrap().unwrap().message, message);
    }
    chat.close();
    assert_eq!(chat.message().await.unwrap(), None);
}
