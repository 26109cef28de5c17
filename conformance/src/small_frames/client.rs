//! Calls of one kind over one connection, and how many of them failed.
//!
//! It decides when a call is whole. It must not know who answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::task::JoinSet;
use trunkline::{CallOptions, Channel, Error, Protocol, Request, Result, Streaming};
use trunkline_conformance::proto::trunkline::lab::small_frames::v1::{Piece, SmallFramesClient};

use crate::{CALL_TIMEOUT, Fault, MESSAGES, PAYLOAD_BYTES, pace};

/// Who sends the many messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Pull,
    Push,
    Talk,
}

/// What the command line asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Load {
    direction: Direction,
    /// Calls at a time.
    streams: u32,
    /// Calls that each of those makes, one after the other.
    calls: u32,
    is_slow: bool,
}

impl Load {
    /// Reads `pull|push|talk STREAMS CALLS fast|slow`.
    ///
    /// # Errors
    /// Anything else.
    pub(crate) fn parse(words: &[&str]) -> std::result::Result<Self, Fault> {
        let [direction, streams, calls, pace] = words else {
            return Err("a load has four words: pull|push|talk STREAMS CALLS fast|slow".into());
        };
        Ok(Self {
            direction: match *direction {
                "pull" => Direction::Pull,
                "push" => Direction::Push,
                "talk" => Direction::Talk,
                _ => return Err(format!("`{direction}` is neither pull, push nor talk").into()),
            },
            streams: streams.parse()?,
            calls: calls.parse()?,
            is_slow: match *pace {
                "fast" => false,
                "slow" => true,
                _ => return Err(format!("`{pace}` is neither fast nor slow").into()),
            },
        })
    }
}

/// Makes the calls and prints the account.
///
/// # Errors
/// The address cannot be used. Calls that fail are counted.
pub(crate) async fn run(address: &str, load: Load) -> std::result::Result<(), Fault> {
    let builder = Channel::builder(&format!("http://{address}")).protocol(Protocol::Grpc);
    let channel = builder.timeout(CALL_TIMEOUT).connect_lazy()?;
    let client = SmallFramesClient::new(channel);
    let failed = Arc::new(AtomicU32::new(0));
    let mut callers = JoinSet::new();
    for _ in 0..load.streams {
        let (client, failed) = (client.clone(), Arc::clone(&failed));
        callers.spawn(async move {
            for _ in 0..load.calls {
                if let Err(error) = call(&client, load).await {
                    eprintln!("trunkline-small-frames: {error}");
                    failed.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
    }
    while let Some(ended) = callers.join_next().await {
        ended?;
    }
    println!("calls={} failed={}", load.streams * load.calls, failed.load(Ordering::Relaxed));
    Ok(())
}

/// One call. It must bring as many messages as were sent or asked for.
async fn call(client: &SmallFramesClient, load: Load) -> Result<()> {
    let seen = match load.direction {
        Direction::Pull => counted(client.pull(piece()).await?.into_message(), load.is_slow).await?,
        Direction::Push => {
            let mut request = Request::new(pieces());
            if load.is_slow {
                request = request.with_metadata("slow", "1")?;
            }
            let answer = client.push(request).await?.into_message();
            String::from_utf8_lossy(&answer.payload).parse().unwrap_or_default()
        }
        Direction::Talk => {
            let mut options = CallOptions::new();
            if load.is_slow {
                options = options.with_metadata("slow", "1")?;
            }
            let (mut sender, answers) = client.talk_with(options).split();
            let sending = tokio::spawn(async move { sender.send_all(pieces()).await });
            let seen = counted(answers, load.is_slow).await?;
            sending.await.map_err(|error| Error::internal(error.to_string()))??;
            seen
        }
    };
    match seen {
        MESSAGES => Ok(()),
        _ => Err(Error::data_loss(format!("{seen} of {MESSAGES} messages"))),
    }
}

fn pieces() -> Streaming<Piece> {
    Streaming::from_iter((0..MESSAGES).map(|_| piece()))
}

fn piece() -> Piece {
    Piece { payload: vec![0; PAYLOAD_BYTES], ..Piece::default() }
}

async fn counted(mut answers: Streaming<Piece>, is_slow: bool) -> Result<u32> {
    let mut count = 0;
    while let Some(_piece) = answers.message().await? {
        count += 1;
        pace(is_slow, count).await;
    }
    Ok(count)
}

#[cfg(test)]
mod tests;
