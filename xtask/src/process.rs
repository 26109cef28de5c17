//! Child processes: started, watched, and always ended.
//!
//! This module knows pipes and exit codes. It must not know what any program is for.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::failure::{Failure, Result, While};

/// A child that does not outlive this value, whatever happens to the code that holds it.
pub(crate) struct Guard(Child);

impl Guard {
    pub(crate) fn spawn(command: &mut Command) -> Result<Self> {
        command.spawn().map(Self).on(|| format!("start `{}`", line_of(command)))
    }

    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Both fail only when the child has ended and was waited for, which is what we want.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a child printed and how it ended.
#[derive(Debug)]
pub(crate) struct Printed {
    pub(crate) success: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs to the end with our own terminal; any exit code but 0 is a failure.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().on(|| format!("start `{}`", line_of(command)))?;
    succeeded(command, status)
}

/// Runs to the end and returns what was written to stdout; stderr goes to our terminal.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output().on(|| format!("start `{}`", line_of(command)))?;
    succeeded(command, output.status)?;
    String::from_utf8(output.stdout)
        .map_err(|_| Failure::new(format!("`{}` printed bytes that are not UTF-8", line_of(command))))
}

/// Runs to the end and hands over each line of stdout as it comes; stderr goes to our terminal.
pub(crate) fn stream(command: &mut Command, mut each: impl FnMut(&str)) -> Result<ExitStatus> {
    let mut guard = Guard::spawn(command.stdout(Stdio::piped()))?;
    let stdout = guard.child().stdout.take().expect("stdout was set to a pipe above");
    for line in BufReader::new(stdout).lines() {
        each(&line.on(|| format!("read from `{}`", line_of(command)))?);
    }
    guard.child().wait().on(|| format!("wait for `{}`", line_of(command)))
}

/// Runs for at most `limit` and returns everything that was printed.
///
/// A child that closes its output and stays alive is ended too: nobody can see what it still does.
pub(crate) fn bounded(command: &mut Command, limit: Duration) -> Result<Printed> {
    let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut guard = Guard::spawn(piped)?;
    let stdout = collect(guard.child().stdout.take().expect("stdout was set to a pipe above"));
    let stderr = collect(guard.child().stderr.take().expect("stderr was set to a pipe above"));
    let late = |_| Failure::new(format!("`{}` did not end within {limit:?}", line_of(command)));
    let (stdout, stderr) =
        (stdout.recv_timeout(limit).map_err(late)?, stderr.recv_timeout(limit).map_err(late)?);
    let status = guard.child().wait().on(|| format!("wait for `{}`", line_of(command)))?;
    Ok(Printed { success: status.success(), stdout, stderr })
}

/// The command as a person would type it, for messages only: the folder of the program tells nobody anything.
pub(crate) fn line_of(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// Reads a pipe to its end on a thread of its own, so that a full pipe cannot block the child.
fn collect(mut pipe: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::sync_channel(1);
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // A read error ends the text early; the comparison with what was expected then shows it.
        let _ = pipe.read_to_end(&mut bytes);
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

fn succeeded(command: &Command, status: ExitStatus) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(format!("`{}` ended with {status}", line_of(command))))
}

#[cfg(test)]
mod tests;
