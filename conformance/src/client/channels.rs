//! Channels to the servers under test: one for each way to speak to each server, made when first needed.
//!
//! It decides what of a case belongs to the connection. It must not know the call that the case makes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use trunkline::compress::{Brotli, Compressions, Deflate, Gzip, Snappy, Zstd};
use trunkline::transport::tls::ClientTls;
use trunkline::{Channel, ChannelBuilder, Format, Http2, HttpVersion, Limits, Protocol};
use trunkline_conformance::proto::connectrpc::conformance::v1 as messages;

use self::messages::{ClientCompatRequest, Codec, Compression, HTTPVersion};

/// Channels kept at once. The runner has fewer servers; should it have more, those kept are let go and made again.
const CHANNELS_MAX: usize = 256;

/// The channels made so far.
#[derive(Default)]
pub(crate) struct Channels {
    known: Mutex<HashMap<Key, Channel>>,
    /// The same for all of them: the command line says it.
    http2: Http2,
}

/// All that tells one channel from another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    /// The server, as a URL.
    target: String,
    /// Certificates (PEM) that are trusted; empty for clear text.
    trusted: Vec<u8>,
    /// The client's own certificate and key (PEM), if it has to show one.
    identity: Option<(Vec<u8>, Vec<u8>)>,
    http: HttpVersion,
    protocol: Protocol,
    format: Format,
    /// What requests are compressed with. Without it responses may not be compressed either.
    compression: Option<Compression>,
    /// Whether a call without side effects goes by GET (Connect, "Unary-Get-Request").
    use_get: bool,
    /// Zero for the default.
    message_bytes_max: u32,
}

impl Channels {
    /// Channels that speak HTTP/2 in one of our two ways, where they speak it.
    pub(crate) fn new(http2: Http2) -> Self {
        Self { known: Mutex::default(), http2 }
    }

    /// The channel that a case asks for.
    ///
    /// # Errors
    /// What the case asks for and we do not have, in words.
    pub(crate) fn channel(&self, asked: &ClientCompatRequest) -> Result<Channel, String> {
        let key = Key::of(asked)?;
        // The map is whole between any two statements.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = known.get(&key) {
            return Ok(channel.clone());
        }
        if known.len() >= CHANNELS_MAX {
            known.clear();
        }
        let channel = key.channel(self.http2)?;
        known.insert(key, channel.clone());
        Ok(channel)
    }
}

impl Key {
    /// What of the case concerns the connection.
    ///
    /// # Errors
    /// An HTTP version, protocol, codec or compression that we do not have.
    fn of(asked: &ClientCompatRequest) -> Result<Self, String> {
        let scheme = if asked.server_tls_cert.is_empty() { "http" } else { "https" };
        // An address of IPv6 stands in brackets in a URL (RFC 3986, 3.2.2).
        let host = if asked.host.contains(':') { format!("[{}]", asked.host) } else { asked.host.clone() };
        Ok(Self {
            target: format!("{scheme}://{host}:{}", asked.port),
            trusted: asked.server_tls_cert.clone(),
            identity: asked.client_tls_creds.as_option().map(|own| (own.cert.clone(), own.key.clone())),
            http: match asked.http_version.as_known() {
                Some(HTTPVersion::HTTP_VERSION_1) => HttpVersion::Http1,
                Some(HTTPVersion::HTTP_VERSION_2) => HttpVersion::Http2,
                _ => return Err(format!("no HTTP version {}", asked.http_version)),
            },
            protocol: match asked.protocol.as_known() {
                Some(messages::Protocol::PROTOCOL_CONNECT) => Protocol::Connect,
                Some(messages::Protocol::PROTOCOL_GRPC) => Protocol::Grpc,
                Some(messages::Protocol::PROTOCOL_GRPC_WEB) => Protocol::GrpcWeb,
                _ => return Err(format!("no protocol {}", asked.protocol)),
            },
            format: match asked.codec.as_known() {
                Some(Codec::CODEC_PROTO) => Format::PROTO,
                Some(Codec::CODEC_JSON) => Format::JSON,
                _ => return Err(format!("no codec {}", asked.codec)),
            },
            compression: match asked.compression.as_known() {
                Some(Compression::COMPRESSION_IDENTITY) => None,
                Some(Compression::COMPRESSION_UNSPECIFIED) | None => {
                    return Err(format!("no compression {}", asked.compression));
                }
                known => known,
            },
            use_get: asked.use_get_http_method,
            message_bytes_max: asked.message_receive_limit,
        })
    }

    /// The channel, not yet connected: that is part of the first call, and so is its failure.
    ///
    /// # Errors
    /// Certificates or a target that cannot be used.
    fn channel(&self, http2: Http2) -> Result<Channel, String> {
        let mut limits = Limits::default();
        // The suite wants to see compression, also where it does not pay.
        limits.compress_bytes_min = 0;
        if self.message_bytes_max != 0 {
            limits.message_bytes_max =
                usize::try_from(self.message_bytes_max).map_err(|error| error.to_string())?;
        }
        let mut builder = Channel::builder(&self.target)
            .protocol(self.protocol)
            .http(self.http)
            .http2(http2)
            .format(self.format)
            .use_get(self.use_get)
            .limits(limits);
        builder = compressing(builder, self.compression);
        if !self.trusted.is_empty() {
            builder = builder.tls(self.tls().map_err(|error| error.to_string())?);
        }
        builder.connect_lazy().map_err(|error| error.to_string())
    }

    /// What the channel trusts and shows.
    ///
    /// # Errors
    /// Certificates or a key that cannot be used.
    fn tls(&self) -> trunkline::Result<ClientTls> {
        let tls = ClientTls::trusting_pem(&self.trusted)?;
        match &self.identity {
            Some((certificate, key)) => tls.with_identity(certificate, key),
            None => Ok(tls),
        }
    }
}

/// Sets what the channel compresses with.
fn compressing(builder: ChannelBuilder, compression: Option<Compression>) -> ChannelBuilder {
    match compression {
        Some(Compression::COMPRESSION_GZIP) => builder.send_compressed(Gzip::default()),
        Some(Compression::COMPRESSION_BR) => builder.send_compressed(Brotli::default()),
        Some(Compression::COMPRESSION_ZSTD) => builder.send_compressed(Zstd::default()),
        Some(Compression::COMPRESSION_DEFLATE) => builder.send_compressed(Deflate::default()),
        Some(Compression::COMPRESSION_SNAPPY) => builder.send_compressed(Snappy::default()),
        Some(Compression::COMPRESSION_IDENTITY | Compression::COMPRESSION_UNSPECIFIED) | None => {
            builder.accept_compressed(Compressions::none())
        }
    }
}

#[cfg(test)]
mod tests;
