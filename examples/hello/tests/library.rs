//! The code of docs/library.md compiles, its calls get the answers it names, and it is short.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "in a test it is an assertion")]

#[path = "../library.rs"]
mod parts;
#[path = "../readme.rs"]
mod readme;

#[allow(
    dead_code,
    unused_variables,
    clippy::unused_async,
    clippy::redundant_closure,
    reason = "a page shows what it would be used for"
)]
mod library {
    include!(concat!(env!("OUT_DIR"), "/library.rs"));

    /// A client of the page's own service.
    pub(crate) fn client() -> ShopClient {
        ShopClient::new(trunkline::testkit::pair(
            Server::new().service(ShopServer::new(Store)).intercept(Log),
        ))
    }
}

const PAGE: &str = include_str!("../../../docs/library.md");

#[tokio::test]
async fn calls_of_the_page_succeed() {
    let client = library::client();
    library::fields().await.unwrap();
    library::call(&client).await.unwrap();
    library::call_streams(&client).await.unwrap();
    library::call_bidi(&client).await.unwrap();
    library::call_error(&client).await.unwrap();
    library::channel().await.unwrap();
}

#[test]
fn every_block_of_the_page_is_compiled_and_short() {
    let statements = parts::STATEMENTS.map(|(name, _)| name);
    let names = parts::METHODS.iter().chain(&parts::ITEMS).chain(&statements);
    let check = |name: &str| {
        let lines = readme::code_lines(&readme::block(PAGE, name).unwrap());
        assert!(lines <= 12, "{name} has {lines} lines");
    };
    names.clone().for_each(|name| check(name));
    assert_eq!(PAGE.matches("```rust").count(), names.count(), "a block without a mark is not compiled");
    assert!(parts::HEAD.contains("mod proto"));
}
