//! Starts the program, and talks to it as bytes on a socket.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::time::Duration;

/// Longest wait for an answer of a server on this machine; reached only when something is wrong.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// Runs the program to its end.
pub(crate) fn run(args: &[&str]) -> Output {
    command(args).stdin(Stdio::null()).output().unwrap()
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.args(args);
    command
}

/// A `trunkline serve` on a free port; it ends with this value.
pub(crate) struct Served {
    child: Child,
    stdout: BufReader<ChildStdout>,
    /// What it said first.
    pub(crate) first_line: String,
    pub(crate) port: u16,
}

impl Served {
    pub(crate) fn start(args: &[&str]) -> Self {
        let mut command = command(&["serve", "--listen", "127.0.0.1:0"]);
        let mut child = command
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut first_line = String::new();
        stdout.read_line(&mut first_line).unwrap();
        let port = first_line.trim_end().rsplit(':').next().and_then(|port| port.parse().ok());
        let port = port.unwrap_or_else(|| panic!("no port in {first_line:?}"));
        Self { child, stdout, first_line, port }
    }

    /// Sends `bytes` on a new connection and reads until the server closes.
    pub(crate) fn exchange(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(bytes).unwrap();
        read_all(&mut stream)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(ANSWER_TIMEOUT)).unwrap();
        stream
    }

    /// Sends a signal, such as `TERM`.
    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").arg(format!("-{name}")).arg(self.child.id().to_string()).status();
        assert!(sent.unwrap().success());
    }

    /// Waits for the end; gives how it ended and what it had still said, on stdout and then on stderr.
    pub(crate) fn ended(mut self) -> (ExitStatus, String) {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap(), rest)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What arrives until the other side closes.
pub(crate) fn read_all(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}
