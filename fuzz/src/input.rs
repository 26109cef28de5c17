//! How an input of a target is laid out: a few bytes that choose, then bytes or lines. Short choices in front and plain bytes behind
//! them are what a mutator handles best.
//!
//! It knows no protocol.

use http::{HeaderMap, HeaderName, HeaderValue};

/// What is left of an input.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next byte; zero behind the end, so that every input means something.
    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// Picks by the next byte. `choices` is not empty.
    pub(crate) fn one_of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[usize::from(self.byte()) % choices.len()].clone()
    }

    /// Everything up to the next line feed.
    pub(crate) fn line(&mut self) -> &'a [u8] {
        let end = self.0.iter().position(|byte| *byte == b'\n');
        let (line, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest.get(1..).unwrap_or_default();
        line
    }

    /// The lines of the rest as header fields. What is none is left out.
    pub(crate) fn fields(mut self) -> HeaderMap {
        let mut fields = HeaderMap::new();
        while !self.0.is_empty() {
            let line = self.line();
            let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
            let (name, value) = line.split_at(colon);
            let value = HeaderValue::from_bytes(value[1..].trim_ascii());
            if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), value) {
                // More fields than a header map holds are more than a transport lets through.
                let _ = fields.try_append(name, value);
            }
        }
        fields
    }

    /// The next bytes, `length` of them or what there is.
    pub(crate) fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        taken
    }

    pub(crate) fn rest(self) -> &'a [u8] {
        self.0
    }
}

/// Header fields as the lines of an input.
pub(crate) fn lines_of(fields: &HeaderMap) -> Vec<u8> {
    let line = |(name, value): (&HeaderName, &HeaderValue)| {
        [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\n"].concat()
    };
    fields.iter().flat_map(line).collect()
}
