//! Header blocks of HTTP/2: any bytes are fields or a fault, never more than the limit; what our encoder writes our decoder reads as it
//! was, whatever went before on the connection.

use std::fs;
use std::path::Path;

use bytes::BytesMut;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use trunkline_h2::hpack::{Decoder, Encoder, RequestFields};

use crate::input::Input;

/// What the bytes are, and the bytes.
pub(crate) fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    match input.byte() % 2 {
        BLOCKS => blocks(input),
        _ => pair(input),
    }
}

/// The blocks of the vectors that stand there in hex alone, and pairs of heads.
pub(crate) fn seeds(vectors: &Path) -> Vec<Vec<u8>> {
    let mut seeds = vec![
        b"\x01\x00a: b\ncookie: c\ncookie: d\n\n\x01te: trailers\n\n\x02grpc-status: 0\n".to_vec(),
        b"\x01\x05x-tenant: 1\n\n\x41x-tenant: 1\nauthorization: secret\n\n\x82x-tenant: 2\n".to_vec(),
    ];
    let files = fs::read_dir(vectors.join("hpack")).into_iter().flatten().flatten();
    for text in files.filter_map(|file| fs::read_to_string(file.path()).ok()) {
        let mut seed = vec![BLOCKS];
        for line in text.lines() {
            if line.starts_with("case") && seed.len() > 1 {
                seeds.push(std::mem::replace(&mut seed, vec![BLOCKS]));
            }
            let Some(block) = line.strip_prefix("block ").and_then(hex) else { continue };
            seed.extend((block.len() as u16).to_be_bytes());
            seed.extend(block);
        }
        seeds.push(seed);
    }
    seeds
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b' ').collect();
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    digits.chunks(2).map(byte).collect()
}

/// Blocks with their lengths, for one decoder.
fn blocks(mut input: Input<'_>) {
    let mut decoder = Decoder::new(4096);
    while !input.rest().is_empty() {
        let length = usize::from(input.byte()) << 8 | usize::from(input.byte());
        let block = input.take(length);
        let Ok(read) = decoder.decode(block, LIST_BYTES_MAX) else { return };
        let names_and_values = read.fields.iter().map(|(name, value)| name.as_str().len() + value.len());
        let kept: usize = names_and_values.sum();
        assert!(kept <= LIST_BYTES_MAX, "{kept} bytes are kept of a list");
        assert!(
            read.fields.len() <= block.len(),
            "{} fields out of {} bytes",
            read.fields.len(),
            block.len()
        );
        assert_eq!(read.too_large, read.list_bytes > LIST_BYTES_MAX);
    }
}

/// Heads, each a byte that says what it is, and lines up to an empty one.
fn pair(mut input: Input<'_>) {
    let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new(4096));
    while !input.rest().is_empty() {
        let choice = input.byte();
        if choice & RESIZE != 0 {
            encoder.set_table_bytes_max(usize::from(input.byte()) * 20);
        }
        let end =
            input.rest().windows(2).position(|two| two == b"\n\n").map_or(usize::MAX, |place| place + 1);
        let fields = Input::new(input.take(end)).fields();
        input.take(1);
        let (mut target, path) = (BytesMut::new(), PATHS[usize::from(choice >> 2) % PATHS.len()]);
        match choice % 3 {
            0 => {
                let head = RequestFields {
                    method: &Method::POST,
                    scheme: "https",
                    authority: "a.example",
                    path,
                    fields: &fields,
                };
                encoder.request(&head, &mut target);
            }
            1 => encoder.response(
                StatusCode::from_u16(200 + u16::from(choice)).expect("below 500"),
                &fields,
                &mut target,
            ),
            _ => encoder.trailers(&fields, &mut target),
        }
        let read = decoder.decode(&target, usize::MAX).expect("what we write is a block");
        assert_eq!(read.malformed, None, "{fields:?}");
        assert_eq!(read.fields, arriving(fields));
        match choice % 3 {
            0 => assert_eq!(read.path.map(|path| path.to_string()).as_deref(), Some(path)),
            1 => assert_eq!(read.status.map(|status| status.as_u16()), Some(200 + u16::from(choice))),
            _ => assert!(read.path.is_none() && read.status.is_none()),
        }
    }
}

/// Fields as they arrive: without those of one connection, and with one cookie.
fn arriving(mut fields: HeaderMap) -> HeaderMap {
    for name in ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"] {
        fields.remove(name);
    }
    let has_trailers = fields.get_all("te").iter().filter(|value| *value == "trailers").count();
    fields.remove("te");
    for _ in 0..has_trailers {
        fields.append("te", HeaderValue::from_static("trailers"));
    }
    let cookies: Vec<&[u8]> = fields.get_all("cookie").iter().map(HeaderValue::as_bytes).collect();
    if cookies.len() > 1 {
        let cookie = HeaderValue::from_bytes(&cookies.join(&b"; "[..])).expect("its parts are values");
        fields.insert("cookie", cookie);
    }
    fields
}

const BLOCKS: u8 = 0;
const RESIZE: u8 = 0x40;
const LIST_BYTES_MAX: usize = 2000;
const PATHS: [&str; 4] = ["/", "/a.B/C", "/a.B/D?query", "/a.B/E"];
