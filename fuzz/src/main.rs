//! The fuzz targets of Trunkline in one program, which libFuzzer drives. `cargo xtask fuzz` builds and runs it.
//!
//! This file reads our own words of the command line and hands inputs to the chosen target. libFuzzer's words have one dash and ours
//! two, which libFuzzer lets pass. What is true of all inputs is said in `targets`.

#![no_main]
#![forbid(unsafe_code)]

mod input;
mod targets;
#[path = "../../crates/wire/src/tests"]
#[allow(dead_code, clippy::unwrap_used, reason = "the vectors and readers of the wire's own tests, in part")]
mod tests {
    pub(crate) mod cases;
    pub(crate) mod chance;
    pub(crate) mod feed;
    pub(crate) mod machines;
    pub(crate) mod testing;
}

#[path = "../../crates/h2/src/connection/tests"]
#[allow(
    dead_code,
    clippy::unwrap_used,
    reason = "the vectors and the simulation of the engine's own tests, in part"
)]
mod h2_tests {
    pub(crate) mod cases;
    pub(crate) mod model;
    pub(crate) mod simulation;
    pub(crate) mod talk;

    use bytes::BytesMut;
    use http::{HeaderMap, Method, StatusCode, Uri};
    use trunkline_h2::hpack::Decoder;
    use trunkline_h2::{Connection, Event, Fault, Limits, Reason, Role, SendFault, Sent, StreamKey};

    /// The instant at which a run begins.
    fn some_instant() -> std::time::Instant {
        std::time::Instant::now()
    }

    /// What is true of two machines at rest is seen from inside only, by the tests of the engine.
    fn agree(_: &[Connection; 2]) {}
}

use std::path::Path;
use std::process::exit;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
// The modules of the wire's tests find the crate under these names.
use trunkline_wire::{Code, Compression, Compressions, InflateFault, Protocol, Shape, Status};
use trunkline_wire::{RequestHead, ResponseHead, client, server};

use targets::{TARGETS, Target};

/// The target of this run.
static CHOSEN: OnceLock<&Target> = OnceLock::new();

fuzz_target!(init: begin(), |bytes: &[u8]| {
    let target = CHOSEN.get().expect("`begin` ends the program when it chose none");
    (target.check)(bytes);
});

/// Does what the command line asks for, once, in front of the first input.
fn begin() {
    let words: Vec<String> = std::env::args().collect();
    let word = |name: &str| words.iter().find_map(|word| word.strip_prefix(name));
    if words.iter().any(|word| word == "--list") {
        TARGETS.iter().for_each(|target| println!("{}", target.name));
        exit(0);
    }
    if let (Some(vectors), Some(folder)) = (word("--vectors="), word("--seeds=")) {
        exit(match targets::write_seeds(Path::new(vectors), Path::new(folder)) {
            Ok(()) => 0,
            Err(error) => usage(&format!("cannot write seeds: {error}")),
        });
    }
    match word("--target=").and_then(|name| TARGETS.iter().find(|target| target.name == name)) {
        Some(target) => CHOSEN.get_or_init(|| target),
        None => exit(usage("--list, --target=NAME, or --vectors=FOLDER with --seeds=FOLDER")),
    };
}

fn usage(text: &str) -> i32 {
    eprintln!("trunkline-fuzz: {text}");
    2
}
