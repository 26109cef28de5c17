//! The client that the runner drives: it reads cases from the standard input, makes the call that each describes, and
//! writes what came of it.
//!
//! It decides how many cases run at once and nothing about any of them: `case` makes the calls.

#![forbid(unsafe_code)]

mod case;
mod channels;
mod report;
mod streams;
mod unary;

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use trunkline_conformance::proto::connectrpc::conformance::v1::{ClientCompatRequest, ClientCompatResponse};
use trunkline_conformance::{frame, http2, suite};

use self::channels::Channels;

/// Cases that run at once. Most of them wait for a server most of their time.
const CASES_IN_FLIGHT_MAX: usize = 32;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("trunkline-conformance-client: {error}");
            ExitCode::FAILURE
        }
    }
}

/// All cases of the runner.
///
/// # Errors
/// The command line is not understood, a frame from the runner is broken, or it takes no more results.
async fn run() -> io::Result<()> {
    let http2 = http2::chosen(std::env::args().skip(1)).map_err(io::Error::other)?;
    suite::register();
    let (results, queue) = mpsc::channel(CASES_IN_FLIGHT_MAX);
    let writer = tokio::spawn(write_results(queue));
    let read = read_cases(&results, Channels::new(http2)).await;
    // The writer ends when the last case has handed over its result.
    drop(results);
    let written = joined(writer).await;
    read.and(written)
}

/// Starts each case as it comes, as far as there is room, until the runner has no more. Cases may end in any order: the
/// runner knows each result by its name.
///
/// # Errors
/// A frame is cut, too long, or holds something else. Cases that run go on to their end.
async fn read_cases(results: &mpsc::Sender<ClientCompatResponse>, channels: Channels) -> io::Result<()> {
    let mut source = tokio::io::stdin();
    let room = Arc::new(Semaphore::new(CASES_IN_FLIGHT_MAX));
    let channels = Arc::new(channels);
    while let Some(asked) = frame::read::<ClientCompatRequest>(&mut source).await? {
        let permit = Arc::clone(&room).acquire_owned().await.map_err(io::Error::other)?;
        let (results, channels) = (results.clone(), Arc::clone(&channels));
        tokio::spawn(async move {
            let name = asked.test_name.clone();
            // A case that panics must not stay without a result: the runner would wait for it until it gives up.
            let run = tokio::spawn(async move { case::run(&asked, &channels).await }).await;
            let outcome = run.unwrap_or_else(|error| Err(format!("the case ended early: {error}")));
            // Nobody takes results when writing has failed, and that ends the program.
            let _ = results.send(report::response(name, outcome)).await;
            drop(permit);
        });
    }
    Ok(())
}

/// Writes results until every case has handed over its own. One task writes them, so that they never mix.
///
/// # Errors
/// The runner takes no more.
async fn write_results(mut queue: mpsc::Receiver<ClientCompatResponse>) -> io::Result<()> {
    let mut target = tokio::io::stdout();
    while let Some(result) = queue.recv().await {
        frame::write(&mut target, &result).await?;
    }
    Ok(())
}

/// The outcome of a task, or that it panicked.
async fn joined(task: JoinHandle<io::Result<()>>) -> io::Result<()> {
    task.await.map_err(io::Error::other)?
}
