//! One stack under one load, once: a fresh server, a fresh client, one sample.
//!
//! It decides on which cores they run, and what a failure is. It must not compare.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::cells::{self, Cell};
use super::stacks::{Programs, Stack};
use super::table::{Measured, Sample};
use crate::failure::{Failure, Result, While};
use crate::process::{self, Guard};

/// Where server and load run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Pinned,
    Free,
}

impl Layout {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Pinned => "pinned: server on one core with one worker, load on another",
            Self::Free => "not pinned, two workers",
        }
    }

    fn command(self, core: &str, program: &Path) -> Command {
        match self {
            Self::Free => Command::new(program),
            Self::Pinned => {
                let mut command = Command::new("taskset");
                command.args(["-c", core]).arg(program);
                command
            }
        }
    }

    fn workers(self) -> &'static str {
        match self {
            Self::Pinned => "1",
            Self::Free => "2",
        }
    }
}

/// The server of a stack under the neutral load.
///
/// # Errors
/// A program cannot be started. That the load could not be carried is a result.
pub(crate) fn server(
    programs: &Programs,
    stack: Stack,
    cell: Cell,
    layout: Layout,
    seconds: f64,
) -> Result<Measured> {
    let server = Server::start(programs, stack, cell, layout)?;
    let mut load = layout.command(LOAD_CORE, &programs.load());
    load.args(words(&server, cell, seconds, WARM_UP_SECONDS));
    measure(&mut load, seconds, |line| Sample {
        unit_us: line["srv_us"].as_f64().unwrap_or(0.0),
        load_us: line["cli_us"].as_f64(),
        rate: line["rate"].as_f64().unwrap_or(0.0),
        p50_us: line["p50_us"].as_f64(),
        p99_us: line["p99_us"].as_f64(),
        peak_mebibytes: line["rss_mb"].as_f64(),
        errors: line["errs"].as_u64().unwrap_or(0),
    })
}

/// The client of a stack against the floor.
///
/// # Errors
/// A program cannot be started.
pub(crate) fn client(programs: &Programs, stack: Stack, cell: Cell, seconds: f64) -> Result<Measured> {
    let program = programs.client(stack);
    let program = program.ok_or_else(|| Failure::new(format!("{} has no client", stack.name())))?;
    let server = Server::start(programs, Stack::Floor, cell, Layout::Pinned)?;
    let mut client = Layout::Pinned.command(LOAD_CORE, &program);
    client.args([format!("127.0.0.1:{}", server.port), cell.shape().to_owned()]);
    client.args([cell.connections.to_string(), cell.callers.to_string(), seconds.to_string()]);
    client.args([cell.count().to_string().as_str(), Layout::Pinned.workers()]);
    measure(&mut client, seconds, |line| Sample {
        unit_us: line["cli_us"].as_f64().unwrap_or(0.0),
        load_us: None,
        rate: line["rate"].as_f64().unwrap_or(0.0),
        p50_us: None,
        p99_us: None,
        peak_mebibytes: None,
        errors: line["errs"].as_u64().unwrap_or(0),
    })
}

/// System calls of a server per 1000 units; none when it could not carry the load.
///
/// # Errors
/// perf is not there, or may not count: that takes the rights of an administrator.
pub(crate) fn system_calls(
    programs: &Programs,
    stack: Stack,
    cell: Cell,
    seconds: f64,
) -> Result<Option<f64>> {
    let server = Server::start(programs, stack, cell, Layout::Pinned)?;
    let mut perf = Command::new("perf");
    perf.args(["stat", "-x", ";", "-e", "raw_syscalls:sys_enter", "-p"]).arg(server.process.to_string());
    // It counts the server for as long as the load runs.
    perf.args(["--", "taskset", "-c", LOAD_CORE]).arg(programs.load());
    let Ok(printed) = process::bounded(perf.args(words(&server, cell, seconds, 0.0)), GRACE) else {
        return Ok(None);
    };
    let count = printed.stderr.lines().find_map(counted);
    let count = count.ok_or_else(|| Failure::new(format!("perf has not counted: {}", printed.stderr)))?;
    let Ok(line) = serde_json::from_str::<Value>(&printed.stdout) else { return Ok(None) };
    let units = line["rate"].as_f64().unwrap_or(0.0) * seconds;
    Ok((units > 0.0).then(|| count * 1000.0 / units))
}

/// The first field of the line in which perf has counted.
fn counted(line: &str) -> Option<f64> {
    line.contains("raw_syscalls").then(|| line.split(';').next()?.parse().ok())?
}

/// What a connection on which nothing happens takes of the server's memory at its peak, in KiB.
///
/// # Errors
/// A program cannot be started, or the connections are refused.
pub(crate) fn idle_kibibytes(programs: &Programs, stack: Stack) -> Result<f64> {
    let mut peaks = [0.0; 2];
    for (peak, connections) in peaks.iter_mut().zip([1, 1 + IDLE_CONNECTIONS]) {
        let cell = cells::idle(connections);
        let server = Server::start(programs, stack, cell, Layout::Free)?;
        let mut load = Command::new(programs.load());
        let printed = process::capture(load.args(words(&server, cell, IDLE_SECONDS, 0.0)))?;
        let line: Value = serde_json::from_str(&printed).on(|| "read what the load has measured".into())?;
        *peak = line["rss_mb"].as_f64().unwrap_or(0.0) * 1024.0;
    }
    Ok((peaks[1] - peaks[0]) / f64::from(IDLE_CONNECTIONS))
}

/// What the neutral client is told.
fn words(server: &Server, cell: Cell, seconds: f64, warm_up: f64) -> [String; 10] {
    [
        format!("addr=127.0.0.1:{}", server.port),
        format!("pid={}", server.process),
        format!("shape={}", cell.shape()),
        format!("mode={}", cell.mode()),
        format!("packed={}", cell.packed()),
        format!("conns={}", cell.connections),
        format!("callers={}", cell.callers),
        format!("count={}", cell.count()),
        format!("secs={seconds}"),
        format!("warm={warm_up}"),
    ]
}

fn measure(command: &mut Command, seconds: f64, read: impl Fn(&Value) -> Sample) -> Result<Measured> {
    let limit = Duration::from_secs_f64(seconds) + GRACE;
    let Ok(printed) = process::bounded(command, limit) else { return Ok(Measured::Failed("hangs")) };
    if !printed.success {
        return Ok(Measured::Failed("connection ended"));
    }
    // A client whose every call fails has no unit to divide by, and prints what is not JSON.
    let sample = serde_json::from_str(&printed.stdout).map(|line| read(&line));
    let sample = sample.ok().filter(|sample| sample.rate > 0.0);
    Ok(sample.map_or(Measured::Failed("no call succeeds"), Measured::Sample))
}

/// A server that listens. It ends with this value.
struct Server {
    _guard: Guard,
    process: u32,
    port: u16,
}

impl Server {
    fn start(programs: &Programs, stack: Stack, cell: Cell, layout: Layout) -> Result<Self> {
        // Taken and given back: the programs of the lab are told where to listen.
        let taken = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = taken.on(|| "find a free port".into())?.port();
        let mut command = layout.command(SERVER_CORE, &programs.server(stack));
        command.arg(port.to_string());
        match stack {
            Stack::Floor => command.arg(cell.floor_shape()),
            Stack::GrpcGo | Stack::ConnectGo => &mut command,
            Stack::Ours | Stack::Tonic | Stack::Connectrpc => command.arg(layout.workers()),
        };
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut guard = Guard::spawn(&mut command)?;
        // taskset becomes the program, so the identifier is that of the server.
        let process = guard.child().id();
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let has_ended = guard.child().try_wait().on(|| "look at a server".into())?.is_some();
            if has_ended || start.elapsed() > GRACE {
                return Err(Failure::new(format!("the server of {} does not listen", stack.name())));
            }
            thread::park_timeout(Duration::from_millis(5));
        }
        Ok(Self { _guard: guard, process, port })
    }
}

const SERVER_CORE: &str = "0";
const LOAD_CORE: &str = "1";

/// Before a trial counts.
const WARM_UP_SECONDS: f64 = 0.4;

/// Below the number of files that a process may have open where nobody has raised it.
pub(crate) const IDLE_CONNECTIONS: u32 = 900;

/// For all connections to be accepted and greeted.
const IDLE_SECONDS: f64 = 1.0;

/// For starting, warming up and ending on a busy machine.
const GRACE: Duration = Duration::from_secs(20);

#[cfg(test)]
mod tests;
