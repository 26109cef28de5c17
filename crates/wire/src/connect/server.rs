//! Connect's part of `accept`: what a request head agrees on, and how a call or a refusal follows from it.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::body::WholeBody;
use super::stream::{self, StreamWriter};
use super::unary::{self, UnaryWriter};
use super::{headers, timeout};
use crate::compress::{IDENTITY, Offer};
use crate::envelope::{EnvelopeReader, EnvelopeWriter, Rules};
use crate::server::{Accepted, CallStart, Config, ServerCall, ServerReader, ServerWriter, read, write};
use crate::{Code, Compression, Compressions, Protocol, RequestHead, Status, metadata};

/// What a head agrees on beyond path and codec.
pub(crate) struct Agreement {
    /// How the request is compressed.
    pub(crate) request: Option<Arc<dyn Compression>>,
    /// How the response is to be compressed.
    pub(crate) response: Option<Arc<dyn Compression>>,
    /// How else it may be.
    pub(crate) offer: Offer,
    /// The timeout that the caller sent.
    pub(crate) timeout: Option<Duration>,
}

/// Begins a unary call that came by POST, or refuses it.
///
/// A refusal is an error in JSON, with the HTTP status of its code.
pub(crate) fn accept_unary(
    head: RequestHead,
    content_type: &HeaderValue,
    codec: &'static str,
    config: &Config,
) -> Accepted {
    let agreed = check_version(&head.headers, config)
        .and_then(|()| agree(&head.headers, &header::CONTENT_ENCODING, &header::ACCEPT_ENCODING, config));
    let agreed = match agreed {
        Ok(agreed) => agreed,
        Err(status) => {
            let announced = config.compressions.announced();
            return Accepted::Reject(unary::refuse(status.code.http_status(), &status, announced));
        }
    };
    let body = WholeBody::new(config.message_bytes_max, Code::InvalidArgument, agreed.request);
    let writer = unary_writer(content_type.clone(), agreed.response, agreed.offer, config, false);
    call(head.headers, codec, agreed.timeout, ServerReader::new(read::Body::Whole(body)), writer)
}

/// Begins a stream, or refuses it.
///
/// A refusal is a stream without messages, so that a client reads it as it reads any failure of a stream.
pub(crate) fn accept_stream(
    head: RequestHead,
    content_type: &HeaderValue,
    codec: &'static str,
    config: &Config,
) -> Accepted {
    let agreed = check_version(&head.headers, config).and_then(|()| {
        agree(&head.headers, &headers::STREAM_ENCODING, &headers::STREAM_ACCEPT_ENCODING, config)
    });
    let announced = config.compressions.announced();
    let agreed = match agreed {
        Ok(agreed) => agreed,
        Err(status) => return Accepted::Reject(stream::refuse(content_type, status, announced)),
    };
    let rules = Rules {
        protocol: Protocol::Connect,
        // Only responses have an end message.
        end_flag: 0,
        broken: Code::InvalidArgument,
        message_bytes_max: config.message_bytes_max,
    };
    let reader = ServerReader::new(read::Body::Envelopes(EnvelopeReader::new(rules, agreed.request)));
    let writer = StreamWriter {
        content_type: content_type.clone(),
        accept: announced.cloned(),
        encoding: agreed.response.as_ref().map(|compression| compression.name()),
        envelopes: EnvelopeWriter::new(agreed.response, config.compress_bytes_min),
        head_sent: false,
    };
    let writer = ServerWriter::new(write::Form::ConnectStream(writer), agreed.offer);
    call(head.headers, codec, agreed.timeout, reader, writer)
}

/// The writer of a unary call's response.
pub(crate) fn unary_writer(
    content_type: HeaderValue,
    compression: Option<Arc<dyn Compression>>,
    offer: Offer,
    config: &Config,
    cacheable: bool,
) -> ServerWriter {
    let form = write::Form::ConnectUnary(UnaryWriter {
        content_type,
        accept: config.compressions.announced().cloned(),
        compression,
        compress_bytes_min: config.compress_bytes_min,
        cacheable,
        metadata: HeaderMap::new(),
        written: None,
    });
    ServerWriter::new(form, offer)
}

/// A call of this protocol.
pub(crate) fn call(
    fields: HeaderMap,
    codec: &'static str,
    timeout: Option<Duration>,
    reader: ServerReader,
    writer: ServerWriter,
) -> Accepted {
    let metadata = metadata::received(fields);
    let start = CallStart { protocol: Protocol::Connect, codec, timeout, metadata };
    Accepted::Call(Box::new(ServerCall { start, reader, writer }))
}

/// Reads timeout and compressions from the fields of these names: HTTP's own for a unary call, Connect's for a stream, because a
/// stream is not compressed as a whole.
fn agree(
    fields: &HeaderMap,
    encoding: &HeaderName,
    accept: &HeaderName,
    config: &Config,
) -> Result<Agreement, Status> {
    let request = match fields.get(encoding) {
        None => None,
        Some(name) => known(&String::from_utf8_lossy(name.as_bytes()), &config.compressions)?,
    };
    let accept = fields.get(accept);
    let offer = Offer::new(&config.compressions, accept);
    let response = config.compressions.choose(request.as_ref(), accept.and_then(|list| list.to_str().ok()));
    Ok(Agreement { request, response, offer, timeout: read_timeout(fields)? })
}

/// The compression of this name; `None` for `identity`.
///
/// # Errors
/// `Unimplemented` with the list of those known, as the specification asks for ("Content-Encoding").
pub(crate) fn known(name: &str, known: &Compressions) -> Result<Option<Arc<dyn Compression>>, Status> {
    if name.is_empty() || name == IDENTITY {
        return Ok(None);
    }
    known.find(name).cloned().map(Some).ok_or_else(|| {
        let list = known.list();
        let text = format!("connect: the compression {name:?} is unknown; accepted are identity,{list}");
        Status::new(Code::Unimplemented, text.trim_end_matches(','))
    })
}

/// The timeout that the caller sent.
pub(crate) fn read_timeout(fields: &HeaderMap) -> Result<Option<Duration>, Status> {
    fields.get(headers::TIMEOUT).map(timeout::read).transpose()
}

/// Refuses a version that is not ours, and a missing one if the configuration asks for it.
fn check_version(fields: &HeaderMap, config: &Config) -> Result<(), Status> {
    match fields.get(headers::PROTOCOL_VERSION) {
        Some(version) if version == headers::VERSION => Ok(()),
        Some(version) => Err(wrong_version(&String::from_utf8_lossy(version.as_bytes()), headers::VERSION)),
        None if config.require_connect_version => Err(missing_version(headers::PROTOCOL_VERSION.as_str())),
        None => Ok(()),
    }
}

/// The status for a version that is not ours.
pub(crate) fn wrong_version(seen: &str, ours: &str) -> Status {
    Status::new(
        Code::InvalidArgument,
        format!("connect: the protocol version must be {ours:?}, not {seen:?}"),
    )
}

/// The status for a version that is missing where the configuration asks for it.
pub(crate) fn missing_version(place: &str) -> Status {
    Status::new(Code::InvalidArgument, format!("connect: the protocol version is missing ({place})"))
}
