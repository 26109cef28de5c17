//! What a caller may say of one call.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::Extensions;
use tokio::time::Instant;

use crate::compress::Compression;
use crate::{CallContext, Metadata, Result};

/// Metadata, timeout and compression of one call that has no request message to carry them.
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    pub(crate) metadata: Metadata,
    pub(crate) timeout: Option<Duration>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) compression: SendCompression,
    pub(crate) extensions: Extensions,
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

    /// The same options, with the call to end until `deadline`. With a timeout as well, its own or the channel's, the earlier
    /// end counts.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Instant) -> Self {
        self.deadline = earlier(self.deadline, Some(deadline));
        self
    }

    /// The same options, for a call made to serve the call of `context`: it has until the deadline of that one. As
    /// [`Request::within`](crate::Request::within).
    ///
    /// ```
    /// use trunkline::reflection::v1::ServerReflectionClient;
    /// use trunkline::{CallOptions, Request};
    ///
    /// async fn explore(request: Request<String>, next: &ServerReflectionClient) {
    ///     let options = CallOptions::new().within(request.context());
    ///     let call = next.server_reflection_info_with(options);
    ///     # drop(call);
    /// }
    /// ```
    #[must_use]
    pub fn within<'a>(mut self, context: impl Into<Option<&'a CallContext>>) -> Self {
        self.deadline = earlier(self.deadline, context.into().and_then(CallContext::deadline));
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

    /// The values that the interceptors of the channel find beside the request, one of each type; see
    /// [`Request::extensions`](crate::Request::extensions).
    ///
    /// ```
    /// /// Tells an interceptor that retries to leave a call alone.
    /// #[derive(Clone)]
    /// struct Once;
    ///
    /// let mut options = trunkline::CallOptions::new();
    /// options.extensions_mut().insert(Once);
    /// ```
    pub fn extensions_mut(&mut self) -> &mut Extensions {
        &mut self.extensions
    }
}

/// The earlier of two ends that need not be there, or the smaller of two such durations.
pub(crate) fn earlier<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
