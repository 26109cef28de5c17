//! Formatting and lints, as CI wants them.
//!
//! Which lints are on is decided in the root Cargo.toml; this module only turns warnings into failures.

use crate::failure::Result;
use crate::fuzz;
use crate::process;
use crate::workspace::Workspace;

/// Every source is as rustfmt writes it; those that are not are named, and `cargo fmt` shows the rest.
pub(crate) fn fmt(workspace: &Workspace) -> Result<()> {
    process::run(workspace.cargo().args(["fmt", "--all", "--", "--check", "-l"]))?;
    let apart = ["fmt", "--manifest-path", "fuzz/Cargo.toml", "--", "--check", "-l"];
    process::run(workspace.cargo().args(apart))
}

/// Clippy and rustc have nothing to say.
pub(crate) fn clippy(workspace: &Workspace) -> Result<()> {
    process::run(workspace.cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    fuzz::clippy(workspace)
}
