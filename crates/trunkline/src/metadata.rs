//! Metadata: the headers and trailers that travel with a call.
//!
//! This module decides which keys and values a user may set. Keys that a protocol keeps for itself are refused, so
//! that a handler can never break the framing.

use std::fmt;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{HeaderName, HeaderValue};
use trunkline_wire::metadata as rules;

use crate::{Error, Result};

/// Keys and values that travel with a call. Keys are lower-case ASCII and may repeat; a key that ends in `-bin`
/// carries bytes, every other key printable ASCII (gRPC over HTTP/2, "Custom-Metadata").
///
/// ```
/// # fn main() -> trunkline::Result<()> {
/// let mut metadata = trunkline::Metadata::new();
/// metadata.append("tenant", "blue")?;
/// metadata.append_bin("trace-bin", &[0, 159, 146, 150])?;
/// assert_eq!(metadata.value("tenant"), Some("blue"));
/// assert_eq!(metadata.bin("trace-bin").as_deref(), Some(&[0, 159, 146, 150][..]));
/// # Ok(()) }
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    headers: HeaderMap,
}

impl Metadata {
    /// Empty metadata; allocates nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets `key` to `value`, in place of what it had.
    ///
    /// # Errors
    /// `InvalidArgument` when the key is not a header name, belongs to HTTP or a protocol, or ends in `-bin`, and when
    /// the value is not printable ASCII.
    pub fn insert(&mut self, key: &str, value: &str) -> Result<()> {
        let (name, value) = text_pair(key, value)?;
        self.headers.insert(name, value);
        Ok(())
    }

    /// Adds `value` to what `key` has.
    ///
    /// # Errors
    /// As for [`insert`](Self::insert).
    pub fn append(&mut self, key: &str, value: &str) -> Result<()> {
        let (name, value) = text_pair(key, value)?;
        self.headers.append(name, value);
        Ok(())
    }

    /// Adds bytes to what `key` has; the key must end in `-bin`.
    ///
    /// # Errors
    /// `InvalidArgument` when the key is not a free header name that ends in `-bin`.
    pub fn append_bin(&mut self, key: &str, value: &[u8]) -> Result<()> {
        if !key.ends_with("-bin") {
            return Err(Error::invalid_argument(format!(
                "metadata key {key:?} must end in -bin to carry bytes"
            )));
        }
        let name = name(key)?;
        self.headers.append(name, rules::encode_bin(value));
        Ok(())
    }

    /// Removes `key` with all its values; says whether there were any.
    pub fn remove(&mut self, key: &str) -> bool {
        self.headers.remove(key).is_some()
    }

    /// The first value of `key`, if it is text.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.headers.get(key).and_then(|value| value.to_str().ok())
    }

    /// All values of `key` that are text, in order.
    pub fn values<'a>(&'a self, key: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.headers.get_all(key).into_iter().filter_map(|value| value.to_str().ok())
    }

    /// The first value of a `-bin` key, decoded; `None` when there is none or it is not base64.
    pub fn bin(&self, key: &str) -> Option<Bytes> {
        self.bins(key).next()
    }

    /// All values of a `-bin` key, decoded, in order. Values joined by a comma count as several.
    pub fn bins<'a>(&'a self, key: &str) -> impl Iterator<Item = Bytes> + use<'a> {
        let values = self.headers.get_all(key).into_iter();
        values.filter_map(|value| rules::decode_bin(value).ok()).flatten()
    }

    /// All pairs as they stand on the wire: values of `-bin` keys are base64.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()))
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.headers.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.headers.is_empty()
    }

    pub(crate) fn from_headers(headers: HeaderMap) -> Self {
        Self { headers }
    }

    pub(crate) fn into_headers(self) -> HeaderMap {
        self.headers
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.headers
    }
}

impl fmt::Debug for Metadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.headers, f)
    }
}

fn name(key: &str) -> Result<HeaderName> {
    let name = HeaderName::try_from(key)
        .map_err(|_| Error::invalid_argument(format!("metadata key {key:?} is not a header name")))?;
    if rules::is_reserved(&name) {
        return Err(Error::invalid_argument(format!(
            "metadata key {key:?} belongs to HTTP or to a protocol"
        )));
    }
    Ok(name)
}

fn text_pair(key: &str, value: &str) -> Result<(HeaderName, HeaderValue)> {
    let name = name(key)?;
    if name.as_str().ends_with("-bin") {
        return Err(Error::invalid_argument(format!("metadata key {key:?} carries bytes: use append_bin")));
    }
    if !value.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Err(Error::invalid_argument(format!("value of metadata key {key:?} is not printable ASCII")));
    }
    let value = HeaderValue::from_str(value).expect("printable ASCII is a header value");
    Ok((name, value))
}

#[cfg(test)]
mod tests;
