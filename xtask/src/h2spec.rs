//! h2spec, the public suite for servers of HTTP/2, against `trunkline serve`.
//!
//! It decides what counts as a pass: every case of the strict set over clear text and over TLS, none skipped. It must not know what any
//! case tests.

use std::process::Command;

use crate::failure::{Failure, Result};
use crate::process;
use crate::served::Served;
use crate::suites;
use crate::workspace::Workspace;

/// Runs the suite after building what it drives.
///
/// # Errors
/// When a case fails or is skipped, when cases are missing, or when something cannot be built or started.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    suites::ensure(workspace.suites())?;
    workspace.build_programs()?;
    run_built(workspace)
}

/// As `run`, with the suite and the programs already there.
pub(crate) fn run_built(workspace: &Workspace) -> Result<()> {
    let suites = suites::ensure(workspace.suites())?;
    let mut verdict = Ok(());
    for (name, is_tls) in [("clear text", false), ("TLS", true)] {
        let served = Served::trunkline(workspace, is_tls)?;
        let mut command = Command::new(suites.program("h2spec"));
        command.args(arguments(served.port, is_tls));
        let mut last = String::new();
        process::stream(&mut command, |line| {
            println!("{line}");
            if !line.trim().is_empty() {
                last = line.trim().to_owned();
            }
        })?;
        // Both are run, whatever the first one says.
        verdict = verdict.and(judge(name, &last));
        println!("h2spec over {name}: {last}\n");
    }
    verdict
}

/// Strict, which adds a case; patient, because a debug build on a busy machine answers late.
fn arguments(port: u16, is_tls: bool) -> Vec<String> {
    let port = port.to_string();
    let mut words = vec!["-h", "127.0.0.1", "-p", &port, "-S", "-o", "5"];
    if is_tls {
        // -k: the certificate is its own authority.
        words.extend(["-t", "-k"]);
    }
    words.into_iter().map(str::to_owned).collect()
}

/// The suite's exit code does not tell of skipped cases, so its last line is what counts.
fn judge(name: &str, last: &str) -> Result<()> {
    let expected = format!("{CASES} tests, {CASES} passed, 0 skipped, 0 failed");
    if last == expected {
        return Ok(());
    }
    Err(Failure::new(format!("h2spec over {name}: the last line is `{last}` instead of `{expected}`")))
}

/// The cases of version 2.2.1 with the strict one.
const CASES: u32 = 146;

#[cfg(test)]
mod tests;
