//! `cargo xtask`: the one way to test, check and generate this workspace.
//!
//! This file reads the command line and nothing else; each command has a module of its own.

#![forbid(unsafe_code)]

mod failure;
mod process;
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
        ["tidy"] => tidy::run(&Workspace::load()?),
        [] | ["help" | "--help" | "-h"] => Ok(()),
        [other, ..] => Err(Failure::usage(format!("there is no `{other}`; try `cargo xtask help`"))),
    }
}
