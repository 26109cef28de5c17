//! Our machines against the `h2` crate, both roles, over a pipe in memory: what one side sends the other one receives.
//!
//! Which calls are made, and how they end, follows from a seed.

mod ours;
mod theirs;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use tokio::runtime::Builder;
use tokio::time::timeout;

use super::Limits;
use super::seeds::chance;

/// One call, as both sides know it.
#[derive(Debug, Clone)]
struct Plan {
    up: Half,
    down: Half,
    cut: Cut,
}

/// What one side sends.
#[derive(Debug, Clone)]
struct Half {
    bytes: usize,
    /// In pieces of this size.
    piece: usize,
    trailers: bool,
}

/// Whether a call is broken off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    No,
    /// By the client, when it has sent its head and half of its body.
    ByClient,
    /// By the server, when it has seen the head.
    ByServer,
}

/// What a side was told of one call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Heard {
    body: Vec<u8>,
    trailers: Option<HeaderMap>,
    ended: bool,
    reset: Option<u32>,
}

/// What both sides have been told, by call and side.
type Log = Arc<Mutex<HashMap<(usize, Side), Heard>>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    Client,
    Server,
}

/// Streams that a server of theirs takes at once.
const STREAMS_MAX: usize = 10;

/// The code with which calls are broken off.
const CODE: u32 = 8;

impl Half {
    fn body(&self, call: usize, side: Side) -> Vec<u8> {
        let salt = call * 7 + usize::from(side == Side::Server) * 101;
        (0..self.bytes).map(|place| (place * 31 + (place >> 8) + salt) as u8).collect()
    }

    fn trailers(&self, call: usize) -> Option<HeaderMap> {
        let fields = HeaderMap::from_iter([("x-call".parse().unwrap(), call.to_string().parse().unwrap())]);
        self.trailers.then_some(fields)
    }
}

/// The calls of a seed, and the windows of both sides.
fn plans(choose: &mut impl FnMut(usize) -> usize) -> (Vec<Plan>, Limits, u32) {
    let windows = [1_u32, 100, 1000, 65_535, 1 << 20];
    let (ours, theirs) = (windows[choose(5)], windows[choose(5)]);
    let bytes_max = (ours.min(theirs) as usize * 20).min(100_000);
    let half = |choose: &mut dyn FnMut(usize) -> usize| Half {
        bytes: if choose(4) == 0 { 0 } else { choose(bytes_max + 1) },
        piece: 1000 + choose(20_000),
        trailers: choose(2) == 0,
    };
    let count = 1 + choose(40);
    let mut cuts = 0;
    let mut plan = |_| {
        let (up, down) = (half(choose), half(choose));
        let cut = [Cut::No, Cut::No, Cut::No, Cut::ByClient, Cut::ByServer][choose(5)];
        cuts += usize::from(cut != Cut::No);
        // More of them at once are an attack to the other side.
        Plan { up, down, cut: if cuts > 8 { Cut::No } else { cut } }
    };
    let plans = (0..count).map(&mut plan).collect();
    let limits = Limits {
        stream_window_bytes: ours,
        unread_bytes_max: [100, 16 << 20][choose(2)],
        ..Limits::default()
    };
    (plans, limits, theirs)
}

fn check(plans: &[Plan], log: &Log, whose: &str) {
    let log = log.lock().unwrap();
    for (call, plan) in plans.iter().enumerate() {
        for (side, half, from) in
            [(Side::Server, &plan.up, Side::Client), (Side::Client, &plan.down, Side::Server)]
        {
            let heard = log.get(&(call, side)).cloned().unwrap_or_default();
            let body = half.body(call, from);
            let context = format!("{whose}, call {call}, {plan:?}, {side:?} of {}", heard.body.len());
            match plan.cut {
                Cut::No => {
                    let expected = Heard { body, trailers: half.trailers(call), ended: true, reset: None };
                    assert!(heard == expected, "{context}: {:?}", (heard.ended, heard.reset, heard.trailers));
                }
                Cut::ByServer if side == Side::Client => assert_eq!(heard.reset, Some(CODE), "{context}"),
                _ => assert!(
                    body.starts_with(&heard.body) && heard.reset.is_none_or(|code| code == CODE),
                    "{context}"
                ),
            }
        }
    }
}

fn run(seed: u64) {
    let mut choose = chance(seed);
    let (plans, limits, window) = plans(&mut choose);
    let pipe_bytes = 1 + choose(100_000);
    let plans: Arc<[Plan]> = plans.into();
    // Time stands still while there is something to do: who waits for ever is found at once.
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let log = Log::default();
        let (here, there) = tokio::io::duplex(pipe_bytes);
        let both = async {
            tokio::join!(
                ours::client(here, limits.clone(), plans.clone(), log.clone()),
                theirs::server(there, window, plans.clone(), log.clone()),
            )
        };
        timeout(LONG, both).await.unwrap_or_else(|_| panic!("seed {seed}: our client waits for ever"));
        check(&plans, &log, &format!("seed {seed}, our client"));

        let log = Log::default();
        let (here, there) = tokio::io::duplex(pipe_bytes);
        let both = async {
            tokio::join!(
                ours::server(here, limits.clone(), plans.clone(), log.clone()),
                theirs::client(there, window, plans.clone(), log.clone()),
            )
        };
        timeout(LONG, both).await.unwrap_or_else(|_| panic!("seed {seed}: our server waits for ever"));
        check(&plans, &log, &format!("seed {seed}, our server"));
    });
}

/// In virtual time.
const LONG: Duration = Duration::from_secs(3600);

fn hear(log: &Log, call: usize, side: Side, what: impl FnOnce(&mut Heard)) {
    what(log.lock().unwrap().entry((call, side)).or_default());
}

/// The pieces of a body.
fn pieces(half: &Half, call: usize, side: Side) -> Vec<Bytes> {
    half.body(call, side).chunks(half.piece).map(Bytes::copy_from_slice).collect()
}

#[test]
fn oracle_and_we_understand_each_other() {
    let count = std::env::var("SEEDS").ok().and_then(|count| count.parse().ok()).unwrap_or(60);
    (0..count).for_each(run);
}
