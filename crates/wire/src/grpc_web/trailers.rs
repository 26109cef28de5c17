//! Trailers as the payload of the last envelope: lines of `name: value` (`PROTOCOL-WEB.md`, "Message framing").

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::metadata::FIELDS_MAX;

/// The flag of the envelope with the trailers.
pub(crate) const END_FLAG: u8 = 0b1000_0000;

/// Writes the trailers. Header names are in lower case already, as the protocol asks for.
pub(crate) fn write(trailers: &HeaderMap) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in trailers {
        block.extend_from_slice(name.as_str().as_bytes());
        block.extend_from_slice(b": ");
        block.extend_from_slice(value.as_bytes());
        block.extend_from_slice(b"\r\n");
    }
    block
}

/// Reads the trailers: names in any case, lines that end in LF or CRLF. A line that is no field is skipped, because the
/// status in the other lines says more than an error about this one. So are lines above [`FIELDS_MAX`].
pub(crate) fn read(block: &[u8]) -> HeaderMap {
    let mut trailers = HeaderMap::new();
    for line in block.split(|byte| *byte == b'\n') {
        if trailers.len() >= FIELDS_MAX {
            break;
        }
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let (name, value) = line.split_at(colon);
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value)) {
            trailers.append(name, value);
        }
    }
    trailers
}

#[cfg(test)]
mod tests;
