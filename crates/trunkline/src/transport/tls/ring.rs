//! TLS with the ring provider: from PEM, and from what the system trusts.

use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::{ClientTls, ServerTls};
use crate::{Error, Result};

impl ServerTls {
    /// A server's TLS from PEM: the certificate chain, the server's own first, and its private key (PKCS #1, #8 or SEC 1).
    ///
    /// # Errors
    /// `InvalidArgument` when either is not PEM, is empty, or the two do not belong together.
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

    /// Trusts exactly the given certificates (PEM, one or more).
    ///
    /// # Errors
    /// `InvalidArgument` when there is no certificate in it, or one cannot be used.
    pub fn trusting_pem(certificates: &[u8]) -> Result<Self> {
        let mut roots = rustls::RootCertStore::empty();
        for certificate in certificates_from_pem(certificates)? {
            roots.add(certificate).map_err(unusable)?;
        }
        Self::trusting(roots)
    }

    fn trusting(roots: rustls::RootCertStore) -> Result<Self> {
        let config = rustls::ClientConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self { config })
    }
}

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

fn unusable(error: rustls::Error) -> Error {
    Error::invalid_argument(format!("the TLS certificate or key cannot be used: {error}")).with_source(error)
}

#[cfg(test)]
mod tests;
