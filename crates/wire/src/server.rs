//! The server's side of one call: from the request head to the outcome, whatever the protocol.
//!
//! It decides the order of the checks on a head; what each protocol says lies in its folder.

mod accept;
mod detect;
pub(crate) mod read;
pub(crate) mod write;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;

pub use self::detect::is_call;
pub use self::read::ServerReader;
pub use self::write::ServerWriter;
use crate::{Compressions, Protocol, RequestHead, ResponseHead, Shape};

/// What the server is ready to speak.
#[derive(Debug, Clone)]
pub struct Config {
    /// Names of the codecs known, such as `proto` and `json`.
    pub codecs: Vec<&'static str>,
    /// Compressions known.
    pub compressions: Arc<Compressions>,
    /// Largest request message, in bytes after inflating.
    pub message_bytes_max: usize,
    /// Responses smaller than this many bytes are sent uncompressed.
    pub compress_bytes_min: usize,
    /// Refuse Connect requests without a protocol version header (off by default, so that curl is enough).
    pub require_connect_version: bool,
}

/// What the router knows of the procedure that the path names.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// The shape of the procedure.
    pub shape: Shape,
    /// Whether the schema says that it has no side effects, so that GET is allowed.
    pub no_side_effects: bool,
}

/// What became of a request head.
pub enum Accepted {
    /// A call begins.
    Call(Box<ServerCall>),
    /// The request is refused: send this response and no more.
    Reject(Reject),
}

/// A whole response that refuses a request, in the form that its protocol wants.
#[derive(Debug, Clone)]
pub struct Reject {
    /// The head to send.
    pub head: ResponseHead,
    /// The body to send, perhaps empty.
    pub body: Bytes,
}

/// A call that has begun: its facts and its two halves.
pub struct ServerCall {
    /// Facts of the request.
    pub start: CallStart,
    /// Reads request messages.
    pub reader: ServerReader,
    /// Writes response messages and the outcome.
    pub writer: ServerWriter,
}

/// The facts of a request head, without protocol headers.
#[derive(Debug, Clone)]
pub struct CallStart {
    /// The protocol, chosen once.
    pub protocol: Protocol,
    /// The codec's name, one of `Config::codecs`.
    pub codec: &'static str,
    /// The timeout that the peer sent, from the arrival of the head.
    pub timeout: Option<Duration>,
    /// The caller's metadata: all headers but those of HTTP and the protocol.
    pub metadata: HeaderMap,
}

/// What `poll_message` found.
#[derive(Debug)]
pub enum Step {
    /// Call `receive` or `receive_end`, then poll again.
    NeedMore,
    /// One whole message, inflated.
    Message(Bytes),
    /// The client has ended its side. Final.
    End,
}

/// What ends a response.
#[derive(Debug, Default)]
pub struct Finish {
    /// The head, if it was not sent before. Send it before the bytes in the target.
    pub head: Option<ResponseHead>,
    /// HTTP trailers, if the protocol uses them.
    pub trailers: Option<HeaderMap>,
}

/// Reads a request head: chooses the protocol, checks the head, and begins the call.
///
/// `route` is `None` when no procedure has the path: the refusal then has the form of the protocol asked for.
///
/// ```
/// use http::{HeaderMap, Method, Version};
/// use trunkline_wire::server::{Accepted, Config, accept};
/// use trunkline_wire::{Compressions, RequestHead};
///
/// let config = Config {
///     codecs: vec!["proto", "json"],
///     compressions: Compressions::none().into(),
///     message_bytes_max: 4 << 20,
///     compress_bytes_min: 0,
///     require_connect_version: false,
/// };
/// let head = RequestHead {
///     method: Method::POST,
///     uri: "/no.Such/Thing".parse()?,
///     version: Version::HTTP_11,
///     headers: HeaderMap::new(),
/// };
/// let Accepted::Reject(reject) = accept(head, None, &config) else { panic!("no procedure has this path") };
/// assert_eq!(reject.head.status, 404);
/// # Ok::<(), http::uri::InvalidUri>(())
/// ```
pub fn accept(head: RequestHead, route: Option<Route>, config: &Config) -> Accepted {
    accept::accept(head, route, config)
}

impl fmt::Debug for Accepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(call) => f.debug_tuple("Call").field(&call.start).finish(),
            Self::Reject(reject) => f.debug_tuple("Reject").field(reject).finish(),
        }
    }
}

impl fmt::Debug for ServerCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerCall").field("start", &self.start).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
