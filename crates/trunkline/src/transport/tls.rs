//! TLS by rustls, with the crypto provider always passed explicitly so that two providers in one build never meet.

#[cfg(feature = "tls-ring")]
mod ring;

use std::io;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use tokio::net::TcpStream;

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
    /// A server's TLS from a rustls configuration of one's own. ALPN is set to what we serve.
    pub fn from_rustls(mut config: rustls::ServerConfig) -> Self {
        config.alpn_protocols = vec![ALPN_HTTP2.to_vec(), ALPN_HTTP1.to_vec()];
        Self { config: Arc::new(config) }
    }
}

impl ClientTls {
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
