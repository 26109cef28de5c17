//! Heads and trailers that arrive: HEADERS and CONTINUATION, from the first byte of a block to the event.
//!
//! A block is always decoded, whatever becomes of its stream: the state of the compression belongs to the connection
//! (RFC 9113, 4.3). One that nobody will read is decoded with no room for fields.

use std::time::Instant;

use bytes::BytesMut;

use super::receive::{Step, fault};
use super::{Connection, Leaving, PartialBlock, Role};
use crate::frame::{FrameHead, flag, read_u31};
use crate::hpack::Block;
use crate::store::{Closed, Half, Stream, Waits};
use crate::window::SendWindow;
use crate::{Event, Fault, Reason, StreamKey, head};

type Stepped = Result<Step, Fault>;

impl Connection {
    /// HEADERS (RFC 9113, 6.2).
    pub(super) fn headers(&mut self, frame: FrameHead, payload: &[u8], now: Instant) -> Stepped {
        if frame.stream == 0 {
            return fault(Reason::PROTOCOL_ERROR, "HEADERS on stream 0");
        }
        let least = usize::from(frame.has(flag::PADDED)) + if frame.has(flag::PRIORITY) { 5 } else { 0 };
        if payload.len() < least {
            return fault(Reason::FRAME_SIZE_ERROR, "HEADERS have no room for what their flags announce");
        }
        let Some((fragment, dependency)) = fragment(frame, payload) else {
            return fault(Reason::PROTOCOL_ERROR, "HEADERS have more padding than payload");
        };
        let ended = frame.has(flag::END_STREAM);
        let self_dependent = dependency == Some(frame.stream);
        if frame.has(flag::END_HEADERS) {
            return self.block(frame.stream, ended, self_dependent, fragment, now);
        }
        self.partial = Some(PartialBlock {
            stream: frame.stream,
            ended,
            self_dependent,
            bytes: BytesMut::from(fragment),
            frames: 0,
            since: now,
        });
        self.clock.head_since = Some(now);
        Ok(Step::Done)
    }

    /// CONTINUATION (RFC 9113, 6.10). That it follows its HEADERS has been checked.
    pub(super) fn continuation(&mut self, frame: FrameHead, payload: &[u8], now: Instant) -> Stepped {
        let Some(mut partial) = self.partial.take() else {
            return fault(Reason::PROTOCOL_ERROR, "CONTINUATION came without HEADERS");
        };
        partial.frames += 1;
        // One that is only somewhat too large is read to its end, so that it can be refused and the connection goes on.
        let bytes_max = (self.limits.head_bytes_max as usize).saturating_mul(OVERSIZE);
        if partial.frames > self.limits.continuations_max || partial.bytes.len() + payload.len() > bytes_max {
            let seen = format!(
                "a head of more than {} frames or {bytes_max} bytes (continuations_max, {OVERSIZE} × head_bytes_max)",
                self.limits.continuations_max
            );
            return fault(Reason::ENHANCE_YOUR_CALM, seen);
        }
        partial.bytes.extend_from_slice(payload);
        if !frame.has(flag::END_HEADERS) {
            self.clock.head_since = Some(partial.since);
            self.partial = Some(partial);
            return Ok(Step::Done);
        }
        self.clock.head_since = None;
        self.block(partial.stream, partial.ended, partial.self_dependent, &partial.bytes, now)
    }

    /// A whole header block.
    fn block(&mut self, id: u32, ended: bool, self_dependent: bool, bytes: &[u8], now: Instant) -> Stepped {
        if let Some(stream) = self.streams.key(id) {
            let block = self.decode(bytes, self.limits.head_bytes_max)?;
            if self_dependent {
                return Ok(self.break_stream(stream, Reason::PROTOCOL_ERROR, now));
            }
            return match self.role {
                Role::Server => self.trailers_of_request(stream, ended, block, now),
                Role::Client => self.head_of_response(stream, ended, block, now),
            };
        }
        if self.role == Role::Server && self.is_idle(id) && id % 2 == 1 {
            return self.request(id, ended, self_dependent, bytes, now);
        }
        self.decode(bytes, 0)?;
        if self.role == Role::Server && !self.is_idle(id) && self.streams.closed(id).is_none() {
            // It was skipped when a later one was opened, or is long gone (RFC 9113, 5.1.1).
            let seen = format!("HEADERS open stream {id} behind stream {}", self.last_of_peer);
            return fault(Reason::PROTOCOL_ERROR, seen);
        }
        if self.streams.closed(id) == Some(Closed::Over) {
            return fault(Reason::STREAM_CLOSED, format!("HEADERS for stream {id}, which has ended"));
        }
        self.for_no_stream("HEADERS came", id, 1, now)
    }

    /// Reads a block, for the sake of the table also where nobody wants its fields.
    fn decode(&mut self, bytes: &[u8], head_bytes_max: u32) -> Result<Block, Fault> {
        self.decoder
            .decode(bytes, head_bytes_max as usize)
            .map_err(|seen| Fault::new(Reason::COMPRESSION_ERROR, seen.to_string()))
    }

    /// A new stream of the client.
    fn request(&mut self, id: u32, ended: bool, self_dependent: bool, bytes: &[u8], now: Instant) -> Stepped {
        self.last_of_peer = id;
        if self.is_beyond_last(id) {
            self.decode(bytes, 0)?;
            self.spend_idle(1, now)?;
            return Ok(Step::Done);
        }
        if self.streams.len() + self.lingering >= self.limits.streams_max as usize {
            self.decode(bytes, 0)?;
            self.refuse(id, Reason::REFUSED_STREAM, now);
            return Ok(Step::Done);
        }
        let block = self.decode(bytes, self.limits.head_bytes_max)?;
        if self_dependent {
            self.refuse(id, Reason::PROTOCOL_ERROR, now);
            return Ok(Step::Done);
        }
        if block.too_large && block.malformed.is_none() {
            self.answer_too_large(id, ended, now);
            return Ok(Step::Done);
        }
        let checked = head::request(block).and_then(|head| {
            let length = body_length(head::content_length(&head.fields)?, ended)?;
            Ok((head, length))
        });
        let Ok((head, length_left)) = checked else {
            self.refuse(id, Reason::PROTOCOL_ERROR, now);
            return Ok(Step::Done);
        };
        let received = if ended { Half::Ended } else { Half::Body };
        let stream = self.streams.insert(Stream {
            id,
            sent: Half::Head,
            received,
            send_window: SendWindow::new(self.peer.window_bytes),
            receive_window: self.stream_window(),
            length_left,
            waits: Waits::No,
            served: 0,
        });
        Ok(Step::Event(Event::Request { stream, head: Box::new(head), ended }))
    }

    /// A head above its limit is answered here: 431 (RFC 6585, 5).
    fn answer_too_large(&mut self, id: u32, ended: bool, now: Instant) {
        let status = http::StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        self.write_head(id, true, |encoder, target| {
            encoder.response(status, &http::HeaderMap::new(), target);
        });
        if ended {
            self.streams.remember(id, Closed::Over);
            self.spend_reset(now);
        } else {
            self.refuse(id, Reason::NO_ERROR, now);
        }
    }

    /// A second block of a request: its trailers (RFC 9113, 8.1).
    fn trailers_of_request(&mut self, stream: StreamKey, ended: bool, block: Block, now: Instant) -> Stepped {
        let Some(open) = self.streams.open_mut(stream) else { return Ok(Step::Done) };
        if open.received == Half::Ended {
            return Ok(self.break_stream(stream, Reason::STREAM_CLOSED, now));
        }
        self.trailers(stream, ended, block, now)
    }

    /// The last block of a stream, in either direction.
    fn trailers(&mut self, stream: StreamKey, ended: bool, block: Block, now: Instant) -> Stepped {
        let Some(open) = self.streams.open_mut(stream) else { return Ok(Step::Done) };
        let is_short = open.length_left.is_some_and(|left| left > 0);
        // Of trailers above the limit the call gets what fits: how it ended stands in the first of them.
        match head::trailers(block) {
            Ok(fields) if ended && !is_short => {
                open.received = Half::Ended;
                self.forget_if_closed(stream);
                Ok(Step::Event(Event::Trailers { stream, fields }))
            }
            _ => Ok(self.break_stream(stream, Reason::PROTOCOL_ERROR, now)),
        }
    }

    /// A block on a stream of ours: informational heads, the head, the trailers.
    fn head_of_response(&mut self, stream: StreamKey, ended: bool, block: Block, now: Instant) -> Stepped {
        let Some(open) = self.streams.open_mut(stream) else { return Ok(Step::Done) };
        match open.received {
            Half::Head => {}
            Half::Body => return self.trailers(stream, ended, block, now),
            Half::Ended => return Ok(self.break_stream(stream, Reason::STREAM_CLOSED, now)),
        }
        if block.too_large {
            return Ok(self.break_stream(stream, Reason::PROTOCOL_ERROR, now));
        }
        let checked = head::response(block).and_then(|head| {
            // What a response to HEAD announces does not come; calls are not HEAD, so no length is the rule there.
            let length = if ended { None } else { head::content_length(&head.fields)? };
            Ok((head, length))
        });
        let Ok((head, length_left)) = checked else {
            return Ok(self.break_stream(stream, Reason::PROTOCOL_ERROR, now));
        };
        if head.status.is_informational() {
            if ended {
                return Ok(self.break_stream(stream, Reason::PROTOCOL_ERROR, now));
            }
            self.spend_idle(1, now)?;
            return Ok(Step::Done);
        }
        open.length_left = length_left;
        open.received = if ended { Half::Ended } else { Half::Body };
        self.forget_if_closed(stream);
        Ok(Step::Event(Event::Response { stream, head: Box::new(head), ended }))
    }
}

/// How many times its limit a head may be before the connection ends for it.
const OVERSIZE: usize = 4;

/// The block fragment of HEADERS, and the stream that it is said to depend on (RFC 9113, 6.2).
fn fragment(frame: FrameHead, payload: &[u8]) -> Option<(&[u8], Option<u32>)> {
    let (mut rest, mut padding) = (payload, 0);
    if frame.has(flag::PADDED) {
        let (first, behind) = rest.split_first()?;
        (rest, padding) = (behind, usize::from(*first));
    }
    let mut dependency = None;
    if frame.has(flag::PRIORITY) {
        dependency = read_u31(rest);
        rest = rest.get(5..)?;
    }
    Some((rest.get(..rest.len().checked_sub(padding)?)?, dependency))
}

/// The length that a body must have; a request that has ended has none (RFC 9113, 8.1.1).
fn body_length(announced: Option<u64>, ended: bool) -> Result<Option<u64>, &'static str> {
    match announced {
        Some(1..) if ended => Err("content-length announces a body that does not come"),
        announced => Ok(announced),
    }
}

impl Connection {
    /// Whether this side still takes or opens streams.
    pub fn is_leaving(&self) -> bool {
        self.leaving != Leaving::No || self.peer_left.is_some() || self.fault.is_some()
    }
}
