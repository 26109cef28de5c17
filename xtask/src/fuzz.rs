//! `cargo xtask fuzz`: builds the fuzz targets with coverage, gives them the vectors to begin with, and runs them for a while.
//!
//! It decides how the targets are built and what counts as a run: one without coverage finds nothing and so is a failure. Which targets
//! there are, and what they check, the program in `fuzz/` says. A stable compiler is enough: the pass that counts coverage is one of LLVM's,
//! and nothing here needs a sanitizer, because no code of ours is unsafe.

mod report;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result, While};
use crate::process;
use crate::workspace::Workspace;
use report::{Ran, hex_dump};

/// What was asked for on the command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// For each target.
    seconds: u64,
    /// Run this one input, not for a time.
    input: Option<String>,
    /// All targets when empty.
    targets: Vec<String>,
}

impl Request {
    /// Every target for a few seconds: enough for all seeds and for what lies near them.
    pub(crate) fn short() -> Self {
        Self { seconds: SECONDS_SHORT, input: None, targets: Vec::new() }
    }

    /// Reads the words after `cargo xtask fuzz`.
    ///
    /// # Errors
    /// For words that mean nothing here.
    pub(crate) fn parse(words: &[&str]) -> Result<Self> {
        let mut request = Self { seconds: SECONDS, ..Self::short() };
        let mut rest = words.iter().copied();
        while let Some(word) = rest.next() {
            let mut value =
                || rest.next().ok_or_else(|| Failure::usage(format!("`{word}` needs a value after it")));
            match word {
                "--short" => request.seconds = SECONDS_SHORT,
                "--seconds" => {
                    let text = value()?;
                    let seconds = text.parse().ok().filter(|&seconds| seconds > 0);
                    request.seconds = seconds.ok_or_else(|| {
                        Failure::usage(format!("`--seconds {text}` is not a number of seconds"))
                    })?;
                }
                "--input" => request.input = Some(value()?.to_owned()),
                flag if flag.starts_with('-') => {
                    return Err(Failure::usage(format!("`{flag}` means nothing to `fuzz`")));
                }
                target => request.targets.push(target.to_owned()),
            }
        }
        if request.input.is_some() && request.targets.len() != 1 {
            return Err(Failure::usage("`--input FILE` is for one target: name it"));
        }
        Ok(request)
    }
}

/// Builds and runs the targets, and prints a line for each.
///
/// # Errors
/// When a target found an input that breaks what it checks; its path and its bytes are printed. When a run has no coverage.
pub(crate) fn run(workspace: &Workspace, request: &Request) -> Result<()> {
    let build = Build::of(workspace)?;
    process::run(&mut build.cargo(workspace, "build"))?;
    let known = build.answer(&["--list".to_owned()])?;
    let known: Vec<&str> = known.lines().collect();
    if let Some(unknown) = request.targets.iter().find(|target| !known.contains(&target.as_str())) {
        let known = known.join(", ");
        return Err(Failure::usage(format!("there is no fuzz target `{unknown}`; there are: {known}")));
    }
    if let (Some(input), [target]) = (&request.input, &request.targets[..]) {
        return process::run(build.target(target).arg(input));
    }
    let corpus = build.folder.join("corpus");
    write_seeds(workspace, &build, &corpus)?;
    let crashes = build.folder.join("crashes");
    fs::create_dir_all(&crashes).on(|| format!("make the folder {}", crashes.display()))?;

    let chosen = known
        .iter()
        .filter(|name| request.targets.is_empty() || request.targets.iter().any(|target| target == *name));
    let mut failures = Vec::new();
    for name in chosen {
        match fuzz(&build, name, request.seconds, (&corpus, &crashes)) {
            Ok(line) => println!("{line}"),
            Err(failure) => {
                println!("{name}: {failure}");
                failures.push(*name);
            }
        }
    }
    if failures.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("these fuzz targets failed: {}", failures.join(", "))))
}

/// Clippy on the targets, with the flags of their build, so that neither builds what the other has built.
pub(crate) fn clippy(workspace: &Workspace) -> Result<()> {
    process::run(Build::of(workspace)?.cargo(workspace, "clippy").args(["--", "-D", "warnings"]))
}

/// How and where the targets are built.
struct Build {
    folder: PathBuf,
    /// The triple of this machine. It must be named, or the flags would hold for build scripts too, which have no fuzzer to link to.
    host: String,
}

impl Build {
    fn of(workspace: &Workspace) -> Result<Self> {
        let version = process::capture(workspace.cargo().arg("-vV"))?;
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        let host = host.ok_or_else(|| Failure::new("`cargo -vV` names no host"))?;
        Ok(Self { folder: workspace.fuzz(), host: host.to_owned() })
    }

    fn cargo(&self, workspace: &Workspace, command: &str) -> Command {
        let mut cargo = workspace.cargo();
        cargo.args([command, "--quiet", "--release", "--manifest-path", MANIFEST, "--target", &self.host]);
        cargo.arg("--target-dir").arg(&self.folder).env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}"));
        cargo
    }

    fn program(&self) -> PathBuf {
        self.folder.join(&self.host).join("release").join(PACKAGE)
    }

    /// What the program says to words of its own. libFuzzer's notes on what this machine lacks are shown only when it fails.
    fn answer(&self, words: &[String]) -> Result<String> {
        let printed = process::bounded(Command::new(self.program()).args(words), GRACE)?;
        if printed.success { Ok(printed.stdout) } else { Err(Failure::new(printed.stderr)) }
    }

    /// The program with a target chosen.
    fn target(&self, name: &str) -> Command {
        let mut command = Command::new(self.program());
        command.arg(format!("--target={name}"));
        command
    }
}

/// The vectors as first inputs; those that earlier runs have found stay beside them.
fn write_seeds(workspace: &Workspace, build: &Build, corpus: &Path) -> Result<()> {
    let vectors = workspace.root.join("vectors");
    let words = [format!("--vectors={}", vectors.display()), format!("--seeds={}", corpus.display())];
    build.answer(&words).map(drop)
}

/// Runs one target and gives the line to print.
fn fuzz(build: &Build, name: &str, seconds: u64, (corpus, crashes): (&Path, &Path)) -> Result<String> {
    let mut command = build.target(name);
    command.args([
        format!("-max_total_time={seconds}"),
        format!("-max_len={INPUT_BYTES_MAX}"),
        format!("-timeout={INPUT_SECONDS_MAX}"),
        format!("-rss_limit_mb={MEMORY_MIB_MAX}"),
        format!("-artifact_prefix={}/{name}-", crashes.display()),
        "-print_final_stats=1".to_owned(),
    ]);
    let start = Instant::now();
    let printed = process::bounded(command.arg(corpus.join(name)), Duration::from_secs(seconds) + GRACE)?;
    let wall = start.elapsed();
    let ran = Ran::read(&printed.stderr);
    if let Some(path) = &ran.artifact {
        let bytes = fs::read(path).on(|| format!("read {}", path.display()))?;
        return Err(Failure::new(format!(
            "{}\n{} bytes in {}:\n{}run it alone: cargo xtask fuzz {name} --input {}",
            ran.panic,
            bytes.len(),
            path.display(),
            hex_dump(&bytes),
            path.display(),
        )));
    }
    if !printed.success {
        return Err(Failure::new(format!("the fuzzer failed:\n{}", report::tail(&printed.stderr))));
    }
    ran.check_coverage()?;
    Ok(ran.line(name, wall))
}

const MANIFEST: &str = "fuzz/Cargo.toml";
const PACKAGE: &str = "trunkline-fuzz";

/// What libFuzzer wants of the compiler: a counter on each edge, the table of their places, and both sides of each comparison.
const FLAGS: &[&str] = &[
    "--cfg",
    "fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Clink-dead-code",
];

/// For each target when nothing else is asked for.
const SECONDS: u64 = 60;
const SECONDS_SHORT: u64 = 5;
/// Long enough for every rule that is in bytes; what begins far behind that is for tests of limits.
const INPUT_BYTES_MAX: usize = 4096;
/// An input that takes longer is a finding.
const INPUT_SECONDS_MAX: u64 = 10;
/// A target that needs more is a finding: no input is longer than a few KiB.
const MEMORY_MIB_MAX: u64 = 512;
/// How long a run may take to begin and to end.
const GRACE: Duration = Duration::from_secs(120);

#[cfg(test)]
mod tests;
