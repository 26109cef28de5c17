//! Streams of many small messages against a peer of another stack, as `cargo xtask small-frames` runs them: the server of
//! `small_frames.proto`, and a client that counts the calls that fail.
//!
//! ```text
//! trunkline-small-frames server                  prints `listening on http://…`, ends with its standard input
//! trunkline-small-frames client ADDRESS pull|push|talk STREAMS CALLS fast|slow
//!                                                prints `calls=… failed=…`
//! ```
//!
//! It decides what the calls send and when one counts as failed. Who is run against whom is decided by the command.

#![forbid(unsafe_code)]

mod client;
mod service;

use std::process::ExitCode;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use trunkline::Server;
use trunkline_conformance::proto::trunkline::lab::small_frames::v1::SmallFramesServer;

use self::client::Load;

/// Messages of a stream.
const MESSAGES: u32 = 1000;

/// Bytes of a message.
const PAYLOAD_BYTES: usize = 100;

/// A call takes less than a second; the calls of a row that all fail by it must end before the row is given up.
const CALL_TIMEOUT: Duration = Duration::from_secs(20);

/// What a slow reader lets pass before it reads on.
const PAUSE: Duration = Duration::from_millis(2);

/// Messages that a slow reader reads between two pauses.
const READ_AT_ONCE: u32 = 100;

/// Whatever keeps the program from doing its work, for the person who reads the log.
type Fault = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["server"] => serve().await,
        ["client", address, load @ ..] => match Load::parse(load) {
            Ok(load) => client::run(address, load).await,
            Err(fault) => Err(fault),
        },
        _ => Err("say `server` or `client ADDRESS pull|push|talk STREAMS CALLS fast|slow`".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("trunkline-small-frames: {fault}");
            ExitCode::FAILURE
        }
    }
}

/// Serves until the standard input ends.
async fn serve() -> Result<(), Fault> {
    let server = Server::new().service(SmallFramesServer::new(service::Echo));
    let bound = server.bind("127.0.0.1:0").await?;
    println!("listening on http://{}", bound.local_address());
    let stop = async {
        // An error is an end as well.
        let _ = tokio::io::stdin().read_to_end(&mut Vec::new()).await;
    };
    bound.serve_until(stop).await;
    Ok(())
}

/// Reads as the other side asked for: a slow reader stops now and then, so that the sender runs into its windows.
async fn pace(is_slow: bool, seen: u32) {
    if is_slow && seen.is_multiple_of(READ_AT_ONCE) {
        tokio::time::sleep(PAUSE).await;
    }
}
