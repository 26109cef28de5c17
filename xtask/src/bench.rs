//! Benches, in release builds, printed as they come. They measure; nothing passes or fails by them.

pub(crate) mod peers;

use crate::failure::Result;
use crate::process;
use crate::workspace::Workspace;

/// The micro benches: protocol machines, compressions, whole calls in memory and over loopback.
pub(crate) fn micro(workspace: &Workspace) -> Result<()> {
    let packages = ["-p", "trunkline-wire", "-p", "trunkline"];
    let features = ["--features", "trunkline/compression-all"];
    process::run(workspace.cargo().arg("bench").args(packages).args(features).args(["--bench", "micro"]))
}
