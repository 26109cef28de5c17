//! Which blocks docs/library.md has, and what stands around each so that it compiles. Data only.

/// Methods of one service.
pub(crate) const METHODS: [&str; 4] = ["unary", "server stream", "client stream", "bidi"];

/// Items of a module.
pub(crate) const ITEMS: [&str; 2] = ["own error", "interceptor"];

/// Statements, each with the head of the function that they stand in.
pub(crate) const STATEMENTS: [(&str, &str); 10] = [
    ("fields", "fields()"),
    ("context", "context(request: &Request<Item>)"),
    ("call", "call(client: &ShopClient)"),
    ("call streams", "call_streams(client: &ShopClient)"),
    ("call bidi", "call_bidi(client: &ShopClient)"),
    ("call error", "call_error(client: &ShopClient)"),
    ("serve until", "serve_until()"),
    ("tls", "tls(certificate: &[u8], key: &[u8])"),
    ("unix", "unix()"),
    ("channel", "channel()"),
];

/// What the page leaves out: the names that its blocks use.
pub(crate) const HEAD: &str = "
use std::time::Duration;
use proto::shop::v1::{Bill, Item, Shop, ShopClient, ShopServer};
use tokio::signal::unix::{SignalKind, signal};
use trunkline::compress::Gzip;
use trunkline::health::Health;
use trunkline::transport::tls::{ClientTls, ServerTls};
use trunkline::{CallOptions, Channel, Format, HttpVersion, Protocol, Request, Response, Result, Server, Streaming};
mod proto { trunkline::include_protos!(); }
pub(crate) struct Store;
";
