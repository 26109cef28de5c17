//! Payloads as they are: for proxies and tests that know no message types.

use bytes::{Bytes, BytesMut};

use super::{Codec, CodecFault, Format};

/// The codec of raw bytes: a message is its payload, in whatever format the call uses.
#[derive(Debug, Clone, Copy)]
pub struct Raw;

impl Codec<Bytes> for Raw {
    const FORMATS: &'static [Format] = &[Format::PROTO, Format::JSON];

    /// Bytes are bytes, so a channel may call them what it likes.
    fn knows(_: Format) -> bool {
        true
    }

    fn size_hint(_: Format, value: &Bytes) -> usize {
        value.len()
    }

    fn encode(_: Format, value: &Bytes, target: &mut BytesMut) -> Result<(), CodecFault> {
        target.extend_from_slice(value);
        Ok(())
    }

    fn decode(_: Format, payload: Bytes) -> Result<Bytes, CodecFault> {
        Ok(payload)
    }
}
