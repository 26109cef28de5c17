//! The code of README.md does what the text says, and is as short as it says.

#![allow(clippy::unwrap_used, reason = "in a test it is an assertion")]

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

#[path = "support/blocks.rs"]
mod blocks;

mod server {
    include!(concat!(env!("OUT_DIR"), "/server_here.rs"));
}

mod client {
    include!(concat!(env!("OUT_DIR"), "/client_here.rs"));
}

#[allow(dead_code, reason = "a build script is run by cargo alone")]
mod build_script {
    include!(concat!(env!("OUT_DIR"), "/build_script.rs"));
}

const TEXT: &str = include_str!("../../README.md");

/// Where the server of this test listens; `None` until it is chosen.
static ADDRESS: Mutex<Option<SocketAddr>> = Mutex::new(None);

/// What stands for the server's address in the code of README.md.
fn address() -> SocketAddr {
    ADDRESS.lock().unwrap_or_else(PoisonError::into_inner).expect("the test has chosen an address")
}

/// What stands for the client's target.
fn target() -> String {
    format!("http://{}", address())
}

/// Starts the server on a port that was free a moment ago; should another program have taken it, on another one.
fn start() {
    const TRIES: usize = 10;
    for _ in 0..TRIES {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).unwrap();
        *ADDRESS.lock().unwrap() = Some(free);
        let server = thread::spawn(server::run);
        let start = Instant::now();
        while !server.is_finished() {
            if TcpStream::connect(free).is_ok() {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(30), "the server of README.md does not listen");
            thread::yield_now();
        }
    }
    panic!("no port stayed free {TRIES} times");
}

#[tokio::test]
async fn client_of_readme_calls_server_of_readme() {
    start();
    assert_eq!(client::call().await.unwrap(), "hi Ann");
}

#[test]
fn code_of_readme_is_short() {
    let check = |name: &str, most: usize| {
        let code = blocks::block(TEXT, name).unwrap();
        let lines = blocks::code_lines(&code);
        assert!(lines <= most, "{name} has {lines} lines of code, at most {most} are promised");
        assert!(code.lines().all(|line| line.chars().count() <= 100), "{name} has a line that is too wide");
    };
    check("server", 15);
    check("client", 6);
}

#[test]
fn every_block_of_readme_is_compiled() {
    assert_eq!(
        TEXT.matches("```rust").count(),
        TEXT.matches("-->\n```rust").count(),
        "a block without a mark"
    );
    let schema = include_str!("../proto/greet.proto");
    assert_eq!(
        blocks::block(TEXT, "greet.proto").unwrap(),
        schema,
        "proto/greet.proto is what README.md shows"
    );
}

#[test]
fn blocks_are_found_or_refused() {
    let check = |text: &str, expected: Result<&str, &str>| {
        let seen = blocks::block(text, "x");
        assert_eq!(seen.as_deref().map_err(String::as_str), expected, "{text}");
    };
    let mark = "<!-- compiled: x -->";
    check(&format!("a\n{mark}\n```rust\nb\nc\n```\nd"), Ok("b\nc\n"));
    check(&format!("{mark}\n\n```\nb\n```\n"), Ok("b\n"));
    check("nothing", Err("there is no block marked <!-- compiled: x -->"));
    check(&format!("{mark}\ntext"), Err("no block between ``` follows <!-- compiled: x -->"));
    check(&format!("{mark}\n```rust\nb\n"), Err("no block between ``` follows <!-- compiled: x -->"));
    let twice = format!("{mark}\n```\na\n```\n{mark}\n```\nb\n```\n");
    check(&twice, Err("there is more than one block marked <!-- compiled: x -->"));
}

#[test]
fn lines_of_code_are_counted_without_blanks_and_comments() {
    let check = |code: &str, expected: usize| assert_eq!(blocks::code_lines(code), expected, "{code}");
    check("", 0);
    check("\n  \n// a\n    /// b\n", 0);
    check("a // b\n\nc", 2);
}
