//! Metadata that comes back: the two keys of gRPC's interop tests ("custom_metadata" of `interop-test-descriptions.md`),
//! one as a header, one as a trailer. Both services answer them.

use trunkline::{Error, Metadata, Response, Result};

/// Comes back as a header.
pub(crate) const ECHO_HEADER: &str = "x-grpc-test-echo-initial";
/// Comes back as a trailer; it carries bytes.
pub(crate) const ECHO_TRAILER: &str = "x-grpc-test-echo-trailing-bin";

/// What a request wants back.
#[derive(Debug, Default)]
pub(crate) struct Echoed {
    headers: Metadata,
    trailers: Metadata,
}

impl Echoed {
    /// Takes what the request's metadata asks for, each value of a key that repeats.
    ///
    /// # Errors
    /// `InvalidArgument` for a value that cannot be sent back.
    pub(crate) fn of(asked: &Metadata) -> Result<Self> {
        let mut echoed = Self::default();
        for value in asked.values(ECHO_HEADER) {
            echoed.headers.append(ECHO_HEADER, value)?;
        }
        for value in asked.bins(ECHO_TRAILER) {
            echoed.trailers.append_bin(ECHO_TRAILER, &value)?;
        }
        Ok(echoed)
    }

    /// A response that sends it back.
    pub(crate) fn onto<T>(self, message: T) -> Response<T> {
        let mut response = Response::new(message);
        *response.metadata_mut() = self.headers;
        *response.trailers_mut() = self.trailers;
        response
    }

    /// An error that sends it back, as far as an error has room: the trailers.
    pub(crate) fn onto_error(self, error: Error) -> Error {
        error.with_metadata(self.trailers)
    }
}

#[cfg(test)]
mod tests;
