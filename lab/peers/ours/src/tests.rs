//! One row for each shape of a call and each source of a stream.

use proto::bench::v1::BenchServiceClient;
use trunkline::testkit;

use super::*;

fn client() -> BenchServiceClient {
    BenchServiceClient::new(testkit::pair(Server::new().service(BenchServiceServer::new(Bench))))
}

fn message() -> Msg {
    Msg { payload: b"tea".to_vec(), ..Default::default() }
}

async fn check_source(mode: u32, wants: std::result::Result<usize, &str>) {
    let request = StreamReq { count: 40, size: 3, mode, ..Default::default() };
    let seen = async {
        let mut answers = client().server_stream(request).await?.into_message();
        let mut seen = 0;
        while let Some(answer) = answers.message().await? {
            assert_eq!(answer.payload, b"xxx");
            seen += 1;
        }
        Ok::<_, Error>(seen)
    };
    let seen = seen.await;
    match wants {
        Ok(count) => assert_eq!(seen.expect("the stream ends well"), count, "mode {mode}"),
        Err(text) => assert_eq!(seen.expect_err("the mode is refused").message(), text),
    }
}

#[tokio::test]
async fn streams_of_each_source_have_what_was_asked_for() {
    check_source(0, Ok(40)).await;
    check_source(1, Ok(40)).await;
    check_source(2, Ok(40)).await;
    check_source(3, Err("mode 3 is none of 0, 1 and 2")).await;
}

#[tokio::test]
async fn requests_come_back_or_are_counted() {
    let client = client();
    assert_eq!(client.echo(message()).await.expect("echoed").payload, b"tea");
    let summary = client.client_stream(Streaming::from_iter([message(), message()])).await.expect("counted");
    assert_eq!((summary.count, summary.bytes), (2, 6));
    let mut talk = client.bidi();
    talk.send(message()).await.expect("sent");
    assert_eq!(talk.message().await.expect("echoed"), Some(message()));
    talk.close();
    assert_eq!(talk.message().await.expect("ended"), None);
}

#[test]
fn command_line_needs_a_port() {
    let parse = |line: &str| parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    assert_eq!(parse("9000"), Some((9000, 2)));
    assert_eq!(parse("9000 0"), Some((9000, 0)));
    for wrong in ["", "x", "9000 x", "9000 1 2"] {
        assert_eq!(parse(wrong), None, "{wrong}");
    }
}
