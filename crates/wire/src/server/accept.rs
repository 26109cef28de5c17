//! The checks on a request head, in order: path, method, content type, HTTP version, and then what the protocol checks.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header};

use super::detect::{Asked, detect};
use super::{Accepted, Config, Reject, Route};
use crate::media_type::MediaType;
use crate::{Code, RequestHead, ResponseHead, Shape, Status, connect, grpc, grpc_web};

/// The content types that a 415 says would have done (W3C "Linked Data Platform", 7.1).
const ACCEPT_POST: HeaderName = HeaderName::from_static("accept-post");

/// Takes a head through all checks. See [`super::accept`].
///
/// The path comes first, because only a known procedure has methods and content types; a wrong method comes before a wrong
/// content type, because a client that sends GET has none.
pub(super) fn accept(head: RequestHead, route: Option<Route>, config: &Config) -> Accepted {
    let media = MediaType::of(&head.headers);
    let asked = detect(media.as_ref().map_or("", MediaType::essence));
    let Some(route) = route else {
        return Accepted::Reject(unknown_path(&head, asked, media.as_ref(), config));
    };
    let by_get = route.no_side_effects && route.shape == Shape::Unary;
    match head.method {
        Method::POST => {}
        Method::GET if by_get => {
            return connect::get::accept(head, config)
                .unwrap_or_else(|| Accepted::Reject(unsupported_type(route.shape, config)));
        }
        _ => return Accepted::Reject(wrong_method(by_get)),
    }
    let Some(media) = &media else {
        return Accepted::Reject(unsupported_type(route.shape, config));
    };
    let Some((form, codec)) = choose(asked, media, route.shape, config) else {
        return Accepted::Reject(unsupported_type(route.shape, config));
    };
    let content_type = media.value();
    match form {
        Form::ConnectUnary => connect::server::accept_unary(head, content_type, codec, config),
        Form::ConnectStream => connect::server::accept_stream(head, content_type, codec, config),
        Form::GrpcWeb { is_text } => grpc_web::server::accept(head, content_type, codec, is_text, config),
        // HTTP/1.x has the trailers that gRPC needs in theory only: clients and proxies lose them.
        Form::Grpc if head.version < Version::HTTP_2 => {
            Accepted::Reject(plain(StatusCode::HTTP_VERSION_NOT_SUPPORTED, "gRPC needs HTTP/2\n"))
        }
        Form::Grpc => grpc::server::accept(head, content_type, codec, config),
    }
}

/// A form that a call of the shape can have.
enum Form {
    ConnectUnary,
    ConnectStream,
    Grpc,
    GrpcWeb { is_text: bool },
}

/// The form and codec of a call.
///
/// A unary procedure is called by Connect's unary form only, a stream by its streaming form only: that keeps unary calls
/// open to plain HTTP clients and caches. gRPC and gRPC-Web have one form for both. The result is `None` when this shape
/// cannot have them.
fn choose(
    asked: Asked<'_>,
    media: &MediaType,
    shape: Shape,
    config: &Config,
) -> Option<(Form, &'static str)> {
    let is_unary = shape == Shape::Unary;
    let (form, name) = match asked {
        // A charset is JSON's business, and our JSON is UTF-8 (RFC 8259, 8.1).
        Asked::ConnectUnary(_) | Asked::ConnectStream(_) if media.foreign_charset() => return None,
        Asked::ConnectUnary(codec) if is_unary => (Form::ConnectUnary, codec),
        Asked::ConnectStream(codec) if !is_unary => (Form::ConnectStream, codec),
        Asked::Grpc(codec) => (Form::Grpc, codec),
        Asked::GrpcWeb(codec) => (Form::GrpcWeb { is_text: false }, codec),
        Asked::GrpcWebText(codec) => (Form::GrpcWeb { is_text: true }, codec),
        Asked::ConnectUnary(_) | Asked::ConnectStream(_) | Asked::Other => return None,
    };
    Some((form, config.codecs.iter().find(|codec| **codec == name)?))
}

/// No procedure has the path. A client of a protocol gets its `unimplemented`; to anyone else this is a plain 404.
fn unknown_path(head: &RequestHead, asked: Asked<'_>, media: Option<&MediaType>, config: &Config) -> Reject {
    let status =
        || Status::new(Code::Unimplemented, format!("no procedure has the path {}", head.uri.path()));
    let by_post = head.method == Method::POST;
    match (asked, media) {
        (Asked::Grpc(_) | Asked::GrpcWeb(_) | Asked::GrpcWebText(_), Some(media)) if by_post => {
            grpc::server::refuse(media.value(), status(), None)
        }
        (Asked::ConnectStream(_), _) if by_post => {
            connect::unary::refuse(StatusCode::NOT_FOUND, &status(), None)
        }
        (Asked::ConnectUnary(codec), _) if by_post && config.codecs.contains(&codec) => {
            connect::unary::refuse(StatusCode::NOT_FOUND, &status(), None)
        }
        _ if head.method == Method::GET && connect::get::is_asked(head.uri.query()) => {
            connect::unary::refuse(StatusCode::NOT_FOUND, &status(), None)
        }
        _ => plain(StatusCode::NOT_FOUND, "no procedure has this path\n"),
    }
}

/// The refusal of a method, with those that would have done (RFC 9110, 15.5.6).
fn wrong_method(by_get: bool) -> Reject {
    let mut reject = plain(StatusCode::METHOD_NOT_ALLOWED, "this procedure is not called by this method\n");
    let allowed = HeaderValue::from_static(if by_get { "GET, POST" } else { "POST" });
    reject.head.headers.insert(header::ALLOW, allowed);
    reject
}

/// The refusal of a content type or codec, with all that would have done. It is the same in every protocol: clients of each
/// of them make `unknown` of it.
fn unsupported_type(shape: Shape, config: &Config) -> Reject {
    let mut reject = plain(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "this content type is not spoken here; the header accept-post lists those that are, \
         such as application/json for unary calls of Connect, or application/connect+json for its streams\n",
    );
    // Codec names that fit no header leave the list out; the status says the same.
    if let Ok(list) = HeaderValue::try_from(accepted_types(shape, config)) {
        reject.head.headers.insert(ACCEPT_POST, list);
    }
    reject
}

/// All content types that a procedure of this shape understands.
fn accepted_types(shape: Shape, config: &Config) -> String {
    let connect = if shape == Shape::Unary {
        connect::headers::UNARY_CONTENT_TYPE
    } else {
        connect::headers::STREAM_CONTENT_TYPE
    };
    let mut types: Vec<String> = config.codecs.iter().map(|codec| format!("{connect}{codec}")).collect();
    let of_grpc =
        [grpc::headers::CONTENT_TYPE, grpc_web::headers::CONTENT_TYPE, grpc_web::headers::TEXT_CONTENT_TYPE];
    for content_type in of_grpc {
        if config.codecs.contains(&grpc::headers::DEFAULT_CODEC) {
            types.push(content_type.to_owned());
        }
        types.extend(config.codecs.iter().map(|codec| format!("{content_type}+{codec}")));
    }
    types.join(", ")
}

/// A refusal in no protocol, with a line for people.
fn plain(status: StatusCode, text: &'static str) -> Reject {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(text.len()));
    Reject { head: ResponseHead { status, headers }, body: Bytes::from_static(text.as_bytes()) }
}

#[cfg(test)]
mod tests;
