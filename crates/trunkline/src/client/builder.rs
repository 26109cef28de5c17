//! How a channel speaks: target, protocol, HTTP version, format, compression, TLS.

use std::sync::Arc;
use std::time::Duration;

use http::Uri;

use super::Channel;
use super::channel::Inner;
use crate::codec::Format;
use crate::compress::{self, Compression, Compressions};
use crate::interceptor::{Chain, Interceptor};
use crate::transport::hyper::client::{Endpoint, HyperTransport, Speak};
use crate::transport::{Http2, Reset, Transport};
use crate::{Error, Limits, Protocol, Result};

/// Which HTTP a channel shall speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HttpVersion {
    /// HTTP/1.1. gRPC does not go over it.
    Http1,
    /// HTTP/2; in clear text by prior knowledge.
    Http2,
}

/// A [`Channel`] in the making.
///
/// ```
/// use std::time::Duration;
/// use trunkline::{Channel, Format, Protocol};
///
/// # fn main() -> trunkline::Result<()> {
/// let channel = Channel::builder("http://localhost:8080")
///     .protocol(Protocol::Connect)
///     .format(Format::JSON)
///     .timeout(Duration::from_secs(5))
///     .connect_lazy()?;
/// # drop(channel); Ok(()) }
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct ChannelBuilder {
    target: String,
    http: Option<HttpVersion>,
    http2: Http2,
    limits: Limits,
    chain: Chain,
    #[cfg(feature = "tls")]
    tls: Option<crate::transport::tls::ClientTls>,
    pub(super) speech: Speech,
}

/// What every call of a channel has in common.
#[derive(Clone)]
pub(super) struct Speech {
    pub(super) protocol: Protocol,
    pub(super) text: bool,
    /// The format asked for; none for the one that the codec of a procedure prefers.
    pub(super) format: Option<Format>,
    pub(super) use_get: bool,
    pub(super) timeout: Option<Duration>,
    pub(super) send_compression: Option<Arc<dyn Compression>>,
    pub(super) accept_compressions: Arc<Compressions>,
}

impl std::fmt::Debug for Speech {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Speech")
            .field("protocol", &self.protocol)
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}

impl Default for Speech {
    fn default() -> Self {
        Self {
            protocol: Protocol::Grpc,
            text: false,
            format: None,
            use_get: false,
            timeout: None,
            send_compression: None,
            accept_compressions: compress::all(),
        }
    }
}

impl ChannelBuilder {
    pub(super) fn new(target: &str) -> Self {
        Self {
            target: target.to_owned(),
            http: None,
            http2: Http2::default(),
            limits: Limits::default(),
            chain: Chain::default(),
            #[cfg(feature = "tls")]
            tls: None,
            speech: Speech::default(),
        }
    }

    /// The protocol; gRPC by default.
    pub fn protocol(mut self, protocol: Protocol) -> Self {
        self.speech.protocol = protocol;
        self
    }

    /// gRPC-Web in its text form (base64), for proxies that pass no binary bodies.
    pub fn grpc_web_text(mut self, text: bool) -> Self {
        self.speech.text = text;
        self
    }

    /// The HTTP version. By default: what TLS negotiates; in clear text HTTP/2 for gRPC and HTTP/1.1 for the others.
    pub fn http(mut self, version: HttpVersion) -> Self {
        self.http = Some(version);
        self
    }

    /// Who speaks HTTP/2; Trunkline's own engine by default.
    pub fn http2(mut self, http2: Http2) -> Self {
        self.http2 = http2;
        self
    }

    /// The format of messages; by default the first one of the codec of each procedure, which is binary Protobuf for
    /// generated code. A call whose codec does not know this format fails with `Unimplemented`, and nothing is sent.
    ///
    /// ```
    /// use trunkline::health::{Health, HealthCheckRequest, HealthClient};
    /// use trunkline::{Channel, Code, Format, Server, testkit};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> trunkline::Result<()> {
    /// let builder = Channel::builder("memory").format(Format::named("msgpack"));
    /// let client = HealthClient::new(testkit::pair_with(Server::new().service(Health::new().service()), builder));
    /// let error = client.check(HealthCheckRequest::default()).await.unwrap_err();
    /// assert_eq!(error.code(), Code::Unimplemented);
    /// assert!(error.message().contains("knows the formats [proto"));
    /// # Ok(()) }
    /// ```
    pub fn format(mut self, format: Format) -> Self {
        self.speech.format = Some(format);
        self
    }

    /// Connect only: sends calls without side effects as GET, so that caches can answer them.
    pub fn use_get(mut self, use_get: bool) -> Self {
        self.speech.use_get = use_get;
        self
    }

    /// The timeout of calls that do not set one themselves.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.speech.timeout = Some(timeout);
        self
    }

    /// Compresses requests with `compression`; not at all by default.
    pub fn send_compressed(mut self, compression: impl Compression) -> Self {
        self.speech.send_compression = Some(Arc::new(compression));
        self
    }

    /// Compressions that responses may use; all that are compiled in by default.
    pub fn accept_compressed(mut self, compressions: Compressions) -> Self {
        self.speech.accept_compressions = Arc::new(compressions);
        self
    }

    /// Puts an interceptor around every call, inside of those added before.
    pub fn intercept(mut self, interceptor: impl Interceptor) -> Self {
        self.chain.push(interceptor);
        self
    }

    /// Sets the limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// What to trust on `https` targets, and what to show of oneself; the certificate authorities of the system and no
    /// certificate by default.
    #[cfg(feature = "tls")]
    pub fn tls(mut self, tls: crate::transport::tls::ClientTls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// The channel, connected: a target that cannot be reached shows here.
    ///
    /// # Errors
    /// `InvalidArgument` for a target that is no `http`, `https` or `unix` one; `Unavailable` when it cannot be reached.
    pub async fn connect(self) -> Result<Channel> {
        let (transport, base) = self.transport()?;
        transport.connect().await.map_err(Reset::into_error)?;
        Ok(self.channel(Arc::new(transport), base))
    }

    /// The channel, not yet connected: it connects with the first call.
    ///
    /// # Errors
    /// `InvalidArgument` for a target that is no `http`, `https` or `unix` one.
    pub fn connect_lazy(self) -> Result<Channel> {
        let (transport, base) = self.transport()?;
        Ok(self.channel(Arc::new(transport), base))
    }

    pub(super) fn channel(self, transport: Arc<dyn Transport>, base: Uri) -> Channel {
        Channel::from_inner(Inner {
            transport,
            base,
            speech: self.speech,
            limits: self.limits,
            chain: self.chain,
        })
    }

    fn transport(&self) -> Result<(HyperTransport, Uri)> {
        #[cfg(unix)]
        let socket = parse_socket(&self.target)?;
        #[cfg(unix)]
        let (base, secure) = match &socket {
            // The authority of a socket: what other clients send too.
            Some(_) => (Uri::from_static("http://localhost"), false),
            None => parse_target(&self.target)?,
        };
        #[cfg(not(unix))]
        let (base, secure) = parse_target(&self.target)?;
        let host = base.host().unwrap_or_default().to_owned();
        let port = base.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let speak = match (self.http, secure) {
            (Some(HttpVersion::Http1), _) => Speak::Http1,
            (Some(HttpVersion::Http2), _) => Speak::Http2,
            (None, true) if self.speech.protocol == Protocol::Grpc => Speak::Http2,
            (None, true) => Speak::Negotiated,
            (None, false) if self.speech.protocol == Protocol::Grpc => Speak::Http2,
            (None, false) => Speak::Http1,
        };
        let endpoint = Endpoint {
            host,
            port,
            speak,
            http2: self.http2,
            #[cfg(unix)]
            socket,
            #[cfg(feature = "tls")]
            tls: self.connector(secure, speak)?,
        };
        #[cfg(not(feature = "tls"))]
        if secure {
            return Err(Error::invalid_argument(
                "an https target needs a TLS feature of trunkline, such as tls-ring",
            ));
        }
        Ok((HyperTransport::new(endpoint, Arc::new(self.limits.clone())), base))
    }

    #[cfg(feature = "tls")]
    fn connector(&self, secure: bool, speak: Speak) -> Result<Option<crate::transport::tls::Connector>> {
        match (secure, &self.tls) {
            (false, _) => Ok(None),
            (true, Some(tls)) => Ok(Some(crate::transport::tls::Connector::new(tls, speak))),
            #[cfg(any(feature = "tls-ring", feature = "tls-aws-lc"))]
            (true, None) => {
                let system = crate::transport::tls::ClientTls::system()?;
                Ok(Some(crate::transport::tls::Connector::new(&system, speak)))
            }
            #[cfg(not(any(feature = "tls-ring", feature = "tls-aws-lc")))]
            (true, None) => {
                let message = "an https target needs to be told what to trust: ChannelBuilder::tls";
                Err(Error::invalid_argument(message))
            }
        }
    }
}

/// The path of a `unix:` target; `None` for other targets.
#[cfg(unix)]
fn parse_socket(target: &str) -> Result<Option<std::path::PathBuf>> {
    let Some(path) = target.strip_prefix("unix:") else { return Ok(None) };
    // Both `unix:/path` and `unix:///path` are in use (gRPC Name Resolution).
    let path = path.strip_prefix("//").unwrap_or(path);
    if path.is_empty() {
        return Err(Error::invalid_argument(format!("target {target:?} names no socket")));
    }
    Ok(Some(path.into()))
}

/// A target as a URI with scheme and authority, and whether it is TLS. `host:port` alone means `http`.
fn parse_target(target: &str) -> Result<(Uri, bool)> {
    let wrong = |why: &str| Error::invalid_argument(format!("target {target:?} {why}"));
    let full = if target.contains("://") { target.to_owned() } else { format!("http://{target}") };
    let trimmed = full.strip_suffix('/').filter(|rest| !rest.ends_with('/')).unwrap_or(&full);
    let uri: Uri = trimmed.parse().map_err(|_| wrong("is not a URL"))?;
    if uri.host().is_none_or(str::is_empty) {
        return Err(wrong("names no host"));
    }
    let authority = uri.authority().map_or("", http::uri::Authority::as_str);
    if authority.contains('@') {
        return Err(wrong("carries a user name; send credentials as metadata"));
    }
    // What stands behind the host must be a port: the parser lets other words pass.
    let behind_host = authority.rsplit_once(']').map_or(authority, |(_, rest)| rest);
    if behind_host.contains(':') && uri.port_u16().is_none() {
        return Err(wrong("has a port that is no number from 0 to 65535"));
    }
    match uri.scheme_str() {
        Some("http") => Ok((uri, false)),
        Some("https") => Ok((uri, true)),
        _ => Err(wrong("must start with http:// or https://")),
    }
}

#[cfg(test)]
mod tests;
