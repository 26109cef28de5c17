//! `cargo xtask`: the one way to test, check and generate this workspace.
//!
//! This file reads the command line and nothing else; each command has a module of its own.

#![forbid(unsafe_code)]

mod bench;
mod conformance;
mod failure;
mod fuzz;
mod r#gen;
mod ghz;
mod h2spec;
mod lint;
mod process;
mod protoc;
mod readme;
mod served;
mod small_frames;
mod steps;
mod suites;
mod tidy;
mod workspace;

use std::process::ExitCode;

use failure::{Failure, Result};
use workspace::Workspace;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&words.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::from(failure.exit_code)
        }
    }
}

fn dispatch(words: &[&str]) -> Result<()> {
    match words {
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        ["test", steps @ ..] => steps::run(&Workspace::load()?, steps),
        ["gen"] => r#gen::run(&Workspace::load()?, false),
        ["gen", "--check"] => r#gen::run(&Workspace::load()?, true),
        ["tidy"] => tidy::run(&Workspace::load()?),
        ["lint"] => {
            let workspace = Workspace::load()?;
            lint::fmt(&workspace)?;
            lint::clippy(&workspace)
        }
        ["fuzz", rest @ ..] => {
            let request = fuzz::Request::parse(rest)?;
            fuzz::run(&Workspace::load()?, &request)
        }
        ["bench", "micro"] => bench::micro(&Workspace::load()?),
        ["bench", "peers", rest @ ..] => {
            let request = bench::peers::Request::parse(rest)?;
            bench::peers::run(&Workspace::load()?, &request)
        }
        ["suites"] => {
            let suites = suites::ensure(Workspace::load()?.suites())?;
            println!("suites: ready in {}", suites.bin().display());
            Ok(())
        }
        ["conformance", rest @ ..] => {
            let request = conformance::Request::parse(rest)?;
            conformance::run(&Workspace::load()?, &request)
        }
        ["h2spec"] => h2spec::run(&Workspace::load()?),
        ["ghz", rest @ ..] => {
            let request = ghz::Request::parse(rest)?;
            ghz::run(&Workspace::load()?, &request)
        }
        ["small-frames", rest @ ..] => {
            let request = small_frames::Request::parse(rest)?;
            small_frames::run(&Workspace::load()?, request)
        }
        ["readme"] => {
            let workspace = Workspace::load()?;
            let suites = suites::ensure(workspace.suites())?;
            workspace.build_programs()?;
            readme::run(&workspace, &suites, &readme::Label::ALL)
        }
        [other, ..] => {
            Err(Failure::usage(format!("`{other}` is not understood here; try `cargo xtask help`")))
        }
    }
}

const HELP: &str = "\
cargo xtask COMMAND

  test [STEP…]      every check, or the named steps; prints what each took
  tidy              the checks on the source tree: arrows, budgets, words
  lint              rustfmt --check and clippy, warnings are errors
  gen [--check]     write the generated sources of the library, or only compare them
  suites            fetch the pinned public suites into target/suites
  conformance server|client [--http2=engine|hyper] [--basic] [--run PATTERN]… [--skip PATTERN]… [-p N] [--trace]
                    the Connect conformance runner against our programs, with everything on, or with its own
                    small configuration; over our HTTP/2 engine, or over hyper
  h2spec            the public suite for servers of HTTP/2, strict, over clear text and TLS
  ghz [--short] [--seconds N]
                    50 callers of a load generator on grpc-go for 60 seconds, 5 with --short: no call may fail
  small-frames [--short]
                    streams of 1000 small messages between grpc-go and us, and between grpc-go and tonic; with --short
                    fewer calls, without tonic
  fuzz [--short] [--seconds N] [TARGET…]
                    the fuzz targets, 60 seconds each or N, 5 with --short; `fuzz TARGET --input FILE` runs one input
  bench micro       what machines, compressions and whole calls cost, in a release build
  bench peers [--rounds N] [--seconds S] [--only STACK,…] [--cells CELL,…] [--pinned] [--free] [--clients] [--idle]
              [--syscalls] [--built]
                    what calls cost ours and other stacks' servers and clients, in turns, under one neutral load
  readme            run the commands of README.md and compare what they print
  help              this list
";

#[cfg(test)]
mod tests;
