//! One call of each kind: sends it, times it, and compares the answer with what was asked for.

use std::time::Instant;

use trunkline::{CallOptions, Channel, Code, Metadata, Request, Streaming};

use super::check::{self, Wrong};
use super::plan::Kind;
use super::statistics::Tally;
use crate::proto::grpc::testing::{
    EchoStatus, ResponseParameters, SimpleRequest, StreamingOutputCallRequest, TestServiceClient,
};
use crate::proto::trunkline::echo::v1::{EchoRequest, EchoServiceClient};
use crate::service::{ECHO_HEADER, ECHO_TRAILER};

/// The clients of one row.
#[derive(Clone)]
pub(super) struct Calls {
    echo: EchoServiceClient,
    test: TestServiceClient,
    kind: Kind,
}

/// Messages of one streaming call.
pub(super) const STREAM_MESSAGES: usize = 100;

type Verdict = Result<(), Wrong>;

impl Calls {
    pub(super) fn new(channel: Channel, kind: Kind) -> Self {
        Self { echo: EchoServiceClient::new(channel.clone()), test: TestServiceClient::new(channel), kind }
    }

    /// Makes one call that must succeed. `tag` is in what it sends, so that no answer can pass for another's.
    pub(super) async fn succeed(&self, tag: &str, tally: &mut Tally) -> Verdict {
        match self.kind {
            Kind::Unary | Kind::UnaryJson | Kind::UnaryGet => self.unary(tag, tally).await,
            Kind::ServerStream => self.server_stream(tag, tally).await,
            Kind::ClientStream => self.client_stream(tag, tally).await,
            Kind::Bidi => self.bidi(tag, tally).await,
        }
    }

    /// Makes one call that the server is asked to fail.
    pub(super) async fn fail(&self, tag: &str) -> Verdict {
        let wanted =
            EchoStatus { code: FAILURE.number().into(), message: tag.to_owned(), ..EchoStatus::default() };
        match self.kind {
            Kind::Unary | Kind::UnaryJson | Kind::UnaryGet => {
                let message = SimpleRequest { response_status: wanted.into(), ..SimpleRequest::default() };
                let answer = self.test.unary_call(tagged(Request::new(message), tag)?).await;
                let error = check::failed(FAILURE, tag, answer)?;
                check::trailer(tag, Some(error.metadata()))
            }
            Kind::ServerStream => {
                let message = failing(wanted);
                let mut answers = match self.test.streaming_output_call(message).await {
                    Ok(response) => response.into_message(),
                    // Without a message before it, the error may come as soon as the head.
                    Err(error) => Streaming::failed(error),
                };
                check::failed(FAILURE, tag, answers.message().await).map(drop)
            }
            // The client stream has no failure to ask for; it ends by a request that is cut instead.
            Kind::ClientStream => {
                let cut = Streaming::failed(trunkline::Error::aborted(tag));
                match self.echo.collect(Request::new(cut)).await {
                    Err(error) if error.code() == Code::Aborted => Ok(()),
                    other => Err(Wrong::new(format!("a cut request ended as {other:?}"))),
                }
            }
            Kind::Bidi => {
                let mut chat = self.test.full_duplex_call();
                chat.send(failing(wanted)).await?;
                check::failed(FAILURE, tag, chat.message().await).map(drop)
            }
        }
    }

    async fn unary(&self, tag: &str, tally: &mut Tally) -> Verdict {
        let request = tagged(Request::new(echo_request(tag.to_owned())), tag)?;
        let start = Instant::now();
        let reply = self.echo.echo(request).await?;
        tally.time(start.elapsed());
        check::said(tag, &reply.message)?;
        check::header(tag, reply.metadata())?;
        check::trailer(tag, Some(reply.trailers()))?;
        tally.right(1);
        Ok(())
    }

    /// Each answer is one byte longer than the one before.
    async fn server_stream(&self, tag: &str, tally: &mut Tally) -> Verdict {
        let sizes = (1..).take(STREAM_MESSAGES);
        let response_parameters =
            sizes.map(|size| ResponseParameters { size, ..ResponseParameters::default() }).collect();
        let message =
            StreamingOutputCallRequest { response_parameters, ..StreamingOutputCallRequest::default() };
        let request = tagged(Request::new(message), tag)?;
        let start = Instant::now();
        let (mut answers, headers, _) = self.test.streaming_output_call(request).await?.into_parts();
        let mut count = 0;
        while let Some(answer) = answers.message().await? {
            check::sized(count, answer.payload.body.len())?;
            count += 1;
        }
        tally.time(start.elapsed());
        check::counted(STREAM_MESSAGES, count)?;
        check::header(tag, &headers)?;
        check::trailer(tag, answers.trailers())?;
        tally.right(count as u64);
        Ok(())
    }

    async fn client_stream(&self, tag: &str, tally: &mut Tally) -> Verdict {
        let words: Vec<String> = (0..STREAM_MESSAGES).map(|number| format!("{tag}:{number}")).collect();
        let expected = words.join(" ");
        let requests = Streaming::from_iter(words.into_iter().map(echo_request));
        let request = tagged(Request::new(requests), tag)?;
        let start = Instant::now();
        let reply = self.echo.collect(request).await?;
        tally.time(start.elapsed());
        check::said(&expected, &reply.message)?;
        check::header(tag, reply.metadata())?;
        check::trailer(tag, Some(reply.trailers()))?;
        tally.right(STREAM_MESSAGES as u64);
        Ok(())
    }

    /// Each message waits for the answer to the one before, which only a full-duplex call can do.
    async fn bidi(&self, tag: &str, tally: &mut Tally) -> Verdict {
        let mut options = CallOptions::new();
        put_tag(options.metadata_mut(), tag)?;
        let mut chat = self.echo.chat_with(options);
        for number in 0..STREAM_MESSAGES {
            let said = format!("{tag}:{number}");
            let start = Instant::now();
            if let Err(refused) = chat.send(echo_request(said.clone())).await {
                // The server's own word on why it takes no more is better than ours.
                return Err(chat.message().await.err().unwrap_or(refused).into());
            }
            let reply = chat.message().await?;
            tally.time(start.elapsed());
            let reply = reply.ok_or_else(|| Wrong::new(format!("the answers ended after {number}")))?;
            check::said(&said, &reply.message)?;
        }
        chat.close();
        if let Some(more) = chat.message().await? {
            return Err(Wrong::new(format!("{:?} came after the end", more.message)));
        }
        check::header(tag, chat.headers().await?)?;
        check::trailer(tag, chat.trailers())?;
        tally.right(STREAM_MESSAGES as u64);
        Ok(())
    }
}

/// The failure that the server is asked for: one that no part of the way makes by itself.
const FAILURE: Code = Code::FailedPrecondition;

fn echo_request(message: String) -> EchoRequest {
    EchoRequest { message, ..EchoRequest::default() }
}

fn failing(status: EchoStatus) -> StreamingOutputCallRequest {
    StreamingOutputCallRequest { response_status: status.into(), ..StreamingOutputCallRequest::default() }
}

/// The request, with the metadata that shall come back.
fn tagged<T>(mut request: Request<T>, tag: &str) -> Result<Request<T>, Wrong> {
    put_tag(request.metadata_mut(), tag)?;
    Ok(request)
}

fn put_tag(metadata: &mut Metadata, tag: &str) -> Verdict {
    metadata.append(ECHO_HEADER, tag)?;
    metadata.append_bin(ECHO_TRAILER, tag.as_bytes())?;
    Ok(())
}
