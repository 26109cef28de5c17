//! The streams of a connection: their states (RFC 9113, 5.1), found by number and by key.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

use crate::window::{ReceiveWindow, SendWindow};

/// Names one stream of one connection. A key outlives its stream: then it names nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StreamKey {
    pub(crate) slot: u32,
    pub(crate) id: u32,
}

impl StreamKey {
    /// The number of the stream on the wire (RFC 9113, 5.1.1).
    pub fn id(self) -> u32 {
        self.id
    }

    /// A small number, below the largest number of streams that were ever open at once. No two open streams have the same
    /// one, so it may index a table of the caller's.
    pub fn index(self) -> usize {
        self.slot as usize
    }
}

/// How far one direction of a stream has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    /// Nothing yet: the head is next.
    Head,
    /// The head has passed.
    Body,
    /// END_STREAM has passed.
    Ended,
}

/// What the body that is to be sent waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waits {
    /// Nothing.
    No,
    /// The stream's window.
    ForStream,
    /// The connection's window.
    ForConnection,
}

/// One stream.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) id: u32,
    /// How far this side has come.
    pub(crate) sent: Half,
    /// How far the peer has come.
    pub(crate) received: Half,
    pub(crate) send_window: SendWindow,
    pub(crate) receive_window: ReceiveWindow,
    /// What is left of the content-length that the peer announced.
    pub(crate) length_left: Option<u64>,
    /// What keeps the body that is to be sent.
    pub(crate) waits: Waits,
    /// When something of its body was last sent, as a number that grows.
    pub(crate) served: u64,
}

impl Stream {
    /// Whether both sides have ended it (RFC 9113, 5.1).
    pub(crate) fn is_closed(&self) -> bool {
        self.sent == Half::Ended && self.received == Half::Ended
    }
}

/// How a stream that is no longer kept has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closed {
    /// Both sides had ended it, or the peer reset it.
    Over,
    /// We reset it; what the peer sent before it knew is to be ignored.
    ResetByUs,
}

/// How many streams are remembered after they have ended.
const CLOSED_KEPT: usize = 256;

/// All streams of a connection.
#[derive(Debug, Default)]
pub(crate) struct Store {
    /// The streams, by slot.
    slots: Vec<Option<Stream>>,
    /// Slots without a stream.
    free: Vec<u32>,
    /// The slots of open streams, by number.
    ids: HashMap<u32, u32, BuildHasherDefault<IdHasher>>,
    closed: VecDeque<(u32, Closed)>,
    /// The highest number of a stream that has been forgotten.
    forgotten: u32,
}

impl Store {
    /// How many are open.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Keeps a new stream, in a slot that is free.
    pub(crate) fn insert(&mut self, stream: Stream) -> StreamKey {
        let id = stream.id;
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => {
                self.slots.push(None);
                // Bounded by the limits on streams, far below 2^32.
                u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX)
            }
        };
        if let Some(place) = self.slots.get_mut(slot as usize) {
            *place = Some(stream);
        }
        self.ids.insert(id, slot);
        StreamKey { slot, id }
    }

    /// The key of the open stream with this number.
    pub(crate) fn key(&self, id: u32) -> Option<StreamKey> {
        self.ids.get(&id).map(|slot| StreamKey { slot: *slot, id })
    }

    /// The stream of this key, if it is still open.
    pub(crate) fn open(&self, key: StreamKey) -> Option<&Stream> {
        self.slots.get(key.slot as usize)?.as_ref().filter(|stream| stream.id == key.id)
    }

    /// The same, to be changed.
    pub(crate) fn open_mut(&mut self, key: StreamKey) -> Option<&mut Stream> {
        self.slots.get_mut(key.slot as usize)?.as_mut().filter(|stream| stream.id == key.id)
    }

    /// Forgets a stream but for how it has ended.
    pub(crate) fn remove(&mut self, key: StreamKey, how: Closed) {
        if self.open(key).is_none() {
            return;
        }
        if let Some(place) = self.slots.get_mut(key.slot as usize) {
            *place = None;
        }
        self.free.push(key.slot);
        self.ids.remove(&key.id);
        self.remember(key.id, how);
    }

    /// Remembers how a stream has ended that was perhaps never kept.
    pub(crate) fn remember(&mut self, id: u32, how: Closed) {
        if self.closed.len() == CLOSED_KEPT
            && let Some((oldest, _)) = self.closed.pop_front()
        {
            self.forgotten = self.forgotten.max(oldest);
        }
        self.closed.push_back((id, how));
    }

    /// How a stream has ended, if it was ever open. One that has been forgotten may have been reset by us long before the
    /// peer knew, so that is what is said of it.
    pub(crate) fn closed(&self, id: u32) -> Option<Closed> {
        let remembered = self.closed.iter().rev().find(|(closed, _)| *closed == id).map(|(_, how)| *how);
        remembered.or_else(|| (id <= self.forgotten).then_some(Closed::ResetByUs))
    }

    /// All open streams.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (StreamKey, &mut Stream)> {
        self.slots.iter_mut().zip(0..).filter_map(|(place, slot)| {
            let stream = place.as_mut()?;
            Some((StreamKey { slot, id: stream.id }, stream))
        })
    }

    /// How many streams there is room for.
    #[cfg(test)]
    pub(crate) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The keys of all open streams.
    pub(crate) fn keys(&self) -> Vec<StreamKey> {
        self.ids.iter().map(|(id, slot)| StreamKey { slot: *slot, id: *id }).collect()
    }
}

/// Spreads stream numbers. There are few and they only grow, so a peer cannot choose many that collide.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, id: u32) {
        // A large odd constant (2^64 by the golden ratio) carries low bits into the high ones that the map looks at.
        self.0 = (self.0 ^ u64::from(id)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

#[cfg(test)]
mod tests;
