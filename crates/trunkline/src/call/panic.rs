//! A panic of user code ends its own call with `Internal`, and nothing else.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use crate::{Error, Result};

/// Runs `work`; a panic becomes an error. The text of the panic stays on this side: it may hold secrets.
pub(crate) async fn caught<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let mut work = pin!(work);
    poll_fn(|cx| {
        // The future is never polled again after a panic, so nobody sees its broken state.
        catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx)))
            .unwrap_or_else(|_| Poll::Ready(Err(Error::internal("the handler panicked"))))
    })
    .await
}

#[cfg(test)]
mod tests;
