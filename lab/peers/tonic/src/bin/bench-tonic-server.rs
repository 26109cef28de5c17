//! `bench-tonic-server PORT [WORKERS]`: the service of the bench lab on tonic, as its documentation shows it.
//!
//! It must not know how it is measured.

#![forbid(unsafe_code)]

use std::pin::Pin;

use bench_tonic::proto::bench_service_server::{BenchService, BenchServiceServer};
use bench_tonic::proto::{Msg, StreamReq, Summary};
use bytes::Bytes;
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt};
use tonic::{Request, Response, Status, Streaming};

/// How many messages wait between a task that produces and the stream. All peers use the same.
const QUEUE_MESSAGES: usize = 16;

struct Bench;

type Answers = Pin<Box<dyn Stream<Item = Result<Msg, Status>> + Send>>;

#[tonic::async_trait]
impl BenchService for Bench {
    type ServerStreamStream = Answers;
    type BidiStream = Answers;

    async fn echo(&self, request: Request<Msg>) -> Result<Response<Msg>, Status> {
        Ok(Response::new(request.into_inner()))
    }

    async fn server_stream(&self, request: Request<StreamReq>) -> Result<Response<Answers>, Status> {
        let StreamReq { count, size, mode } = request.into_inner();
        let message = Msg { payload: Bytes::from(vec![b'x'; size as usize]) };
        if mode == 0 {
            let source = tokio_stream::iter((0..count).map(move |_| Ok(message.clone())));
            return Ok(Response::new(Box::pin(source)));
        }
        let (sender, messages) = tokio::sync::mpsc::channel(QUEUE_MESSAGES);
        tokio::spawn(async move {
            for _ in 0..count {
                if sender.send(Ok(message.clone())).await.is_err() {
                    break;
                }
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(messages))))
    }

    async fn client_stream(&self, request: Request<Streaming<Msg>>) -> Result<Response<Summary>, Status> {
        let (mut messages, mut summary) = (request.into_inner(), Summary::default());
        while let Some(message) = messages.message().await? {
            summary.count += 1;
            summary.bytes += message.payload.len() as u64;
        }
        Ok(Response::new(summary))
    }

    async fn bidi(&self, request: Request<Streaming<Msg>>) -> Result<Response<Answers>, Status> {
        Ok(Response::new(Box::pin(request.into_inner().map(|message| message))))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let port = words.first().ok_or("usage: bench-tonic-server PORT [WORKERS]")?;
    let workers: usize = words.get(1).map_or(Ok(2), |word| word.parse())?;
    let mut builder = match workers {
        0 => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    let runtime = builder.worker_threads(workers.max(1)).enable_all().build()?;
    let server = tonic::transport::Server::builder().tcp_nodelay(true);
    let service = BenchServiceServer::new(Bench);
    runtime.block_on({ server }.add_service(service).serve(format!("127.0.0.1:{port}").parse()?))?;
    Ok(())
}
