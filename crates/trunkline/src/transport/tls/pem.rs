//! Certificates and keys out of PEM (RFC 7468), with errors that say which of them is wrong.

use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::{Error, Result};

/// All certificates of `pem`, in order; at least one.
///
/// # Errors
/// `InvalidArgument` when it is not PEM, or has no certificate.
pub(super) fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>> {
    let certificates = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| Error::invalid_argument(format!("the TLS certificates are not PEM: {error}")))?;
    if certificates.is_empty() {
        return Err(Error::invalid_argument("there is no certificate in the PEM given for TLS"));
    }
    Ok(certificates)
}

/// The certificates of `pem` as those that are trusted.
///
/// # Errors
/// As for [`certificates`], and `InvalidArgument` for one that nothing can be checked against.
pub(super) fn authorities(pem: &[u8]) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(pem)? {
        roots.add(certificate).map_err(unusable)?;
    }
    Ok(roots)
}

/// The first private key of `pem`: PKCS #1, PKCS #8 or SEC 1.
///
/// # Errors
/// `InvalidArgument` when there is none.
pub(super) fn key(pem: &[u8]) -> Result<PrivateKeyDer<'static>> {
    if pem.windows(ENCRYPTED_LABEL.len()).any(|window| window == ENCRYPTED_LABEL) {
        let message =
            "the TLS key is encrypted; `openssl pkey -in KEY -out PLAIN` writes it so that it can be used";
        return Err(Error::invalid_argument(message));
    }
    PrivateKeyDer::from_pem_slice(pem)
        .map_err(|error| Error::invalid_argument(format!("the TLS key is not a PEM private key: {error}")))
}

/// The label of a key that a passphrase protects (RFC 5958, 3).
const ENCRYPTED_LABEL: &[u8] = b"ENCRYPTED PRIVATE KEY";

/// What rustls found wrong with a certificate or key.
pub(super) fn unusable(error: rustls::Error) -> Error {
    if matches!(error, rustls::Error::InconsistentKeys(_)) {
        return Error::invalid_argument("the TLS key does not belong to the certificate").with_source(error);
    }
    Error::invalid_argument(format!("the TLS certificate or key cannot be used: {error}")).with_source(error)
}
