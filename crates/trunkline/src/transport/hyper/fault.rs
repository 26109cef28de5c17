//! What an error of hyper, h2 or the socket means for the call.
//!
//! The chain of sources is searched for the error that knows best: an HTTP/2 code, then an error of the operating system,
//! then what hyper says of itself. The whole chain stays with the reset, so that a caller can print it.

use std::error::Error as StdError;
use std::io;

use h2::Reason;

use crate::transport::{Reset, ResetReason};

/// The reset that `error` stands for. The error stays its source.
pub(crate) fn reset_from(context: &str, error: impl Into<Box<dyn StdError + Send + Sync>>) -> Reset {
    let error = error.into();
    let (reason, seen) = judge(&*error);
    Reset::new(reason, format!("{context}: {seen}")).with_boxed_source(error)
}

/// Whether hyper says that it has waited too long.
pub(crate) fn is_timeout(error: &(dyn StdError + 'static)) -> bool {
    chain(error).any(|error| error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_timeout))
}

/// An error and its sources. Layers between hyper and us put errors of their own around hyper's.
fn chain<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

fn judge(error: &(dyn StdError + 'static)) -> (ResetReason, String) {
    for current in chain(error) {
        if let Some(h2) = current.downcast_ref::<h2::Error>() {
            return (judge_h2(h2), h2.to_string());
        }
        if let Some(io) = current.downcast_ref::<io::Error>() {
            return (judge_io(io), io.to_string());
        }
    }
    let lost = chain(error).any(|error| error.downcast_ref::<hyper::Error>().is_some_and(is_lost));
    let reason = if lost { ResetReason::ConnectionLost } else { ResetReason::Broken };
    (reason, error.to_string())
}

fn is_lost(error: &hyper::Error) -> bool {
    error.is_incomplete_message() || error.is_canceled() || error.is_closed() || error.is_body_write_aborted()
}

/// hyper reports a body that breaks its framing, such as a chunk without a size, as an error of the socket's type. The
/// connection was there; what came over it was wrong.
fn judge_io(error: &io::Error) -> ResetReason {
    match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => ResetReason::Broken,
        _ => ResetReason::ConnectionLost,
    }
}

fn judge_h2(error: &h2::Error) -> ResetReason {
    if error.is_io() {
        return ResetReason::ConnectionLost;
    }
    let Some(reason) = error.reason() else { return ResetReason::Broken };
    if error.is_go_away() && reason != Reason::ENHANCE_YOUR_CALM {
        // The connection ends; whether this call was looked at is unknown, and another connection may serve it.
        return ResetReason::ConnectionLost;
    }
    reason_of(reason)
}

/// What a code of the h2 crate means; the table is that of [`ResetReason::of_http2`].
pub(crate) fn reason_of(reason: Reason) -> ResetReason {
    ResetReason::of_http2(trunkline_h2::Reason(reason.into()))
}

/// The way back: the HTTP/2 code that tells the peer our reason.
pub(crate) fn code_of(reason: ResetReason) -> Reason {
    reason.http2().0.into()
}

#[cfg(test)]
mod tests;
