//! How calls tell their connection that there is something to do: numbers in a list, and one wake for all of them.

use std::mem;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use trunkline_h2::StreamKey;

/// The list. It holds a stream at most once, so the limit on streams bounds it.
#[derive(Default)]
pub(super) struct Mailbox {
    letters: Mutex<Letters>,
}

#[derive(Default)]
struct Letters {
    noted: Vec<u32>,
    /// Calls that have ended in tasks of their own.
    ended: Vec<StreamKey>,
    waker: Option<Waker>,
}

impl Mailbox {
    /// The stream of this number has something to fetch.
    pub(super) fn note(&self, index: u32) {
        self.put(|letters| letters.noted.push(index));
    }

    /// The task of this stream's call has ended.
    pub(super) fn ended(&self, key: StreamKey) {
        self.put(|letters| letters.ended.push(key));
    }

    /// Wakes the connection.
    pub(super) fn wake(&self) {
        self.put(|_| {});
    }

    fn put(&self, letter: impl FnOnce(&mut Letters)) {
        let mut letters = self.letters.lock().unwrap_or_else(PoisonError::into_inner);
        letter(&mut letters);
        let waker = letters.waker.take();
        drop(letters);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Swaps in empty lists for those that are here; waits when there is nothing.
    pub(super) fn poll_take(
        &self,
        cx: &mut Context<'_>,
        noted: &mut Vec<u32>,
        ended: &mut Vec<StreamKey>,
    ) -> Poll<()> {
        let mut letters = self.letters.lock().unwrap_or_else(PoisonError::into_inner);
        if letters.noted.is_empty() && letters.ended.is_empty() {
            match &mut letters.waker {
                Some(waker) => waker.clone_from(cx.waker()),
                None => letters.waker = Some(cx.waker().clone()),
            }
            return Poll::Pending;
        }
        letters.waker = None;
        mem::swap(noted, &mut letters.noted);
        mem::swap(ended, &mut letters.ended);
        Poll::Ready(())
    }
}

#[cfg(test)]
mod tests;
