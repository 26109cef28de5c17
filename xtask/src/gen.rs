//! `cargo xtask gen`: the sources that are generated and checked in.
//!
//! It decides where they belong and whether they are fresh. What they look like is decided by `trunkline-codegen`, with the options of
//! `xtask/examples/generate.rs`, a program of its own: a tool that depended on the generator would make everybody wait for it, and
//! would build it a second time, with other features than the workspace has.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::failure::{Failure, Result, While};
use crate::process;
use crate::workspace::Workspace;

/// Files by their path below one folder.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Builds the generator and writes the generated sources, or only compares them with what is there.
///
/// # Errors
/// When a source cannot be generated; with `check`, when a file is not as it would be generated.
pub(crate) fn run(workspace: &Workspace, check: bool) -> Result<()> {
    // Alone, because the rest of the workspace may not compile while its generated sources are stale.
    process::run(workspace.cargo().args([
        "build",
        "--quiet",
        "--package",
        "xtask",
        "--example",
        "generate",
    ]))?;
    run_built(workspace, check)
}

/// As `run`, with the generator already built.
pub(crate) fn run_built(workspace: &Workspace, check: bool) -> Result<()> {
    let fresh_folder = workspace.scratch("gen");
    if fresh_folder.exists() {
        fs::remove_dir_all(&fresh_folder).on(|| format!("remove {}", fresh_folder.display()))?;
    }
    process::run(
        Command::new(workspace.program("examples/generate")).arg(&workspace.root).arg(&fresh_folder),
    )?;
    let fresh = read(&fresh_folder)?;
    let folder = workspace.root.join(OUT);
    let stale = stale(&read(&folder)?, &fresh);
    if check && !stale.is_empty() {
        let list = stale.iter().map(|path| format!("\n  {OUT}/{path}")).collect::<String>();
        return Err(Failure::new(format!("{} stale files, run `cargo xtask gen`:{list}", stale.len())));
    }
    write(&folder, &fresh, &stale)?;
    println!("gen: {} files in {OUT}, {} changed", fresh.len(), stale.len());
    Ok(())
}

/// All files below `folder`; none when it is not there.
pub(crate) fn read(folder: &Path) -> Result<Files> {
    let mut files = Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let Ok(entries) = fs::read_dir(&next) else { continue };
        for entry in entries {
            let path = entry.on(|| format!("list {}", next.display()))?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name =
                path.strip_prefix(folder).expect("every entry lies below the folder it was listed from");
            let content = fs::read(&path).on(|| format!("read {}", path.display()))?;
            files.insert(name.to_string_lossy().replace('\\', "/"), content);
        }
    }
    Ok(files)
}

/// The paths that differ, are missing, or should not be there.
pub(crate) fn stale(seen: &Files, fresh: &Files) -> Vec<String> {
    let changed = fresh.iter().filter(|(path, content)| seen.get(*path) != Some(*content));
    let left_over = seen.keys().filter(|path| !fresh.contains_key(*path));
    changed.map(|(path, _)| path).chain(left_over).cloned().collect()
}

/// Brings the stale files in line: writes those that are generated, removes those that no longer are.
fn write(folder: &Path, fresh: &Files, stale: &[String]) -> Result<()> {
    for path in stale {
        let target = folder.join(path);
        match fresh.get(path) {
            Some(content) => {
                let parent = target.parent().unwrap_or(folder);
                fs::create_dir_all(parent).on(|| format!("make {}", parent.display()))?;
                fs::write(&target, content).on(|| format!("write {}", target.display()))?;
            }
            None => fs::remove_file(&target).on(|| format!("remove {}", target.display()))?,
        }
    }
    Ok(())
}

/// The folder that holds generated files and nothing else.
const OUT: &str = "crates/trunkline/src/generated";

#[cfg(test)]
mod tests;
