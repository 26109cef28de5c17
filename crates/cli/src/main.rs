//! The `trunkline` command: where the library meets a terminal.
//!
//! This file decides which command runs and what the process ends with. It knows no protocol and no service.

#![forbid(unsafe_code)]

mod args;
mod certificate;
mod demo;
mod failure;
mod hints;
mod serve;
mod service;

use std::future::Future;
use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::failure::Failure;

/// Messages and services, generated from `proto/`.
mod proto {
    ::trunkline::include_protos!();
}

fn main() -> ExitCode {
    // A wrong command line ends here, with code 2.
    let outcome = match Args::parse().command {
        Command::Serve(args) => run(serve::run(args)),
        Command::Demo(args) => run(demo::run(args)),
    };
    match outcome {
        Ok(code) => code,
        Err(failure) => {
            failure::complain(&failure);
            ExitCode::FAILURE
        }
    }
}

fn run(work: impl Future<Output = Result<ExitCode, Failure>>) -> Result<ExitCode, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Failure::new("cannot start the threads of the program").seen(error))?;
    let outcome = runtime.block_on(work);
    // What is still running has been told to stop; waiting for it would make Ctrl-C hang.
    runtime.shutdown_background();
    outcome
}
