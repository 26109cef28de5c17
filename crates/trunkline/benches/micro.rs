//! Whole calls and compressions: `cargo xtask bench micro`. In memory nothing but our own rooms is measured; over loopback
//! hyper and the kernel come on top, client and server in one process.

use bytes::{Bytes, BytesMut};
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use tokio::runtime::Runtime;
use trunkline::codec::Raw;
use trunkline::compress::{Compression, Compressions, all};
use trunkline::reflection::File;
use trunkline::server::{Routes, Service};
use trunkline::{
    Channel, Error, HttpVersion, Procedure, Protocol, Request, Response, Server, Streaming, testkit,
};

fn main() {
    divan::main();
}

type Proc = Procedure<Bytes, Bytes, Raw>;

const ECHO: Proc = Procedure::unary("bench.v1.Bench", "Echo", "/bench.v1.Bench/Echo");
const COUNT: Proc = Procedure::server_stream("bench.v1.Bench", "Count", "/bench.v1.Bench/Count");
const SUM: Proc = Procedure::client_stream("bench.v1.Bench", "Sum", "/bench.v1.Bench/Sum");

const PROTOCOLS: [Protocol; 3] = [Protocol::Connect, Protocol::Grpc, Protocol::GrpcWeb];

/// Bytes of a message.
const MESSAGE: &[u8] = &[b'x'; 100];

/// Messages of a stream.
const MESSAGES: usize = 1000;

struct Bench;

impl Service for Bench {
    fn name(&self) -> &'static str {
        "bench.v1.Bench"
    }

    fn files(&self) -> &'static [File] {
        &[]
    }

    fn register(self, routes: &mut Routes) {
        let service = std::sync::Arc::new(self);
        routes.unary(&ECHO, &service, |_, request: Request<Bytes>| async move {
            Ok::<_, Error>(Response::new(request.into_message()))
        });
        routes.server_stream(&COUNT, &service, |_, request: Request<Bytes>| async move {
            let message = request.into_message();
            Ok::<_, Error>(Response::new(Streaming::from_iter((0..MESSAGES).map(move |_| message.clone()))))
        });
        routes.client_stream(&SUM, &service, |_, request: Request<Streaming<Bytes>>| async move {
            let mut messages = request.into_message();
            let mut bytes = 0_usize;
            while let Some(message) = messages.message().await? {
                bytes += message.len();
            }
            Ok::<_, Error>(Response::new(bytes.to_string().into()))
        });
    }
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be made")
}

fn in_memory(protocol: Protocol) -> Channel {
    let builder = Channel::builder("memory").protocol(protocol).accept_compressed(Compressions::none());
    testkit::pair_with(Server::new().service(Bench), builder)
}

/// A channel over loopback to a server on the same runtime.
async fn over_loopback(protocol: Protocol) -> Channel {
    let bound = Server::new().service(Bench).bind("127.0.0.1:0").await.expect("loopback can be bound");
    let target = format!("http://{}", bound.local_address());
    tokio::spawn(bound.serve());
    let builder = Channel::builder(&target).protocol(protocol).http(HttpVersion::Http2);
    builder.accept_compressed(Compressions::none()).connect().await.expect("the server is there")
}

async fn unary(channel: &Channel) -> usize {
    channel.unary(&ECHO, Bytes::from_static(MESSAGE)).await.expect("the call is well").len()
}

async fn server_stream(channel: &Channel) -> usize {
    let response =
        channel.server_stream(&COUNT, Bytes::from_static(MESSAGE)).await.expect("the call is well");
    let (mut stream, mut seen) = (response.into_message(), 0);
    while stream.message().await.expect("the stream is well").is_some() {
        seen += 1;
    }
    assert_eq!(seen, MESSAGES);
    seen
}

async fn client_stream(channel: &Channel) -> usize {
    let requests = Streaming::from_iter((0..MESSAGES).map(|_| Bytes::from_static(MESSAGE)));
    channel.client_stream(&SUM, Request::new(requests)).await.expect("the call is well").len()
}

#[divan::bench(args = PROTOCOLS)]
fn memory_unary(bencher: Bencher, protocol: Protocol) {
    let (runtime, channel) = (runtime(), in_memory(protocol));
    bencher.bench_local(|| runtime.block_on(unary(&channel)));
}

#[divan::bench(args = PROTOCOLS)]
fn memory_server_stream(bencher: Bencher, protocol: Protocol) {
    let (runtime, channel) = (runtime(), in_memory(protocol));
    bencher.counter(ItemsCount::new(MESSAGES)).bench_local(|| runtime.block_on(server_stream(&channel)));
}

#[divan::bench(args = PROTOCOLS)]
fn memory_client_stream(bencher: Bencher, protocol: Protocol) {
    let (runtime, channel) = (runtime(), in_memory(protocol));
    bencher.counter(ItemsCount::new(MESSAGES)).bench_local(|| runtime.block_on(client_stream(&channel)));
}

#[divan::bench(args = PROTOCOLS)]
fn loopback_unary(bencher: Bencher, protocol: Protocol) {
    let runtime = runtime();
    let channel = runtime.block_on(over_loopback(protocol));
    bencher.bench_local(|| runtime.block_on(unary(&channel)));
}

#[divan::bench(args = PROTOCOLS)]
fn loopback_server_stream(bencher: Bencher, protocol: Protocol) {
    let runtime = runtime();
    let channel = runtime.block_on(over_loopback(protocol));
    bencher.counter(ItemsCount::new(MESSAGES)).bench_local(|| runtime.block_on(server_stream(&channel)));
}

#[divan::bench(args = PROTOCOLS)]
fn loopback_client_stream(bencher: Bencher, protocol: Protocol) {
    let runtime = runtime();
    let channel = runtime.block_on(over_loopback(protocol));
    bencher.counter(ItemsCount::new(MESSAGES)).bench_local(|| runtime.block_on(client_stream(&channel)));
}

/// 16 KiB of what a service might say.
fn text() -> Vec<u8> {
    let line = |number: u32| {
        format!("{{\"order\":{number},\"state\":\"shipped\",\"cents\":{}}}\n", number * 997 % 10_007)
    };
    (0..).map(line).flat_map(String::into_bytes).take(16 << 10).collect()
}

fn compressions() -> Vec<&'static str> {
    all().names().collect()
}

#[divan::bench(args = compressions())]
fn compress_16_kib(bencher: Bencher, name: &str) {
    let (known, source) = (all(), text());
    let algorithm: &dyn Compression = &**known.find(name).expect("it is known");
    let mut target = BytesMut::new();
    bencher.counter(BytesCount::new(source.len())).bench_local(|| {
        target.clear();
        algorithm.compress(&source, &mut target);
        target.len()
    });
}

#[divan::bench(args = compressions())]
fn inflate_16_kib(bencher: Bencher, name: &str) {
    let (known, source) = (all(), text());
    let algorithm: &dyn Compression = &**known.find(name).expect("it is known");
    let mut packed = BytesMut::new();
    algorithm.compress(&source, &mut packed);
    let mut target = BytesMut::new();
    bencher.counter(BytesCount::new(source.len())).bench_local(|| {
        target.clear();
        algorithm.inflate(&packed, 1 << 20, &mut target).expect("it was just packed");
        target.len()
    });
}
