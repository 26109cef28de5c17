//! Content types as far as the protocols look at them: the type itself and the charset.
//!
//! It knows nothing of which types exist: those lie in the folders of their protocols.

use http::{HeaderMap, HeaderValue, header};

/// The content type of a request or response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MediaType {
    /// Type and subtype in lower case, without parameters.
    essence: HeaderValue,
    /// Whether a charset other than UTF-8 was named.
    foreign_charset: bool,
}

impl MediaType {
    /// The content type in `headers`; `None` when there is none that is text.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let value = headers.get(header::CONTENT_TYPE)?;
        let text = value.to_str().ok()?;
        if !text.bytes().any(|b| b == b';' || b == b' ' || b.is_ascii_uppercase()) {
            // What nearly every client sends. The value's bytes are shared, not copied.
            return Some(Self { essence: value.clone(), foreign_charset: false });
        }
        let (essence, parameters) = text.split_once(';').unwrap_or((text, ""));
        let essence = HeaderValue::from_str(&essence.trim().to_ascii_lowercase()).ok()?;
        Some(Self { essence, foreign_charset: names_foreign_charset(parameters) })
    }

    /// Type and subtype in lower case, without parameters.
    pub(crate) fn essence(&self) -> &str {
        self.essence.to_str().unwrap_or_default()
    }

    /// The same as a header value, for an answer in the same type.
    pub(crate) fn value(&self) -> &HeaderValue {
        &self.essence
    }

    /// Whether a charset other than UTF-8 was named: none of our text is in it.
    pub(crate) fn foreign_charset(&self) -> bool {
        self.foreign_charset
    }
}

fn names_foreign_charset(parameters: &str) -> bool {
    parameters.split(';').filter_map(|parameter| parameter.split_once('=')).any(|(name, value)| {
        let value = value.trim().trim_matches('"');
        name.trim().eq_ignore_ascii_case("charset")
            && !value.eq_ignore_ascii_case("utf-8")
            && !value.eq_ignore_ascii_case("utf8")
    })
}

#[cfg(test)]
mod tests;
