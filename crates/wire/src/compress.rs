//! Which compressions a side knows, and how one is chosen. The algorithms themselves are handed in.

use std::fmt;
use std::sync::Arc;

use bytes::BytesMut;

/// One compression algorithm. Implementations live above this crate.
pub trait Compression: Send + Sync + 'static {
    /// The name in `content-encoding`, `grpc-encoding` and so on.
    fn name(&self) -> &'static str;
    /// Appends the compressed form of `source` to `target`.
    fn compress(&self, source: &[u8], target: &mut BytesMut);
    /// Appends the inflated form of `source` to `target`, at most `bytes_max` bytes of it.
    ///
    /// # Errors
    /// `TooLarge` as soon as one byte more than `bytes_max` would come out; `Corrupt` when `source` is not a whole,
    /// valid stream.
    fn inflate(&self, source: &[u8], bytes_max: usize, target: &mut BytesMut) -> Result<(), InflateFault>;
}

/// Why inflating failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InflateFault {
    /// More bytes than allowed would come out.
    TooLarge,
    /// The input is not a valid compressed stream; what was seen.
    Corrupt(Box<str>),
}

/// The compressions that one side knows, in order of preference. `identity` is always known and not listed.
#[derive(Clone, Default)]
pub struct Compressions {
    known: Vec<Arc<dyn Compression>>,
}

impl Compressions {
    /// No compression but `identity`.
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds one, behind those already known.
    pub fn push(&mut self, compression: Arc<dyn Compression>) {
        self.known.push(compression);
    }

    /// The compression called `name`, if known.
    pub fn find(&self, name: &str) -> Option<&Arc<dyn Compression>> {
        self.known.iter().find(|c| c.name() == name)
    }

    /// The names, in order of preference.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.known.iter().map(|c| c.name())
    }
}

impl fmt::Debug for Compressions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
