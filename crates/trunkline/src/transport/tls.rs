//! TLS by rustls, with the crypto provider always passed explicitly so that two providers in one build never meet.

use std::io;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpStream;

use crate::{Error, Result};

pub use rustls;

/// The certificate and key of a server, with the protocols that it offers by ALPN.
#[derive(Debug, Clone)]
pub struct ServerTls {
    pub(crate) config: Arc<rustls::ServerConfig>,
}

/// What a client trusts.
#[derive(Debug, Clone)]
pub struct ClientTls {
    pub(crate) config: rustls::ClientConfig,
}

impl ServerTls {
    /// A server's TLS from PEM: the certificate chain, the server's own first, and its private key (PKCS #1, #8 or SEC 1).
    ///
    /// # Errors
    /// `InvalidArgument` when either is not PEM, is empty, or the two do not belong together.
    #[cfg(feature = "tls-ring")]
    pub fn from_pem(certificates: &[u8], key: &[u8]) -> Result<Self> {
        let chain = certificates_from_pem(certificates)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| {
            Error::invalid_argument(format!("the TLS key is not a PEM private key: {error}"))
        })?;
        let config = rustls::ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(unusable)?;
        Ok(Self::from_rustls(config))
    }

    /// A server's TLS from a rustls configuration of one's own. ALPN is set to what we serve.
    pub fn from_rustls(mut config: rustls::ServerConfig) -> Self {
        config.alpn_protocols = vec![ALPN_HTTP2.to_vec(), ALPN_HTTP1.to_vec()];
        Self { config: Arc::new(config) }
    }
}

impl ClientTls {
    /// Trusts the certificate authorities of the operating system: the default of `https` targets.
    ///
    /// # Errors
    /// `FailedPrecondition` when the system has none that can be read; what was seen is the source.
    #[cfg(feature = "tls-ring")]
    pub fn system() -> Result<Self> {
        let mut found = rustls_native_certs::load_native_certs();
        let mut roots = rustls::RootCertStore::empty();
        // A store with some odd certificate in it is usual; one without any usable certificate is not.
        let (usable, _) = roots.add_parsable_certificates(found.certs);
        if usable == 0 {
            let error =
                Error::failed_precondition("this system has no certificate authorities that can be read");
            return Err(match found.errors.pop() {
                Some(seen) => error.with_source(seen),
                None => error,
            });
        }
        Self::trusting(roots)
    }

    /// Trusts exactly the given certificates (PEM, one or more).
    ///
    /// # Errors
    /// `InvalidArgument` when there is no certificate in it, or one cannot be used.
    #[cfg(feature = "tls-ring")]
    pub fn trusting_pem(certificates: &[u8]) -> Result<Self> {
        let mut roots = rustls::RootCertStore::empty();
        for certificate in certificates_from_pem(certificates)? {
            roots.add(certificate).map_err(unusable)?;
        }
        Self::trusting(roots)
    }

    #[cfg(feature = "tls-ring")]
    fn trusting(roots: rustls::RootCertStore) -> Result<Self> {
        let config = rustls::ClientConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self { config })
    }

    /// A client's TLS from a rustls configuration of one's own. ALPN is set to what the channel speaks.
    pub fn from_rustls(config: rustls::ClientConfig) -> Self {
        Self { config }
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
    ) -> io::Result<(tokio_rustls::client::TlsStream<TcpStream>, bool)> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let stream = self.connector.connect(name, tcp).await?;
        let negotiated_http2 = stream.get_ref().1.alpn_protocol() == Some(ALPN_HTTP2);
        Ok((stream, negotiated_http2))
    }
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connector").finish_non_exhaustive()
    }
}

/// Whether the peer of an accepted connection chose HTTP/2; `None` when it chose nothing.
pub(crate) fn chose_http2(connection: &rustls::ServerConnection) -> Option<bool> {
    connection.alpn_protocol().map(|protocol| protocol == ALPN_HTTP2)
}

#[cfg(feature = "tls-ring")]
fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn certificates_from_pem(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>> {
    let certificates = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| Error::invalid_argument(format!("the TLS certificates are not PEM: {error}")))?;
    if certificates.is_empty() {
        return Err(Error::invalid_argument("there is no certificate in the PEM given for TLS"));
    }
    Ok(certificates)
}

#[cfg(feature = "tls-ring")]
fn unusable(error: rustls::Error) -> Error {
    Error::invalid_argument(format!("the TLS certificate or key cannot be used: {error}")).with_source(error)
}
