//! The border between bytes on a connection and the protocols: heads, chunks, trailers, and nothing of how they travel.
//!
//! Everything above this border is the same for HTTP/1.1, HTTP/2 and memory. No hyper type, `http_body` type or channel
//! crosses it. Backpressure is the byte credit of [`Outgoing`]; there is no other queue.
//!
//! One call has two bodies, each with a sender and a receiver:
//!
//! ```text
//!            client                                        server
//!   Transport::open(head) ── head ──────────────────────► call room (head)
//!   Outgoing ─────────────── request chunks ────────────► Incoming
//!   ResponseFuture ◄──────── head ─────────────────────── Outgoing::head
//!   Incoming ◄────────────── response chunks, trailers ── Outgoing
//! ```
//!
//! Either receiver may be dropped, which refuses the rest; either sender may be dropped unfinished, which resets. A
//! [`Reset`] says why, as far as the transport can tell, and keeps the error that told of it.

pub(crate) mod engine;
pub(crate) mod hyper;
pub(crate) mod memory;
pub(crate) mod pipe;
mod reset;
pub(crate) mod sniff;
#[cfg(feature = "tls")]
pub mod tls;

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use http::{Extensions, HeaderMap};
use trunkline_wire::{RequestHead, ResponseHead};

pub use self::reset::{Reset, ResetReason};

/// Who speaks HTTP/2 on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Http2 {
    /// Trunkline's own engine: one task owns a connection, and what its calls write leaves together.
    #[default]
    Engine,
    /// hyper, over the h2 crate: what an application has that we are mounted in.
    Hyper,
}

/// A piece of a body.
#[derive(Debug)]
pub enum Chunk {
    /// Bytes; never empty.
    Data(Bytes),
    /// The body has ended as its sender wanted, perhaps with trailers. Final.
    End(Option<HeaderMap>),
    /// The body was cut. Final.
    Reset(Reset),
}

/// The body that arrives. Dropping it refuses the rest.
pub trait Incoming: Send {
    /// The next chunk. After `End` or `Reset` it repeats the end.
    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Chunk>;

    /// Takes what the layers below have attached to the request, such as the means to upgrade its connection. It is for an
    /// application behind this server; nothing here looks into it.
    fn extensions(&mut self) -> Extensions {
        Extensions::new()
    }
}

/// The response, or the body of a request, on its way out. Dropping it unfinished resets.
///
/// A producer asks for credit, writes whole envelopes into the target, and flushes before it waits for anything.
pub trait Outgoing: Send {
    /// Sends the response head; once, before anything is flushed. A client's head went with `Transport::open`: there
    /// this does nothing.
    fn head(&mut self, head: ResponseHead);

    /// Waits for byte credit and gives the encode target. Any credit at all admits one message of any size, so that
    /// a message larger than the buffer can be sent; `bytes` says how much is about to be written.
    ///
    /// # Errors
    /// The peer has refused the rest, or the connection is gone.
    fn poll_reserve(&mut self, cx: &mut Context<'_>, bytes: usize) -> Poll<Result<&mut BytesMut, Reset>>;

    /// The encode target without credit: for the few bytes that end a body.
    fn tail(&mut self) -> &mut BytesMut;

    /// Lets what was written travel.
    fn flush(&mut self);

    /// Ends the body after what was written, with trailers where the protocol has them.
    fn finish(&mut self, trailers: Option<HeaderMap>);

    /// Cuts the body. What was written and not flushed is gone.
    fn reset(&mut self, reason: ResetReason);
}

/// The response to a request that a client has opened.
pub type ResponseFuture =
    Pin<Box<dyn Future<Output = Result<(ResponseHead, Box<dyn Incoming>), Reset>> + Send>>;

/// A request that a client has opened.
pub struct Opened {
    /// The request's body.
    pub outgoing: Box<dyn Outgoing>,
    /// The response. Dropping it resets the call.
    pub response: ResponseFuture,
}

/// Who polls the response while the request body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driving {
    /// The caller: it writes everything first, or polls the response while it writes.
    ByCaller,
    /// The transport: the caller may write for long without polling the response.
    ByTransport,
}

/// Where a client's calls go.
pub trait Transport: Send + Sync + 'static {
    /// The HTTP version that request heads shall carry.
    fn version(&self) -> http::Version;

    /// Opens a request. Returns at once; connecting is part of the response.
    fn open(&self, head: RequestHead, driving: Driving) -> Opened;
}

/// Where a server transport hands its calls to: the call room.
pub(crate) trait Answer: Send + Sync + 'static {
    /// Serves one request, from its head to the end of its response. Dropping the future cancels the call.
    fn answer(
        &self,
        head: RequestHead,
        peer: &crate::context::Peer,
        incoming: Box<dyn Incoming>,
        outgoing: Box<dyn Outgoing>,
    ) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}
