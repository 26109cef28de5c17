//! The certificate that a server shows now. It can be replaced while the server runs; connections that stand keep theirs.

use std::sync::{Arc, PoisonError, RwLock};

use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

/// A certificate with its key, read anew at each handshake.
#[derive(Debug)]
pub(super) struct Identity {
    current: RwLock<Arc<CertifiedKey>>,
}

impl Identity {
    #[cfg(any(feature = "tls-ring", feature = "tls-aws-lc"))]
    pub(super) fn new(first: CertifiedKey) -> Self {
        Self { current: RwLock::new(Arc::new(first)) }
    }

    /// Shows `next` from the next handshake on.
    pub(super) fn replace(&self, next: CertifiedKey) {
        // A pointer is whole whatever panics elsewhere.
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
    }
}

impl ResolvesServerCert for Identity {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner)))
    }
}
