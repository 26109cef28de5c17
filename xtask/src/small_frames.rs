//! Streams of many small messages between stock grpc-go and us, both ways, and beside it between grpc-go and tonic.
//!
//! A library on HTTP/2 that counts small frames as an attack ends connections that only carry small messages. This module decides which
//! loads show that, and that none of our calls may fail. The programs are in `lab/small-frames` and, ours, in `conformance`.

mod account;

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::failure::{Failure, Result, While};
use crate::process;
use crate::served::Served;
use crate::suites;
use crate::workspace::Workspace;
use account::{Account, Row, table};

/// What was asked for on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Request {
    /// Every load for us and for tonic.
    Whole,
    /// Fewer calls, for us alone.
    Short,
}

impl Request {
    /// Reads the words after `cargo xtask small-frames`.
    ///
    /// # Errors
    /// For words that mean nothing here.
    pub(crate) fn parse(words: &[&str]) -> Result<Self> {
        match words {
            [] => Ok(Self::Whole),
            ["--short"] => Ok(Self::Short),
            _ => Err(Failure::usage(format!("`{}` means nothing to `small-frames`", words.join(" ")))),
        }
    }

    fn pairs(self) -> &'static [(Stack, Stack)] {
        match self {
            Self::Whole => PAIRS,
            Self::Short => &PAIRS[..2],
        }
    }
}

/// Whose program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stack {
    Ours,
    Go,
    Tonic,
}

impl Stack {
    fn name(self) -> &'static str {
        match self {
            Self::Ours => "trunkline",
            Self::Go => "grpc-go",
            Self::Tonic => "tonic",
        }
    }
}

/// The calls of one row.
#[derive(Debug, Clone, Copy)]
struct Load {
    direction: &'static str,
    streams: u32,
    /// One after the other on each stream.
    calls: u32,
    pace: &'static str,
}

/// Where the programs of the other stacks were built.
struct Programs<'a> {
    workspace: &'a Workspace,
    go: PathBuf,
    tonic: PathBuf,
}

/// Runs the loads after building what they need.
///
/// # Errors
/// When a call of ours fails or a connection of ours ends, or something cannot be built or started.
pub(crate) fn run(workspace: &Workspace, request: Request) -> Result<()> {
    suites::ensure(workspace.suites())?;
    workspace.build_programs()?;
    run_built(workspace, request)
}

/// As `run`, with our own programs already there.
pub(crate) fn run_built(workspace: &Workspace, request: Request) -> Result<()> {
    let programs = Programs::build(workspace, request)?;
    let mut rows = Vec::new();
    for &(client, server) in request.pairs() {
        for load in loads(request) {
            let account = programs.play(client, server, load)?;
            let row = Row {
                client: client.name(),
                server: server.name(),
                direction: load.direction,
                streams: load.streams,
                pace: load.pace,
                account,
            };
            println!("{}", row.line());
            rows.push(row);
        }
    }
    print!("\n{}", table(&rows));
    let ours = rows.iter().filter(|row| [row.client, row.server].contains(&Stack::Ours.name()));
    let bad = ours.clone().filter(|row| !row.account.is_clean()).count();
    println!("small-frames: {} rows of ours, {bad} with a failed call or an ended connection", ours.count());
    match bad {
        0 => Ok(()),
        _ => Err(Failure::new(format!("small-frames: {bad} rows of ours are not clean"))),
    }
}

impl<'a> Programs<'a> {
    /// Go and cargo know what is up to date.
    fn build(workspace: &'a Workspace, request: Request) -> Result<Self> {
        let (folder, go) = (workspace.root.join(FOLDER), workspace.scratch("small-frames"));
        std::fs::create_dir_all(&go).on(|| format!("create {}", go.display()))?;
        let mut build = Command::new("go");
        build.current_dir(folder.join("go")).arg("build").arg("-o").arg(&go).arg("./cmd/...");
        process::run(build.env_remove("GOOS").env_remove("GOARCH"))?;
        let lab = workspace.lab();
        if request == Request::Whole {
            let mut cargo = workspace.cargo();
            cargo.args(["build", "--locked", "--release", "--manifest-path"]);
            cargo.arg(folder.join("tonic").join("Cargo.toml")).arg("--target-dir").arg(&lab);
            process::run(&mut cargo)?;
        }
        let tonic = lab.join("release").join(format!("small-frames-tonic{}", std::env::consts::EXE_SUFFIX));
        Ok(Self { workspace, go, tonic })
    }

    fn command(&self, stack: Stack, role: &str) -> Command {
        match stack {
            Stack::Go => Command::new(self.go.join(format!("{role}{}", std::env::consts::EXE_SUFFIX))),
            Stack::Ours => with(Command::new(self.workspace.program("trunkline-small-frames")), role),
            Stack::Tonic => with(Command::new(&self.tonic), role),
        }
    }

    /// A server and a client for one load. The side in Go counts the connections. A client that never ends has failed all its calls.
    fn play(&self, client: Stack, server: Stack, load: Load) -> Result<Account> {
        let served =
            Served::start(self.command(server, "server").stdin(Stdio::piped()).stderr(Stdio::null()))?;
        let mut command = self.command(client, "client");
        command.arg(format!("127.0.0.1:{}", served.port)).arg(load.direction);
        command.args([load.streams.to_string(), load.calls.to_string()]).arg(load.pace);
        let printed = match process::bounded(&mut command, ROW_TIMEOUT) {
            Ok(printed) => printed,
            Err(failure) => return Ok(Account::hung(load.streams * load.calls, &failure.to_string())),
        };
        let last = served.last_words()?;
        let connections = if server == Stack::Go { last.as_str() } else { "" };
        Account::read(&printed.stdout, connections, &printed.stderr)
    }
}

fn with(mut command: Command, role: &str) -> Command {
    command.arg(role);
    command
}

/// Each direction with each number of streams, read fast and slowly.
fn loads(request: Request) -> Vec<Load> {
    let mut loads = Vec::new();
    for direction in ["pull", "push", "talk"] {
        for (streams, whole, short) in STREAMS {
            for pace in ["fast", "slow"] {
                let calls = if request == Request::Whole { whole } else { short };
                loads.push(Load { direction, streams, calls, pace });
            }
        }
    }
    loads
}

/// Client and server; those with us come first.
const PAIRS: &[(Stack, Stack)] = &[
    (Stack::Go, Stack::Ours),
    (Stack::Ours, Stack::Go),
    (Stack::Go, Stack::Tonic),
    (Stack::Tonic, Stack::Go),
];

/// Streams of one connection, with the calls that each makes one after the other: in the whole run and in the short one.
const STREAMS: [(u32, u32, u32); 3] = [(1, 20, 4), (4, 10, 2), (50, 4, 1)];

const FOLDER: &str = "lab/small-frames";

/// Above what any row takes whose calls all end by their deadline, of 20 seconds each.
const ROW_TIMEOUT: Duration = Duration::from_secs(100);

#[cfg(test)]
mod tests;
