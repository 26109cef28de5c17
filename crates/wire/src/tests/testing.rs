//! What the tests of several modules share: two compressions that can be written down by hand, and a configuration.

use std::sync::Arc;

use bytes::BytesMut;
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::server::Config;
use crate::{Compression, Compressions, InflateFault};

/// Run lengths: pairs of a count and a byte. Compresses well, so that limits on inflated bytes can be tested.
pub(crate) struct Runs;

impl Compression for Runs {
    fn name(&self) -> &'static str {
        "runs"
    }

    fn compress(&self, source: &[u8], target: &mut BytesMut) {
        for run in source.chunk_by(|a, b| a == b) {
            for part in run.chunks(255) {
                target.extend_from_slice(&[part.len() as u8, part[0]]);
            }
        }
    }

    fn inflate(&self, source: &[u8], bytes_max: usize, target: &mut BytesMut) -> Result<(), InflateFault> {
        let room = target.len() + bytes_max;
        for pair in source.chunks(2) {
            let &[count, byte] = pair else { return Err(InflateFault::Corrupt("half a pair".into())) };
            if target.len() + usize::from(count) > room {
                return Err(InflateFault::TooLarge);
            }
            target.resize(target.len() + usize::from(count), byte);
        }
        Ok(())
    }
}

/// Every bit turned over: a second name, with nothing to go wrong.
pub(crate) struct Flip;

impl Compression for Flip {
    fn name(&self) -> &'static str {
        "flip"
    }

    fn compress(&self, source: &[u8], target: &mut BytesMut) {
        target.extend(source.iter().map(|byte| !byte));
    }

    fn inflate(&self, source: &[u8], bytes_max: usize, target: &mut BytesMut) -> Result<(), InflateFault> {
        if source.len() > bytes_max {
            return Err(InflateFault::TooLarge);
        }
        target.extend(source.iter().map(|byte| !byte));
        Ok(())
    }
}

/// Both compressions, `runs` preferred.
pub(crate) fn compressions() -> Arc<Compressions> {
    let mut known = Compressions::none();
    known.push(Arc::new(Runs));
    known.push(Arc::new(Flip));
    Arc::new(known)
}

/// A server that knows two codecs and both compressions.
pub(crate) fn config() -> Config {
    Config {
        codecs: vec!["proto", "json"],
        compressions: compressions(),
        message_bytes_max: 64,
        compress_bytes_min: 0,
        require_connect_version: false,
    }
}

/// Header fields from rows.
pub(crate) fn fields(rows: &[(&str, &str)]) -> HeaderMap {
    let mut fields = HeaderMap::new();
    for (name, value) in rows {
        let value = HeaderValue::from_bytes(value.as_bytes()).expect("rows are valid header values");
        fields.append(HeaderName::from_bytes(name.as_bytes()).expect("rows are valid header names"), value);
    }
    fields
}

/// Header fields as rows, in order.
pub(crate) fn rows(fields: &HeaderMap) -> Vec<String> {
    fields.iter().map(|(name, value)| format!("{name}: {}", value.as_bytes().escape_ascii())).collect()
}

/// Reads the inside of a byte string as Rust writes it.
pub(crate) fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let (escape, behind) = rest.split_first().expect("an escape is not the last character");
        rest = behind;
        bytes.push(match escape {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'x' => {
                let (digits, behind) = rest.split_at(2);
                rest = behind;
                u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).expect("two hexadecimal digits")
            }
            other => *other,
        });
    }
    bytes
}
