//! The codecs of generated messages: binary Protobuf and, with the feature `json`, the JSON mapping.

use ::buffa::Message;
use bytes::{Bytes, BytesMut};

use super::{Codec, CodecFault, Format};

/// The codec of messages that `trunkline-codegen` generates.
#[derive(Debug, Clone, Copy)]
pub struct Buffa;

/// The codec of generated messages that speak binary Protobuf only (`trunkline_codegen::Config::json(false)`).
#[derive(Debug, Clone, Copy)]
pub struct Binary;

impl<T: Message + 'static> Codec<T> for Binary {
    const FORMATS: &'static [Format] = &[Format::PROTO];

    fn size_hint(_: Format, value: &T) -> usize {
        value.encoded_len() as usize
    }

    fn encode(format: Format, value: &T, target: &mut BytesMut) -> Result<(), CodecFault> {
        match format {
            Format::PROTO => value.try_encode(target).map_err(CodecFault::new),
            other => Err(CodecFault::unknown_format(other)),
        }
    }

    fn decode(format: Format, payload: Bytes) -> Result<T, CodecFault> {
        match format {
            Format::PROTO => T::decode_from_slice(&payload).map_err(CodecFault::new),
            other => Err(CodecFault::unknown_format(other)),
        }
    }
}

/// A guess for JSON: the mapping is wordier than the binary form.
#[cfg(feature = "json")]
const JSON_BYTES_PER_BINARY_BYTE: usize = 2;

#[cfg(feature = "json")]
impl<T> Codec<T> for Buffa
where
    T: Message + serde::Serialize + serde::de::DeserializeOwned + 'static,
{
    const FORMATS: &'static [Format] = &[Format::PROTO, Format::JSON];

    fn size_hint(format: Format, value: &T) -> usize {
        let binary = value.encoded_len() as usize;
        if format == Format::JSON { binary.saturating_mul(JSON_BYTES_PER_BINARY_BYTE) } else { binary }
    }

    fn encode(format: Format, value: &T, target: &mut BytesMut) -> Result<(), CodecFault> {
        match format {
            Format::JSON => {
                let writer = bytes::BufMut::writer(target);
                serde_json::to_writer(writer, value).map_err(CodecFault::new)
            }
            other => Binary::encode(other, value, target),
        }
    }

    fn decode(format: Format, payload: Bytes) -> Result<T, CodecFault> {
        match format {
            Format::JSON => super::json::read(&payload).map_err(CodecFault::new),
            other => Binary::decode(other, payload),
        }
    }
}

#[cfg(not(feature = "json"))]
impl<T: Message + 'static> Codec<T> for Buffa {
    const FORMATS: &'static [Format] = <Binary as Codec<T>>::FORMATS;

    fn size_hint(format: Format, value: &T) -> usize {
        Binary::size_hint(format, value)
    }

    fn encode(format: Format, value: &T, target: &mut BytesMut) -> Result<(), CodecFault> {
        Binary::encode(format, value, target)
    }

    fn decode(format: Format, payload: Bytes) -> Result<T, CodecFault> {
        Binary::decode(format, payload)
    }
}
