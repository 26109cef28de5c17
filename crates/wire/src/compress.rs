//! Which compressions a side knows, and how one is chosen. The algorithms themselves are handed in.

use std::fmt;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http::HeaderValue;

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

/// The compressions that one side knows, shared by all its calls, in order of preference. `identity` is always known
/// and not listed.
#[derive(Clone, Default)]
pub struct Compressions {
    known: Vec<Arc<dyn Compression>>,
    /// The names as an accept header writes them, joined once and not at each call.
    announced: Option<HeaderValue>,
}

/// The name of no compression, known to every side and never listed.
pub(crate) const IDENTITY: &str = "identity";

/// A compressed message may be a little larger than its plain form. Beyond `bytes_max` and this slack it is refused
/// before it is buffered: no sane compressor makes it grow by more.
const fn slack_bytes(bytes_max: usize) -> usize {
    bytes_max / 16 + 1024
}

/// The largest compressed form of a message of at most `bytes_max` bytes that is worth buffering.
pub(crate) const fn compressed_bytes_max(bytes_max: usize) -> usize {
    bytes_max.saturating_add(slack_bytes(bytes_max))
}

impl Compressions {
    /// No compression but `identity`.
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds one, behind those already known.
    pub fn push(&mut self, compression: Arc<dyn Compression>) {
        self.known.push(compression);
        // A name that no header can carry is not announced; it can still be found by name.
        self.announced = HeaderValue::from_str(&self.list()).ok();
    }

    /// The compression called `name`, if known.
    pub fn find(&self, name: &str) -> Option<&Arc<dyn Compression>> {
        self.known.iter().find(|c| c.name() == name)
    }

    /// The names, in order of preference.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.known.iter().map(|c| c.name())
    }

    /// The names as an accept header writes them; `None` when only `identity` is known.
    pub(crate) fn announced(&self) -> Option<&HeaderValue> {
        self.announced.as_ref()
    }

    /// The names, joined by commas.
    pub(crate) fn list(&self) -> String {
        self.names().collect::<Vec<_>>().join(",")
    }

    /// What a side that knows `self` answers with: the compression of the request when the caller accepts it, otherwise
    /// the first one of the caller's list that is known.
    ///
    /// `accept` is `None` when the caller sent no list. Then only what the caller used itself is sure to be understood.
    pub(crate) fn choose(
        &self,
        request: Option<&Arc<dyn Compression>>,
        accept: Option<&str>,
    ) -> Option<Arc<dyn Compression>> {
        let Some(accept) = accept else { return request.cloned() };
        if let Some(used) = request
            && accepted(accept).any(|name| name == used.name())
        {
            return Some(used.clone());
        }
        accepted(accept).find_map(|name| self.find(name)).cloned()
    }
}

/// What a caller can read, kept until its response has been written: a handler may choose among it.
#[derive(Clone)]
pub(crate) struct Offer {
    known: Arc<Compressions>,
    accept: Option<HeaderValue>,
}

impl Offer {
    /// What a caller with this accept list is offered by a side that knows `known`.
    pub(crate) fn new(known: &Arc<Compressions>, accept: Option<&HeaderValue>) -> Self {
        Self { known: Arc::clone(known), accept: accept.cloned() }
    }

    /// The compression called `name`, if this side knows it and the caller accepts it.
    pub(crate) fn find(&self, name: &str) -> Option<&Arc<dyn Compression>> {
        let list = self.accept.as_ref()?.to_str().ok()?;
        accepted(list).find(|accepted| *accepted == name)?;
        self.known.find(name)
    }
}

/// The names in an accept list. Weights are HTTP's (RFC 9110, 12.4.2): zero means "not acceptable"; the rest of them
/// do not reorder the list.
fn accepted(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').filter_map(|entry| {
        let (name, weight) = entry.split_once(';').unwrap_or((entry, ""));
        (!is_zero_weight(weight)).then(|| name.trim())
    })
}

/// Whether the parameter is `q=0`, `q=0.0` and so on.
fn is_zero_weight(weight: &str) -> bool {
    let Some((name, value)) = weight.split_once('=') else { return false };
    name.trim().eq_ignore_ascii_case("q") && value.trim().parse::<f32>().is_ok_and(|weight| weight == 0.0)
}

/// The plain form of `payload`, at most `bytes_max` bytes of it. An empty payload is empty in every compression.
pub(crate) fn inflated(
    compression: &dyn Compression,
    payload: Bytes,
    bytes_max: usize,
) -> Result<Bytes, InflateFault> {
    if payload.is_empty() {
        return Ok(payload);
    }
    let mut plain = BytesMut::new();
    compression.inflate(&payload, bytes_max, &mut plain)?;
    Ok(plain.freeze())
}

impl fmt::Debug for Compressions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests;
