//! What header blocks cost: heads and trailers of a gRPC call, the first time and again.

use bytes::BytesMut;
use divan::{Bencher, black_box};
use http::header::{ACCEPT_ENCODING, CONTENT_TYPE, TE, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use trunkline_h2::hpack::{Decoder, Encoder, RequestFields};

fn main() {
    divan::main();
}

/// Bytes of the list that a server lets through.
const LIST_BYTES_MAX: usize = 16 << 10;

fn map(fields: &[(HeaderName, &'static str)]) -> HeaderMap {
    fields.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect()
}

fn name(text: &'static str) -> HeaderName {
    HeaderName::from_static(text)
}

fn request_fields() -> HeaderMap {
    map(&[
        (CONTENT_TYPE, "application/grpc"),
        (USER_AGENT, "grpc-go/1.84.0"),
        (TE, "trailers"),
        (name("grpc-accept-encoding"), "gzip,identity"),
        (ACCEPT_ENCODING, "gzip"),
    ])
}

fn request(encoder: &mut Encoder, fields: &HeaderMap, target: &mut BytesMut) {
    let head = RequestFields {
        method: &Method::POST,
        scheme: "http",
        authority: "bench.example:8443",
        path: "/bench.v1.BenchService/Unary",
        fields,
    };
    encoder.request(&head, target);
}

/// The block of the first call on a connection and that of the second.
fn blocks(timeout: bool) -> (BytesMut, BytesMut) {
    let mut fields = request_fields();
    if timeout {
        fields.insert("grpc-timeout", HeaderValue::from_static("4999812u"));
    }
    let mut encoder = Encoder::new();
    let (mut first, mut second) = (BytesMut::new(), BytesMut::new());
    request(&mut encoder, &fields, &mut first);
    request(&mut encoder, &fields, &mut second);
    (first, second)
}

/// A request that opens a connection: all literals, all of them indexed.
#[divan::bench]
fn decode_request_first(bencher: Bencher) {
    let (first, _) = blocks(false);
    bencher
        .with_inputs(|| Decoder::new(4096))
        .bench_local_values(|mut decoder| black_box(decoder.decode(&first, LIST_BYTES_MAX).map(drop)));
}

/// The same request again, with a timeout of its own or without one.
#[divan::bench(args = [false, true])]
fn decode_request_again(bencher: Bencher, timeout: bool) {
    let (first, second) = blocks(timeout);
    let mut decoder = Decoder::new(4096);
    decoder.decode(&first, LIST_BYTES_MAX).expect("the encoder's own block");
    bencher.bench_local(|| drop(black_box(decoder.decode(black_box(&second), LIST_BYTES_MAX))));
}

/// A response head and trailers, as a client reads them call after call.
#[divan::bench]
fn decode_response_again(bencher: Bencher) {
    let (head, trailers) = (response_fields(), trailer_fields());
    let mut encoder = Encoder::new();
    let mut decoder = Decoder::new(4096);
    let mut blocks = [BytesMut::new(), BytesMut::new()];
    for _ in 0..2 {
        blocks.iter_mut().for_each(BytesMut::clear);
        encoder.response(StatusCode::OK, &head, &mut blocks[0]);
        encoder.trailers(&trailers, &mut blocks[1]);
        for block in &blocks {
            decoder.decode(block, LIST_BYTES_MAX).expect("the encoder's own block");
        }
    }
    bencher.bench_local(|| {
        for block in &blocks {
            drop(black_box(decoder.decode(black_box(block), LIST_BYTES_MAX)));
        }
    });
}

fn response_fields() -> HeaderMap {
    map(&[(CONTENT_TYPE, "application/grpc"), (name("grpc-accept-encoding"), "gzip")])
}

fn trailer_fields() -> HeaderMap {
    map(&[(name("grpc-status"), "0")])
}

/// A response head and trailers, the second time and later.
#[divan::bench]
fn encode_response_again(bencher: Bencher) {
    let (head, trailers) = (response_fields(), trailer_fields());
    let mut encoder = Encoder::new();
    let mut target = BytesMut::with_capacity(256);
    bencher.bench_local(|| {
        target.clear();
        encoder.response(StatusCode::OK, black_box(&head), &mut target);
        encoder.trailers(black_box(&trailers), &mut target);
        black_box(&target).len()
    });
}

/// A request head, the second time and later.
#[divan::bench]
fn encode_request_again(bencher: Bencher) {
    let fields = request_fields();
    let mut encoder = Encoder::new();
    let mut target = BytesMut::with_capacity(256);
    bencher.bench_local(|| {
        target.clear();
        request(&mut encoder, black_box(&fields), &mut target);
        black_box(&target).len()
    });
}

/// A value of 23 bytes in the Huffman code, not indexed: a short URL.
#[divan::bench]
fn decode_huffman(bencher: Bencher) {
    let block = [
        0x0f, 0x24, 0x91, 0x9d, 0x29, 0xad, 0x17, 0x18, 0x63, 0xc7, 0x8f, 0x0b, 0x97, 0xc8, 0xe9, 0xae, 0x82,
        0xae, 0x43, 0xd3,
    ];
    let mut decoder = Decoder::new(4096);
    bencher.bench_local(|| drop(black_box(decoder.decode(black_box(&block), LIST_BYTES_MAX))));
}
