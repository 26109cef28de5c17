//! The commands of README.md, run against a real server and compared with what the text says they print.
//!
//! This module decides how a server is started and what is put in place of the ports of the text. How the text is read is decided in
//! `readme::blocks`, and when two outputs are the same in `readme::compare`.

mod blocks;
mod compare;

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::failure::{Failure, Result, While};
use crate::process::{self, Guard};
use crate::suites::Suites;
use crate::workspace::Workspace;
pub(crate) use blocks::Label;
use blocks::Step;

/// A `trunkline serve` on a port that the system chose. It ends with this value.
struct Served {
    _guard: Guard,
    port: u16,
}

/// Runs the commands of the blocks with one of these labels; each label must have some.
///
/// # Errors
/// When a command fails or prints something else than the text says, or README.md has no block with a label.
pub(crate) fn run(workspace: &Workspace, suites: &Suites, labels: &[Label]) -> Result<()> {
    let text = fs::read_to_string(workspace.root.join("README.md")).on(|| "read README.md".into())?;
    let mut failed = 0_usize;
    for &label in labels {
        let steps = blocks::steps(&text, label)?;
        if steps.is_empty() {
            return Err(Failure::new(format!("README.md has no command marked `serve {}`", label.word())));
        }
        let served = Served::start(workspace, label)?;
        for step in &steps {
            match run_step(workspace, suites, &served, step) {
                Ok(()) => println!("README.md:{}: as written: {}", step.line, first_line(&step.command)),
                Err(failure) => {
                    failed += 1;
                    println!("README.md:{}: {}\n{failure}", step.line, step.command);
                }
            }
        }
    }
    match failed {
        0 => Ok(()),
        _ => Err(Failure::new(format!("{failed} commands of README.md do not do what it says"))),
    }
}

impl Served {
    fn start(workspace: &Workspace, label: Label) -> Result<Self> {
        let mut command = Command::new(workspace.program("trunkline"));
        command.args(["serve", "--listen", "127.0.0.1:0"]).current_dir(&workspace.root);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        if label.is_tls() {
            command.arg("--tls-self-signed");
        }
        let mut guard = Guard::spawn(&mut command)?;
        let stdout = guard.child().stdout.take().expect("stdout was set to a pipe above");
        let (sender, receiver) = mpsc::sync_channel(1);
        // The thread reads on after the port, so that a server that talks never blocks on a full pipe; it ends with the server.
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(std::result::Result::ok) {
                if let Some(port) = port_of(&line) {
                    // Full or gone means that the first port has been taken, and only that one counts.
                    let _ = sender.try_send(port);
                }
            }
        });
        let line = process::line_of(&command);
        let port = receiver.recv_timeout(LISTEN_TIMEOUT).map_err(|error| match error {
            mpsc::RecvTimeoutError::Timeout => {
                Failure::new(format!("`{line}` did not say `listening on` within {LISTEN_TIMEOUT:?}"))
            }
            mpsc::RecvTimeoutError::Disconnected => {
                Failure::new(format!("`{line}` ended without saying `listening on`"))
            }
        })?;
        Ok(Self { _guard: guard, port })
    }
}

fn run_step(workspace: &Workspace, suites: &Suites, served: &Served, step: &Step) -> Result<()> {
    let mut command = Command::new("sh");
    command.arg("-c").arg(with_port(&step.command, served.port)).current_dir(&workspace.root);
    command.env("PATH", search_path(workspace, suites)?);
    // A proxy of the machine must not come between us and our own server.
    for name in ["no_proxy", "NO_PROXY"] {
        command.env(name, "localhost,127.0.0.1");
    }
    let printed = process::bounded(&mut command, COMMAND_TIMEOUT)?;
    let expected = with_port(&step.expected, served.port);
    if printed.success && compare::is_same(&expected, &printed.stdout) {
        return Ok(());
    }
    let verdict = if printed.success { "" } else { "the command failed\n" };
    let (seen, errors) = (printed.stdout.trim_end(), printed.stderr.trim_end());
    Err(Failure::new(format!(
        "{verdict}--- README.md says\n{expected}\n--- printed\n{seen}\n--- on stderr\n{errors}"
    )))
}

/// The programs of this build and of the suites come first, so that the text means them.
fn search_path(workspace: &Workspace, suites: &Suites) -> Result<std::ffi::OsString> {
    let ours = workspace.program("trunkline").parent().map(PathBuf::from).unwrap_or_default();
    let known = env::var_os("PATH").unwrap_or_default();
    let folders = [ours, suites.bin()].into_iter().chain(env::split_paths(&known));
    env::join_paths(folders).map_err(|error| Failure::new(format!("cannot put the PATH together: {error}")))
}

/// The text shows the ports that a reader will use; here the system chose another one.
fn with_port(text: &str, port: u16) -> String {
    let mut text = text.to_owned();
    for host in ["localhost", "127.0.0.1"] {
        for shown in ["8080", "8443"] {
            text = text.replace(&format!("{host}:{shown}"), &format!("{host}:{port}"));
        }
    }
    text
}

/// The port in `… listening on http://127.0.0.1:PORT …`.
fn port_of(line: &str) -> Option<u16> {
    let (_, address) = line.split_once("listening on http")?;
    let (_, address) = address.split_once("://127.0.0.1:")?;
    let digits = address.find(|c: char| !c.is_ascii_digit()).unwrap_or(address.len());
    address[..digits].parse().ok()
}

fn first_line(command: &str) -> &str {
    command.lines().next().unwrap_or_default()
}

/// Generous, because a debug build on a busy machine makes a certificate first.
const LISTEN_TIMEOUT: Duration = Duration::from_secs(60);
const COMMAND_TIMEOUT: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests;
