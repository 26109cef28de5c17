//! What the protocol machines cost, without IO: `cargo xtask bench micro`.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use divan::{Bencher, black_box};
use http::{HeaderMap, HeaderValue, Method, Uri, Version};
use trunkline_wire::client::{self, Event, Plan};
use trunkline_wire::metadata::{decode_bin, encode_bin};
use trunkline_wire::server::{Accepted, Config, Route, ServerCall, Step, accept};
use trunkline_wire::{Compressions, Protocol, RequestHead, ResponseHead, Shape, Status};

fn main() {
    divan::main();
}

const PROTOCOLS: [Protocol; 3] = [Protocol::Connect, Protocol::Grpc, Protocol::GrpcWeb];

/// Bytes of a message in a stream.
const MESSAGE_BYTES: usize = 100;

/// Messages of a stream.
const MESSAGES: usize = 1000;

fn config() -> Config {
    Config {
        codecs: vec!["proto", "json"],
        compressions: Arc::new(Compressions::none()),
        message_bytes_max: 4 << 20,
        compress_bytes_min: 1 << 10,
        require_connect_version: false,
    }
}

/// A call of `shape` from the client's machine.
fn started(protocol: Protocol, shape: Shape) -> client::ClientCall {
    let mut metadata = HeaderMap::new();
    metadata.insert("tenant", HeaderValue::from_static("blue"));
    metadata.insert("trace-bin", encode_bin(&[7; 24]));
    let plan = Plan {
        protocol,
        text: false,
        shape,
        base: &Uri::from_static("http://localhost:8080"),
        path: "/bench.v1.Bench/Call",
        version: Version::HTTP_2,
        codec: "proto",
        timeout: Some(std::time::Duration::from_secs(5)),
        metadata: &metadata,
        send_compression: None,
        compress_bytes_min: 1 << 10,
        accept_compressions: Arc::new(Compressions::none()),
        message_bytes_max: 4 << 20,
    };
    client::start(plan).expect("the plan is right")
}

fn accepted(head: RequestHead, shape: Shape, config: &Config) -> Box<ServerCall> {
    match accept(head, Some(Route { shape, no_side_effects: false }), config) {
        Accepted::Call(call) => call,
        Accepted::Reject(reject) => panic!("the head is right: {reject:?}"),
    }
}

fn put(message: &[u8]) -> impl FnMut(&mut BytesMut) -> Result<(), Status> + '_ {
    |target| {
        target.extend_from_slice(message);
        Ok(())
    }
}

/// A request head, from its fields to the facts of the call: what `detect` and the checks behind it cost.
#[divan::bench(args = PROTOCOLS)]
fn accept_head(bencher: Bencher, protocol: Protocol) {
    let (config, head) = (config(), started(protocol, Shape::Unary).head);
    bencher
        .with_inputs(|| head.clone())
        .bench_values(|head| black_box(accepted(head, Shape::Unary, &config)));
}

/// A refused head: an unknown content type.
#[divan::bench]
fn refuse_head(bencher: Bencher) {
    let config = config();
    let mut head = started(Protocol::Grpc, Shape::Unary).head;
    head.method = Method::POST;
    head.headers.insert(http::header::CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    let route = Some(Route { shape: Shape::Unary, no_side_effects: false });
    bencher
        .with_inputs(|| head.clone())
        .bench_values(|head| matches!(accept(head, route, &config), Accepted::Reject(_)));
}

/// A whole unary call through both machines, no transport between them.
#[divan::bench(args = PROTOCOLS)]
fn unary(bencher: Bencher, protocol: Protocol) {
    let config = config();
    bencher.bench_local(|| {
        let mut call = started(protocol, Shape::Unary);
        let mut body = BytesMut::new();
        call.writer.message(&mut body, &mut put(&[b'x'; MESSAGE_BYTES])).expect("it fits");
        call.writer.finish(&mut body);
        let mut server = accepted(call.head, Shape::Unary, &config);
        server.reader.receive(body.freeze());
        server.reader.receive_end();
        let message = match server.reader.poll_message() {
            Ok(Step::Message(message)) => message,
            other => panic!("{other:?}"),
        };
        let mut body = BytesMut::new();
        let early = server.writer.head(HeaderMap::new());
        server.writer.message(&mut body, &mut put(&message)).expect("it fits");
        let finish = server.writer.finish(Ok(()), HeaderMap::new(), &mut body);
        let head: ResponseHead = early.or(finish.head).expect("a response has a head");
        call.reader.receive_head(head);
        call.reader.receive(body.freeze());
        call.reader.receive_end(finish.trailers);
        loop {
            match call.reader.poll_event() {
                Event::Message(message) => drop(black_box(message)),
                Event::End(outcome) => break outcome.result.expect("the call is well"),
                Event::NeedMore => panic!("everything is there"),
            }
        }
    });
}

/// 1000 messages of 100 bytes into envelopes.
#[divan::bench(args = PROTOCOLS)]
fn write_envelopes(bencher: Bencher, protocol: Protocol) {
    let mut target = BytesMut::with_capacity(MESSAGES * (MESSAGE_BYTES + 5));
    let mut call = started(protocol, Shape::ClientStream);
    bencher.counter(divan::counter::ItemsCount::new(MESSAGES)).bench_local(|| {
        target.clear();
        for _ in 0..MESSAGES {
            call.writer.message(&mut target, &mut put(&[b'x'; MESSAGE_BYTES])).expect("it fits");
        }
        black_box(target.len())
    });
}

/// 1000 messages of 100 bytes out of envelopes, in chunks of 16 KiB.
#[divan::bench(args = PROTOCOLS)]
fn read_envelopes(bencher: Bencher, protocol: Protocol) {
    let config = config();
    let mut call = started(protocol, Shape::ClientStream);
    let mut body = BytesMut::new();
    for _ in 0..MESSAGES {
        call.writer.message(&mut body, &mut put(&[b'x'; MESSAGE_BYTES])).expect("it fits");
    }
    let body: Bytes = body.freeze();
    let head = call.head;
    bencher
        .counter(divan::counter::ItemsCount::new(MESSAGES))
        .with_inputs(|| accepted(head.clone(), Shape::ClientStream, &config))
        .bench_local_values(|mut server| {
            let (mut rest, mut seen) = (body.clone(), 0);
            while !rest.is_empty() {
                server.reader.receive(rest.split_to(rest.len().min(16 << 10)));
                while let Ok(Step::Message(message)) = server.reader.poll_message() {
                    seen += black_box(message).len();
                }
            }
            assert_eq!(seen, MESSAGES * MESSAGE_BYTES);
        });
}

/// A `-bin` value of 24 bytes, there and back.
#[divan::bench]
fn metadata_bin() -> usize {
    let value = encode_bin(black_box(&[7; 24]));
    decode_bin(&value).map_or(0, |values| values.len())
}
