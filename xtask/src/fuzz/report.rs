//! What libFuzzer printed, as far as it decides.
//!
//! It knows libFuzzer's words and nothing of processes and files.

use std::path::PathBuf;
use std::time::Duration;

use crate::failure::{Failure, Result};

/// One run of one target.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ran {
    pub(super) executions: u64,
    /// Edges of the program that were reached.
    pub(super) coverage: u64,
    /// The input that broke something, where libFuzzer has put it.
    pub(super) artifact: Option<PathBuf>,
    /// What the target said of it.
    pub(super) panic: String,
}

impl Ran {
    /// Reads what was printed to stderr.
    pub(super) fn read(stderr: &str) -> Self {
        let mut ran = Self::default();
        let mut lines = stderr.lines();
        while let Some(line) = lines.next() {
            if let Some((_, count)) = line.split_once("stat::number_of_executed_units:") {
                ran.executions = count.trim().parse().unwrap_or(0);
            } else if let Some((_, rest)) = line.split_once(" cov: ") {
                ran.coverage = rest.split(' ').next().and_then(|count| count.parse().ok()).unwrap_or(0);
            } else if let Some((_, path)) = line.split_once("Test unit written to ") {
                ran.artifact = Some(path.into());
            } else if line.contains("panicked at ") && ran.panic.is_empty() {
                let said = lines.by_ref().take_while(|line| !is_end_of_panic(line));
                ran.panic = [line].into_iter().chain(said).collect::<Vec<_>>().join("\n");
            } else if let Some(error) = line.split_once("ERROR: libFuzzer: ").map(|(_, error)| error)
                && ran.panic.is_empty()
            {
                ran.panic = error.to_owned();
            }
        }
        ran
    }

    /// A fuzzer that does not see where an input goes tries blindly, and would pass for ever.
    ///
    /// # Errors
    /// When so little of the program was reached that it cannot have been built with coverage.
    pub(super) fn check_coverage(&self) -> Result<()> {
        if self.coverage >= COVERAGE_MIN {
            return Ok(());
        }
        let seen = self.coverage;
        Err(Failure::new(format!(
            "the fuzzer saw {seen} edges of the program, which must be {COVERAGE_MIN} at least: was it built with coverage?"
        )))
    }

    /// The line for a run in which nothing was found.
    pub(super) fn line(&self, name: &str, wall: Duration) -> String {
        let Self { executions, coverage, .. } = self;
        format!("{name:12} {executions:>10} executions {coverage:>6} edges {:>6.1} s", wall.as_secs_f64())
    }
}

/// Behind a panic's message come libFuzzer's own words or a note on backtraces.
fn is_end_of_panic(line: &str) -> bool {
    line.starts_with("note: ") || line.starts_with("==") || line.starts_with("stack backtrace")
}

/// The last lines of an output that means nothing to us.
pub(super) fn tail(text: &str) -> String {
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}

/// Bytes as people read them: offset, sixteen bytes, and their characters.
pub(super) fn hex_dump(bytes: &[u8]) -> String {
    let mut dump = String::new();
    for (index, row) in bytes.chunks(16).enumerate() {
        let hex: Vec<_> = row.iter().map(|byte| format!("{byte:02x}")).collect();
        let is_shown = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
        let text: String =
            row.iter().map(|byte| if is_shown(byte) { char::from(*byte) } else { '.' }).collect();
        dump.push_str(&format!("{:04x}  {:47}  {text}\n", index * 16, hex.join(" ")));
    }
    dump
}

/// The runtime alone, without a target, reaches less; each target reaches several times as much with its seeds.
const COVERAGE_MIN: u64 = 200;
const TAIL_LINES: usize = 20;

#[cfg(test)]
mod tests;
