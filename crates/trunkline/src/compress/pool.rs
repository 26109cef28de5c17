//! States of compressors that wait for their next message: making one costs more than compressing a small message.
//!
//! It decides how many wait. It must not know what a state is, or how one is made ready again.

use std::fmt;
use std::sync::{Mutex, PoisonError};

/// States of one algorithm. Each is held by one message at a time.
pub(super) struct Pool<T> {
    idle: Mutex<Vec<T>>,
}

/// States that wait at once, of each compression of each side; one that comes back beyond that is dropped. No more messages
/// than there are cores are compressed at the same moment, and a state has up to 1 MiB.
const IDLE_STATES_MAX: usize = 16;

impl<T> Pool<T> {
    /// No state yet.
    pub(super) const fn new() -> Self {
        Self { idle: Mutex::new(Vec::new()) }
    }

    /// A state that has waited; without one the caller makes it.
    pub(super) fn take(&self) -> Option<T> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Keeps a state for the next message, if there is room. Whoever takes it makes it ready again.
    pub(super) fn keep(&self, state: T) {
        // A state that is not kept must be dropped outside of the lock.
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_STATES_MAX {
            idle.push(state);
        } else {
            drop(idle);
            drop(state);
        }
    }
}

impl<T> fmt::Debug for Pool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
