//! The compression algorithms that this crate brings. Which one a call uses is decided by `trunkline-wire`.

#[cfg(feature = "gzip")]
mod gzip;

use std::sync::Arc;

pub use trunkline_wire::{Compression, Compressions, InflateFault};

#[cfg(feature = "gzip")]
pub use self::gzip::Gzip;

/// All compressions that are compiled in, in order of preference.
pub fn all() -> Arc<Compressions> {
    #[allow(unused_mut, reason = "without features there is nothing to add")]
    let mut known = Compressions::none();
    #[cfg(feature = "gzip")]
    known.push(Arc::new(Gzip::default()));
    Arc::new(known)
}
