//! What a caller may say of one call.

use std::time::Duration;

use crate::{Metadata, Result};

/// Metadata and timeout of one call that has no request message to carry them.
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    pub(crate) metadata: Metadata,
    pub(crate) timeout: Option<Duration>,
}

impl CallOptions {
    /// Nothing special.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same options with one more metadata value.
    ///
    /// # Errors
    /// As for [`Metadata::append`].
    pub fn with_metadata(mut self, key: &str, value: &str) -> Result<Self> {
        self.metadata.append(key, value)?;
        Ok(self)
    }

    /// The same options, with the call to end within `timeout`.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The metadata, to be changed.
    pub fn metadata_mut(&mut self) -> &mut Metadata {
        &mut self.metadata
    }
}
