//! The client's side of one call: from the request head to the outcome, whatever the protocol.
//!
//! It decides what every request has in common; what each protocol says lies in its folder.

mod read;
mod write;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, Uri, Version, header, uri};

pub use self::read::ClientReader;
pub use self::write::ClientWriter;
use crate::grpc_web::trailers::END_FLAG;
use crate::{Code, Compression, Compressions, Protocol, RequestHead, Shape, Status};
use crate::{connect, grpc, grpc_web, metadata};

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
    /// Requests smaller than this many bytes are sent uncompressed. Connect unary does not look at it: its head, which is
    /// sent before the message, says whether the body is compressed.
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
#[expect(clippy::large_enum_variant, reason = "an event is matched at once and never stored")]
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

/// Who we are, unless the caller's metadata say otherwise.
const USER_AGENT: &str = concat!("trunkline/", env!("CARGO_PKG_VERSION"));

/// Begins a call: makes the head and the two halves. Nothing is sent; that is for the caller to do.
///
/// # Errors
/// `InvalidArgument` when base and path make no URI.
#[expect(clippy::needless_pass_by_value, reason = "a plan is for one call")]
pub fn start(plan: Plan<'_>) -> Result<ClientCall, Status> {
    let uri = join(plan.base, plan.path, None)?;
    let compression = plan.send_compression.clone();
    let envelopes = || write::envelopes(compression.clone(), plan.compress_bytes_min);
    let (head, writer, reader) = match plan.protocol {
        Protocol::Connect if plan.shape == Shape::Unary => {
            let expected = connect::client::Expected::of(&plan, true);
            let reader = read::Form::ConnectUnary(connect::client::UnaryReader::new(expected));
            let writer = write::Form::Bare { compression: compression.clone(), written: false };
            (connect::client::request_head(&plan, uri, true)?, writer, reader)
        }
        Protocol::Connect => {
            let expected = connect::client::Expected::of(&plan, false);
            let reader = read::Form::ConnectStream(connect::client::StreamReader::new(expected));
            (connect::client::request_head(&plan, uri, false)?, envelopes(), reader)
        }
        Protocol::Grpc => {
            let expected = grpc::client::Expected::of(&plan, &[grpc::headers::CONTENT_TYPE], 0);
            let reader = read::Form::Grpc(grpc::client::Reader::new(expected));
            (grpc::client::request_head(&plan, uri)?, envelopes(), reader)
        }
        Protocol::GrpcWeb => {
            let expected = grpc::client::Expected::of(&plan, grpc_web::client::CONTENT_TYPES, END_FLAG);
            let reader = read::Form::GrpcWeb(grpc_web::client::Reader::new(expected));
            let writer = write::text_if(plan.text, envelopes());
            (grpc_web::client::request_head(&plan, uri)?, writer, reader)
        }
    };
    Ok(ClientCall { head, writer: ClientWriter::new(writer), reader: ClientReader::new(reader) })
}

/// Begins a Connect unary call by GET: the whole message lies in the query (Connect specification, "Unary-Get-Request").
/// `message` is the plain encoded message. No body is to be sent: the writer is not needed.
///
/// The plan's protocol and shape are taken to be `Connect` and `Unary`. `send_compression` compresses messages of at
/// least `compress_bytes_min` bytes.
///
/// # Errors
/// `InvalidArgument` when base and path make no URI, or when the message makes it longer than a URI can be (64 KiB).
#[expect(clippy::needless_pass_by_value, reason = "a plan is for one call")]
pub fn start_get(plan: Plan<'_>, message: &[u8]) -> Result<ClientCall, Status> {
    let compression = plan.send_compression.as_deref().filter(|_| message.len() >= plan.compress_bytes_min);
    let mut compressed = BytesMut::new();
    let payload = match compression {
        Some(compression) => {
            compression.compress(message, &mut compressed);
            &compressed
        }
        None => message,
    };
    let query = connect::get::write_query(plan.codec, compression, payload);
    let uri = join(plan.base, plan.path, Some(&query))?;
    let expected = connect::client::Expected::of(&plan, true);
    Ok(ClientCall {
        head: connect::client::head_by_get(&plan, uri),
        writer: ClientWriter::new(write::Form::Nothing),
        reader: ClientReader::new(read::Form::ConnectUnary(connect::client::UnaryReader::new(expected))),
    })
}

/// The fields that every request has: the caller's metadata, and who we are.
pub(crate) fn request_fields(plan: &Plan<'_>) -> HeaderMap {
    let mut fields = HeaderMap::new();
    metadata::append_to(&mut fields, plan.metadata.clone());
    fields.entry(header::USER_AGENT).or_insert(HeaderValue::from_static(USER_AGENT));
    fields
}

/// The address of a procedure: the base's path is a prefix.
fn join(base: &Uri, path: &str, query: Option<&str>) -> Result<Uri, Status> {
    let invalid = || Status::new(Code::InvalidArgument, format!("{base} and {path:?} make no URI"));
    if !path.starts_with('/') {
        return Err(invalid());
    }
    let mut target = format!("{}{path}", base.path().trim_end_matches('/'));
    if let Some(query) = query {
        target.push('?');
        target.push_str(query);
    }
    let mut parts = uri::Parts::default();
    parts.scheme = base.scheme().cloned();
    parts.authority = base.authority().cloned();
    parts.path_and_query = Some(target.try_into().map_err(|_| invalid())?);
    Uri::from_parts(parts).map_err(|_| invalid())
}

impl fmt::Debug for ClientCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCall").field("head", &self.head).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
