//! Heads of requests and responses, made of the fields of a header block (RFC 9113, 8.3).

use http::uri::{Authority, Parts, Scheme};
use http::{HeaderMap, Method, StatusCode, Uri, header};

use crate::hpack::Block;

/// The head of a request.
#[derive(Debug, Clone)]
pub struct RequestHead {
    /// The method.
    pub method: Method,
    /// Path and query, with scheme and authority where the peer named them.
    pub uri: Uri,
    /// All fields but the pseudo-fields.
    pub fields: HeaderMap,
}

/// The head of a response.
#[derive(Debug, Clone)]
pub struct ResponseHead {
    /// The status.
    pub status: StatusCode,
    /// All fields but the pseudo-fields.
    pub fields: HeaderMap,
}

/// The head of a request, or why the block is none (RFC 9113, 8.3.1).
pub(crate) fn request(block: Block) -> Result<RequestHead, &'static str> {
    if let Some(why) = block.malformed {
        return Err(why);
    }
    if block.status.is_some() {
        return Err("a request has :status");
    }
    if block.protocol.is_some() {
        // RFC 8441, 3: only after the server has said that it knows it, and we do not.
        return Err("a request has :protocol, which this server has not enabled");
    }
    let method = block.method.ok_or("a request has no :method")?;
    let mut parts = Parts::default();
    if method == Method::CONNECT {
        if block.scheme.is_some() || block.path.is_some() {
            return Err("a CONNECT request has :scheme or :path");
        }
        parts.authority = Some(block.authority.ok_or("a CONNECT request has no :authority")?);
    } else {
        let scheme = block.scheme.ok_or("a request has no :scheme")?;
        parts.path_and_query = Some(block.path.ok_or("a request has no :path")?);
        parts.authority = block.authority.or_else(|| host(&block.fields));
        // A URI has a scheme only together with an authority.
        parts.scheme = parts.authority.is_some().then_some(scheme);
    }
    let uri = Uri::from_parts(parts).map_err(|_| "the pseudo-fields of a request make no URI")?;
    Ok(RequestHead { method, uri, fields: block.fields })
}

/// The head of a response, or why the block is none (RFC 9113, 8.3.2).
pub(crate) fn response(block: Block) -> Result<ResponseHead, &'static str> {
    if let Some(why) = block.malformed {
        return Err(why);
    }
    if has_request_fields(&block) {
        return Err("a response has pseudo-fields of a request");
    }
    let status = block.status.ok_or("a response has no :status")?;
    Ok(ResponseHead { status, fields: block.fields })
}

/// Trailers, or why the block is none (RFC 9113, 8.1: no pseudo-fields).
pub(crate) fn trailers(block: Block) -> Result<HeaderMap, &'static str> {
    if let Some(why) = block.malformed {
        return Err(why);
    }
    if block.status.is_some() || has_request_fields(&block) {
        return Err("trailers have a pseudo-field");
    }
    Ok(block.fields)
}

/// Whether a block has a pseudo-field that only requests have.
fn has_request_fields(block: &Block) -> bool {
    block.method.is_some()
        || block.scheme.is_some()
        || block.authority.is_some()
        || block.path.is_some()
        || block.protocol.is_some()
}

/// The authority in `host`, for requests that were made of HTTP/1.1 ones (RFC 9113, 8.3.1).
fn host(fields: &HeaderMap) -> Option<Authority> {
    fields.get(header::HOST).and_then(|host| Authority::try_from(host.as_bytes()).ok())
}

/// The body's length as a head tells it (RFC 9113, 8.1.1); `Err` when it is no number or there are two.
pub(crate) fn content_length(fields: &HeaderMap) -> Result<Option<u64>, &'static str> {
    let mut lengths = fields.get_all(header::CONTENT_LENGTH).iter();
    let Some(first) = lengths.next() else { return Ok(None) };
    if lengths.any(|other| other != first) {
        return Err("content-length stands there twice, with different values");
    }
    let digits = first.to_str().ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let number = digits.and_then(|digits| digits.parse().ok());
    number.map(Some).ok_or("content-length is no number")
}

/// The scheme as a request's head shall carry it.
pub(crate) fn scheme_of(uri: &Uri) -> &str {
    uri.scheme().map_or("http", Scheme::as_str)
}

#[cfg(test)]
mod tests;
