//! What the caller sends: requests, responses, bodies, trailers, resets.
//!
//! Nothing is queued here. A body stays with the caller until the windows have room for it; what has been taken is on its
//! way.

use std::fmt;

use bytes::BytesMut;
use http::{HeaderMap, Method, StatusCode, Uri};

use super::{Connection, MAX_STREAM_ID, Role};
use crate::frame::{self, FrameHead, HEAD_BYTES, flag, kind};
use crate::head::scheme_of;
use crate::hpack::{Encoder, RequestFields};
use crate::out::BY_REFERENCE_BYTES_MIN;
use crate::store::{Closed, Half, Stream, Waits};
use crate::window::SendWindow;
use crate::{Reason, StreamKey};

/// Why a stream cannot be opened now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenFault {
    /// The peer's limit on open streams has been reached; [`Event::Room`](crate::Event::Room) tells when to try again.
    Full,
    /// The connection takes no more streams: one side is leaving, or the numbers are used up.
    Leaving,
}

/// Why something could not be sent on a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendFault {
    /// The stream has ended or was reset.
    Gone,
    /// The caller sends things out of order: a head twice, a body without a head, anything behind the end.
    Order,
}

/// How far a body came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// All of it was taken.
    All,
    /// The rest waits for the peer's window; [`Event::Writable`](crate::Event::Writable) tells when to go on.
    Blocked,
    /// As much as the caller allowed was taken; there is room for more.
    Share,
}

/// The largest DATA frame that is written, however large the peer allows: others shall have their turn.
const DATA_BYTES_MAX: usize = 64 * 1024;

impl Connection {
    /// Opens a stream with a request (client). `ended` says that it has no body.
    ///
    /// # Errors
    /// [`OpenFault`]; then nothing was sent.
    pub fn open(
        &mut self,
        method: &Method,
        uri: &Uri,
        fields: &HeaderMap,
        ended: bool,
    ) -> Result<StreamKey, OpenFault> {
        if self.is_leaving() || self.role != Role::Client || self.next_own > MAX_STREAM_ID {
            return Err(OpenFault::Leaving);
        }
        if self.streams.len() >= self.peer.streams_max as usize {
            return Err(OpenFault::Full);
        }
        let id = self.next_own;
        self.next_own += 2;
        let request = RequestFields {
            method,
            scheme: scheme_of(uri),
            authority: uri.authority().map_or("", http::uri::Authority::as_str),
            path: uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str),
            fields,
        };
        self.write_head(id, ended, |encoder, target| encoder.request(&request, target));
        Ok(self.streams.insert(Stream {
            id,
            sent: if ended { Half::Ended } else { Half::Body },
            received: Half::Head,
            send_window: SendWindow::new(self.peer.window_bytes),
            receive_window: self.stream_window(),
            length_left: None,
            waits: Waits::No,
            served: 0,
        }))
    }

    /// How many streams the peer takes at once.
    pub fn streams_max(&self) -> usize {
        self.peer.streams_max as usize
    }

    /// Whether [`open`](Self::open) would open a stream now.
    pub fn has_room(&self) -> bool {
        !self.is_leaving() && self.streams.len() < self.peer.streams_max as usize
    }

    /// Sends the head of a response (server). `ended` says that it is the whole response.
    ///
    /// # Errors
    /// [`SendFault`]; then nothing was sent.
    pub fn send_response(
        &mut self,
        stream: StreamKey,
        status: StatusCode,
        fields: &HeaderMap,
        ended: bool,
    ) -> Result<(), SendFault> {
        let open = self.streams.open_mut(stream).ok_or(SendFault::Gone)?;
        if open.sent != Half::Head {
            return Err(SendFault::Order);
        }
        open.sent = if ended { Half::Ended } else { Half::Body };
        self.write_head(stream.id, ended, |encoder, target| encoder.response(status, fields, target));
        self.forget_if_closed(stream);
        Ok(())
    }

    /// Sends as much of `data` as the windows and `bytes_max` allow, and takes it out of `data`. With `ended`, the body ends
    /// behind the last byte.
    ///
    /// # Errors
    /// [`SendFault`]; then nothing was sent.
    pub fn send_data(
        &mut self,
        stream: StreamKey,
        data: &mut BytesMut,
        ended: bool,
        bytes_max: usize,
    ) -> Result<Sent, SendFault> {
        let open = self.streams.open_mut(stream).ok_or(SendFault::Gone)?;
        if open.sent != Half::Body {
            return Err(SendFault::Order);
        }
        let frame_bytes_max = self.peer.frame_bytes_max.min(DATA_BYTES_MAX);
        let by_reference = data.len() >= BY_REFERENCE_BYTES_MIN;
        let (mut left, mut end_due) = (bytes_max, ended);
        let mut sent = Sent::All;
        while !data.is_empty() {
            let (of_stream, of_connection) = (open.send_window.bytes(), self.send_window.bytes());
            let length = data.len().min(frame_bytes_max).min(of_stream).min(of_connection).min(left);
            if length == 0 {
                sent = if left == 0 { Sent::Share } else { Sent::Blocked };
                if sent == Sent::Blocked && open.waits == Waits::No {
                    // The stream's own window first: who waits for that does not stand in the connection's queue.
                    open.waits = if of_stream == 0 { Waits::ForStream } else { Waits::ForConnection };
                    if open.waits == Waits::ForConnection {
                        self.waiting.push_back(stream);
                    }
                }
                break;
            }
            let is_last = ended && length == data.len();
            let flags = if is_last { flag::END_STREAM } else { 0 };
            FrameHead { length, kind: kind::DATA, flags, stream: stream.id }.write(self.out.tail());
            self.out.take(data, length, by_reference);
            open.send_window.take(length);
            self.served += 1;
            open.served = self.served;
            self.send_window.take(length);
            left -= length;
            end_due &= !is_last;
            // Who is sent bodies may answer with WINDOW_UPDATE and PING.
            self.idle_frames.earn(2);
        }
        if end_due && data.is_empty() {
            let head = FrameHead { length: 0, kind: kind::DATA, flags: flag::END_STREAM, stream: stream.id };
            head.write(self.out.tail());
            end_due = false;
        }
        if ended && !end_due {
            open.sent = Half::Ended;
            self.forget_if_closed(stream);
        }
        Ok(sent)
    }

    /// Ends a body with trailers.
    ///
    /// # Errors
    /// [`SendFault`]; then nothing was sent.
    pub fn send_trailers(&mut self, stream: StreamKey, fields: &HeaderMap) -> Result<(), SendFault> {
        let open = self.streams.open_mut(stream).ok_or(SendFault::Gone)?;
        if open.sent != Half::Body {
            return Err(SendFault::Order);
        }
        open.sent = Half::Ended;
        self.write_head(stream.id, true, |encoder, target| encoder.trailers(fields, target));
        self.forget_if_closed(stream);
        Ok(())
    }

    /// Cuts a stream (RFC 9113, 6.4). One that has ended already is left alone. A server that has sent its whole response
    /// says NO_ERROR to stop the rest of the request (8.1).
    pub fn reset(&mut self, stream: StreamKey, reason: Reason) {
        if self.streams.open(stream).is_some() {
            frame::write_reset(self.out.tail(), stream.id, reason);
            self.forget(stream, Closed::ResetByUs);
        }
    }

    /// Whether this side has ended the stream, which the peer has not.
    pub fn has_sent_all(&self, stream: StreamKey) -> bool {
        self.streams.open(stream).is_some_and(|open| open.sent == Half::Ended)
    }

    /// Whether the stream is open.
    pub fn is_open(&self, stream: StreamKey) -> bool {
        self.streams.open(stream).is_some()
    }

    /// Writes a header block, in CONTINUATION frames behind the first where the peer's frames are too small for it.
    pub(super) fn write_head(
        &mut self,
        id: u32,
        ended: bool,
        encode: impl FnOnce(&mut Encoder, &mut BytesMut),
    ) {
        let target = self.out.tail();
        let start = target.len();
        let flags = if ended { flag::END_STREAM } else { 0 };
        let mut head = FrameHead { length: 0, kind: kind::HEADERS, flags, stream: id };
        head.write(target);
        encode(&mut self.encoder, target);
        let length = target.len() - start - HEAD_BYTES;
        let frame_bytes_max = self.peer.frame_bytes_max;
        head.length = length.min(frame_bytes_max);
        if length <= frame_bytes_max {
            head.flags |= flag::END_HEADERS;
        }
        if let Some(place) = target.get_mut(start..start + HEAD_BYTES) {
            place.copy_from_slice(&head.bytes());
        }
        if length > frame_bytes_max {
            let rest = target.split_off(start + HEAD_BYTES + frame_bytes_max);
            let mut pieces = rest.chunks(frame_bytes_max).peekable();
            while let Some(piece) = pieces.next() {
                let flags = if pieces.peek().is_none() { flag::END_HEADERS } else { 0 };
                FrameHead { length: piece.len(), kind: kind::CONTINUATION, flags, stream: id }.write(target);
                target.extend_from_slice(piece);
            }
        }
    }
}

impl fmt::Display for OpenFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "the peer's limit on open streams has been reached",
            Self::Leaving => "the connection takes no more streams",
        })
    }
}

impl std::error::Error for OpenFault {}

impl fmt::Display for SendFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gone => "the stream has ended",
            Self::Order => "the stream is not at this point",
        })
    }
}

impl std::error::Error for SendFault {}
