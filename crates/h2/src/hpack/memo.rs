//! What blocks that come again and again begin with, decoded once.
//!
//! A peer that makes the same call many times sends the same few indices many times; looking each up and hashing each name
//! is most of what such a block costs, and a clone of the outcome saves it. Decides which beginnings are worth keeping. It
//! knows nothing of the encoding but that an index means the same for as long as the table does not change.

use super::block::Block;

#[cfg(test)]
mod tests;

/// Beginnings of blocks with what they say, valid for the present table.
#[derive(Debug, Default)]
pub(super) struct Memo {
    slots: [Slot; SLOTS],
    /// How many slots are in use.
    used: usize,
    /// The slot that is given up next.
    next: usize,
}

#[derive(Debug, Default)]
struct Slot {
    bytes: Vec<u8>,
    /// None until the bytes are seen a second time: most beginnings come once.
    block: Option<Box<Block>>,
}

/// A few calls or, for a client, heads and trailers at once.
const SLOTS: usize = 4;

/// Longer runs of indices are no head of a call.
const BYTES_MAX: usize = 32;

impl Memo {
    /// The longest known beginning of `rest`, and its length.
    #[inline]
    pub(super) fn find(&self, rest: &[u8], list_bytes_max: usize) -> Option<(&Block, usize)> {
        let mut longest: Option<(&Block, usize)> = None;
        for Slot { bytes, block } in &self.slots[..self.used] {
            let Some(block) = block else { continue };
            let is_longer = longest.is_none_or(|(_, length)| bytes.len() > length);
            if is_longer && block.list_bytes <= list_bytes_max && rest.starts_with(bytes) {
                longest = Some((block, bytes.len()));
            }
        }
        longest
    }

    /// Takes note of the indices that a block began with. `block` holds what they say and nothing else.
    pub(super) fn note(&mut self, bytes: &[u8], block: &Block) {
        if bytes.len() > BYTES_MAX {
            return;
        }
        if let Some(slot) = self.slots[..self.used].iter_mut().find(|slot| slot.bytes == bytes) {
            slot.block.get_or_insert_with(|| Box::new(block.clone()));
            return;
        }
        let slot = &mut self.slots[self.next];
        slot.bytes.clear();
        slot.bytes.extend_from_slice(bytes);
        slot.block = None;
        self.used = self.used.max(self.next + 1);
        self.next = (self.next + 1) % SLOTS;
    }

    /// Forgets all: the table changed, and with it what an index means.
    #[inline]
    pub(super) fn clear(&mut self) {
        for slot in &mut self.slots[..self.used] {
            slot.block = None;
        }
        (self.used, self.next) = (0, 0);
    }
}
