//! What `next.run` says of a call on a channel: of one that answers one message its whole outcome, of a stream its beginning.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use trunkline::interceptor::{Interceptor, Next, Payload};
use trunkline::{Channel, Code, Request, Response, Result, Seen, Shape, Streaming};

use crate::support::{COUNT, Case, ECHO, JOIN, between, cases, within_bounds};

type Log = Arc<Mutex<Vec<String>>>;

/// Writes down what `next.run` has returned, and the trailers that an observer is shown.
#[derive(Clone)]
struct Notes {
    log: Log,
}

impl Interceptor for Notes {
    async fn intercept(
        &self,
        request: Request<Streaming<Payload>>,
        next: Next<'_>,
    ) -> Result<Response<Streaming<Payload>>> {
        let outcome = next.run(request).await;
        let said = match &outcome {
            Ok(response) => format!(
                "ok {:?} {:?}",
                response.metadata().value("echoed"),
                response.trailers().value("echoed-trailer")
            ),
            Err(error) => format!("{} {:?}", error.code(), error.metadata().value("echoed-trailer")),
        };
        self.log.lock().unwrap().push(said);
        let log = Arc::clone(&self.log);
        Ok(outcome?.map(|stream| {
            stream.observe(move |seen| {
                let said = match seen {
                    Seen::Message(_) => return,
                    Seen::Failed(error) => format!("stream {}", error.code()),
                    Seen::End(trailers) => {
                        format!("stream end {:?}", trailers.and_then(|all| all.value("echoed-trailer")))
                    }
                    _ => return,
                };
                log.lock().unwrap().push(said);
            })
        }))
    }
}

async fn call(channel: &Channel, shape: Shape, fail: bool) -> Result<Option<String>> {
    let trailer = |trailers: &trunkline::Metadata| trailers.value("echoed-trailer").map(str::to_owned);
    let one = || {
        let request = Request::new(Bytes::from_static(b"\x01")).with_metadata("echo", "1").unwrap();
        if fail { request.with_metadata("fail", "no").unwrap() } else { request }
    };
    match shape {
        Shape::Unary => Ok(trailer(channel.unary(&ECHO, one()).await?.trailers())),
        Shape::ClientStream => {
            let many = one().map(|message| Streaming::from_iter([message]));
            Ok(trailer(channel.client_stream(&JOIN, many).await?.trailers()))
        }
        _ => {
            let mut stream = channel.server_stream(&COUNT, one()).await?.into_message();
            while stream.message().await?.is_some() {}
            Ok(stream.trailers().and_then(trailer))
        }
    }
}

/// Two interceptors on the channel see `expected`, the inner one first.
async fn check(case: &Case, shape: Shape, fail: bool, expected: &[&str]) {
    let what = format!("{case:?} {shape:?}, fail {fail}");
    let notes = Notes { log: Log::default() };
    let log = Arc::clone(&notes.log);
    let (channel, _serving) =
        between(case, |server| server, |builder| builder.intercept(notes.clone()).intercept(notes)).await;
    let outcome = within_bounds(&what, call(&channel, shape, fail)).await;
    assert_eq!(outcome.is_err(), fail, "{what}: {outcome:?}");
    match outcome {
        Ok(trailer) => assert_eq!(trailer.as_deref(), Some("1"), "{what}"),
        Err(error) => {
            let code = if shape == Shape::ServerStream { Code::DataLoss } else { Code::FailedPrecondition };
            assert_eq!((error.code(), error.is_from_peer()), (code, true), "{what}");
        }
    }
    let twice: Vec<_> = expected.iter().flat_map(|line| [*line, *line]).collect();
    assert_eq!(*log.lock().unwrap(), twice, "{what}");
}

#[tokio::test]
async fn one_answer_is_known_whole_and_a_stream_begun() {
    let whole = &["ok Some(\"1\") Some(\"1\")", "stream end Some(\"1\")"][..];
    let failed = &["failed_precondition Some(\"1\")"][..];
    for case in cases() {
        for shape in [Shape::Unary, Shape::ClientStream] {
            check(&case, shape, false, whole).await;
            check(&case, shape, true, failed).await;
        }
        let stream = &["ok Some(\"1\") None", "stream end Some(\"1\")"];
        check(&case, Shape::ServerStream, false, stream).await;
        check(&case, Shape::ServerStream, true, &["ok Some(\"1\") None", "stream data_loss"]).await;
    }
}
