//! The text form: the body in base64 (`PROTOCOL-WEB.md`, "application/grpc-web-text").
//!
//! A writer may pad wherever it flushes, so a body is a row of padded segments. It knows nothing of envelopes.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bytes::BytesMut;

/// Written with padding, so that each flush ends its own segment; a reader takes both.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Text that is not base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotBase64;

/// Decodes a body, however its bytes arrive.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// The characters of a quantum that is not whole: three at most.
    held: Vec<u8>,
}

impl Decoder {
    /// Appends what can be decoded so far to `bytes`.
    ///
    /// # Errors
    /// When the text is not base64. What stands in front of the error was appended all the same.
    pub(crate) fn decode(&mut self, chunk: &[u8], bytes: &mut Vec<u8>) -> Result<(), NotBase64> {
        let mut rest = chunk;
        if !self.held.is_empty() {
            let (head, tail) = rest.split_at(rest.len().min(4 - self.held.len()));
            self.held.extend_from_slice(head);
            rest = tail;
            if self.held.len() < 4 {
                return Ok(());
            }
            decode_segments(&std::mem::take(&mut self.held), bytes)?;
        }
        let (whole, part) = rest.split_at(rest.len() / 4 * 4);
        decode_segments(whole, bytes)?;
        self.held.extend_from_slice(part);
        Ok(())
    }

    /// Appends the last quantum, which may have come without padding.
    pub(crate) fn finish(&mut self, bytes: &mut Vec<u8>) -> Result<(), NotBase64> {
        let held = std::mem::take(&mut self.held);
        append(&held, bytes)
    }
}

/// Decodes whole quanta. Padding ends a segment, and the next one begins behind it.
fn decode_segments(mut quanta: &[u8], bytes: &mut Vec<u8>) -> Result<(), NotBase64> {
    while !quanta.is_empty() {
        let padding = quanta.iter().position(|byte| *byte == b'=');
        let end = padding.map_or(quanta.len(), |at| (at / 4 + 1) * 4).min(quanta.len());
        let (segment, rest) = quanta.split_at(end);
        if append(segment, bytes).is_err() {
            // One by one up to the broken quantum, so that what is in front of it does not depend on where chunks end.
            return segment.chunks(4).try_for_each(|quantum| append(quantum, bytes)).and(Err(NotBase64));
        }
        quanta = rest;
    }
    Ok(())
}

/// Decodes `text`, all of it or nothing.
fn append(text: &[u8], bytes: &mut Vec<u8>) -> Result<(), NotBase64> {
    let start = bytes.len();
    BASE64.decode_vec(text, bytes).map_err(|_| {
        // The decoder leaves what it had begun with.
        bytes.truncate(start);
        NotBase64
    })
}

/// Turns everything behind `start` into one padded segment.
pub(crate) fn encode_behind(target: &mut BytesMut, start: usize) {
    let Some(plain) = target.get(start..) else { return };
    let text = BASE64.encode(plain);
    target.truncate(start);
    target.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests;
