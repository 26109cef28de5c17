//! The client's side of one call: from the request head to the outcome, whatever the protocol.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Uri, Version};

use crate::{Compression, Compressions, Protocol, RequestHead, ResponseHead, Shape, Status};

/// What a caller wants of one call.
pub struct Plan<'a> {
    /// The protocol to speak.
    pub protocol: Protocol,
    /// gRPC-Web only: use the text (base64) form.
    pub text: bool,
    /// The shape of the procedure.
    pub shape: Shape,
    /// Scheme and authority, perhaps a path prefix: `https://host:port`.
    pub base: &'a Uri,
    /// The procedure, `/package.Service/Method`.
    pub path: &'a str,
    /// HTTP version for the head.
    pub version: Version,
    /// The codec's name, such as `proto`.
    pub codec: &'a str,
    /// Time allowed from now on; sent to the server.
    pub timeout: Option<Duration>,
    /// The caller's metadata.
    pub metadata: &'a HeaderMap,
    /// How to compress requests; `None` for identity.
    pub send_compression: Option<Arc<dyn Compression>>,
    /// Requests smaller than this many bytes are sent uncompressed.
    pub compress_bytes_min: usize,
    /// What the server may compress with.
    pub accept_compressions: Arc<Compressions>,
    /// Largest response message, in bytes after inflating.
    pub message_bytes_max: usize,
}

/// A call that has begun: the head to send and the two halves.
pub struct ClientCall {
    /// The request head.
    pub head: RequestHead,
    /// Writes request messages.
    pub writer: ClientWriter,
    /// Reads the response.
    pub reader: ClientReader,
}

/// What `poll_event` found.
#[derive(Debug)]
pub enum Event {
    /// Call `receive` or `receive_end`, then poll again.
    NeedMore,
    /// One whole message, inflated.
    Message(Bytes),
    /// The call has ended. Final.
    End(Outcome),
}

/// How a call ended.
#[derive(Debug)]
pub struct Outcome {
    /// Success, or the status from the peer or from what it did wrong. Its metadata are the trailers.
    pub result: Result<(), Status>,
    /// Trailers, on success and on error.
    pub trailers: HeaderMap,
    /// Whether the peer sent this status; `false` when we concluded it from what the peer did.
    pub from_peer: bool,
}

/// Writes the request body of one call.
pub struct ClientWriter {}

/// Reads the response of one call.
pub struct ClientReader {}

/// Begins a call.
///
/// # Errors
/// `InvalidArgument` when base and path make no URI.
pub fn start(plan: Plan<'_>) -> Result<ClientCall, Status> {
    let _ = plan;
    todo!()
}

/// Begins a Connect unary call by GET: the whole message lies in the query (Connect specification, "Unary-Get-Request").
/// `message` is the plain encoded message. No body is to be sent: the writer is not needed.
///
/// # Errors
/// `InvalidArgument` when base and path make no URI.
pub fn start_get(plan: Plan<'_>, message: &[u8]) -> Result<ClientCall, Status> {
    let _ = (plan, message);
    todo!()
}

impl ClientWriter {
    /// Appends one message to `target`, enveloped and compressed as planned. On error `target` is as it was.
    ///
    /// # Errors
    /// What `encode` returned.
    pub fn message(
        &mut self,
        target: &mut BytesMut,
        encode: &mut dyn FnMut(&mut BytesMut) -> Result<(), Status>,
    ) -> Result<(), Status> {
        let _ = (target, encode);
        todo!()
    }

    /// Appends what ends the request body to `target`.
    pub fn finish(&mut self, target: &mut BytesMut) {
        let _ = target;
        todo!()
    }
}

impl ClientReader {
    /// Takes the response head and gives the server's metadata without protocol headers. An error in the head
    /// comes out of `poll_event` as `End`.
    pub fn receive_head(&mut self, head: ResponseHead) -> HeaderMap {
        let _ = head;
        todo!()
    }

    /// Takes a chunk of the response body. Poll until `NeedMore` before the next one.
    pub fn receive(&mut self, chunk: Bytes) {
        let _ = chunk;
        todo!()
    }

    /// The response body has ended cleanly, with these HTTP trailers.
    pub fn receive_end(&mut self, trailers: Option<HeaderMap>) {
        let _ = trailers;
        todo!()
    }

    /// The next event.
    pub fn poll_event(&mut self) -> Event {
        todo!()
    }
}
