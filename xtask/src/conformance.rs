//! The Connect conformance runner against our programs.
//!
//! It decides what counts as a pass: the exact number of cases, none failed, none excused. It must not know what any case tests.

use std::process::Command;

use crate::failure::{Failure, Result};
use crate::process;
use crate::suites;
use crate::workspace::Workspace;

/// Which of our programs is under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Server,
    Client,
}

/// What was asked for on the command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) role: Role,
    /// The runner's own empty configuration in place of ours, which has everything on.
    is_basic: bool,
    run: Vec<String>,
    skip: Vec<String>,
    parallel: Option<u32>,
    trace: bool,
    /// Which of our two ways to speak HTTP/2.
    http2: Http2,
}

/// Our two ways to speak HTTP/2, by the words of the programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Http2 {
    #[default]
    Engine,
    Hyper,
}

/// What the runner printed, as far as it decides.
#[derive(Debug, Default, PartialEq, Eq)]
struct Verdict {
    failed: Vec<String>,
    last_line: String,
}

impl Request {
    /// All cases that there are over HTTP/1.1 and HTTP/2.
    pub(crate) fn full(role: Role) -> Self {
        Self {
            role,
            is_basic: false,
            run: Vec::new(),
            skip: Vec::new(),
            parallel: None,
            trace: false,
            http2: Http2::default(),
        }
    }

    /// The cases of the runner's own small configuration, over hyper: enough to see that it still stands under us.
    pub(crate) fn basic_over_hyper(role: Role) -> Self {
        Self { is_basic: true, http2: Http2::Hyper, ..Self::full(role) }
    }

    /// Reads the words after `cargo xtask conformance`.
    ///
    /// # Errors
    /// For words that mean nothing here.
    pub(crate) fn parse(words: &[&str]) -> Result<Self> {
        let role = match words.first() {
            Some(&"server") => Role::Server,
            Some(&"client") => Role::Client,
            _ => {
                return Err(Failure::usage(
                    "say which role to test: `conformance server` or `conformance client`",
                ));
            }
        };
        let mut request = Self::full(role);
        let mut rest = words[1..].iter().copied();
        while let Some(word) = rest.next() {
            let mut value =
                || rest.next().ok_or_else(|| Failure::usage(format!("`{word}` needs a value after it")));
            match word {
                "--basic" => request.is_basic = true,
                "--trace" => request.trace = true,
                "--http2=engine" => request.http2 = Http2::Engine,
                "--http2=hyper" => request.http2 = Http2::Hyper,
                "--run" => request.run.push(value()?.to_owned()),
                "--skip" => request.skip.push(value()?.to_owned()),
                "-p" => {
                    let count = value()?;
                    let parsed = count.parse().ok().filter(|&count| count > 0);
                    request.parallel =
                        Some(parsed.ok_or_else(|| {
                            Failure::usage(format!("`-p {count}` is not a number of calls"))
                        })?);
                }
                other => return Err(Failure::usage(format!("`{other}` means nothing to `conformance`"))),
            }
        }
        Ok(request)
    }

    fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["--mode".to_owned(), self.role.word().to_owned()];
        if !self.is_basic {
            // Relative to the root, where the runner is started.
            let configuration = format!("conformance/configs/full-{}.yaml", self.role.word());
            arguments.extend(["--conf".to_owned(), configuration]);
        }
        for (flag, patterns) in [("--run", &self.run), ("--skip", &self.skip)] {
            for pattern in patterns {
                arguments.extend([flag.to_owned(), pattern.clone()]);
            }
        }
        let default = (self.role == Role::Server && !self.is_basic).then_some(SERVER_PARALLEL);
        if let Some(parallel) = self.parallel.or(default) {
            arguments.extend(["-p".to_owned(), parallel.to_string()]);
        }
        if self.trace {
            arguments.push("--trace".to_owned());
        }
        arguments
    }

    /// The last line of a run in which everything passed, where we know how many cases there are.
    fn expected_line(&self) -> Option<String> {
        let is_whole = self.run.is_empty() && self.skip.is_empty();
        is_whole.then(|| format!("{} passed, 0 failed", self.cases()))
    }

    /// What the runner plans for the configuration. The number is part of the bar, because a run of fewer cases also ends well.
    /// The empty configuration means gzip and identity only, and no client certificates.
    fn cases(&self) -> u32 {
        match (self.role, self.is_basic) {
            (Role::Server, false) => 10_736,
            (Role::Client, false) => 13_046,
            (Role::Server, true) => 3600,
            (Role::Client, true) => 4574,
        }
    }

    /// The same run with nothing but `cases`.
    fn only(&self, cases: &[String]) -> Self {
        Self { run: cases.to_vec(), skip: Vec::new(), ..*self }
    }
}

impl Http2 {
    /// What the programs are told.
    fn word(self) -> &'static str {
        match self {
            Self::Engine => "--http2=engine",
            Self::Hyper => "--http2=hyper",
        }
    }
}

impl Role {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
        }
    }
}

/// Runs the suite after building what it drives.
///
/// # Errors
/// When a case fails, when the number of cases is not the expected one, or when something cannot be built or started.
pub(crate) fn run(workspace: &Workspace, request: &Request) -> Result<()> {
    suites::ensure(workspace.suites())?;
    workspace.build_programs()?;
    run_built(workspace, request)
}

/// As `run`, with the suites and the programs already there.
pub(crate) fn run_built(workspace: &Workspace, request: &Request) -> Result<()> {
    let runner = suites::ensure(workspace.suites())?.program("connectconformance");
    let ours = workspace.program(&format!("trunkline-conformance-{}", request.role.word()));
    judge(request, |request| {
        let mut command = Command::new(&runner);
        command.current_dir(&workspace.root).args(request.arguments()).arg("--").arg(&ours);
        command.arg(request.http2.word());
        let mut verdict = Verdict::default();
        let status = process::stream(&mut command, |line| {
            println!("{line}");
            verdict.read(line);
        })?;
        if !status.success() && verdict.failed.is_empty() {
            return Err(Failure::new(format!("the runner ended with {status} and named no failed case")));
        }
        Ok(verdict)
    })
}

/// Decides whether the run is good, with one more try for a case or two: some cases measure time, and a machine under load is late.
fn judge(request: &Request, mut run: impl FnMut(&Request) -> Result<Verdict>) -> Result<()> {
    let role = request.role.word();
    let verdict = run(request)?;
    if verdict.failed.is_empty() {
        return verdict.is_good(request.expected_line().as_deref());
    }
    if verdict.failed.len() > REPEATS_MAX {
        return Err(Failure::new(format!("conformance {role}: {}", verdict.last_line)));
    }
    println!("conformance {role}: {} failed; running again, once, alone:", verdict.last_line);
    for case in &verdict.failed {
        println!("  {case}");
    }
    let repeated = run(&request.only(&verdict.failed))?;
    repeated.is_good(Some(&format!("{} passed, 0 failed", verdict.failed.len())))?;
    let Some(total) = verdict.total() else {
        return Err(Failure::new(format!("the runner's last line is `{}`", verdict.last_line)));
    };
    let line = format!("{total} passed, 0 failed");
    println!("conformance {role}: passed on the second run: {}", verdict.failed.join(", "));
    println!("{line}");
    match request.expected_line() {
        Some(expected) if expected != line => {
            Err(Failure::new(format!("conformance {role}: `{line}` instead of `{expected}`")))
        }
        _ => Ok(()),
    }
}

impl Verdict {
    /// Takes one line of the runner. `FAILED: name:` opens the account of a failed case; the last line that says anything is the sum.
    fn read(&mut self, line: &str) {
        if let Some(case) = line.strip_prefix("FAILED: ") {
            self.failed.push(case.trim_end().trim_end_matches(':').to_owned());
        }
        if !line.trim().is_empty() {
            self.last_line = line.trim().to_owned();
        }
    }

    /// Without an expected line, the sum must only say that none failed.
    fn is_good(&self, expected: Option<&str>) -> Result<()> {
        let is_good = match expected {
            Some(expected) => self.last_line == expected,
            None => self.counts().is_some_and(|(passed, failed)| passed > 0 && failed == 0),
        };
        if is_good && self.failed.is_empty() {
            return Ok(());
        }
        let expected = expected.unwrap_or("N passed, 0 failed");
        Err(Failure::new(format!("the runner's last line is `{}` instead of `{expected}`", self.last_line)))
    }

    fn total(&self) -> Option<u32> {
        self.counts().and_then(|(passed, failed)| passed.checked_add(failed))
    }

    /// Reads `N passed, M failed`.
    fn counts(&self) -> Option<(u32, u32)> {
        let (passed, failed) = self.last_line.strip_suffix(" failed")?.split_once(" passed, ")?;
        Some((passed.parse().ok()?, failed.parse().ok()?))
    }
}

/// Calls that the runner makes at once against the servers of the full configuration. Most of its cases wait, so that twice its
/// default is faster; more would only make those late that measure time.
const SERVER_PARALLEL: u32 = 16;

/// More failed cases than this are no accident.
const REPEATS_MAX: usize = 2;

#[cfg(test)]
mod tests;
