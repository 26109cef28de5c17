//! The dynamic table (RFC 7541, 2.3.2 and 4): newest first, oldest evicted.
//!
//! Decides what stays; what an entry is, is the business of whoever holds it. Both sides of HPACK use the same table, so
//! that they cannot come to differ about an eviction.

use std::collections::VecDeque;

#[cfg(test)]
mod tests;

/// Entries within a bound of bytes.
#[derive(Debug)]
pub(super) struct Dynamic<T> {
    /// Newest first, each with its size (RFC 7541, 4.1).
    entries: VecDeque<(T, usize)>,
    bytes: usize,
    bytes_max: usize,
}

impl<T> Dynamic<T> {
    /// An empty table of at most `bytes_max`.
    pub(super) fn new(bytes_max: usize) -> Self {
        Self { entries: VecDeque::new(), bytes: 0, bytes_max }
    }

    /// Makes room and puts `entry` first. One that is larger than the table empties it and is no error (RFC 7541, 4.4).
    pub(super) fn insert(&mut self, entry: T, bytes: usize) {
        if bytes > self.bytes_max {
            self.evict_to(0);
            return;
        }
        self.evict_to(self.bytes_max - bytes);
        self.bytes += bytes;
        self.entries.push_front((entry, bytes));
    }

    /// Sets the bound, evicting what no longer fits (RFC 7541, 4.3).
    pub(super) fn resize(&mut self, bytes_max: usize) {
        self.bytes_max = bytes_max;
        self.evict_to(bytes_max);
    }

    fn evict_to(&mut self, bytes_max: usize) {
        while self.bytes > bytes_max {
            let Some((_, bytes)) = self.entries.pop_back() else { return };
            self.bytes -= bytes;
        }
    }

    /// The entry at `place`, counted from 0, and its size.
    pub(super) fn entry(&self, place: usize) -> Option<&(T, usize)> {
        self.entries.get(place)
    }

    /// The entries, newest first.
    pub(super) fn entries(&self) -> impl Iterator<Item = &T> {
        self.entries.iter().map(|(entry, _)| entry)
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The sizes of the entries together.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The bound.
    pub(super) fn bytes_max(&self) -> usize {
        self.bytes_max
    }
}
