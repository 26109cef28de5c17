//! What came of a call, in the suite's words.
//!
//! It decides which parts of an outcome are told, and where (`ClientResponseResult` of `client_compat.proto`). It must not
//! know how the call was made.

use trunkline::{Error, Metadata};
use trunkline_conformance::proto::connectrpc::conformance::v1 as messages;
use trunkline_conformance::suite;

use self::messages::{
    ClientCompatResponse, ClientErrorResult, ClientResponseResult, ConformancePayload, Header,
};

/// What came of a call so far.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Response headers, where there were any.
    headers: Vec<Header>,
    /// The payload of each response, in order.
    payloads: Vec<ConformancePayload>,
    /// How the call ended, if not well.
    error: Option<messages::Error>,
    /// Response trailers, on success and on error.
    trailers: Vec<Header>,
    /// Requests that the call has not taken.
    unsent: usize,
}

impl Report {
    /// The headers have arrived.
    pub(crate) fn headers(&mut self, headers: &Metadata) {
        self.headers = suite::headers(headers);
    }

    /// A response has arrived. One without a payload counts as one with an empty payload.
    pub(crate) fn payload(&mut self, payload: Option<ConformancePayload>) {
        self.payloads.push(payload.unwrap_or_default());
    }

    /// The trailers have arrived.
    pub(crate) fn trailers(&mut self, trailers: &Metadata) {
        self.trailers = suite::headers(trailers);
    }

    /// So many requests could not be sent.
    pub(crate) fn unsent(&mut self, count: usize) {
        self.unsent = count;
    }

    /// How many responses have arrived.
    pub(crate) fn responses(&self) -> usize {
        self.payloads.len()
    }

    /// The call has ended with `error`, which also knows what arrived before.
    pub(crate) fn failed(&mut self, error: &Error) {
        if !error.headers().is_empty() {
            self.headers(error.headers());
        }
        self.trailers(error.metadata());
        self.error = Some(suite::error(error));
    }

    /// The report in the suite's form. What only the suite's own client can tell stays empty.
    fn result(self) -> ClientResponseResult {
        ClientResponseResult {
            response_headers: self.headers,
            payloads: self.payloads,
            error: self.error.into(),
            response_trailers: self.trailers,
            num_unsent_requests: i32::try_from(self.unsent).unwrap_or(i32::MAX),
            ..ClientResponseResult::default()
        }
    }
}

/// The answer to the runner: the report, or why there was no call.
pub(crate) fn response(test_name: String, outcome: Result<Report, String>) -> ClientCompatResponse {
    let result = match outcome {
        Ok(report) => report.result().into(),
        Err(message) => ClientErrorResult { message, ..ClientErrorResult::default() }.into(),
    };
    ClientCompatResponse { test_name, result, ..ClientCompatResponse::default() }
}

/// The error of a caller that leaves. A call is left by dropping it, so nobody but the caller itself can say so.
pub(crate) fn left() -> Error {
    Error::canceled("the caller has left")
}

#[cfg(test)]
mod tests;
