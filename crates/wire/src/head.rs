//! The heads of an HTTP request and response, as the rooms above the transport see them.

use http::{HeaderMap, Method, StatusCode, Uri, Version};

/// The head of a request: everything that comes before its body.
#[derive(Debug, Clone)]
pub struct RequestHead {
    /// The HTTP method; RPCs use POST, and GET for Connect's queries.
    pub method: Method,
    /// Path and query; scheme and authority too where the transport knows them.
    pub uri: Uri,
    /// The HTTP version that carries the request.
    pub version: Version,
    /// All header fields, in the order received.
    pub headers: HeaderMap,
}

/// The head of a response.
#[derive(Debug, Clone)]
pub struct ResponseHead {
    /// The HTTP status.
    pub status: StatusCode,
    /// All header fields, in the order received.
    pub headers: HeaderMap,
}
