//! Descriptors as bytes: a set is cut into its files and a file is freed of its source info without decoding the
//! rest, so that options unknown to us survive byte for byte. It knows field numbers only.

use buffa::encoding::{Tag, WireType, decode_varint, skip_field};

use crate::Error;

/// `FileDescriptorSet.file` of descriptor.proto.
const SET_FILE: u32 = 1;
/// `FileDescriptorProto.source_code_info` of descriptor.proto.
const FILE_SOURCE_CODE_INFO: u32 = 9;

/// Cuts an encoded `FileDescriptorSet` into its encoded `FileDescriptorProto`s.
pub(crate) fn split_set(set: &[u8]) -> Result<Vec<&[u8]>, Error> {
    let mut files = Vec::new();
    let mut rest = set;
    while !rest.is_empty() {
        let (tag, record) = next_record(&mut rest).map_err(Error::set)?;
        if tag.field_number() != SET_FILE {
            continue;
        }
        if tag.wire_type() != WireType::LengthDelimited {
            return Err(Error::set("the field `file` is not a message; is this a FileDescriptorSet?"));
        }
        files.push(payload(record).map_err(Error::set)?);
    }
    Ok(files)
}

/// The bytes of a `FileDescriptorProto` without the positions and comments of its source, which make up most of it.
pub(crate) fn without_source_info(file: &[u8]) -> Result<Vec<u8>, String> {
    let mut kept = Vec::with_capacity(file.len());
    let mut rest = file;
    while !rest.is_empty() {
        let (tag, record) = next_record(&mut rest)?;
        if tag.field_number() != FILE_SOURCE_CODE_INFO {
            kept.extend_from_slice(record);
        }
    }
    Ok(kept)
}

/// Takes one field, tag included, off the front of `rest`.
fn next_record<'a>(rest: &mut &'a [u8]) -> Result<(Tag, &'a [u8]), String> {
    let start = *rest;
    let tag = Tag::decode(rest).map_err(|fault| fault.to_string())?;
    skip_field(tag, rest).map_err(|fault| fault.to_string())?;
    Ok((tag, &start[..start.len() - rest.len()]))
}

/// What a length-delimited record carries.
fn payload(record: &[u8]) -> Result<&[u8], String> {
    let mut rest = record;
    Tag::decode(&mut rest).map_err(|fault| fault.to_string())?;
    decode_varint(&mut rest).map_err(|fault| fault.to_string())?;
    Ok(rest)
}

#[cfg(test)]
mod tests;
