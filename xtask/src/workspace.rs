//! What cargo says about this workspace: where it lies, where it builds, and which crates it has.
//!
//! It decides nothing; rules and steps read it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::failure::{Failure, Result, While};
use crate::process;

/// The workspace as `cargo metadata` describes it.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// Honours `CARGO_TARGET_DIR` and cargo's configuration files.
    target: PathBuf,
    /// Those of the fuzz targets too, which are a workspace of their own because everything below them is built in another way.
    pub(crate) packages: Vec<Package>,
}

/// One crate of the workspace.
#[derive(Debug, Clone, Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// Relative to the root, with `/` between the parts.
    pub(crate) folder: String,
    pub(crate) dependencies: Vec<Dependency>,
    /// The root files of its library and programs, relative to the workspace's root.
    pub(crate) roots: Vec<String>,
    pub(crate) is_library: bool,
}

/// One line of a `[dependencies]` table.
#[derive(Debug, Clone)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) optional: bool,
    /// A crate of this workspace, so the arrow matters.
    pub(crate) is_ours: bool,
}

/// When a dependency is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Normal,
    /// For the tests or the build script of the crate only.
    TestOrBuild,
}

impl Workspace {
    /// Asks cargo.
    pub(crate) fn load() -> Result<Self> {
        let mut command = cargo();
        // Under `cargo xtask` the variable names this crate's folder, so that the command works from any folder of the tree.
        if let Some(folder) = env::var_os("CARGO_MANIFEST_DIR") {
            command.current_dir(folder);
        }
        let json = process::capture(command.args(METADATA))?;
        let mut workspace = Self::parse(&json)?;
        let apart = ["--manifest-path", "fuzz/Cargo.toml"];
        let metadata = read(&process::capture(workspace.cargo().args(METADATA).args(apart))?)?;
        workspace.packages.extend(packages(&workspace.root, &metadata)?);
        Ok(workspace)
    }

    pub(crate) fn parse(json: &str) -> Result<Self> {
        let metadata = read(json)?;
        let root = PathBuf::from(text(&metadata, "workspace_root")?);
        let target = PathBuf::from(text(&metadata, "target_directory")?);
        let packages = packages(&root, &metadata)?;
        Ok(Self { root, target, packages })
    }

    /// A program of the test profile, where `cargo build` puts it; an example is named with its folder, `examples/`.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.target.join("debug").join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }

    /// A program of the release profile, where `cargo build --release` puts it.
    pub(crate) fn released(&self, name: &str) -> PathBuf {
        self.target.join("release").join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }

    /// The folder of the public suites. It stays below the root whatever the target folder is, because the build script of the
    /// conformance programs reads it and cannot know that folder.
    pub(crate) fn suites(&self) -> PathBuf {
        self.root.join("target").join("suites")
    }

    /// A folder for what a step makes and nobody keeps.
    pub(crate) fn scratch(&self, name: &str) -> PathBuf {
        self.target.join("xtask").join(name)
    }

    /// The folder of the fuzz targets' own builds, their corpus, and the inputs that broke something.
    pub(crate) fn fuzz(&self) -> PathBuf {
        self.target.join("fuzz")
    }

    /// The folder of the builds of other people's stacks, apart from ours.
    pub(crate) fn lab(&self) -> PathBuf {
        self.target.join("lab")
    }

    /// Builds every target. The features of a workspace depend on what is selected, so all steps select everything; a build of one
    /// crate alone would build what is below it a second time.
    pub(crate) fn build_all(&self) -> Result<()> {
        process::run(self.cargo().args(["build", "--workspace", "--all-targets"]))
    }

    /// Builds all programs with the features of `build_all`, which the examples bring in, but without the tests.
    pub(crate) fn build_programs(&self) -> Result<()> {
        process::run(self.cargo().args(["build", "--workspace", "--bins", "--examples"]))
    }

    /// `cargo` with its working folder at the root.
    pub(crate) fn cargo(&self) -> Command {
        let mut command = cargo();
        command.current_dir(&self.root);
        command
    }
}

/// The cargo that runs us, so that a toolchain chosen on the command line stays chosen.
fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Cargo tells us about our own crate. Build scripts that watch these variables would run again each time a build from here follows
    // one from a shell, and everything above them would be built twice.
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(|name| OWN_VARIABLES.iter().any(|start| name.starts_with(start))) {
            command.env_remove(name);
        }
    }
    command
}

fn read(json: &str) -> Result<Value> {
    serde_json::from_str(json).on(|| "read cargo's metadata".into())
}

fn packages(root: &Path, metadata: &Value) -> Result<Vec<Package>> {
    list(metadata, "packages").iter().map(|package| parse_package(root, package)).collect()
}

fn parse_package(root: &Path, package: &Value) -> Result<Package> {
    let manifest = relative(root, text(package, "manifest_path")?)?;
    let folder = manifest.trim_end_matches("Cargo.toml").trim_end_matches('/').to_owned();
    let (mut roots, mut is_library) = (Vec::new(), false);
    for target in list(package, "targets") {
        let kinds: Vec<_> = list(target, "kind").iter().filter_map(Value::as_str).collect();
        is_library |= kinds.contains(&"lib");
        if kinds.contains(&"lib") || kinds.contains(&"bin") {
            roots.push(relative(root, text(target, "src_path")?)?);
        }
    }
    let dependencies = list(package, "dependencies").iter().map(parse_dependency).collect::<Result<_>>()?;
    Ok(Package { name: text(package, "name")?.to_owned(), folder, dependencies, roots, is_library })
}

fn parse_dependency(dependency: &Value) -> Result<Dependency> {
    Ok(Dependency {
        name: text(dependency, "name")?.to_owned(),
        kind: if dependency["kind"].is_null() { Kind::Normal } else { Kind::TestOrBuild },
        optional: dependency["optional"].as_bool().unwrap_or(false),
        is_ours: dependency["path"].is_string(),
    })
}

fn relative(root: &Path, path: &str) -> Result<String> {
    let inside = Path::new(path).strip_prefix(root);
    let inside = inside.map_err(|_| Failure::new(format!("{path} lies outside of the workspace")))?;
    Ok(inside.to_string_lossy().replace('\\', "/"))
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str> {
    value[key].as_str().ok_or_else(|| Failure::new(format!("cargo's metadata has no text named {key}")))
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

const METADATA: &[&str] = &["metadata", "--no-deps", "--format-version", "1"];

const OWN_VARIABLES: &[&str] =
    &["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"];

#[cfg(test)]
mod tests;
