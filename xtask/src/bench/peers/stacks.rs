//! The stacks that are compared, and how their programs are built.
//!
//! It knows where sources and programs lie. It must not know what is measured.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Result, While};
use crate::process;
use crate::workspace::Workspace;

/// Whose programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stack {
    Floor,
    Ours,
    GrpcGo,
    Tonic,
    ConnectGo,
    Connectrpc,
}

/// In the order of the tables.
pub(crate) const ALL: [Stack; 6] =
    [Stack::Floor, Stack::Ours, Stack::GrpcGo, Stack::Tonic, Stack::ConnectGo, Stack::Connectrpc];

impl Stack {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Ours => "ours",
            Self::GrpcGo => "grpc-go",
            Self::Tonic => "tonic",
            Self::ConnectGo => "connect-go",
            Self::Connectrpc => "connectrpc",
        }
    }

    pub(crate) fn has_client(self) -> bool {
        !matches!(self, Self::Floor | Self::ConnectGo)
    }
}

/// Where the programs are.
pub(crate) struct Programs<'a> {
    workspace: &'a Workspace,
    sources: PathBuf,
}

impl<'a> Programs<'a> {
    pub(crate) fn new(workspace: &'a Workspace) -> Self {
        Self { workspace, sources: workspace.root.join(FOLDER) }
    }

    /// Go and cargo know what is up to date.
    pub(crate) fn build(&self) -> Result<()> {
        let workspace = self.workspace;
        process::run(workspace.cargo().args(["build", "--release", "-p", OURS]))?;
        for folder in CARGO_FOLDERS {
            let mut cargo = workspace.cargo();
            cargo.args(["build", "--locked", "--release", "--manifest-path"]);
            cargo.arg(self.sources.join(folder).join("Cargo.toml"));
            process::run(cargo.arg("--target-dir").arg(workspace.lab()))?;
        }
        let mut go = Command::new("go");
        go.current_dir(self.sources.join("go")).args(["build", "-o"]).arg(workspace.lab().join("go/"));
        fs::create_dir_all(workspace.lab().join("go"))
            .on(|| "make a folder for the programs in Go".into())?;
        process::run(go.arg("./cmd/...").env_remove("GOOS").env_remove("GOARCH"))
    }

    pub(crate) fn server(&self, stack: Stack) -> PathBuf {
        match stack {
            Stack::Floor => self.lab("bench-floor"),
            Stack::Ours => self.workspace.released("trunkline-bench-server"),
            Stack::GrpcGo => self.go("bench-grpc-go-server"),
            Stack::Tonic => self.lab("bench-tonic-server"),
            Stack::ConnectGo => self.go("bench-connect-go-server"),
            Stack::Connectrpc => self.lab("bench-connectrpc-server"),
        }
    }

    /// The client of a stack, if it has one.
    pub(crate) fn client(&self, stack: Stack) -> Option<PathBuf> {
        match stack {
            Stack::Floor | Stack::ConnectGo => None,
            Stack::Ours => Some(self.workspace.released("trunkline-bench-client")),
            Stack::GrpcGo => Some(self.go("bench-grpc-go-client")),
            Stack::Tonic => Some(self.lab("bench-tonic-client")),
            Stack::Connectrpc => Some(self.lab("bench-connectrpc-client")),
        }
    }

    /// The neutral client.
    pub(crate) fn load(&self) -> PathBuf {
        self.lab("bench-load")
    }

    /// What is compared, and on what.
    ///
    /// # Errors
    /// A lock file cannot be read or does not name what it should.
    pub(crate) fn versions(&self) -> Result<String> {
        let mut lines = vec![machine()];
        for (name, folder, packages) in LOCKED {
            let text = read(&self.sources.join(folder).join("Cargo.lock"))?;
            lines.push(format!("{name}: {}", list(packages, |package| locked(&text, package))?));
        }
        let text = read(&self.sources.join("go").join("go.mod"))?;
        lines.push(format!("go: {}", list(GO_MODULES, |module| required(&text, module))?));
        let rustc = process::capture(Command::new("rustc").arg("--version"))?;
        let go = process::capture(Command::new("go").arg("version"))?;
        lines.push(format!("{}, {}", rustc.trim(), go.trim()));
        Ok(lines.join("\n"))
    }

    fn lab(&self, name: &str) -> PathBuf {
        self.workspace.lab().join("release").join(name)
    }

    fn go(&self, name: &str) -> PathBuf {
        self.workspace.lab().join("go").join(name)
    }
}

/// Names with their versions.
fn list(names: &[&str], version: impl Fn(&str) -> Option<String>) -> Result<String> {
    let with_version = |name: &&str| {
        let version = version(name).ok_or_else(|| Failure::new(format!("no version of {name} is locked")))?;
        Ok(format!("{name} {version}"))
    };
    Ok(names.iter().map(with_version).collect::<Result<Vec<_>>>()?.join(", "))
}

/// The version of a package in a Cargo.lock.
fn locked(text: &str, package: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("name = \"{package}\"\nversion = \""))?;
    Some(rest.split_once('"')?.0.to_owned())
}

/// The version of a module in a go.mod.
fn required(text: &str, module: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix(module)?.strip_prefix(' '));
    line.map(str::to_owned)
}

/// The kind of machine, not its name.
fn machine() -> String {
    let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let processors = text("/proc/cpuinfo");
    let models: Vec<&str> =
        processors.lines().filter_map(|line| line.strip_prefix("model name\t: ")).collect();
    let (kernel, load) = (text("/proc/sys/kernel/osrelease"), text("/proc/loadavg"));
    let load = load.split(' ').next().unwrap_or_default();
    let model = models.first().unwrap_or(&"unknown processor");
    format!("{} × {model}, Linux {}, load {load} at the start", models.len(), kernel.trim())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).on(|| format!("read {}", path.display()))
}

const FOLDER: &str = "lab/peers";

const OURS: &str = "trunkline-bench-server";

/// Workspaces of their own.
const CARGO_FOLDERS: [&str; 3] = ["raw", "tonic", "connectrpc"];

const LOCKED: &[(&str, &str, &[&str])] = &[
    ("tonic", "tonic", &["tonic", "prost", "hyper", "h2", "tokio"]),
    ("connectrpc", "connectrpc", &["connectrpc", "buffa", "hyper", "h2", "tokio"]),
];

const GO_MODULES: &[&str] =
    &["google.golang.org/grpc", "google.golang.org/protobuf", "connectrpc.com/connect"];

#[cfg(test)]
mod tests;
