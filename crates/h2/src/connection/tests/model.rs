//! What has become of one stream between two machines: what was sent, and what was told of it.

use super::{BytesMut, HeaderMap, StreamKey};

/// How a body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Plain,
    Trailers,
}

/// One direction of a stream.
#[derive(Debug, Default)]
pub(crate) struct Body {
    /// Bytes made so far.
    pub(crate) written: usize,
    /// Those of them that the machine has not taken.
    pub(crate) pending: BytesMut,
    /// Those that it has taken.
    pub(crate) sent: usize,
    /// How it is to end.
    pub(crate) end: Option<End>,
    /// The end has been sent.
    pub(crate) done: bool,
    /// It waits to be told that it may go on.
    pub(crate) is_blocked: bool,
    /// Bytes that the other side was told of.
    heard: usize,
    /// The other side was told of the end.
    pub(crate) has_ended: bool,
}

/// One stream.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) id: u32,
    /// Its names on both sides; a server has one once it is told of it.
    pub(crate) keys: [Option<StreamKey>; 2],
    /// Its bodies, by the side that sends them.
    pub(crate) bodies: [Body; 2],
    /// Bytes that each side was told of and has not released.
    pub(crate) unread: [usize; 2],
    /// The server has sent a head.
    pub(crate) answered: bool,
    /// One side has reset it.
    pub(crate) is_cut: bool,
}

impl Stream {
    pub(crate) fn opened(key: StreamKey, ended: bool) -> Self {
        let end = ended.then_some(End::Plain);
        let request = Body { end, done: ended, ..Body::default() };
        let bodies = [request, Body::default()];
        Self { id: key.id(), keys: [Some(key), None], bodies, unread: [0; 2], answered: false, is_cut: false }
    }

    /// Whether both sides know how it ended.
    pub(crate) fn is_over(&self) -> bool {
        self.is_cut || self.bodies.iter().all(|body| body.has_ended)
    }

    /// Whether nothing is left to be done for it.
    pub(crate) fn is_settled(&self) -> bool {
        self.is_over() && self.unread == [0; 2]
    }
}

impl Body {
    /// The other side is told of the head.
    pub(crate) fn hear_head(&mut self, ended: bool) {
        assert!(self.heard == 0 && !self.has_ended, "a head behind its body");
        if ended {
            assert!(self.end == Some(End::Plain) && self.done && self.sent == 0, "{self:?}");
            self.has_ended = true;
        }
    }

    /// The other side is told of bytes: the next ones, and all of them if that is the end.
    pub(crate) fn hear(&mut self, id: u32, side: usize, data: &[u8], ended: bool) {
        assert!(!self.has_ended, "bytes behind the end");
        assert!(!data.is_empty() || ended, "nothing is told of");
        for (place, byte) in data.iter().enumerate() {
            assert_eq!(
                *byte,
                byte_at(id, side, self.heard + place),
                "byte {} of stream {id}",
                self.heard + place
            );
        }
        self.heard += data.len();
        assert!(self.heard <= self.sent);
        if ended {
            assert!(self.end == Some(End::Plain) && self.done && self.heard == self.sent, "{self:?}");
            self.has_ended = true;
        }
    }

    /// The other side is told of trailers.
    pub(crate) fn hear_trailers(&mut self, seen: &HeaderMap, expected: &HeaderMap) {
        assert!(self.end == Some(End::Trailers) && self.done && self.heard == self.sent, "{self:?}");
        assert!(!self.has_ended, "trailers behind the end");
        assert_eq!(seen, expected);
        self.has_ended = true;
    }
}

/// The byte at an offset of a body: none is like its neighbours on this stream or on others.
pub(crate) fn byte_at(id: u32, side: usize, offset: usize) -> u8 {
    (offset.wrapping_mul(31) ^ (offset >> 8) ^ (id as usize).wrapping_mul(97) ^ (side << 7)) as u8
}

/// Trailers that no other body has.
pub(crate) fn trailers_of(id: u32, side: usize) -> HeaderMap {
    let mut fields = HeaderMap::new();
    fields.insert("x-of", format!("{id}-{side}").parse().expect("digits and a dash"));
    fields
}
