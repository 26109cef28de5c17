//! The compression algorithms that this crate brings. Which one a call uses is decided by `trunkline-wire`.
//!
//! A server answers in the compression of the request if it knows it, or else in the first that the caller accepts and
//! it knows; small messages stay as they are (`compress_bytes_min`). A client compresses only when told to:
//!
//! ```
//! # fn main() -> trunkline::Result<()> {
//! let channel = trunkline::Channel::builder("http://localhost:8080")
//!     .send_compressed(trunkline::compress::Gzip::default())
//!     .connect_lazy()?;
//! # drop(channel); Ok(()) }
//! ```

#[cfg(feature = "gzip")]
mod gzip;

use std::sync::Arc;

pub use trunkline_wire::{Compression, Compressions, InflateFault};

#[cfg(feature = "gzip")]
pub use self::gzip::Gzip;

/// All compressions that are compiled in, in order of preference: what servers and channels know by default.
pub fn all() -> Arc<Compressions> {
    #[allow(unused_mut, reason = "without features there is nothing to add")]
    let mut known = Compressions::none();
    #[cfg(feature = "gzip")]
    known.push(Arc::new(Gzip::default()));
    Arc::new(known)
}
