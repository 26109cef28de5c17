//! The messages of the bench lab as gRPC puts them into DATA: five bytes before each, and Protobuf by hand.

/// The length of what stands before each message.
pub const PREFIX: usize = 5;

/// A `Msg` with `size` bytes of payload, with its prefix.
pub fn message(size: usize) -> Vec<u8> {
    let mut fields = vec![0x0a];
    varint(&mut fields, size as u64);
    fields.resize(fields.len() + size, b'x');
    prefixed(&fields)
}

/// Fields of type varint, in the order of their numbers from 1 on, with the prefix of a message. Zeros are left out.
pub fn numbers(values: &[u64]) -> Vec<u8> {
    let mut fields = Vec::new();
    for (index, value) in values.iter().enumerate().filter(|(_, value)| **value > 0) {
        fields.push(((index + 1) << 3) as u8);
        varint(&mut fields, *value);
    }
    prefixed(&fields)
}

fn prefixed(fields: &[u8]) -> Vec<u8> {
    let mut out = vec![0];
    out.extend_from_slice(&(fields.len() as u32).to_be_bytes());
    out.extend_from_slice(fields);
    out
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
