//! `trunkline-bench-server PORT [WORKERS]`: the service of the bench lab, as a user would write it.
//!
//! It decides how each shape of a call is served. It must not know how it is measured, and has no setting that a user lacks: what
//! it shows is what users get.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use proto::bench::v1::{BenchService, BenchServiceServer, Msg, StreamReq, Summary};
use trunkline::{Error, Request, Response, Result, Server, Streaming};

mod proto {
    trunkline::include_protos!();
}

/// How many messages wait between a task that produces and the stream. All peers use the same.
const QUEUE_MESSAGES: usize = 16;

struct Bench;

impl BenchService for Bench {
    async fn echo(&self, request: Request<Msg>) -> Result<Response<Msg>> {
        Ok(request.into_message().into())
    }

    async fn server_stream(&self, request: Request<StreamReq>) -> Result<Response<Streaming<Msg>>> {
        let StreamReq { count, size, mode, .. } = request.into_message();
        let message = Msg { payload: vec![b'x'; size as usize], ..Default::default() };
        match mode {
            0 => Ok(Streaming::from_iter((0..count).map(move |_| message.clone())).into()),
            1 => Ok(produced(count, message).into()),
            2 => Ok(generated(count, message).into()),
            other => Err(Error::invalid_argument(format!("mode {other} is none of 0, 1 and 2"))),
        }
    }

    async fn client_stream(&self, mut request: Request<Streaming<Msg>>) -> Result<Response<Summary>> {
        let mut summary = Summary::default();
        while let Some(message) = request.message().await? {
            summary.count += 1;
            summary.bytes += message.payload.len() as u64;
        }
        Ok(summary.into())
    }

    async fn bidi(&self, request: Request<Streaming<Msg>>) -> Result<Response<Streaming<Msg>>> {
        Ok(request.into_message().map(Ok).into())
    }
}

/// A task sends, the stream passes on.
fn produced(count: u32, message: Msg) -> Streaming<Msg> {
    let (sender, messages) = Streaming::channel(QUEUE_MESSAGES);
    tokio::spawn(async move {
        for _ in 0..count {
            if sender.send(message.clone()).await.is_err() {
                break;
            }
        }
    });
    messages
}

/// The stream asks for the next message when it has room for it.
fn generated(count: u32, message: Msg) -> Streaming<Msg> {
    Streaming::unfold((count, message), async |(left, message)| {
        if left == 0 {
            return Ok(None);
        }
        Ok(Some((message.clone(), (left - 1, message))))
    })
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((port, workers)) = parse(&words) else {
        eprintln!("usage: trunkline-bench-server PORT [WORKERS]   (0 workers: one thread for everything)");
        return ExitCode::from(2);
    };
    match serve(port, workers) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The port and the number of worker threads.
fn parse(words: &[String]) -> Option<(u16, usize)> {
    match words {
        [port] => Some((port.parse().ok()?, 2)),
        [port, workers] => Some((port.parse().ok()?, workers.parse().ok()?)),
        _ => None,
    }
}

fn serve(port: u16, workers: usize) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let runtime = match workers {
        0 => tokio::runtime::Builder::new_current_thread().enable_all().build()?,
        _ => tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build()?,
    };
    runtime.block_on(async {
        let server = Server::new().service(BenchServiceServer::new(Bench));
        server.bind(&format!("127.0.0.1:{port}")).await?.serve().await;
        Ok(())
    })
}

#[cfg(test)]
mod tests;
