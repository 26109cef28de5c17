//! What the tests of several modules share.

use std::time::Instant;

/// The instant at which a test begins. Nothing depends on which one it is.
pub(crate) fn some_instant() -> Instant {
    Instant::now()
}
