//! TLS by rustls, with the crypto provider always passed explicitly so that two providers in one build never meet.
//!
//! It decides what a side shows and what it trusts. It must not know what is spoken over the connection, but for the names
//! that ALPN needs.
//!
//! # Both sides show a certificate
//! A server that asks its callers for certificates, a client that has one, and the handler that reads it:
//!
//! ```no_run
//! use trunkline::transport::tls::{ClientTls, ServerTls};
//! use trunkline::{Channel, Request, Response, Result, Server};
//!
//! # fn run(server_pem: &[u8], server_key: &[u8], client_pem: &[u8], client_key: &[u8], ca: &[u8]) -> Result<()> {
//! let server = Server::new().tls(ServerTls::from_pem(server_pem, server_key)?.require_client_certificates(ca)?);
//! let channel = Channel::builder("https://localhost:8443")
//!     .tls(ClientTls::trusting_pem(ca)?.with_identity(client_pem, client_key)?)
//!     .connect_lazy()?;
//!
//! async fn who(request: Request<String>) -> Result<Response<String>> {
//!     let peer = request.context().map(|context| context.peer());
//!     let certificate = peer.and_then(|peer| peer.certificates.first());
//!     Ok(Response::new(format!("a certificate of {} bytes", certificate.map_or(0, |der| der.len()))))
//! }
//! # drop((server, channel, who)); Ok(()) }
//! ```

mod identity;
mod pem;
#[cfg(any(feature = "tls-ring", feature = "tls-aws-lc"))]
mod provided;
mod stream;

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use rustls::pki_types::ServerName;
use rustls::server::WebPkiClientVerifier;
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use tokio::net::TcpStream;

pub use rustls;

use self::identity::Identity;
use self::stream::Secure;
use crate::{Error, Result};

/// The certificate and key of a server, what it asks of its callers, and the protocols that it offers by ALPN.
#[derive(Debug, Clone)]
pub struct ServerTls {
    pub(crate) config: Arc<rustls::ServerConfig>,
    /// What is shown, when it was built by us: nothing is lost when it is built again, and it can be replaced.
    identity: Option<Arc<Identity>>,
}

/// What a client trusts, and what it shows of itself.
#[derive(Debug, Clone)]
pub struct ClientTls {
    pub(crate) config: rustls::ClientConfig,
}

impl ServerTls {
    /// A server's TLS from a rustls configuration of one's own. ALPN is set to what we serve.
    pub fn from_rustls(config: rustls::ServerConfig) -> Self {
        Self { config: Arc::new(offering(config)), identity: None }
    }

    /// Shows another certificate from the next handshake on; connections that stand keep theirs. It holds for all clones,
    /// so keep one before the server takes its own.
    ///
    /// ```no_run
    /// # use trunkline::{Result, Server, transport::tls::ServerTls};
    /// # async fn run(greet: impl trunkline::server::Service, pem: &[u8], key: &[u8]) -> Result<()> {
    /// let tls = ServerTls::from_pem(pem, key)?;
    /// let serving = Server::new().service(greet).tls(tls.clone()).bind("127.0.0.1:8443").await?;
    /// // When the files have changed:
    /// tls.replace_pem(pem, key)?;
    /// # drop(serving); Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` when either is not PEM, is empty, or the two do not belong together: then the old certificate
    /// stays. `FailedPrecondition` for a configuration of one's own, which has a resolver of its own.
    pub fn replace_pem(&self, certificates: &[u8], key: &[u8]) -> Result<()> {
        let Some(identity) = &self.identity else {
            let message = "replace the certificate in the resolver of the rustls configuration itself";
            return Err(Error::failed_precondition(message));
        };
        let (chain, key) = (pem::certificates(certificates)?, pem::key(key)?);
        let next =
            CertifiedKey::from_der(chain, key, self.config.crypto_provider()).map_err(pem::unusable)?;
        identity.replace(next);
        Ok(())
    }

    /// Refuses callers without a certificate that one of the authorities in `trusted` (PEM, one or more) has signed; a
    /// certificate that signs itself may be listed as well. The handler finds the chain in
    /// [`Peer::certificates`](crate::Peer::certificates).
    ///
    /// # Errors
    /// `InvalidArgument` when there is no certificate in `trusted`, or one cannot be used; `FailedPrecondition` for a
    /// configuration of one's own, which has a verifier of its own.
    pub fn require_client_certificates(self, trusted: &[u8]) -> Result<Self> {
        self.asking(trusted, |verifier| verifier)
    }

    /// As [`require_client_certificates`](Self::require_client_certificates), but a caller may also have no certificate.
    /// One that is not trusted is refused all the same.
    ///
    /// # Errors
    /// As above.
    pub fn accept_client_certificates(self, trusted: &[u8]) -> Result<Self> {
        self.asking(trusted, rustls::server::ClientCertVerifierBuilder::allow_unauthenticated)
    }

    /// The same identity with a verifier of client certificates, which takes the place of one that was set before.
    ///
    /// # Errors
    /// As for [`require_client_certificates`](Self::require_client_certificates).
    fn asking(
        self,
        trusted: &[u8],
        change: impl FnOnce(
            rustls::server::ClientCertVerifierBuilder,
        ) -> rustls::server::ClientCertVerifierBuilder,
    ) -> Result<Self> {
        if self.identity.is_none() {
            return Err(Error::failed_precondition(
                "set the verifier of client certificates in the rustls configuration itself",
            ));
        }
        let provider = Arc::clone(self.config.crypto_provider());
        let roots = Arc::new(pem::authorities(trusted)?);
        let verifier = change(WebPkiClientVerifier::builder_with_provider(roots, Arc::clone(&provider)))
            .build()
            .map_err(|error| {
                Error::invalid_argument(format!("the certificates to trust cannot be used: {error}"))
                    .with_source(error)
            })?;
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(pem::unusable)?
            .with_client_cert_verifier(verifier)
            .with_cert_resolver(Arc::clone(&self.config.cert_resolver));
        Ok(Self { config: Arc::new(offering(config)), identity: self.identity })
    }
}

/// The configuration with what we serve as its ALPN.
fn offering(mut config: rustls::ServerConfig) -> rustls::ServerConfig {
    config.alpn_protocols = vec![ALPN_HTTP2.to_vec(), ALPN_HTTP1.to_vec()];
    config
}

impl ClientTls {
    /// A client's TLS from a rustls configuration of one's own. ALPN is set to what the channel speaks.
    pub fn from_rustls(config: rustls::ClientConfig) -> Self {
        Self { config }
    }

    /// Shows a certificate to servers that ask for one: the chain in PEM, the client's own first, and its private key
    /// (PKCS #1, #8 or SEC 1). It is shown to every server that asks, whatever authorities the server names.
    ///
    /// # Errors
    /// `InvalidArgument` when either is not PEM, is empty, or the two do not belong together.
    pub fn with_identity(mut self, certificates: &[u8], key: &[u8]) -> Result<Self> {
        let (chain, key) = (pem::certificates(certificates)?, pem::key(key)?);
        let provider = self.config.crypto_provider();
        let identity = CertifiedKey::from_der(chain, key, provider).map_err(pem::unusable)?;
        self.config.client_auth_cert_resolver = Arc::new(SingleCertAndKey::from(identity));
        Ok(self)
    }
}

const ALPN_HTTP2: &[u8] = b"h2";
const ALPN_HTTP1: &[u8] = b"http/1.1";

/// Makes TLS connections for a channel.
#[derive(Clone)]
pub(crate) struct Connector {
    connector: tokio_rustls::TlsConnector,
}

impl Connector {
    pub(crate) fn new(tls: &ClientTls, speak: super::hyper::client::Speak) -> Self {
        use super::hyper::client::Speak;
        let mut config = tls.config.clone();
        config.alpn_protocols = match speak {
            Speak::Http1 => vec![ALPN_HTTP1.to_vec()],
            Speak::Http2 => vec![ALPN_HTTP2.to_vec()],
            Speak::Negotiated => vec![ALPN_HTTP2.to_vec(), ALPN_HTTP1.to_vec()],
        };
        Self { connector: tokio_rustls::TlsConnector::from(Arc::new(config)) }
    }

    /// The TLS connection, and whether it agreed on HTTP/2.
    pub(crate) async fn handshake(
        &self,
        host: &str,
        tcp: TcpStream,
    ) -> io::Result<(Secure<tokio_rustls::client::TlsStream<TcpStream>>, bool)> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let stream = self.connector.connect(name, tcp).await?;
        let negotiated_http2 = stream.get_ref().1.alpn_protocol() == Some(ALPN_HTTP2);
        Ok((Secure(stream), negotiated_http2))
    }
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connector").finish_non_exhaustive()
    }
}

/// The certificates that the peer of an accepted connection has shown, its own first.
pub(crate) fn shown_certificates(connection: &rustls::ServerConnection) -> Arc<[Bytes]> {
    let shown = connection.peer_certificates().unwrap_or_default();
    shown.iter().map(|certificate| Bytes::copy_from_slice(certificate)).collect()
}

/// What to look at when a handshake has failed with `error`; empty when the error says it all.
pub(crate) fn hint(error: &io::Error) -> &'static str {
    let told = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match told {
        Some(rustls::Error::InvalidCertificate(fault))
            if format!("{fault:?}").contains("CaUsedAsEndEntity") =>
        {
            " (the certificate is marked as an authority, CA:TRUE, and cannot be a server's own)"
        }
        Some(rustls::Error::InvalidMessage(_)) => {
            " (is the server without TLS? then the target starts with http://)"
        }
        None if error.kind() == io::ErrorKind::UnexpectedEof => {
            " (is the server without TLS? then the target starts with http://)"
        }
        _ => "",
    }
}

/// Whether the peer of an accepted connection chose HTTP/2; `None` when it chose nothing.
pub(crate) fn chose_http2(connection: &rustls::ServerConnection) -> Option<bool> {
    connection.alpn_protocol().map(|protocol| protocol == ALPN_HTTP2)
}
