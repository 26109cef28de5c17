//! `bench-connectrpc-server PORT [WORKERS]`: the service of the bench lab on connectrpc.
//!
//! It must not know how it is measured.

#![forbid(unsafe_code)]
#![allow(refining_impl_trait, reason = "as the documentation of connectrpc writes handlers")]

use std::sync::Arc;

use bench_connectrpc::bench::v1::{BenchService, Msg, StreamReq, Summary};
use connectrpc::{
    InboundStream, RequestContext, Response, Router, ServiceRequest, ServiceResult, ServiceStream,
};
use futures::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

/// How many messages wait between a task that produces and the stream. All peers use the same.
const QUEUE_MESSAGES: usize = 16;

struct Bench;

impl BenchService for Bench {
    async fn echo(&self, _: RequestContext, request: ServiceRequest<'_, Msg>) -> ServiceResult<Msg> {
        Response::ok(request.to_owned_message())
    }

    async fn server_stream(
        &self,
        _: RequestContext,
        request: ServiceRequest<'_, StreamReq>,
    ) -> ServiceResult<ServiceStream<Msg>> {
        let (count, size, mode) = (request.count, request.size, request.mode);
        let message = Msg { payload: vec![b'x'; size as usize].into(), ..Default::default() };
        if mode == 0 {
            let source = futures::stream::iter((0..count).map(move |_| Ok(message.clone())));
            return Response::ok(Box::pin(source) as ServiceStream<Msg>);
        }
        let (sender, messages) = tokio::sync::mpsc::channel(QUEUE_MESSAGES);
        tokio::spawn(async move {
            for _ in 0..count {
                if sender.send(Ok(message.clone())).await.is_err() {
                    break;
                }
            }
        });
        Response::ok(Box::pin(ReceiverStream::new(messages)) as ServiceStream<Msg>)
    }

    async fn client_stream(
        &self,
        _: RequestContext,
        mut messages: InboundStream<Msg>,
    ) -> ServiceResult<Summary> {
        let mut summary = Summary::default();
        while let Some(message) = messages.next().await {
            summary.count += 1;
            summary.bytes += message?.view().payload.len() as u64;
        }
        Response::ok(summary)
    }

    async fn bidi(
        &self,
        _: RequestContext,
        messages: InboundStream<Msg>,
    ) -> ServiceResult<ServiceStream<Msg>> {
        Response::stream_ok(messages.map(|message| message.map(|message| message.to_owned_message())))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let port = words.first().ok_or("usage: bench-connectrpc-server PORT [WORKERS]")?;
    let workers: usize = words.get(1).map_or(Ok(2), |word| word.parse())?;
    let mut builder = match workers {
        0 => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    let runtime = builder.worker_threads(workers.max(1)).enable_all().build()?;
    let router = Router::new().add_service(Arc::new(Bench));
    let address = format!("127.0.0.1:{port}").parse()?;
    match runtime.block_on(connectrpc::Server::new(router).serve(address)) {
        Ok(()) => Ok(()),
        Err(error) => Err(error.to_string().into()),
    }
}
