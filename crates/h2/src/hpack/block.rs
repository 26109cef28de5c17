//! The fields of one block, and the rules about them as a row.
//!
//! Decides the order and number of pseudo-fields (RFC 9113, 8.3), joins cookies (8.2.3) and counts against the limit of the
//! list. It does not know the encoding, nor whether the block is a request, a response or trailers.

use bytes::{Bytes, BytesMut};
use http::header::{COOKIE, HeaderMap, HeaderValue};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{HeaderName, Method, StatusCode};

use super::field::Field;

/// The fields of one header block, read and judged.
///
/// Which pseudo-fields must and must not be there depends on the message and is left to the caller.
#[derive(Debug, Clone, Default)]
pub struct Block {
    /// `:method` (RFC 9113, 8.3.1).
    pub method: Option<Method>,
    /// `:scheme` (RFC 9113, 8.3.1).
    pub scheme: Option<Scheme>,
    /// `:authority`, without user information (RFC 9113, 8.3.1).
    pub authority: Option<Authority>,
    /// `:path`: begins with a slash, or is `*` and the method is OPTIONS (RFC 9113, 8.3.1).
    pub path: Option<PathAndQuery>,
    /// `:status` (RFC 9113, 8.3.2).
    pub status: Option<StatusCode>,
    /// `:protocol`, of an extended CONNECT (RFC 8441, 4).
    pub protocol: Option<Bytes>,
    /// All other fields; those of one name in the order in which they came. Values that came as never indexed are marked
    /// [sensitive](HeaderValue::is_sensitive) (RFC 7541, 6.2.3).
    pub fields: HeaderMap,
    /// Why the block is malformed (RFC 9113, 8.1.1, 8.2, 8.3), the first reason found. Fields after that are dropped. The
    /// HPACK state stays good.
    pub malformed: Option<&'static str>,
    /// Size as RFC 9113, 6.5.2 (SETTINGS_MAX_HEADER_LIST_SIZE) counts: name + value + 32 each. Counts what was dropped too.
    pub list_bytes: usize,
    /// Whether it passed the limit; fields after that are dropped, the table is still kept in step.
    pub too_large: bool,
}

/// A block while its fields arrive.
pub(super) struct Reading<'a> {
    block: &'a mut Block,
    list_bytes_max: usize,
    /// How many fields there can be; room for them is made at the first one.
    fields_hint: usize,
    /// After a regular field no pseudo-field may come.
    seen_regular: bool,
    /// The crumbs so far, from the second one on. The map's own value would be copied for every crumb.
    cookie: Option<BytesMut>,
}

/// Room for fields that is made without looking: what the head of a call has.
const FIELDS_HINT_MAX: usize = 12;

impl<'a> Reading<'a> {
    /// A reading into `block`, which may hold the first fields already, of `block_bytes`, each field of which takes one byte or more.
    pub(super) fn new(block: &'a mut Block, block_bytes: usize, list_bytes_max: usize) -> Self {
        let fields_hint = block_bytes.min(FIELDS_HINT_MAX);
        let seen_regular = !block.fields.is_empty();
        Self { block, list_bytes_max, fields_hint, seen_regular, cookie: None }
    }

    /// Counts a field of this size, and says whether it is wanted. Asked before the field is made or cloned, so that a
    /// byte of a block cannot cost more than the limit allows.
    #[inline]
    pub(super) fn admit(&mut self, bytes: usize) -> bool {
        let block = &mut *self.block;
        block.list_bytes = block.list_bytes.saturating_add(bytes);
        block.too_large |= block.list_bytes > self.list_bytes_max;
        !block.too_large && block.malformed.is_none()
    }

    /// Adds an admitted field of a table, whose bytes are shared. Not by value: moving a field costs more than its parts.
    #[inline]
    pub(super) fn add(&mut self, field: &Field) {
        match field {
            Field::Regular(name, value) => self.regular(name.clone(), value.clone()),
            Field::Malformed { reason, .. } => self.malformed(reason),
            Field::Method(method) => self.pseudo(method, |block| &mut block.method),
            Field::Scheme(scheme) => self.pseudo(scheme, |block| &mut block.scheme),
            Field::Authority(authority) => self.pseudo(authority, |block| &mut block.authority),
            Field::Path(path) => self.pseudo(path, |block| &mut block.path),
            Field::Status(status) => self.pseudo(status, |block| &mut block.status),
            Field::Protocol(protocol) => self.pseudo(protocol, |block| &mut block.protocol),
        }
    }

    /// Adds an admitted field that no table has.
    pub(super) fn add_owned(&mut self, field: Field) {
        match field {
            Field::Regular(name, value) => self.regular(name, value),
            other => self.add(&other),
        }
    }

    /// The block so far, if it holds all that was read.
    pub(super) fn whole(&self) -> Option<&Block> {
        let is_whole = self.block.malformed.is_none() && !self.block.too_large && self.cookie.is_none();
        is_whole.then_some(&*self.block)
    }

    /// What can be judged once all fields are there.
    pub(super) fn finish(mut self) {
        if let Some(cookie) = self.cookie.take() {
            match HeaderValue::from_maybe_shared(cookie.freeze()) {
                Ok(value) => drop(self.block.fields.insert(COOKIE, value)),
                Err(_) => self.malformed("invalid character in a field value"),
            }
        }
        let is_asterisk = self.block.path.as_ref().is_some_and(|path| path.as_str() == "*");
        if is_asterisk && self.block.method != Some(Method::OPTIONS) {
            self.malformed(":path is * and the method is not OPTIONS");
        }
    }

    fn malformed(&mut self, reason: &'static str) {
        self.block.malformed.get_or_insert(reason);
    }

    /// Each at most once, and none behind a regular field (RFC 9113, 8.3).
    #[inline]
    fn pseudo<T: Clone>(&mut self, value: &T, place: impl FnOnce(&mut Block) -> &mut Option<T>) {
        if self.seen_regular {
            return self.malformed("pseudo-field after a regular field");
        }
        if place(self.block).replace(value.clone()).is_some() {
            self.malformed("repeated pseudo-field");
        }
    }

    #[inline]
    fn regular(&mut self, name: HeaderName, value: HeaderValue) {
        if !self.seen_regular {
            self.seen_regular = true;
            self.block.fields = HeaderMap::with_capacity(self.fields_hint);
        }
        if name == COOKIE && self.crumb(&value) {
            return;
        }
        // The map has a bound of its own, which only an absurd limit lets a block reach.
        if self.block.fields.try_append(name, value).is_err() {
            self.block.too_large = true;
        }
    }

    /// Joins a second and later cookie field to the first (RFC 9113, 8.2.3). False for the first, which is a field.
    #[cold]
    fn crumb(&mut self, value: &HeaderValue) -> bool {
        let Some(first) = self.block.fields.get(COOKIE) else { return false };
        let cookie = self.cookie.get_or_insert_with(|| BytesMut::from(first.as_bytes()));
        cookie.extend_from_slice(b"; ");
        cookie.extend_from_slice(value.as_bytes());
        true
    }
}
