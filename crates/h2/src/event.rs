//! What a connection has to tell.

use bytes::Bytes;
use http::HeaderMap;

use crate::{Reason, RequestHead, ResponseHead, StreamKey};

/// Something that the peer did.
#[derive(Debug)]
pub enum Event {
    /// A request has begun (server).
    Request {
        /// Its stream.
        stream: StreamKey,
        /// Its head.
        head: Box<RequestHead>,
        /// Whether it has no body.
        ended: bool,
    },
    /// The response to a request has begun (client).
    Response {
        /// Its stream.
        stream: StreamKey,
        /// Its head. Informational ones (1xx) are not told.
        head: Box<ResponseHead>,
        /// Whether it has no body.
        ended: bool,
    },
    /// A piece of a body. Its bytes count against the windows until [`Connection::release`](crate::Connection::release).
    Data {
        /// Its stream.
        stream: StreamKey,
        /// The bytes; empty only when `ended`.
        data: Bytes,
        /// Whether the body has ended, without trailers.
        ended: bool,
    },
    /// A body has ended with trailers.
    Trailers {
        /// Its stream.
        stream: StreamKey,
        /// The trailers.
        fields: HeaderMap,
    },
    /// A stream was cut; its key names nothing any more.
    Reset {
        /// The stream.
        stream: StreamKey,
        /// The code.
        reason: Reason,
        /// Whose word it was: the peer's, or this side's because the peer broke a rule.
        by_peer: bool,
    },
    /// A body that had to wait may go on.
    Writable {
        /// The stream.
        stream: StreamKey,
    },
    /// The peer takes no more streams (GOAWAY). Streams that it will not look at have been reset with REFUSED_STREAM.
    GoingAway {
        /// The code.
        reason: Reason,
        /// The peer's own words, perhaps none.
        seen: String,
    },
    /// More streams may be opened than before: one has ended, or the peer has raised its limit (client).
    Room,
}
