//! TLS with a provider that this crate brings: from PEM, and from what the system trusts.
//!
//! It decides which provider that is, and nothing else about TLS.

use std::sync::Arc;

use rustls::server::ResolvesServerCert;
use rustls::sign::CertifiedKey;

use super::identity::Identity;
use super::{ClientTls, ServerTls, offering, pem};
use crate::{Error, Result};

impl ServerTls {
    /// A server's TLS from PEM: the certificate chain, the server's own first, and its private key (PKCS #1, #8 or SEC 1).
    ///
    /// # Errors
    /// `InvalidArgument` when either is not PEM, is empty, or the two do not belong together.
    pub fn from_pem(certificates: &[u8], key: &[u8]) -> Result<Self> {
        let (chain, key) = (pem::certificates(certificates)?, pem::key(key)?);
        let provider = provider();
        let shown = CertifiedKey::from_der(chain, key, &provider).map_err(pem::unusable)?;
        let identity = Arc::new(Identity::new(shown));
        let resolver: Arc<dyn ResolvesServerCert> = Arc::clone(&identity) as _;
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(pem::unusable)?
            .with_no_client_auth()
            .with_cert_resolver(resolver);
        Ok(Self { config: Arc::new(offering(config)), identity: Some(identity) })
    }
}

impl ClientTls {
    /// Trusts the certificate authorities of the operating system: the default of `https` targets.
    ///
    /// # Errors
    /// `FailedPrecondition` when the system has none that can be read; what was seen is the source.
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

    /// Trusts exactly the given certificates (PEM, one or more): authorities, or the server's own if it is no authority.
    /// openssl makes such a one with `-addext basicConstraints=critical,CA:FALSE -addext subjectAltName=DNS:localhost`.
    ///
    /// # Errors
    /// `InvalidArgument` when there is no certificate in it, or one cannot be used.
    pub fn trusting_pem(certificates: &[u8]) -> Result<Self> {
        Self::trusting(pem::authorities(certificates)?)
    }

    fn trusting(roots: rustls::RootCertStore) -> Result<Self> {
        let config = rustls::ClientConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .map_err(pem::unusable)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self { config })
    }
}

/// ring where it is compiled in: a crate elsewhere in the build that switches on the other one changes nothing for us.
fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    #[cfg(not(feature = "tls-ring"))]
    use rustls::crypto::aws_lc_rs as chosen;
    #[cfg(feature = "tls-ring")]
    use rustls::crypto::ring as chosen;
    Arc::new(chosen::default_provider())
}

#[cfg(test)]
mod tests;
