//! A server on a port that the system chose, for as long as a value lives.
//!
//! It knows how a server says where it listens: a line with `listening on http://127.0.0.1:PORT`. It must not know who calls it.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::failure::{Failure, Result};
use crate::process::{self, Guard};
use crate::workspace::Workspace;

/// A server that runs. It ends with this value.
pub(crate) struct Served {
    guard: Guard,
    pub(crate) port: u16,
    /// What it prints behind its first line, up to a bound; closed when it has ended.
    rest: mpsc::Receiver<String>,
}

impl Served {
    /// `trunkline serve`, as a user starts it.
    ///
    /// # Errors
    /// It cannot be started, or does not say where it listens.
    pub(crate) fn trunkline(workspace: &Workspace, is_tls: bool) -> Result<Self> {
        let mut command = Command::new(workspace.program("trunkline"));
        command.args(["serve", "--listen", "127.0.0.1:0"]).current_dir(&workspace.root);
        command.stdin(Stdio::null());
        if is_tls {
            command.arg("--tls-self-signed");
        }
        Self::start(&mut command)
    }

    /// Any program that prints where it listens.
    ///
    /// # Errors
    /// It cannot be started, or does not say where it listens.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let mut guard = Guard::spawn(command.stdout(Stdio::piped()))?;
        let stdout = guard.child().stdout.take().expect("stdout was set to a pipe above");
        let (port_sender, port) = mpsc::sync_channel(1);
        let (sender, rest) = mpsc::sync_channel(LINES_MAX);
        // The thread reads on after the port, so that a server that talks never blocks on a full pipe; it ends with the server.
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(std::result::Result::ok) {
                // Full or gone means that the first port has been taken, and only that one counts.
                if port_of(&line).is_none_or(|port| port_sender.try_send(port).is_err()) {
                    let _ = sender.try_send(line);
                }
            }
        });
        let line = process::line_of(command);
        let port = port.recv_timeout(LISTEN_TIMEOUT).map_err(|error| match error {
            mpsc::RecvTimeoutError::Timeout => {
                Failure::new(format!("`{line}` did not say `listening on` within {LISTEN_TIMEOUT:?}"))
            }
            mpsc::RecvTimeoutError::Disconnected => {
                Failure::new(format!("`{line}` ended without saying `listening on`"))
            }
        })?;
        Ok(Self { guard, port, rest })
    }

    /// Closes the server's standard input, which tells a program of ours to end, and returns what it printed last.
    ///
    /// # Errors
    /// It does not end.
    pub(crate) fn last_words(mut self) -> Result<String> {
        drop(self.guard.child().stdin.take());
        let mut last = String::new();
        loop {
            match self.rest.recv_timeout(LISTEN_TIMEOUT) {
                Ok(line) => last = line,
                Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(last),
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    return Err(Failure::new("a server did not end with its input"));
                }
            }
        }
    }
}

/// The port in `… listening on http://127.0.0.1:PORT …`.
fn port_of(line: &str) -> Option<u16> {
    let (_, address) = line.split_once("listening on http")?;
    let (_, address) = address.split_once("://127.0.0.1:")?;
    let digits = address.find(|c: char| !c.is_ascii_digit()).unwrap_or(address.len());
    address[..digits].parse().ok()
}

/// Generous, because a debug build on a busy machine makes a certificate first.
const LISTEN_TIMEOUT: Duration = Duration::from_secs(60);

/// Lines of a server that are kept for `last_words`; those beyond are let go.
const LINES_MAX: usize = 64;

#[cfg(test)]
mod tests;
