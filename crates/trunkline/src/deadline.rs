//! The deadline of a call: computed once from the timeout, kept by the room that runs the call.

use std::future::Future;
use std::time::Duration;

use tokio::time::Instant;

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
    tokio::time::timeout_at(deadline, work).await.unwrap_or_else(|_| Err(exceeded()))
}

/// The error of a call whose deadline passed on this side.
pub(crate) fn exceeded() -> Error {
    Error::deadline_exceeded("the deadline of the call has passed")
}

#[cfg(test)]
mod tests;
