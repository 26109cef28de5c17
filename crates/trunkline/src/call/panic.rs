//! A panic of user code ends its own call with `Internal`, and nothing else.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::{Error, Result};

pin_project! {
    /// Work whose panic becomes an error. The text of the panic stays on this side: it may hold secrets.
    pub(crate) struct Caught<W> {
        #[pin]
        work: W,
    }
}

/// Runs `work`; a panic becomes an error.
pub(crate) fn caught<T, W: Future<Output = Result<T>>>(work: W) -> Caught<W> {
    Caught { work }
}

/// The error of a call whose handler has panicked.
pub(super) fn panicked() -> Error {
    Error::internal("the handler panicked")
}

impl<T, W: Future<Output = Result<T>>> Future for Caught<W> {
    type Output = Result<T>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T>> {
        let work = self.project().work;
        // The work is never polled again after a panic, so nobody sees its broken state.
        catch_unwind(AssertUnwindSafe(|| work.poll(cx))).unwrap_or_else(|_| Poll::Ready(Err(panicked())))
    }
}

#[cfg(test)]
mod tests;
