//! Every block of Rust of every page of docs/ compiles, what pages of calls promise comes true, and no page is lost.
//!
//! `build.rs` has made the modules, see `support/pages.rs`.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "in a test it is an assertion")]

use std::path::Path;

#[path = "support/blocks.rs"]
mod blocks;
#[path = "support/pages.rs"]
mod generator;

mod proto {
    trunkline::include_protos!();
}

/// The names that every block may use. What is not among them a block brings by `use`, for readers to see.
#[allow(unused_imports, reason = "pages come and go")]
mod prelude {
    pub(crate) use std::collections::HashMap;
    pub(crate) use std::sync::Arc;
    pub(crate) use std::time::Duration;

    pub(crate) use axum::Router;
    pub(crate) use axum::routing::get;
    pub(crate) use bytes::{Bytes, BytesMut};
    pub(crate) use tokio::net::TcpListener;
    pub(crate) use tokio::signal::unix::{SignalKind, signal};
    pub(crate) use tokio::time::Instant;
    pub(crate) use trunkline::compress::{Compression, Compressions, Gzip, InflateFault};
    pub(crate) use trunkline::details::{BadRequest, ErrorInfo, RetryInfo};
    pub(crate) use trunkline::health::Health;
    pub(crate) use trunkline::interceptor::{Interceptor, Next, Payload};
    pub(crate) use trunkline::server::Service;
    pub(crate) use trunkline::transport::tls::{ClientTls, ServerTls};
    pub(crate) use trunkline::{
        Bidi, CallContext, CallOptions, Channel, Code, Error, Format, HttpVersion, Limits, Metadata,
        Procedure, Protocol, Request, Response, Result, Seen, Server, Shape, Streaming, testkit,
    };

    pub(crate) use crate::pages::library::Store;
    pub(crate) use crate::proto;
    pub(crate) use crate::proto::greet::v1::{Greet, GreetClient, GreetServer, HelloReply, HelloRequest};
    pub(crate) use crate::proto::shop::v1::{Bill, Item, Shop, ShopClient, ShopServer};

    /// The handler of README.md.
    pub(crate) struct Hello;

    impl Greet for Hello {
        async fn hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>> {
            Ok(HelloReply { text: format!("hi {}", request.name), ..Default::default() }.into())
        }
    }
}

#[allow(
    dead_code,
    unused_imports,
    unused_variables,
    unused_mut,
    unused_qualifications,
    unreachable_pub,
    clippy::all,
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    clippy::redundant_closure_for_method_calls,
    reason = "a page shows what it would be used for"
)]
mod pages {
    include!(concat!(env!("OUT_DIR"), "/pages.rs"));
}

#[test]
fn every_block_of_every_page_is_compiled() {
    assert_eq!(pages::FAULTS, &[] as &[&str]);
}

#[tokio::test]
async fn calls_of_the_library_page_succeed() {
    use pages::library;
    let client = library::client();
    library::fields().await.unwrap();
    library::call(&client).await.unwrap();
    library::call_streams(&client).await.unwrap();
    library::call_bidi(&client).await.unwrap();
    library::call_error(&client).await.unwrap();
    library::channel().await.unwrap();
}

#[tokio::test]
async fn calls_of_the_guide_succeed() {
    let client = pages::library::client();
    pages::metadata::read(&client).await.unwrap();
    pages::streams::converse(&client).await.unwrap();
    pages::codecs::echo().await.unwrap();
    let server = prelude::Server::new().service(prelude::GreetServer::new(prelude::Hello));
    pages::client::by_hand(&trunkline::testkit::pair(server)).await.unwrap();
    let mut down = pages::streams::countdown(2);
    assert_eq!(down.message().await.unwrap().map(|bill| bill.items), Some(2));
}

/// The text of a page.
fn page(name: &str) -> &'static str {
    pages::PAGES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text).unwrap()
}

#[test]
fn blocks_are_short() {
    for (name, text) in pages::PAGES {
        // The page of short answers is the strict one.
        let most = if *name == "library.md" { 12 } else { 30 };
        let mut blocks = text.split("```rust").skip(1);
        let long = blocks.find(|block| blocks::code_lines(block.split("```").next().unwrap()) > most);
        assert_eq!(long, None, "{name} has a block above {most} lines");
    }
}

#[test]
fn schema_of_the_pages_is_the_file() {
    let schema = include_str!("../proto/shop.proto");
    assert_eq!(blocks::block(page("library.md"), "shop.proto").unwrap(), schema);
}

#[test]
fn every_page_is_in_the_summary_and_every_link_leads_somewhere() {
    let summary = page("SUMMARY.md");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    for (name, text) in pages::PAGES {
        assert!(
            *name == "SUMMARY.md" || summary.contains(&format!("({name})")),
            "{name} is not in SUMMARY.md"
        );
        let from = folder.join(name);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = link.split('#').next().unwrap();
            let leads =
                path.is_empty() || path.contains("://") || from.with_file_name("").join(path).exists();
            assert!(leads, "{name}: nothing lies at {link}");
        }
    }
}

#[test]
fn marks_say_what_stands_around_a_block() {
    let check = |text: &str, code: &str, faults: &[&str]| {
        let page = generator::Page::read("p.md", text);
        assert_eq!(page.code, code, "{text}");
        assert_eq!(page.faults, faults, "{text}");
    };
    check("text", "", &[]);
    check("```sh\nls\n```\n", "", &[]);
    check("<!-- compiled: items -->\n```rust\nstruct A;\n```\n", "// p.md:2\nstruct A;\n", &[]);
    check("<!-- compiled: items -->\n\n```rust,ignore\nstruct A;\n```\n", "// p.md:3\nstruct A;\n", &[]);
    check(
        "<!-- compiled: file -->\n```rust\nfn main() {}\n```",
        "mod file_1 {\n// p.md:2\nfn main() {}\n}\n",
        &[],
    );
    check(
        "<!-- compiled: in async fn f() -->\n```rust\ng()?;\n```",
        "pub(crate) async fn f() -> Result<()> {\n// p.md:2\ng()?;\nOk(())\n}\n",
        &[],
    );
    check(
        "<!-- compiled: in fn f() -> u8 -->\n```rust\n1\n```",
        "pub(crate) fn f() -> u8 {\n// p.md:2\n1\n}\n",
        &[],
    );
    check(
        "<!-- compiled: in impl A -->\n```rust\na\n```\n<!-- compiled: items -->\n```rust\ni\n```\n\
         <!-- compiled: in impl A -->\n```rust\nb\n```",
        "// p.md:6\ni\nimpl A {\n// p.md:2\na\n// p.md:10\nb\n}\n",
        &[],
    );
    check("<!-- compiled, not shown\nstruct A;\n-->\ntext", "struct A;\n", &[]);
    check(
        "<!-- not compiled: tonic -->\n```rust\nx\n```",
        "",
        &["p.md:2: no mark above this block says how it is compiled"],
    );
    let page = generator::Page::read("docs/from-tonic.md", "<!-- not compiled: tonic -->\n```rust\nx\n```");
    assert_eq!((page.blocks, page.faults.len()), (0, 0), "another library's code has its own pages");
    check("````text\n```rust\n```\n````\n", "", &[]);
    // A block that nothing compiles would rot.
    check("```rust\nx\n```", "", &["p.md:1: no mark above this block says how it is compiled"]);
    check(
        "<!-- compiled: items -->\ntext\n```rust\nx\n```",
        "",
        &["p.md:3: no mark above this block says how it is compiled"],
    );
    check(
        "<!-- compiled: somehow -->\n```rust\nx\n```",
        "",
        &["p.md:2: the mark above this block says nothing known"],
    );
}
