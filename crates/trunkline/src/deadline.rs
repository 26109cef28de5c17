//! The deadline of a call: computed once from the timeout, kept by the room that runs the call.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::task::unconstrained;
use tokio::time::{Instant, sleep_until};

use crate::{Error, Limits, Result};

/// The instant at which a call that starts now must have ended.
pub(crate) fn deadline(timeout: Option<Duration>, limits: &Limits) -> Instant {
    let timeout = timeout.map_or(limits.timeout_max, |asked| asked.min(limits.timeout_max));
    Instant::now() + timeout
}

/// Runs `work` until the deadline.
///
/// # Errors
/// What `work` returned, or `DeadlineExceeded`; then `work` has been dropped.
pub(crate) async fn within<T>(deadline: Option<Instant>, work: impl Future<Output = Result<T>>) -> Result<T> {
    let Some(deadline) = deadline else { return work.await };
    let mut work = pin!(work);
    let mut timer = pin!(None);
    poll_fn(|cx| {
        if let Poll::Ready(outcome) = work.as_mut().poll(cx) {
            return Poll::Ready(outcome);
        }
        // Most calls are over at their first poll: those never have a timer.
        if timer.is_none() {
            timer.set(Some(sleep_until(deadline)));
        }
        let Some(timer) = timer.as_mut().as_pin_mut() else { return Poll::Pending };
        // Work that eats the whole budget of its task must not keep the timer from being looked at.
        pin!(unconstrained(timer)).poll(cx).map(|()| Err(exceeded()))
    })
    .await
}

/// The error of a call whose deadline passed on this side.
pub(crate) fn exceeded() -> Error {
    Error::deadline_exceeded("the deadline of the call has passed")
}

#[cfg(test)]
mod tests;
