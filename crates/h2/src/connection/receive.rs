//! Frames that arrive, one at a time (RFC 9113, 6), except for heads.
//!
//! What is wrong with a frame ends its stream where the RFC allows that, and the connection where it does not.

use std::time::Instant;

use bytes::{Buf, Bytes, BytesMut};

use super::{Connection, Leaving, Role};
use crate::frame::{self, FrameHead, HEAD_BYTES, PREFACE, flag, kind, read_u31, setting};
use crate::store::{Closed, Half, Waits};
use crate::window::WINDOW_BYTES_MAX;
use crate::{Event, Fault, Reason, StreamKey};

/// What came of looking at the input.
pub(super) enum Step {
    /// Something to tell.
    Event(Event),
    /// Nothing to tell; there may be more input.
    Done,
    /// The input ends within a frame.
    NeedMore,
}

type Stepped = Result<Step, Fault>;

/// A fault of the connection.
pub(super) fn fault(reason: Reason, seen: impl Into<String>) -> Stepped {
    Err(Fault::new(reason, seen))
}

impl Connection {
    /// Takes one frame out of `input`.
    pub(super) fn receive(&mut self, input: &mut BytesMut, now: Instant) -> Stepped {
        if self.preface_due > 0 {
            self.read_preface(input)?;
            if self.preface_due > 0 {
                return Ok(Step::NeedMore);
            }
        }
        let Some(head) = FrameHead::read(input) else { return Ok(Step::NeedMore) };
        if head.length > self.limits.frame_bytes_max as usize {
            let seen = format!(
                "a frame of {} bytes is above SETTINGS_MAX_FRAME_SIZE ({})",
                head.length, self.limits.frame_bytes_max
            );
            return fault(Reason::FRAME_SIZE_ERROR, seen);
        }
        self.check_order(head)?;
        if input.len() < HEAD_BYTES + head.length {
            return Ok(Step::NeedMore);
        }
        input.advance(HEAD_BYTES);
        let payload = input.split_to(head.length);
        self.clock.heard = now;
        match head.kind {
            kind::DATA => self.data(head, &payload.freeze(), now),
            kind::HEADERS => self.headers(head, &payload, now),
            kind::CONTINUATION => self.continuation(head, &payload, now),
            kind::WINDOW_UPDATE => self.window_update(head, &payload, now),
            kind::RST_STREAM => self.rst_stream(head, &payload, now),
            kind::SETTINGS => self.settings(head, &payload, now),
            kind::PING => self.ping_frame(head, &payload, now),
            kind::GOAWAY => self.go_away(head, &payload, now),
            kind::PRIORITY => self.priority(head, &payload, now),
            kind::PUSH_PROMISE => {
                fault(Reason::PROTOCOL_ERROR, "PUSH_PROMISE came, and this side does not take pushes")
            }
            // RFC 9113, 5.5: frames of unknown types are ignored.
            _ => self.spend_idle(1, now).map(|()| Step::Done),
        }
    }

    /// Takes the client's preface as far as it is here, and refuses a wrong one at its first wrong byte.
    fn read_preface(&mut self, input: &mut BytesMut) -> Result<(), Fault> {
        let expected = &PREFACE[PREFACE.len() - self.preface_due..];
        let length = expected.len().min(input.len());
        if input[..length] != expected[..length] {
            return Err(Fault::new(
                Reason::PROTOCOL_ERROR,
                "the connection does not begin with HTTP/2's preface",
            ));
        }
        input.advance(length);
        self.preface_due -= length;
        Ok(())
    }

    /// Which frames may come now: SETTINGS first (RFC 9113, 3.4), nothing within a header block (4.3).
    fn check_order(&self, head: FrameHead) -> Result<(), Fault> {
        if !self.peer.seen && (head.kind != kind::SETTINGS || head.has(flag::ACK)) {
            let seen = format!("the first frame is of type {:#x} and not SETTINGS", head.kind);
            return Err(Fault::new(Reason::PROTOCOL_ERROR, seen));
        }
        if let Some(partial) = &self.partial
            && (head.kind != kind::CONTINUATION || head.stream != partial.stream)
        {
            let seen = format!("a frame of type {:#x} came within the header block of another", head.kind);
            return Err(Fault::new(Reason::PROTOCOL_ERROR, seen));
        }
        Ok(())
    }

    /// Counts frames that carry nothing.
    pub(super) fn spend_idle(&mut self, amount: u32, now: Instant) -> Result<(), Fault> {
        if self.idle_frames.spend(amount, now) {
            return Ok(());
        }
        Err(Fault::new(Reason::ENHANCE_YOUR_CALM, "too many frames that carry nothing (idle_frames_max)"))
    }

    /// Whether nobody has opened this stream yet (RFC 9113, 5.1).
    pub(super) fn is_idle(&self, id: u32) -> bool {
        let is_odd = id % 2 == 1;
        match (self.role, is_odd) {
            (Role::Server, true) => id > self.last_of_peer,
            (Role::Client, true) => id >= self.next_own,
            // A server opens streams only by pushes, which nobody here does.
            (_, false) => true,
        }
    }

    /// A frame for a stream that is not open: idle, gone, or never to be. `cost` is what it costs a peer that may not know
    /// yet.
    pub(super) fn for_no_stream(&mut self, what: &str, id: u32, cost: u32, now: Instant) -> Stepped {
        if self.is_idle(id) {
            return fault(Reason::PROTOCOL_ERROR, format!("{what} for stream {id}, which is idle"));
        }
        if self.streams.closed(id) == Some(Closed::ResetByUs) || self.is_beyond_last(id) {
            return self.spend_idle(cost, now).map(|()| Step::Done);
        }
        self.spend_idle(1, now)?;
        self.refuse(id, Reason::STREAM_CLOSED, now);
        Ok(Step::Done)
    }

    /// Whether the stream came after the last one that we take.
    pub(super) fn is_beyond_last(&self, id: u32) -> bool {
        self.role == Role::Server && matches!(self.leaving, Leaving::Final(last) if id > last)
    }

    /// Resets a stream that is not kept.
    pub(super) fn refuse(&mut self, id: u32, reason: Reason, now: Instant) {
        frame::write_reset(self.out.tail(), id, reason);
        if self.streams.closed(id) != Some(Closed::ResetByUs) {
            self.streams.remember(id, Closed::ResetByUs);
        }
        self.spend_reset(now);
    }

    /// A stream is reset because the peer broke a rule on it (RFC 9113, 5.4.2).
    pub(super) fn break_stream(&mut self, stream: StreamKey, reason: Reason, now: Instant) -> Step {
        frame::write_reset(self.out.tail(), stream.id, reason);
        self.forget(stream, Closed::ResetByUs);
        self.spend_reset(now);
        Step::Event(Event::Reset { stream, reason, by_peer: false })
    }

    /// Counts streams that end before their answer has begun. A peer that makes too many gets no more, and those that go
    /// on are not harmed.
    pub(super) fn spend_reset(&mut self, now: Instant) {
        if self.role == Role::Server && !self.resets.spend(1, now) {
            self.leave(Reason::ENHANCE_YOUR_CALM, "too many streams were reset (resets_max)");
        }
    }

    /// DATA (RFC 9113, 6.1).
    fn data(&mut self, head: FrameHead, payload: &Bytes, now: Instant) -> Stepped {
        if head.stream == 0 {
            return fault(Reason::PROTOCOL_ERROR, "DATA on stream 0");
        }
        let length = payload.len();
        if !self.receive_window.receive(length) {
            return fault(Reason::FLOW_CONTROL_ERROR, "DATA above the window of the connection");
        }
        if head.has(flag::PADDED) && payload.is_empty() {
            return fault(Reason::FRAME_SIZE_ERROR, "DATA has no room for the length of its padding");
        }
        let Some(data) = unpadded(head, payload) else {
            return fault(Reason::PROTOCOL_ERROR, "DATA has more padding than payload");
        };
        let Some(stream) = self.streams.key(head.stream) else {
            self.count_unread(0, length, now);
            // A window of small pieces may be on its way to a stream that we have reset.
            let cost = u32::from(data.is_empty());
            return self.for_no_stream("DATA came", head.stream, cost, now);
        };
        self.count_unread(data.len(), length - data.len(), now);
        let ended = head.has(flag::END_STREAM);
        if let Err(reason) = self.take_data(stream, length, data.len(), ended) {
            self.release(stream, data.len(), now);
            return Ok(self.break_stream(stream, reason, now));
        }
        if length > data.len() {
            // Padding is read by nobody.
            self.unread += length - data.len();
            self.release(stream, length - data.len(), now);
        }
        if data.is_empty() && !ended {
            self.spend_idle(1, now)?;
            return Ok(Step::Done);
        }
        self.idle_frames.earn(1);
        self.forget_if_closed(stream);
        Ok(Step::Event(Event::Data { stream, data, ended }))
    }

    /// Counts bytes of the connection's window: `unread` wait for the caller, `gone` wait for nobody.
    fn count_unread(&mut self, unread: usize, gone: usize, now: Instant) {
        self.unread += unread;
        let bytes = u32::try_from(unread + gone).unwrap_or(u32::MAX);
        if self.unread < self.limits.unread_bytes_max {
            self.receive_window.release(bytes);
            self.grant_connection(now);
        } else {
            self.held_back += bytes;
        }
    }

    /// Counts DATA on its stream: `length` against the window, `bytes` against the content-length.
    fn take_data(
        &mut self,
        stream: StreamKey,
        length: usize,
        bytes: usize,
        ended: bool,
    ) -> Result<(), Reason> {
        let Some(open) = self.streams.open_mut(stream) else { return Err(Reason::STREAM_CLOSED) };
        match open.received {
            Half::Body => {}
            Half::Head => return Err(Reason::PROTOCOL_ERROR),
            Half::Ended => return Err(Reason::STREAM_CLOSED),
        }
        if !open.receive_window.receive(length) {
            return Err(Reason::FLOW_CONTROL_ERROR);
        }
        if let Some(left) = &mut open.length_left {
            *left = left.checked_sub(bytes as u64).ok_or(Reason::PROTOCOL_ERROR)?;
            if ended && *left > 0 {
                return Err(Reason::PROTOCOL_ERROR);
            }
        }
        if ended {
            open.received = Half::Ended;
        }
        Ok(())
    }

    /// RST_STREAM (RFC 9113, 6.4).
    fn rst_stream(&mut self, head: FrameHead, payload: &[u8], now: Instant) -> Stepped {
        let Some(code) = payload.first_chunk::<4>().filter(|_| payload.len() == 4) else {
            return fault(Reason::FRAME_SIZE_ERROR, "RST_STREAM is not four bytes long");
        };
        if head.stream == 0 || self.is_idle(head.stream) {
            let seen = format!("RST_STREAM for stream {}, which is not open", head.stream);
            return fault(Reason::PROTOCOL_ERROR, seen);
        }
        let Some(stream) = self.streams.key(head.stream) else {
            return self.spend_idle(1, now).map(|()| Step::Done);
        };
        let begun = self.streams.open(stream).is_some_and(|open| open.sent != Half::Head);
        self.forget(stream, Closed::Over);
        if begun {
            self.spend_idle(1, now)?;
        } else {
            self.spend_reset(now);
        }
        let reason = Reason(u32::from_be_bytes(*code));
        Ok(Step::Event(Event::Reset { stream, reason, by_peer: true }))
    }

    /// WINDOW_UPDATE (RFC 9113, 6.9).
    fn window_update(&mut self, head: FrameHead, payload: &[u8], now: Instant) -> Stepped {
        let Some(by) = read_u31(payload).filter(|_| payload.len() == 4) else {
            return fault(Reason::FRAME_SIZE_ERROR, "WINDOW_UPDATE is not four bytes long");
        };
        self.spend_idle(1, now)?;
        if head.stream == 0 {
            if by == 0 {
                return fault(Reason::PROTOCOL_ERROR, "WINDOW_UPDATE by nothing");
            }
            if !self.send_window.change(i64::from(by)) {
                return fault(Reason::FLOW_CONTROL_ERROR, "the connection's window is above 2^31-1");
            }
            self.wake_waiting();
            return Ok(Step::Done);
        }
        let Some(stream) = self.streams.key(head.stream) else {
            // One that has ended may still be granted something (RFC 9113, 5.1).
            if self.is_idle(head.stream) {
                let seen = format!("WINDOW_UPDATE for stream {}, which is idle", head.stream);
                return fault(Reason::PROTOCOL_ERROR, seen);
            }
            return Ok(Step::Done);
        };
        if by == 0 {
            return Ok(self.break_stream(stream, Reason::PROTOCOL_ERROR, now));
        }
        let Some(open) = self.streams.open_mut(stream) else { return Ok(Step::Done) };
        if !open.send_window.change(i64::from(by)) {
            return Ok(self.break_stream(stream, Reason::FLOW_CONTROL_ERROR, now));
        }
        if open.waits == Waits::ForStream && open.send_window.bytes() > 0 {
            open.waits = Waits::No;
            return Ok(Step::Event(Event::Writable { stream }));
        }
        Ok(Step::Done)
    }

    /// Tells all bodies that waited for the connection's window.
    fn wake_waiting(&mut self) {
        if self.send_window.bytes() == 0 {
            return;
        }
        // Who has waited longest comes first; otherwise one body without end could take each small window whole.
        let streams = &self.streams;
        let served = |stream: &StreamKey| streams.open(*stream).map(|open| open.served);
        self.waiting.make_contiguous().sort_by_key(served);
        while let Some(stream) = self.waiting.pop_front() {
            if let Some(open) = self.streams.open_mut(stream) {
                open.waits = Waits::No;
                self.events.push_back(Event::Writable { stream });
            }
        }
    }

    /// SETTINGS (RFC 9113, 6.5).
    fn settings(&mut self, head: FrameHead, payload: &[u8], now: Instant) -> Stepped {
        if head.stream != 0 {
            return fault(Reason::PROTOCOL_ERROR, "SETTINGS on a stream");
        }
        if head.has(flag::ACK) {
            if !payload.is_empty() {
                return fault(Reason::FRAME_SIZE_ERROR, "an acknowledgement of SETTINGS carries settings");
            }
            match self.settings_answered(now) {
                true => self.settings_acknowledged(),
                false => self.spend_idle(1, now)?,
            }
            return Ok(Step::Done);
        }
        if !payload.len().is_multiple_of(SETTING_BYTES) {
            return fault(Reason::FRAME_SIZE_ERROR, "SETTINGS is not a multiple of six bytes long");
        }
        if self.peer.seen {
            let count = u32::try_from(payload.len() / SETTING_BYTES).unwrap_or(u32::MAX);
            self.spend_idle(count.max(SETTINGS_COST), now)?;
        } else {
            self.peer.seen = true;
            self.clock.head_since = None;
        }
        for one in payload.chunks_exact(SETTING_BYTES) {
            if let &[n0, n1, v0, v1, v2, v3] = one {
                self.set(u16::from_be_bytes([n0, n1]), u32::from_be_bytes([v0, v1, v2, v3]))?;
            }
        }
        frame::write_settings_ack(self.out.tail());
        Ok(Step::Done)
    }

    /// Takes one setting; unknown ones are ignored.
    fn set(&mut self, name: u16, value: u32) -> Result<(), Fault> {
        let wrong = |reason, what: &str| Err(Fault::new(reason, format!("{what} is {value}")));
        match name {
            setting::HEADER_TABLE_SIZE => self.encoder.set_table_bytes_max(value as usize),
            setting::ENABLE_PUSH if value > 1 || (value == 1 && self.role == Role::Client) => {
                return wrong(Reason::PROTOCOL_ERROR, "SETTINGS_ENABLE_PUSH");
            }
            setting::MAX_CONCURRENT_STREAMS => {
                self.peer.streams_max = value;
                self.tell_room();
            }
            setting::INITIAL_WINDOW_SIZE => {
                if i64::from(value) > WINDOW_BYTES_MAX {
                    return wrong(Reason::FLOW_CONTROL_ERROR, "SETTINGS_INITIAL_WINDOW_SIZE");
                }
                return self.change_windows(value);
            }
            setting::MAX_FRAME_SIZE => {
                if !(frame::FRAME_BYTES_MIN..=frame::FRAME_BYTES_MAX).contains(&value) {
                    return wrong(Reason::PROTOCOL_ERROR, "SETTINGS_MAX_FRAME_SIZE");
                }
                self.peer.frame_bytes_max = value as usize;
            }
            setting::NO_RFC7540_PRIORITIES if value > 1 => {
                return wrong(Reason::PROTOCOL_ERROR, "SETTINGS_NO_RFC7540_PRIORITIES");
            }
            _ => {}
        }
        Ok(())
    }

    /// A new first window changes those of open streams by the difference (RFC 9113, 6.9.2).
    fn change_windows(&mut self, window_bytes: u32) -> Result<(), Fault> {
        let by = i64::from(window_bytes) - i64::from(self.peer.window_bytes);
        self.peer.window_bytes = window_bytes;
        for (stream, open) in self.streams.iter_mut() {
            if !open.send_window.change(by) {
                let seen = format!("SETTINGS bring the window of stream {} above 2^31-1", open.id);
                return Err(Fault::new(Reason::FLOW_CONTROL_ERROR, seen));
            }
            if open.waits == Waits::ForStream && open.send_window.bytes() > 0 {
                open.waits = Waits::No;
                self.events.push_back(Event::Writable { stream });
            }
        }
        Ok(())
    }

    /// PING (RFC 9113, 6.7).
    fn ping_frame(&mut self, head: FrameHead, payload: &[u8], now: Instant) -> Stepped {
        if head.stream != 0 {
            return fault(Reason::PROTOCOL_ERROR, "PING on a stream");
        }
        let Some(payload) = payload.first_chunk::<8>().filter(|_| payload.len() == 8) else {
            return fault(Reason::FRAME_SIZE_ERROR, "PING is not eight bytes long");
        };
        if head.has(flag::ACK) {
            if !self.pong(*payload, now) {
                self.spend_idle(1, now)?;
            }
        } else {
            self.spend_idle(1, now)?;
            self.answer_ping(*payload);
        }
        Ok(Step::Done)
    }

    /// GOAWAY (RFC 9113, 6.8).
    fn go_away(&mut self, head: FrameHead, payload: &[u8], now: Instant) -> Stepped {
        if head.stream != 0 {
            return fault(Reason::PROTOCOL_ERROR, "GOAWAY on a stream");
        }
        let (Some(last), Some(code)) = (read_u31(payload), payload.get(4..8)) else {
            return fault(Reason::FRAME_SIZE_ERROR, "GOAWAY is shorter than eight bytes");
        };
        self.spend_idle(1, now)?;
        if self.peer_left.is_some_and(|before| last > before) {
            return fault(Reason::PROTOCOL_ERROR, "a second GOAWAY takes more streams than the first");
        }
        self.peer_left = Some(last);
        let reason = Reason(code.iter().fold(0, |code, byte| code << 8 | u32::from(*byte)));
        let seen = payload.get(8..).unwrap_or_default();
        let seen = &seen[..seen.len().min(SEEN_BYTES_MAX)];
        let seen = String::from_utf8_lossy(seen).into_owned();
        if self.role == Role::Client {
            for stream in self.streams.keys().into_iter().filter(|stream| stream.id > last) {
                self.forget(stream, Closed::ResetByUs);
                let reason = Reason::REFUSED_STREAM;
                self.events.push_back(Event::Reset { stream, reason, by_peer: true });
            }
        }
        Ok(Step::Event(Event::GoingAway { reason, seen }))
    }

    /// PRIORITY (RFC 9113, 6.3): checked and ignored.
    fn priority(&mut self, head: FrameHead, payload: &[u8], now: Instant) -> Stepped {
        if head.stream == 0 {
            return fault(Reason::PROTOCOL_ERROR, "PRIORITY on stream 0");
        }
        self.spend_idle(1, now)?;
        let reason = match read_u31(payload) {
            _ if payload.len() != 5 => Reason::FRAME_SIZE_ERROR,
            // RFC 7540, 5.3.1: a stream cannot depend on itself.
            Some(dependency) if dependency == head.stream => Reason::PROTOCOL_ERROR,
            _ => return Ok(Step::Done),
        };
        match self.streams.key(head.stream) {
            Some(stream) => Ok(self.break_stream(stream, reason, now)),
            // An idle stream cannot be reset (RFC 9113, 6.4).
            None if self.is_idle(head.stream) => {
                fault(reason, format!("PRIORITY of stream {}, which is idle, is wrong", head.stream))
            }
            None => {
                self.refuse(head.stream, reason, now);
                Ok(Step::Done)
            }
        }
    }
}

/// The payload of a frame without its padding; `None` when there is more padding than payload.
fn unpadded(head: FrameHead, payload: &Bytes) -> Option<Bytes> {
    if !head.has(flag::PADDED) {
        return Some(payload.clone());
    }
    let padding = usize::from(*payload.first()?);
    let end = payload.len().checked_sub(padding)?;
    (end >= 1).then(|| payload.slice(1..end))
}

/// Bytes of one setting.
const SETTING_BYTES: usize = 6;

/// What a SETTINGS frame costs at least of the budget for frames that carry nothing: it may touch every stream.
const SETTINGS_COST: u32 = 16;

/// How much of the peer's words in a GOAWAY is kept, in bytes.
const SEEN_BYTES_MAX: usize = 256;
