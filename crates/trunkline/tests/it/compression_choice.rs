//! What one call says on compression, against what its channel and its server would do: every protocol and transport,
//! unary and stream, with and without interceptors.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::{Bytes, BytesMut};
use trunkline::compress::{Brotli, Compression, Compressions, Gzip, InflateFault, Zstd};
use trunkline::{CallOptions, ChannelBuilder, Request};

use crate::support::{CHAT, COUNT, Case, ECHO, Through, World, cases, within_bounds};

/// A compression that counts what passes through this side.
#[derive(Clone)]
struct Watched {
    inner: Arc<dyn Compression>,
    compressed: Arc<AtomicUsize>,
    inflated: Arc<AtomicUsize>,
}

impl Watched {
    fn new(inner: impl Compression) -> Self {
        Self { inner: Arc::new(inner), compressed: Arc::default(), inflated: Arc::default() }
    }

    /// How many messages were compressed and inflated since the last look.
    fn taken(&self) -> (usize, usize) {
        (self.compressed.swap(0, Ordering::Relaxed), self.inflated.swap(0, Ordering::Relaxed))
    }
}

impl Compression for Watched {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn compress(&self, source: &[u8], target: &mut BytesMut) {
        self.compressed.fetch_add(1, Ordering::Relaxed);
        self.inner.compress(source, target);
    }

    fn inflate(&self, source: &[u8], bytes_max: usize, target: &mut BytesMut) -> Result<(), InflateFault> {
        self.inflated.fetch_add(1, Ordering::Relaxed);
        self.inner.inflate(source, bytes_max, target)
    }
}

/// What the request says of itself.
#[derive(Debug, Clone, Copy)]
enum Ask {
    Nothing,
    Plain,
    Zstd,
}

/// One call: what it asks, what the handler chooses, and then how the request and the response travel.
struct Row {
    ask: Ask,
    handler: Option<&'static str>,
    request: &'static str,
    response: &'static str,
}

/// The channel compresses with gzip and accepts gzip, zstd; the server knows all.
const ROWS: [Row; 9] = [
    Row { ask: Ask::Nothing, handler: None, request: "gzip", response: "gzip" },
    Row { ask: Ask::Nothing, handler: Some("identity"), request: "gzip", response: "identity" },
    Row { ask: Ask::Nothing, handler: Some("gzip"), request: "gzip", response: "gzip" },
    Row { ask: Ask::Nothing, handler: Some("zstd"), request: "gzip", response: "zstd" },
    // The channel does not accept it: what was agreed stands.
    Row { ask: Ask::Nothing, handler: Some("br"), request: "gzip", response: "gzip" },
    Row { ask: Ask::Plain, handler: None, request: "identity", response: "gzip" },
    Row { ask: Ask::Plain, handler: Some("identity"), request: "identity", response: "identity" },
    Row { ask: Ask::Zstd, handler: None, request: "zstd", response: "zstd" },
    Row { ask: Ask::Zstd, handler: Some("gzip"), request: "zstd", response: "gzip" },
];

fn request(row: &Row, zstd: &Watched, message: Bytes) -> Request<Bytes> {
    let request = match row.ask {
        Ask::Nothing => Request::new(message),
        Ask::Plain => Request::new(message).without_compression(),
        Ask::Zstd => Request::new(message).with_compression(zstd.clone()),
    };
    match row.handler {
        Some(name) => request.with_metadata("compress", name).unwrap(),
        None => request,
    }
}

async fn check(world: &World, case: &Case, intercepted: bool, row: &Row) {
    let what = format!("{case:?}, intercepted {intercepted}, {:?}, handler {:?}", row.ask, row.handler);
    let (gzip, zstd) = (Watched::new(Gzip::default()), Watched::new(Zstd::default()));
    let mut accepted = Compressions::none();
    accepted.push(Arc::new(gzip.clone()));
    accepted.push(Arc::new(zstd.clone()));
    let channel = world.channel_with(case, |builder: ChannelBuilder| {
        let builder = builder.send_compressed(gzip.clone()).accept_compressed(accepted.clone());
        if intercepted { builder.intercept(Through) } else { builder }
    });
    // Requests compressed and responses inflated, by each compression.
    let seen = |times: usize| {
        let on = |name: &str, side: &str| usize::from(name == side) * times;
        assert_eq!(gzip.taken(), (on("gzip", row.request) / times, on("gzip", row.response)), "{what}: gzip");
        assert_eq!(zstd.taken(), (on("zstd", row.request) / times, on("zstd", row.response)), "{what}: zstd");
    };

    let long = Bytes::from(vec![3; 5000]);
    let echoed = within_bounds(&what, channel.unary(&ECHO, request(row, &zstd, long.clone()))).await;
    assert_eq!(echoed.unwrap_or_else(|error| panic!("{what}: {error}")).into_message(), long);
    seen(1);

    let counted =
        within_bounds(&what, channel.server_stream(&COUNT, request(row, &zstd, long.clone()))).await;
    let mut messages = counted.unwrap_or_else(|error| panic!("{what}: {error}")).into_message();
    for _ in 0..3 {
        assert_eq!(within_bounds(&what, messages.message()).await.unwrap(), Some(long.clone()), "{what}");
    }
    assert_eq!(within_bounds(&what, messages.message()).await.unwrap(), None, "{what}");
    seen(3);

    let short = Bytes::from_static(&[0; 10]);
    let echoed = within_bounds(&what, channel.unary(&ECHO, request(row, &zstd, short.clone()))).await;
    assert_eq!(echoed.unwrap_or_else(|error| panic!("{what}: {error}")).into_message(), short);
    let (small_gzip, small_zstd) = (gzip.taken(), zstd.taken());
    assert_eq!(small_gzip.1 + small_zstd.1, 0, "{what}: a small response is not compressed");
}

#[tokio::test]
async fn call_and_handler_choose_their_compression() {
    let world = World::new().await;
    for case in cases() {
        for row in &ROWS {
            check(&world, &case, false, row).await;
            check(&world, &case, true, row).await;
        }
    }
}

/// Sets what a call compresses with.
type Choice = fn(CallOptions, Watched) -> CallOptions;

#[tokio::test]
async fn options_of_a_bidirectional_call_choose_too() {
    let world = World::new().await;
    let rows: [(&str, Choice, usize); 3] = [
        ("nothing", |options, _| options, 0),
        ("without", |options, _| options.without_compression(), 0),
        ("brotli", |options, watched| options.with_compression(watched), 2),
    ];
    for case in cases() {
        for (name, choose, compressed) in rows {
            let what = format!("{case:?} {name}");
            let brotli = Watched::new(Brotli::default());
            let channel = world.channel_with(&case, |builder| builder);
            let options = choose(CallOptions::new(), brotli.clone());
            let mut chat = channel.bidi(&CHAT, options);
            let mut seen = Vec::new();
            for _ in 0..2 {
                within_bounds(&what, chat.send(Bytes::from(vec![b'x'; 5000]))).await.unwrap();
            }
            chat.close();
            while let Some(message) = within_bounds(&what, chat.message()).await.unwrap() {
                seen.push(message.len());
            }
            assert_eq!(seen, [5000, 5000], "{what}");
            assert_eq!(brotli.taken().0, compressed, "{what}");
        }
    }
}
