//! The deadline of a call: computed once from the timeout, kept by the room that runs the call.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::task::unconstrained;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::{Error, Limits, Result};

/// The instant at which a call that starts now must have ended.
pub(crate) fn deadline(timeout: Option<Duration>, limits: &Limits) -> Instant {
    let timeout = timeout.map_or(limits.timeout_max, |asked| asked.min(limits.timeout_max));
    Instant::now() + timeout
}

/// A deadline that is looked at only while there is nothing else to do: what is ready beats one that has just passed.
pub(crate) struct Timer {
    deadline: Option<Instant>,
    /// Made when it is first needed: most calls are over at their first poll, and never have one.
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Timer {
    pub(crate) fn new(deadline: Option<Instant>) -> Self {
        Self { deadline, sleep: None }
    }

    /// Ready when the deadline has passed.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = self.deadline else { return Poll::Pending };
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        // Work that eats the whole budget of its task must not keep the timer from being looked at.
        pin!(unconstrained(sleep)).poll(cx)
    }
}

pin_project! {
    /// Work with a deadline.
    pub(crate) struct Within<W> {
        #[pin]
        work: W,
        timer: Timer,
    }
}

/// Runs `work` until the deadline.
///
/// # Errors
/// What `work` returned, or `DeadlineExceeded`.
pub(crate) fn within<T, W>(deadline: Option<Instant>, work: W) -> Within<W>
where
    W: Future<Output = Result<T>>,
{
    Within { work, timer: Timer::new(deadline) }
}

impl<T, W: Future<Output = Result<T>>> Future for Within<W> {
    type Output = Result<T>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T>> {
        let this = self.project();
        match this.work.poll(cx) {
            Poll::Ready(outcome) => Poll::Ready(outcome),
            Poll::Pending => this.timer.poll(cx).map(|()| Err(exceeded())),
        }
    }
}

/// The error of a call whose deadline passed on this side.
pub(crate) fn exceeded() -> Error {
    Error::deadline_exceeded("the deadline of the call has passed")
}

#[cfg(test)]
mod tests;
