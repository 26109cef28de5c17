//! Calls on one channel, a function for each shape. Generated clients do nothing but call these.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::BytesMut;
use http::Uri;
use tokio::time::Instant;
use trunkline_wire::client::{self as wire, ClientCall, Plan};

use super::builder::Speech;
use super::options::earlier;
use super::receiver::{Received, Receiver};
use super::sender::{SendFault, Sender};
use super::{Bidi, CallOptions, ChannelBuilder};
use crate::codec::{self, Codec, Format};
use crate::deadline::deadline;
use crate::interceptor::{Chain, Payload};
use crate::procedure::{Idempotency, Procedure, Shape, Spec};
use crate::transport::{Driving, Transport};
use crate::{
    Error, IntoRequest, IntoStreamingRequest, Limits, Metadata, Protocol, Response, Result, Streaming,
};

/// A client's way to one server: cheap to clone, used from any number of tasks at once.
///
/// Over HTTP/2 all calls share one connection; over HTTP/1.1 each call in flight has its own, kept for the next. A lost
/// connection is made again by the next call. Generated clients wrap a channel and have a method for each procedure;
/// the functions here take the procedure as an argument.
///
/// ```no_run
/// # async fn run() -> trunkline::Result<()> {
/// use trunkline::{Channel, Protocol};
///
/// let over_grpc = Channel::connect("http://localhost:8080").await?;
/// let over_connect = Channel::builder("http://localhost:8080").protocol(Protocol::Connect).connect().await?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Channel {
    inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) transport: Arc<dyn Transport>,
    pub(super) base: Uri,
    pub(super) speech: Speech,
    pub(super) limits: Limits,
    pub(super) chain: Chain,
}

impl Channel {
    pub(super) fn from_inner(inner: Inner) -> Self {
        Self { inner: Arc::new(inner) }
    }

    /// Connects to `target`, an `http`, `https` or `unix` URL, with gRPC. Without a scheme, as in `localhost:8080`, `http`
    /// is meant.
    ///
    /// # Errors
    /// `InvalidArgument` for a target that is no such URL; `Unavailable` when it cannot be reached.
    pub async fn connect(target: &str) -> Result<Self> {
        Self::builder(target).connect().await
    }

    /// A channel to `target` with all choices open.
    pub fn builder(target: &str) -> ChannelBuilder {
        ChannelBuilder::new(target)
    }

    /// A channel whose calls `transport` carries: for tests and for transports of one's own.
    pub fn over(transport: Arc<dyn Transport>, builder: ChannelBuilder) -> Self {
        builder.channel(transport, Uri::from_static("http://localhost"))
    }

    /// The protocol that the channel speaks.
    pub fn protocol(&self) -> Protocol {
        self.inner.speech.protocol
    }

    /// Calls a unary procedure.
    ///
    /// # Errors
    /// The status from the peer, or what went wrong on the way; [`Error::is_from_peer`] tells which.
    ///
    /// # Cancel safety
    /// Dropping the future resets the call; the server sees it canceled.
    pub async fn unary<Req, Res, C>(
        &self,
        procedure: &Procedure<Req, Res, C>,
        request: impl IntoRequest<Req>,
    ) -> Result<Response<Res>>
    where
        C: Codec<Req> + Codec<Res>,
    {
        let (message, options) = request.into_request().into_call();
        let begun = self.begin::<C, Req, Res>(procedure)?;
        if !self.chain().is_empty() {
            let messages = Streaming::from_iter([Payload::encode::<C, Req>(begun.format, &message)?]);
            return self.intercepted_one::<C, Res>(begun, messages, options).await;
        }
        let deadline = self.deadline(&options);
        let mut receiver = self.open_one::<C, Req>(&begun, &options, &message)?;
        receiver.keep_deadline(deadline);
        let outcome = receiver.single::<C, Res>().await;
        outcome.map(Received::into_response).map_err(|error| receiver.dress(error))
    }

    /// Calls a server-streaming procedure. Returns when the response head has arrived.
    ///
    /// # Errors
    /// As for [`unary`](Self::unary); an error that the server sends after the head comes out of the stream.
    ///
    /// # Cancel safety
    /// Dropping the future, or later the stream, resets the call.
    pub async fn server_stream<Req, Res, C>(
        &self,
        procedure: &Procedure<Req, Res, C>,
        request: impl IntoRequest<Req>,
    ) -> Result<Response<Streaming<Res>>>
    where
        C: Codec<Req> + Codec<Res>,
        Res: Send + 'static,
    {
        let (message, options) = request.into_request().into_call();
        let begun = self.begin::<C, Req, Res>(procedure)?;
        if !self.chain().is_empty() {
            let messages = Streaming::from_iter([Payload::encode::<C, Req>(begun.format, &message)?]);
            return self.intercepted_many::<C, Res>(begun, messages, options).await;
        }
        let deadline = self.deadline(&options);
        let mut receiver = self.open_with::<C, Req>(&begun, &options, &message)?;
        receiver.keep_deadline(deadline);
        poll_fn(|cx| receiver.poll_started(cx)).await?;
        let headers = receiver.headers().cloned().unwrap_or_default();
        Ok(Response::received(receiver.into_streaming::<C, Res>(), headers, Metadata::new()))
    }

    /// Calls a client-streaming procedure. Sending stops as soon as the server has answered.
    ///
    /// # Errors
    /// As for [`unary`](Self::unary); an error in the request stream resets the call and is returned as it is.
    ///
    /// # Cancel safety
    /// Dropping the future resets the call.
    pub async fn client_stream<Req, Res, C>(
        &self,
        procedure: &Procedure<Req, Res, C>,
        requests: impl IntoStreamingRequest<Req>,
    ) -> Result<Response<Res>>
    where
        C: Codec<Req> + Codec<Res>,
        Req: Send + 'static,
    {
        let (mut messages, options) = requests.into_streaming_request().into_call();
        let begun = self.begin::<C, Req, Res>(procedure)?;
        if !self.chain().is_empty() {
            let payloads = messages.map(move |message| Payload::encode::<C, Req>(begun.format, &message));
            return self.intercepted_one::<C, Res>(begun, payloads, options).await;
        }
        let deadline = self.deadline(&options);
        let (sender, mut receiver) = self.open(&begun, &options, Driving::ByCaller)?;
        // The response keeps the deadline for both directions: it is polled whenever the requests are.
        receiver.keep_deadline(deadline);
        let mut sender = Sender::<Req>::new::<C>(sender, None);
        let outcome = {
            let mut single = pin!(receiver.single::<C, Res>());
            let mut pump = pin!(sender.pump(&mut messages));
            let mut pumped = false;
            poll_fn(|cx| {
                if !pumped && let Poll::Ready(sent) = pump.as_mut().poll(cx) {
                    pumped = true;
                    // When the server has refused the rest, its answer says why.
                    if let Err(SendFault::Source(error)) = sent {
                        return Poll::Ready(Err(error));
                    }
                }
                single.as_mut().poll(cx)
            })
            .await
        };
        outcome.map(Received::into_response).map_err(|error| receiver.dress(error))
    }

    /// Starts a bidirectional call: send and receive at will. Nothing waits for the response head.
    #[allow(clippy::needless_pass_by_value, reason = "options belong to one call")]
    pub fn bidi<Req, Res, C>(
        &self,
        procedure: &Procedure<Req, Res, C>,
        options: CallOptions,
    ) -> Bidi<Req, Res>
    where
        C: Codec<Req> + Codec<Res>,
        Req: Send + 'static,
        Res: Send + 'static,
    {
        let begun = match self.begin::<C, Req, Res>(procedure) {
            Ok(begun) => begun,
            Err(error) => return Bidi::failed(error),
        };
        if !self.chain().is_empty() {
            let (sender, receiver) = self.intercepted_bidi::<Req, Res, C>(begun, options);
            return Bidi::new(sender, receiver);
        }
        let deadline = self.deadline(&options);
        match self.open(&begun, &options, Driving::ByTransport) {
            Ok((sender, mut receiver)) => {
                receiver.keep_deadline(deadline);
                Bidi::new(Sender::new::<C>(sender, deadline), receiver.into_streaming::<C, Res>())
            }
            Err(error) => Bidi::failed(error),
        }
    }

    /// Opens a call of one request message, by GET where that is wanted and allowed.
    pub(super) fn open_one<C: Codec<Req>, Req>(
        &self,
        begun: &Begun,
        options: &CallOptions,
        message: &Req,
    ) -> Result<Receiver> {
        let Speech { use_get, protocol, .. } = self.inner.speech;
        let get = use_get && protocol == Protocol::Connect && begun.spec.shape == Shape::Unary;
        if get && begun.spec.idempotency == Idempotency::NoSideEffects {
            return self.open_get::<C, Req>(begun, options, message);
        }
        self.open_with::<C, Req>(begun, options, message)
    }

    /// Opens a call and writes its one request message.
    fn open_with<C: Codec<Req>, Req>(
        &self,
        begun: &Begun,
        options: &CallOptions,
        message: &Req,
    ) -> Result<Receiver> {
        let (mut half, receiver) = self.open(begun, options, Driving::ByCaller)?;
        half.write::<C, Req>(message)?;
        half.finish();
        Ok(receiver)
    }

    fn open_get<C: Codec<Req>, Req>(
        &self,
        begun: &Begun,
        options: &CallOptions,
        message: &Req,
    ) -> Result<Receiver> {
        let format = begun.format;
        let mut encoded = BytesMut::with_capacity(C::size_hint(format, message));
        codec::write::<C, Req>(format, REQUEST, message, &mut encoded).map_err(Error::local)?;
        let call = wire::start_get(self.plan(begun, options), &encoded).map_err(Error::local)?;
        let mut opened = self.inner.transport.open(call.head, Driving::ByCaller);
        opened.outgoing.finish(None);
        Ok(Receiver::new(call.reader, opened.response, format))
    }

    pub(super) fn open(
        &self,
        begun: &Begun,
        options: &CallOptions,
        driving: Driving,
    ) -> Result<(RequestHalf, Receiver)> {
        let call = wire::start(self.plan(begun, options)).map_err(Error::local)?;
        let ClientCall { head, writer, reader } = call;
        let opened = self.inner.transport.open(head, driving);
        let format = begun.format;
        let half = RequestHalf { writer, outgoing: opened.outgoing, format };
        Ok((half, Receiver::new(reader, opened.response, format)))
    }

    /// What is known of a call of `procedure` before there is a message.
    ///
    /// # Errors
    /// `Unimplemented` when its codec does not know the format that this channel was told to speak.
    fn begin<C: Codec<Req>, Req, Res>(&self, procedure: &Procedure<Req, Res, C>) -> Result<Begun> {
        let (spec, formats) = (*procedure.spec(), C::FORMATS);
        let asked = self.inner.speech.format;
        match asked.or(formats.first().copied()) {
            Some(format) if C::knows(format) => Ok(Begun { spec, format }),
            _ => Err(no_format(spec.path, asked, formats)),
        }
    }

    fn plan<'a>(&'a self, begun: &'a Begun, options: &'a CallOptions) -> Plan<'a> {
        let Inner { transport, base, speech, limits, .. } = &*self.inner;
        Plan {
            protocol: speech.protocol,
            text: speech.text,
            shape: begun.spec.shape,
            base,
            path: begun.spec.path,
            version: transport.version(),
            codec: begun.format.name(),
            timeout: self.timeout(options),
            metadata: options.metadata.headers(),
            send_compression: options.compression.or(speech.send_compression.as_ref()),
            compress_bytes_min: limits.compress_bytes_min,
            accept_compressions: Arc::clone(&speech.accept_compressions),
            message_bytes_max: limits.message_bytes_max,
        }
    }

    pub(super) fn chain(&self) -> &Chain {
        &self.inner.chain
    }

    /// The timeout of a call that starts now: its own or that of the channel, and no more than its deadline leaves.
    pub(super) fn timeout(&self, options: &CallOptions) -> Option<Duration> {
        let timeout = options.timeout.or(self.inner.speech.timeout);
        earlier(timeout, options.deadline.map(|at| at.saturating_duration_since(Instant::now())))
    }

    pub(super) fn deadline(&self, options: &CallOptions) -> Option<Instant> {
        let timeout = self.timeout(options)?;
        Some(deadline(Some(timeout), &self.inner.limits))
    }
}

/// A call that has a procedure and a format, and no message yet.
#[derive(Clone, Copy)]
pub(super) struct Begun {
    pub(super) spec: Spec,
    pub(super) format: Format,
}

/// The error of a call for which channel and codec have no format in common.
fn no_format(path: &str, asked: Option<Format>, known: &[Format]) -> Error {
    let known: Vec<_> = known.iter().map(|format| format.name()).collect();
    let asked = asked.map_or("none", Format::name);
    Error::unimplemented(format!(
        "the codec of {path} knows the formats [{}], and the channel was told {asked}: see ChannelBuilder::format",
        known.join(", ")
    ))
}

/// The request of one call on its way out.
pub(super) struct RequestHalf {
    pub(super) writer: wire::ClientWriter,
    pub(super) outgoing: Box<dyn crate::transport::Outgoing>,
    pub(super) format: Format,
}

impl RequestHalf {
    /// Appends one message to the encode target; the caller has credit, or it is the first one.
    pub(super) fn write<C: Codec<T>, T>(&mut self, message: &T) -> Result<()> {
        let format = self.format;
        let target = self.outgoing.tail();
        target.reserve(C::size_hint(format, message) + codec::ENVELOPE_BYTES);
        let mut write = |target: &mut BytesMut| codec::write::<C, T>(format, REQUEST, message, target);
        self.writer.message(target, &mut write).map_err(Error::local)
    }

    pub(super) fn finish(&mut self) {
        self.writer.finish(self.outgoing.tail());
        self.outgoing.finish(None);
    }
}

/// How an error names the message that cannot be written.
const REQUEST: &str = "the request";

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Channel")
            .field("base", &self.inner.base)
            .field("speech", &self.inner.speech)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
