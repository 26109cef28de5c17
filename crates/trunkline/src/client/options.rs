//! What a caller may say of one call.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::compress::Compression;
use crate::{Metadata, Result};

/// Metadata, timeout and compression of one call that has no request message to carry them.
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    pub(crate) metadata: Metadata,
    pub(crate) timeout: Option<Duration>,
    pub(crate) compression: SendCompression,
}

/// How the requests of one call are compressed.
#[derive(Clone, Default)]
pub(crate) enum SendCompression {
    /// As the channel says.
    #[default]
    AsChannel,
    /// Not at all.
    Plain,
    /// By this one.
    With(Arc<dyn Compression>),
}

impl SendCompression {
    /// What it comes to on a channel that compresses with `channel`.
    pub(crate) fn or(&self, channel: Option<&Arc<dyn Compression>>) -> Option<Arc<dyn Compression>> {
        match self {
            Self::AsChannel => channel.cloned(),
            Self::Plain => None,
            Self::With(compression) => Some(Arc::clone(compression)),
        }
    }
}

impl fmt::Debug for SendCompression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AsChannel => "as the channel",
            Self::Plain => "identity",
            Self::With(compression) => compression.name(),
        })
    }
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

    /// The same options, with requests compressed by `compression`, whatever the channel says.
    #[must_use]
    pub fn with_compression(mut self, compression: impl Compression) -> Self {
        self.compression = SendCompression::With(Arc::new(compression));
        self
    }

    /// The same options, with requests sent as they are, whatever the channel says.
    #[must_use]
    pub fn without_compression(mut self) -> Self {
        self.compression = SendCompression::Plain;
        self
    }

    /// The metadata, to be changed.
    pub fn metadata_mut(&mut self) -> &mut Metadata {
        &mut self.metadata
    }
}
