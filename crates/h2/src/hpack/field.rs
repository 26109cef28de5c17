//! A field in the form that the rest of the engine uses, parsed once.
//!
//! Decides whether one field is well-formed by itself (RFC 9113, 8.2 and 8.3). It knows neither the other fields of its
//! block nor the tables. Entries of the tables are fields too, so that an indexed field costs a clone of parsed values, and
//! a malformed one still has a place in the table, which must stay in step with the peer's.

use bytes::Bytes;
use http::header::{CONNECTION, HeaderName, HeaderValue, TE, TRANSFER_ENCODING, UPGRADE};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{Method, StatusCode};

use super::known;

/// A name, which a literal may take from a table without the value.
#[derive(Debug, Clone)]
pub(super) enum Name {
    /// `:method` (RFC 9113, 8.3.1).
    Method,
    /// `:scheme` (RFC 9113, 8.3.1).
    Scheme,
    /// `:authority` (RFC 9113, 8.3.1).
    Authority,
    /// `:path` (RFC 9113, 8.3.1).
    Path,
    /// `:status` (RFC 9113, 8.3.2).
    Status,
    /// `:protocol` (RFC 8441, 4).
    Protocol,
    /// Any name without a colon.
    Regular(HeaderName),
    /// No field can have this name. Its text is not kept, its length counts.
    Malformed { reason: &'static str, bytes: usize },
}

/// A name with its value.
#[derive(Debug, Clone)]
pub(super) enum Field {
    Method(Method),
    Scheme(Scheme),
    Authority(Authority),
    Path(PathAndQuery),
    Status(StatusCode),
    Protocol(Bytes),
    Regular(HeaderName, HeaderValue),
    /// The name may be good all the same; a literal may refer to it.
    Malformed {
        reason: &'static str,
        name: Name,
    },
}

impl Name {
    /// Reads a name as it stands in a block: lower case only (RFC 9113, 8.2.1), pseudo-fields with their colon.
    pub(super) fn parse(text: &[u8]) -> Self {
        if let Some(header) = known::header(text) {
            return Self::Regular(header);
        }
        let reason = match text {
            b":method" => return Self::Method,
            b":scheme" => return Self::Scheme,
            b":authority" => return Self::Authority,
            b":path" => return Self::Path,
            b":status" => return Self::Status,
            b":protocol" => return Self::Protocol,
            [b':', ..] => "unknown pseudo-field",
            [] => "empty field name",
            _ => match HeaderName::from_lowercase(text) {
                Ok(name) => return Self::Regular(name),
                Err(_) if text.iter().any(u8::is_ascii_uppercase) => "upper case in a field name",
                Err(_) => "invalid character in a field name",
            },
        };
        Self::Malformed { reason, bytes: text.len() }
    }

    /// Its length as text.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Path => ":path".len(),
            Self::Method | Self::Scheme | Self::Status => ":method".len(),
            Self::Protocol => ":protocol".len(),
            Self::Authority => ":authority".len(),
            Self::Regular(name) => name.as_str().len(),
            Self::Malformed { bytes, .. } => *bytes,
        }
    }
}

impl Field {
    /// Judges and parses a value. The text is copied once; `sensitive` marks what must never be indexed (RFC 7541, 7.1.3).
    pub(super) fn new(name: Name, text: &[u8], sensitive: bool) -> Self {
        Self::parse(&name, text, sensitive).unwrap_or_else(|reason| Self::Malformed { reason, name })
    }

    fn parse(name: &Name, text: &[u8], sensitive: bool) -> Result<Self, &'static str> {
        Ok(match name {
            Name::Method => Self::Method(Method::from_bytes(text).map_err(|_| "invalid :method")?),
            Name::Scheme => Self::Scheme(Scheme::try_from(text).map_err(|_| "invalid :scheme")?),
            Name::Authority => Self::Authority(authority(text)?),
            Name::Path => Self::Path(path(text)?),
            Name::Status => Self::Status(StatusCode::from_bytes(text).map_err(|_| "invalid :status")?),
            Name::Protocol => Self::Protocol(protocol(text)?),
            Name::Regular(name) => Self::Regular(name.clone(), value(name, text, sensitive)?),
            Name::Malformed { reason, .. } => return Err(reason),
        })
    }

    /// Its name alone.
    pub(super) fn name(&self) -> Name {
        match self {
            Self::Method(_) => Name::Method,
            Self::Scheme(_) => Name::Scheme,
            Self::Authority(_) => Name::Authority,
            Self::Path(_) => Name::Path,
            Self::Status(_) => Name::Status,
            Self::Protocol(_) => Name::Protocol,
            Self::Regular(name, _) => Name::Regular(name.clone()),
            Self::Malformed { name, .. } => name.clone(),
        }
    }
}

/// User information is deprecated and must not be there (RFC 9113, 8.3.1).
fn authority(text: &[u8]) -> Result<Authority, &'static str> {
    if text.contains(&b'@') {
        return Err("user information in :authority");
    }
    Authority::from_maybe_shared(Bytes::copy_from_slice(text)).map_err(|_| "invalid :authority")
}

/// A path begins with a slash or is the asterisk of OPTIONS, and is never empty (RFC 9113, 8.3.1).
fn path(text: &[u8]) -> Result<PathAndQuery, &'static str> {
    if !text.starts_with(b"/") && text != b"*" {
        return Err(if text.is_empty() { "empty :path" } else { ":path without a leading slash" });
    }
    let path = PathAndQuery::from_maybe_shared(Bytes::copy_from_slice(text)).map_err(|_| "invalid :path")?;
    // A fragment is cut off silently by the type; the peer must not have sent one.
    if path.as_str().len() == text.len() { Ok(path) } else { Err("fragment in :path") }
}

/// A token of the upgrade registry (RFC 8441, 4); judged as visible ASCII, the caller knows which ones it serves.
fn protocol(text: &[u8]) -> Result<Bytes, &'static str> {
    let good = !text.is_empty() && text.iter().all(u8::is_ascii_graphic);
    if good { Ok(Bytes::copy_from_slice(text)) } else { Err("invalid :protocol") }
}

/// Values without control characters (RFC 9113, 8.2.1), and no field that is about one connection (8.2.2).
fn value(name: &HeaderName, text: &[u8], sensitive: bool) -> Result<HeaderValue, &'static str> {
    if is_of_connection(name) {
        return Err("connection-specific field");
    }
    if *name == TE && text != b"trailers" {
        return Err("te other than trailers");
    }
    let mut value = match known::value(text) {
        Some(value) => value.clone(),
        None => HeaderValue::from_bytes(text).map_err(|_| "invalid character in a field value")?,
    };
    value.set_sensitive(sensitive);
    Ok(value)
}

/// The fields that RFC 9113, 8.2.2 forbids by name.
fn is_of_connection(name: &HeaderName) -> bool {
    *name == CONNECTION
        || *name == TRANSFER_ENCODING
        || *name == UPGRADE
        || matches!(name.as_str(), "keep-alive" | "proxy-connection")
}
