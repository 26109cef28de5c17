//! The commands of README.md, run against a real server and compared with what the text says they print.
//!
//! This module decides what is put in place of the ports of the text. How a server is started is decided in `served`, how the text is read
//! in `readme::blocks`, and when two outputs are the same in `readme::compare`.

mod blocks;
mod compare;

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::failure::{Failure, Result, While};
use crate::process;
use crate::served::Served;
use crate::suites::Suites;
use crate::workspace::Workspace;
pub(crate) use blocks::Label;
use blocks::Step;

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
        let served = Served::trunkline(workspace, label.is_tls())?;
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

fn first_line(command: &str) -> &str {
    command.lines().next().unwrap_or_default()
}

const COMMAND_TIMEOUT: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests;
