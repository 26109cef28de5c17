//! Keeps sockets and timers served while a handler blocks its thread.
//!
//! A worker of tokio's runtime waits for the sockets of all others, and passes that on when it finds more than one task to
//! run. If the one task that it finds blocks, nobody waits for sockets any more: connections stand still although threads
//! are idle. A wake-up from outside gives the watch to one of these. This module decides how often; it knows no connection.

use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use tokio::runtime::{Handle, RuntimeFlavor};

/// How long a handler that blocks can delay others, at most. It costs ten wake-ups of one thread a second.
const PULSE: Duration = Duration::from_millis(100);

/// Wakes the runtime up until dropped.
pub(super) struct Pulse {
    /// Never sent to: that it is gone ends the thread.
    _until: Option<SyncSender<()>>,
}

impl Pulse {
    /// Begins, if this runtime has several threads: with one there is nobody to take the watch.
    pub(super) fn start() -> Self {
        let runtime = Handle::current();
        if runtime.runtime_flavor() == RuntimeFlavor::CurrentThread {
            return Self { _until: None };
        }
        let (until, ended) = sync_channel::<()>(1);
        let beat = move || {
            while ended.recv_timeout(PULSE) == Err(RecvTimeoutError::Timeout) {
                runtime.spawn(async {});
            }
        };
        // A system without another thread to give serves all the same, as long as no handler blocks.
        let thread = thread::Builder::new().name("trunkline-pulse".to_owned()).spawn(beat);
        Self { _until: thread.is_ok().then_some(until) }
    }
}
