//! The server's side of one call: from the request head to the outcome, whatever the protocol.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::HeaderMap;

use crate::{Compressions, Protocol, RequestHead, ResponseHead, Shape, Status};

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

/// Reads the request body of one call.
pub struct ServerReader {}

/// Writes the response of one call.
pub struct ServerWriter {}

/// Reads a request head: chooses the protocol, checks the head, and begins the call.
///
/// `route` is `None` when no procedure has the path: the refusal then has the form of the protocol asked for.
pub fn accept(head: RequestHead, route: Option<Route>, config: &Config) -> Accepted {
    let _ = (head, route, config);
    todo!()
}

impl ServerReader {
    /// Takes a chunk of the request body. Poll until `NeedMore` before the next one.
    pub fn receive(&mut self, chunk: Bytes) {
        let _ = chunk;
        todo!()
    }

    /// The request body has ended cleanly.
    pub fn receive_end(&mut self) {
        todo!()
    }

    /// The next message.
    ///
    /// # Errors
    /// The status to end the call with, when the peer broke the framing or a limit. Final.
    pub fn poll_message(&mut self) -> Result<Step, Status> {
        todo!()
    }
}

impl ServerWriter {
    /// The response head with the handler's metadata. Connect unary answers `None` and keeps the metadata: its
    /// head says how the call ended, so it comes with `finish`.
    pub fn head(&mut self, metadata: HeaderMap) -> Option<ResponseHead> {
        let _ = metadata;
        todo!()
    }

    /// Appends one message to `target`, enveloped and compressed as agreed. `encode` appends the plain message.
    /// On error `target` is as it was.
    ///
    /// # Errors
    /// What `encode` returned, or `ResourceExhausted` for a message above 4 GiB.
    pub fn message(
        &mut self,
        target: &mut BytesMut,
        encode: &mut dyn FnMut(&mut BytesMut) -> Result<(), Status>,
    ) -> Result<(), Status> {
        let _ = (target, encode);
        todo!()
    }

    /// Ends the response: appends what belongs into the body to `target` and gives head and trailers.
    ///
    /// `trailers` are the handler's; those of a failed `outcome` are in its status.
    pub fn finish(
        &mut self,
        outcome: Result<(), Status>,
        trailers: HeaderMap,
        target: &mut BytesMut,
    ) -> Finish {
        let _ = (outcome, trailers, target);
        todo!()
    }
}
