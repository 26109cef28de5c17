//! Drives one row: one call that fails and one that succeeds by way of trial, then all callers, first uncounted
//! for a moment and then for the time given.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use trunkline::Channel;

use super::calls::Calls;
use super::check::Wrong;
use super::plan::Kind;
use super::statistics::{Figures, Tally};

/// How a row is driven.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    pub(super) callers: u16,
    pub(super) lasting: Duration,
}

/// How long a row is driven before it counts: the first calls meet cold caches and growing buffers.
const WARM_UP: Duration = Duration::from_millis(50);

/// A caller that sees as many wrong answers gives up: what is broken would only fail faster and faster.
const CALLER_ERRORS_MAX: u64 = 100;

/// Drives calls of `kind` over `channel`. A channel that could not be made is the row's error.
pub(super) async fn drive(channel: trunkline::Result<Channel>, kind: Kind, load: Load) -> Figures {
    let mut tally = Tally::new();
    let calls = match channel {
        Ok(channel) => Calls::new(channel, kind),
        Err(error) => {
            tally.wrong(&error.into());
            return tally.figures(Duration::ZERO);
        }
    };
    // Also connects, so that the time for it is in no figure; what is timed here is thrown away.
    let mut trial = Tally::new();
    for verdict in [calls.fail("trial").await, calls.succeed("trial", &mut trial).await] {
        if let Err(wrong) = verdict {
            tally.wrong(&wrong);
        }
    }
    let (warm, _) = drive_for(&calls, Load { lasting: WARM_UP, ..load }).await;
    tally.merge(warm.errors_alone());
    let (counted, elapsed) = drive_for(&calls, load).await;
    tally.merge(counted);
    tally.figures(elapsed)
}

/// All callers at once; gives what they counted, and in what time.
async fn drive_for(calls: &Calls, load: Load) -> (Tally, Duration) {
    let mut tally = Tally::new();
    let start = Instant::now();
    let mut callers = JoinSet::new();
    for caller in 0..load.callers {
        callers.spawn(call_until(calls.clone(), caller, start + load.lasting));
    }
    while let Some(joined) = callers.join_next().await {
        match joined {
            Ok(counted) => tally.merge(counted),
            Err(error) => tally.wrong(&Wrong::new(format!("a caller ended early: {error}"))),
        }
    }
    (tally, start.elapsed())
}

async fn call_until(calls: Calls, caller: u16, end: Instant) -> Tally {
    let mut tally = Tally::new();
    let mut number: u64 = 0;
    while Instant::now() < end && tally.errors() < CALLER_ERRORS_MAX {
        let tag = format!("caller {caller}, call {number}");
        if let Err(wrong) = calls.succeed(&tag, &mut tally).await {
            tally.wrong(&wrong);
        }
        number += 1;
    }
    tally
}

#[cfg(test)]
mod tests;
