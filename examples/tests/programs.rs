//! Every program prints what README.md says, word for word, and nothing on stderr.
//!
//! `UPDATE_GOLDEN=1` writes what they print into README.md instead.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "in a test it is an assertion")]

use std::env;
use std::fs;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

macro_rules! programs {
    ($($name:literal),* $(,)?) => {
        /// Each program, with the path of this build's.
        const PROGRAMS: &[(&str, &str)] = &[$(($name, env!(concat!("CARGO_BIN_EXE_", $name)))),*];
    };
}

programs! {
    "hello",
    "four_shapes",
    "no_network",
    "auth",
    "error_details",
    "deadline_cancel",
    "tls",
    "mtls_identity",
    "health_drain",
    "axum_rest",
    "unix_socket",
    "compression",
    "custom_codec",
}

/// The programs of README.md of the repository, which wait for one another and for ever; `readme.rs` runs their code.
const ELSEWHERE: [&str; 2] = ["hello-server", "hello-client"];

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");

#[test]
fn programs_print_what_the_page_says() {
    let mut page = fs::read_to_string(README).unwrap();
    let update = env::var_os("UPDATE_GOLDEN").is_some();
    for (name, path) in PROGRAMS {
        let output = run(name, path);
        let (printed, errors) = (text(output.stdout), text(output.stderr));
        assert!(output.status.success(), "{name}: {}\n{printed}{errors}", output.status);
        assert_eq!(errors, "", "{name} writes on stderr");
        let said = said(&page, name);
        if update {
            page = page.replacen(&block(name, said), &block(name, &printed), 1);
        } else {
            assert_eq!(printed, said, "{name} prints (left) what README.md does not say (right)");
        }
    }
    if update {
        fs::write(README, page).unwrap();
    }
}

#[test]
fn every_program_has_a_row_and_a_block() {
    let manifest = include_str!("../Cargo.toml");
    let known: Vec<_> = PROGRAMS.iter().map(|(name, _)| *name).chain(ELSEWHERE).collect();
    for name in manifest.split("[[bin]]\nname = \"").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(known.contains(&name), "{name} is run by no test");
    }
    let page = fs::read_to_string(README).unwrap();
    for (name, _) in PROGRAMS {
        assert!(page.contains(&format!("| [{name}]({name}.rs) |")), "README.md has no row for {name}");
    }
}

/// Runs a program, and ends it when it takes too long.
fn run(name: &str, path: &str) -> Output {
    let mut command = Command::new(path);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let id = child.id();
    let (sender, receiver) = mpsc::sync_channel(1);
    thread::spawn(move || sender.send(child.wait_with_output()));
    receiver.recv_timeout(PROGRAM_TIMEOUT).map(Result::unwrap).unwrap_or_else(|_| {
        // Nobody is left to wait for it; that it may have ended just now is of no account.
        let _ = Command::new("kill").arg("-KILL").arg(id.to_string()).status();
        panic!("{name} has not ended within {PROGRAM_TIMEOUT:?}")
    })
}

/// What README.md says that `name` prints.
fn said<'a>(page: &'a str, name: &str) -> &'a str {
    let head = block_head(name);
    let (_, rest) =
        page.split_once(&head).unwrap_or_else(|| panic!("README.md does not say what {name} prints"));
    rest.split("```").next().unwrap()
}

fn block(name: &str, printed: &str) -> String {
    format!("{}{printed}```", block_head(name))
}

fn block_head(name: &str) -> String {
    format!("```console\n$ cargo run -qp trunkline-examples --bin {name}\n")
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// Generous, for a debug build on a busy machine.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(60);
