//! `cargo xtask gen`: the sources that are generated and checked in. It decides which they are and whether they are
//! fresh; what they look like is decided by `trunkline-codegen`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use trunkline_codegen::{Config, Generated};

use crate::failure::{Failure, Result, While};
use crate::workspace::Workspace;

/// The files that `trunkline` itself serves or reads, below [`PROTO`].
const FILES: [&str; 5] = [
    "google/rpc/error_details.proto",
    "google/rpc/status.proto",
    "grpc/health/v1/health.proto",
    "grpc/reflection/v1/reflection.proto",
    "grpc/reflection/v1alpha/reflection.proto",
];

/// Where their sources are.
const PROTO: &str = "crates/trunkline/proto";

/// The folder that holds generated files and nothing else.
const OUT: &str = "crates/trunkline/src/generated";

/// Writes the generated sources, or compares them with what is there.
pub(crate) fn run(workspace: &Workspace, check: bool) -> Result<()> {
    let proto = workspace.root.join(PROTO);
    let out = workspace.root.join(OUT);
    let files = Config::new()
        .files(FILES)
        .includes([&proto])
        .json_feature("json")
        .include_file("mod.rs")
        .generate()
        .map_err(|fault| Failure::new(format!("{PROTO}: {fault}")))?;
    let stale = stale(&out, &files)?;
    if check {
        return match stale.first() {
            None => Ok(()),
            Some(_) => Err(Failure::new(format!(
                "{} of {} generated files are stale, run `cargo xtask gen`:\n{}",
                stale.len(),
                files.len(),
                stale.iter().map(|path| format!("  {}", path.display())).collect::<Vec<_>>().join("\n"),
            ))),
        };
    }
    write(&out, &files, &stale)?;
    println!("gen: {} files in {OUT}, {} changed", files.len(), stale.len());
    Ok(())
}

/// The files of `out` that differ from `files`, are missing, or should not be there.
fn stale(out: &Path, files: &[Generated]) -> Result<Vec<PathBuf>> {
    let mut seen = BTreeSet::new();
    list(out, &mut seen)?;
    let mut stale = Vec::new();
    for file in files {
        let path = out.join(&file.name);
        if !seen.remove(&path) || fs::read(&path).is_ok_and(|content| content != file.content) {
            stale.push(path);
        }
    }
    stale.extend(seen);
    Ok(stale)
}

/// All files below `folder`; none when it is not there.
fn list(folder: &Path, files: &mut BTreeSet<PathBuf>) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry.on(|| format!("list {}", folder.display()))?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.insert(path);
        }
    }
    Ok(())
}

/// Brings the stale files in line: writes those that are generated, removes those that no longer are.
fn write(out: &Path, files: &[Generated], stale: &[PathBuf]) -> Result<()> {
    for path in stale {
        let folder = path.parent().unwrap_or(out);
        match files.iter().find(|file| out.join(&file.name) == *path) {
            Some(file) => {
                fs::create_dir_all(folder).on(|| format!("make {}", folder.display()))?;
                fs::write(path, &file.content).on(|| format!("write {}", path.display()))?;
            }
            None => fs::remove_file(path).on(|| format!("remove {}", path.display()))?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
