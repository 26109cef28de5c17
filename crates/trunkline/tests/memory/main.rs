//! What bad input costs in memory, at its peak and afterwards. A binary of its own, because it counts what the whole process
//! allocates: one test at a time, one row after the other.
//!
//! Each attack runs twice. The first run pays for what is made once and kept (pools, tables, a warm runtime); the second is
//! measured. What C allocates is not seen: of the compressions that is zstd's window, which has a limit of its own.
//! `cargo test -p trunkline --features compression-all --test memory -- --nocapture` prints the figures.

#![allow(clippy::unwrap_used, reason = "in a test it is an assertion")]
#![allow(dead_code, reason = "the callers and the service are those of the other tests")]

#[cfg(feature = "compression-all")]
mod bombs;
mod floods;
#[path = "../it/peers.rs"]
mod peers;
#[path = "../it/raw.rs"]
mod raw;
#[path = "../it/support.rs"]
mod support;

use std::time::Duration;

use peak_alloc::PeakAlloc;
use tokio::sync::Mutex;
use trunkline::Limits;

use crate::support::{World, within_bounds};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// Held by the test that runs.
static ALONE: Mutex<()> = Mutex::const_new(());

const MIB: usize = 1 << 20;

/// The limit on messages in every row.
const LIMIT: usize = MIB;

/// What may be left when an attack is over: buffers that runtime and pools keep for the next call.
const LEFT_BYTES_MAX: usize = 16 << 10;

/// What a connection and a call may take that hold no message.
const CALL_PEAK_MAX: usize = 512 << 10;

async fn world() -> World {
    let mut limits = Limits::default();
    limits.message_bytes_max = LIMIT;
    World::with_limits(limits).await
}

/// Runs the attack until the heap knows it, then once more: it may take `peak_max` bytes at its height, and leave nothing.
async fn check(what: &str, peak_max: usize, attack: impl AsyncFn()) {
    within_bounds(what, attack()).await;
    settle().await;
    let base = HEAP.current_usage();
    HEAP.reset_peak_usage();
    within_bounds(what, attack()).await;
    let peak = HEAP.peak_usage().saturating_sub(base);
    let freed = async {
        while HEAP.current_usage() > base + LEFT_BYTES_MAX {
            tokio::task::yield_now().await;
        }
    };
    // A connection that was left half way is closed by `head_timeout`, which is ten seconds.
    let is_freed = tokio::time::timeout(Duration::from_secs(30), freed).await.is_ok();
    let left = HEAP.current_usage().saturating_sub(base);
    println!("{what}: {} KiB at the peak, {} KiB left", peak >> 10, left >> 10);
    assert!(is_freed, "{what}: {left} bytes are left");
    assert!(peak <= peak_max, "{what}: {peak} bytes at the peak, above {peak_max}");
}

/// Lets every task of this thread run until none has anything to do.
async fn settle() {
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
}
