//! Integers of HPACK (RFC 7541, 5.1): a prefix of some bits, then seven bits a byte.
//!
//! Decides how large they may be; knows nothing of what they count.

use bytes::{BufMut, BytesMut};

use super::HpackFault;

#[cfg(test)]
mod tests;

/// Bytes after the prefix: five carry 35 bits, all that a `u32` can need.
const CONTINUATION_BYTES_MAX: u32 = 5;

/// Takes an integer whose first byte has `prefix_bits` bits of it.
///
/// # Errors
/// When the bytes end within it, or it does not fit.
#[inline]
pub(super) fn take(rest: &mut &[u8], prefix_bits: u32) -> Result<u32, HpackFault> {
    let (&first, after) = rest.split_first().ok_or(HpackFault::Truncated)?;
    *rest = after;
    let prefix_max = u8::MAX >> (8 - prefix_bits);
    let prefix = first & prefix_max;
    if prefix < prefix_max { Ok(u32::from(prefix)) } else { take_long(rest, u64::from(prefix)) }
}

/// The bytes after a prefix that is full.
fn take_long(rest: &mut &[u8], prefix: u64) -> Result<u32, HpackFault> {
    let mut value = prefix;
    for place in 0..CONTINUATION_BYTES_MAX {
        let (&byte, after) = rest.split_first().ok_or(HpackFault::Truncated)?;
        *rest = after;
        // At most 35 bits and a prefix: the sum cannot overflow.
        value += u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return u32::try_from(value).map_err(|_| HpackFault::IntegerTooLarge);
        }
    }
    Err(HpackFault::IntegerTooLarge)
}

/// Puts `value` behind `flags`, the bits of the first byte that are not the prefix.
#[inline]
pub(super) fn put(target: &mut BytesMut, flags: u8, prefix_bits: u32, value: usize) {
    let prefix_max = (1_usize << prefix_bits) - 1;
    if value < prefix_max {
        // Below 2^8, because a prefix has at most eight bits.
        target.put_u8(flags | value as u8);
    } else {
        target.put_u8(flags | prefix_max as u8);
        put_long(target, value - prefix_max);
    }
}

/// The bytes after a prefix that is full.
fn put_long(target: &mut BytesMut, mut value: usize) {
    while value >= 0x80 {
        target.put_u8(0x80 | (value & 0x7f) as u8);
        value >>= 7;
    }
    target.put_u8(value as u8);
}
