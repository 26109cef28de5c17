//! The compression algorithms that this crate brings. Which one a call uses is decided by `trunkline-wire`.
//!
//! | name on the wire | type | feature | on by default | format |
//! |---|---|---|---|---|
//! | `gzip` | [`Gzip`] | `gzip` | yes | RFC 1952 |
//! | `deflate` | [`Deflate`] | `deflate` | yes | zlib, RFC 1950: what HTTP calls "deflate" (RFC 9110, 8.4.1.2) |
//! | `zstd` | [`Zstd`] | `zstd` | no | RFC 8878, windows as RFC 9659 bounds them |
//! | `br` | [`Brotli`] | `brotli` | no | RFC 7932 |
//! | `snappy` | [`Snappy`] | `snappy` | no | Snappy's framing format |
//!
//! The feature `compression-all` switches all of them on. One that is compiled in is known to each server and channel;
//! [`Server::compressions`](crate::Server::compressions) and
//! [`ChannelBuilder::accept_compressed`](crate::ChannelBuilder::accept_compressed) choose fewer.
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
//!
//! # Cost
//! Inflating stops one byte past the limit, whatever the input promises, and takes memory as bytes come out. Beside the
//! message itself an algorithm holds its window: 32 KiB for gzip and deflate, 64 KiB for snappy, for zstd and brotli as
//! much as has come out so far, at most 8 and 16 MiB.

#[cfg(feature = "brotli")]
mod brotli;
#[cfg(feature = "deflate")]
mod deflate;
#[cfg(feature = "gzip")]
mod gzip;
#[cfg(any(feature = "gzip", feature = "deflate", feature = "zstd"))]
mod pool;
#[cfg(feature = "snappy")]
mod snappy;
#[cfg(any(feature = "gzip", feature = "deflate", feature = "zstd", feature = "brotli", feature = "snappy"))]
mod space;
#[cfg(any(feature = "gzip", feature = "deflate"))]
mod zlib;
#[cfg(feature = "zstd")]
mod zstd;

use std::sync::Arc;

pub use trunkline_wire::{Compression, Compressions, InflateFault};

#[cfg(feature = "brotli")]
pub use self::brotli::Brotli;
#[cfg(feature = "deflate")]
pub use self::deflate::Deflate;
#[cfg(feature = "gzip")]
pub use self::gzip::Gzip;
#[cfg(feature = "snappy")]
pub use self::snappy::Snappy;
#[cfg(feature = "zstd")]
pub use self::zstd::Zstd;

/// All compressions that are compiled in, in order of preference: what servers and channels know by default.
///
/// gzip leads because every peer has it, so that one more feature changes nothing for those who speak already.
pub fn all() -> Arc<Compressions> {
    #[allow(unused_mut, reason = "without features there is nothing to add")]
    let mut known = Compressions::none();
    #[cfg(feature = "gzip")]
    known.push(Arc::new(Gzip::default()));
    #[cfg(feature = "zstd")]
    known.push(Arc::new(Zstd::default()));
    #[cfg(feature = "brotli")]
    known.push(Arc::new(Brotli::default()));
    #[cfg(feature = "deflate")]
    known.push(Arc::new(Deflate::default()));
    #[cfg(feature = "snappy")]
    known.push(Arc::new(Snappy::default()));
    Arc::new(known)
}

#[cfg(all(test, feature = "compression-all"))]
mod tests;
