//! Rows for heads: which sets of fields make a request, a response, trailers.

use bytes::Bytes;
use http::uri::PathAndQuery;

use super::*;

/// A block of these fields, pseudo-fields with their colon.
fn block(fields: &[(&'static str, &'static str)]) -> Block {
    let mut block = Block::default();
    for &(name, value) in fields {
        match name {
            ":method" => block.method = Some(value.parse().unwrap()),
            ":scheme" => block.scheme = Some(value.parse().unwrap()),
            ":authority" => block.authority = Some(value.parse().unwrap()),
            ":path" => block.path = Some(PathAndQuery::from_static(value)),
            ":status" => block.status = Some(value.parse().unwrap()),
            ":protocol" => block.protocol = Some(Bytes::from_static(value.as_bytes())),
            "malformed" => block.malformed = Some(value),
            _ => drop(block.fields.append(name, value.parse().unwrap())),
        }
    }
    block
}

const POST: [(&str, &str); 4] =
    [(":method", "POST"), (":scheme", "http"), (":authority", "a.example"), (":path", "/p?q")];

fn check_request(fields: &[(&'static str, &'static str)], expected: Result<&str, &str>) {
    let seen = request(block(fields)).map(|head| format!("{} {}", head.method, head.uri));
    assert_eq!(seen.as_deref().map_err(|why| *why), expected, "{fields:?}");
}

#[test]
fn request_has_its_pseudo_fields() {
    check_request(&POST, Ok("POST http://a.example/p?q"));
    check_request(&POST[1..], Err("a request has no :method"));
    check_request(&[POST[0], POST[2], POST[3]], Err("a request has no :scheme"));
    check_request(&POST[..3], Err("a request has no :path"));
    check_request(&[(":method", "OPTIONS"), (":scheme", "http"), (":path", "*")], Ok("OPTIONS *"));
}

#[test]
fn request_has_no_others() {
    check_request(&[&POST[..], &[(":status", "200")]].concat(), Err("a request has :status"));
    let extended = [&POST[..], &[(":protocol", "websocket")]].concat();
    check_request(&extended, Err("a request has :protocol, which this server has not enabled"));
    check_request(&[("malformed", "no good"), POST[0]], Err("no good"));
}

#[test]
fn request_authority_may_stand_in_host() {
    let bare = [POST[0], POST[1], POST[3]];
    check_request(&bare, Ok("POST /p?q"));
    check_request(&[&bare[..], &[("host", "b.example")]].concat(), Ok("POST http://b.example/p?q"));
    check_request(&[&POST[..], &[("host", "b.example")]].concat(), Ok("POST http://a.example/p?q"));
    check_request(&[&bare[..], &[("host", "not a host")]].concat(), Ok("POST /p?q"));
}

/// RFC 9113, 8.5.
#[test]
fn request_connect_names_an_authority_alone() {
    let connect = (":method", "CONNECT");
    check_request(&[connect, (":authority", "a.example:1")], Ok("CONNECT a.example:1"));
    check_request(&[connect], Err("a CONNECT request has no :authority"));
    check_request(&[connect, POST[1], POST[2]], Err("a CONNECT request has :scheme or :path"));
    check_request(&[connect, POST[2], POST[3]], Err("a CONNECT request has :scheme or :path"));
}

#[test]
fn response_has_a_status_and_nothing_of_a_request() {
    let check = |fields: &[(&'static str, &'static str)], expected: Result<u16, &str>| {
        assert_eq!(response(block(fields)).map(|head| head.status.as_u16()), expected, "{fields:?}");
    };
    check(&[(":status", "200"), ("a", "b")], Ok(200));
    check(&[("a", "b")], Err("a response has no :status"));
    for (name, value) in POST.into_iter().chain([(":protocol", "x")]) {
        check(&[(":status", "200"), (name, value)], Err("a response has pseudo-fields of a request"));
    }
    check(&[(":status", "200"), ("malformed", "no good")], Err("no good"));
}

#[test]
fn trailers_have_no_pseudo_fields() {
    assert_eq!(trailers(block(&[("a", "b")])).unwrap()["a"], "b");
    assert_eq!(trailers(block(&[])).unwrap(), HeaderMap::new());
    for (name, value) in POST.into_iter().chain([(":protocol", "x"), (":status", "200")]) {
        assert_eq!(trailers(block(&[(name, value), ("a", "b")])), Err("trailers have a pseudo-field"));
    }
    assert_eq!(trailers(block(&[("malformed", "no good")])), Err("no good"));
}

#[test]
fn content_length_is_one_number() {
    let check = |values: &[&'static str], expected: Result<Option<u64>, ()>| {
        let fields: Vec<_> = values.iter().map(|value| ("content-length", *value)).collect();
        assert_eq!(content_length(&block(&fields).fields).map_err(drop), expected, "{values:?}");
    };
    check(&[], Ok(None));
    check(&["0"], Ok(Some(0)));
    check(&["18446744073709551615"], Ok(Some(u64::MAX)));
    check(&["7", "7"], Ok(Some(7)));
    for bad in ["", "-1", "+1", "1.0", "0x1", "7, 7", "seven", "18446744073709551616"] {
        check(&[bad], Err(()));
    }
    check(&["7", "8"], Err(()));
}

#[test]
fn scheme_is_that_of_the_uri_or_http() {
    assert_eq!(scheme_of(&Uri::from_static("https://a.example/p")), "https");
    assert_eq!(scheme_of(&Uri::from_static("/p")), "http");
}
