//! What one half writes, the other reads as it was; both keep the same table.

use bytes::BytesMut;
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use super::Chance;
use crate::hpack::{Block, Decoder, Encoder, RequestFields};

/// Names that are sent in every way there is, but for those that are not sent.
const NAMES: [&str; 16] = [
    "content-type",
    "grpc-encoding",
    "grpc-status",
    "grpc-message",
    "grpc-timeout",
    "user-agent",
    "accept-encoding",
    "authorization",
    "cookie",
    "set-cookie",
    "date",
    "server",
    "x-tenant",
    "trace-bin",
    "a",
    "grpc-accept-encoding",
];

const PATHS: [&str; 6] = ["/", "/index.html", "/a.B/C", "/a.B/D?query=1", "/a.B/E", "/a"];

fn value(chance: &mut Chance) -> HeaderValue {
    let text = match chance.below(4) {
        0 => "0".to_owned(),
        1 => "application/grpc".to_owned(),
        2 => format!("value {}", chance.below(4)),
        _ => {
            let end = if chance.once_in(20) { 3000 } else { 40 };
            "v".repeat(chance.below(end))
        }
    };
    let mut value = HeaderValue::from_str(&text).unwrap();
    value.set_sensitive(chance.once_in(8));
    value
}

fn fields(chance: &mut Chance) -> HeaderMap {
    let mut fields = HeaderMap::new();
    for _ in 0..chance.below(8) {
        fields.append(*chance.one_of(&NAMES), value(chance));
    }
    if chance.once_in(2) {
        fields.insert("te", HeaderValue::from_static("trailers"));
    }
    fields
}

/// Cookies as they arrive.
fn joined(mut fields: HeaderMap) -> HeaderMap {
    let cookies: Vec<&[u8]> = fields.get_all("cookie").iter().map(HeaderValue::as_bytes).collect();
    if let Ok(cookie) = HeaderValue::from_bytes(&cookies.join(&b"; "[..]))
        && !cookies.is_empty()
    {
        fields.insert("cookie", cookie);
    }
    fields
}

/// Writes one block of any kind; the closure compares what is read.
fn block(chance: &mut Chance, encoder: &mut Encoder, target: &mut BytesMut) -> Box<dyn Fn(&Block)> {
    let fields = fields(chance);
    let check_fields = {
        let expected = joined(fields.clone());
        move |read: &Block| {
            assert_eq!(read.fields, expected);
            let hidden = expected.iter().filter(|(_, value)| value.is_sensitive());
            for (name, value) in hidden {
                let mut seen = read.fields.get_all(name).iter();
                assert!(seen.any(|seen| seen == value && seen.is_sensitive()), "{name} is never indexed");
            }
        }
    };
    match chance.below(3) {
        0 => {
            let method = chance.one_of(&[Method::GET, Method::POST, Method::PUT]).clone();
            let scheme = *chance.one_of(&["http", "https"]);
            let authority = format!("host-{}.example", chance.below(3));
            let number = chance.below(1000);
            let path =
                if chance.once_in(3) { format!("/n/{number}") } else { (*chance.one_of(&PATHS)).to_owned() };
            let head = RequestFields {
                method: &method,
                scheme,
                authority: &authority,
                path: &path,
                fields: &fields,
            };
            encoder.request(&head, target);
            Box::new(move |read| {
                assert_eq!(read.method.as_ref(), Some(&method));
                assert_eq!(read.scheme.as_ref().map(http::uri::Scheme::as_str), Some(scheme));
                assert_eq!(read.authority.as_ref().map(http::uri::Authority::as_str), Some(&authority[..]));
                assert_eq!(read.path.as_ref().map(http::uri::PathAndQuery::as_str), Some(&path[..]));
                check_fields(read);
            })
        }
        1 => {
            let status = StatusCode::from_u16(*chance.one_of(&[200, 204, 404, 415, 503])).unwrap();
            encoder.response(status, &fields, target);
            Box::new(move |read| {
                assert_eq!((read.status, read.method.as_ref()), (Some(status), None));
                check_fields(read);
            })
        }
        _ => {
            encoder.trailers(&fields, target);
            Box::new(move |read| {
                assert_eq!((read.status, read.method.as_ref()), (None, None));
                check_fields(read);
            })
        }
    }
}

#[test]
fn what_is_written_is_read_under_any_order() {
    for seed in 0..300 {
        let mut chance = Chance::new(seed);
        let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new(4096));
        for _ in 0..100 {
            while chance.once_in(8) {
                let bytes = chance.below(6000);
                encoder.set_table_bytes_max(*chance.one_of(&[0, 64, 300, 4096, bytes]));
            }
            let mut target = BytesMut::new();
            let check = block(&mut chance, &mut encoder, &mut target);
            let read = decoder
                .decode(&target, 1 << 20)
                .unwrap_or_else(|fault| panic!("seed {seed}: {fault}: {target:02x?}"));
            assert_eq!((read.malformed, read.too_large), (None, false), "seed {seed}");
            check(&read);
            assert_eq!(decoder.table_size(), encoder.table_size(), "seed {seed}: the tables differ");
        }
    }
}

/// A cut of what was written is a fault, or the fields before the cut.
#[test]
fn what_is_written_and_cut_never_panics() {
    for seed in 0..100 {
        let mut chance = Chance::new(seed);
        let mut target = BytesMut::new();
        drop(block(&mut chance, &mut Encoder::new(), &mut target));
        let whole = Decoder::new(4096).decode(&target, 1 << 20).unwrap();
        for cut in 0..target.len() {
            if let Ok(read) = Decoder::new(4096).decode(&target[..cut], 1 << 20) {
                assert!(read.list_bytes < whole.list_bytes, "seed {seed}, cut at {cut}");
            }
        }
    }
}
