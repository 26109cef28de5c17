//! The public suites and tools at their pinned versions, in `target/suites`.
//!
//! It decides which versions count and when they are fetched again. How a suite is driven is decided elsewhere.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::failure::{Failure, Result, While};
use crate::process;

/// The suites, ready to be run.
pub(crate) struct Suites {
    folder: PathBuf,
}

/// A Go program and the file that `go install` makes of it.
struct Tool {
    package: &'static str,
    version: &'static str,
    program: &'static str,
}

/// Fetches what is missing; does nothing when everything is there at the pinned versions.
///
/// # Errors
/// When Go is missing, or the modules cannot be fetched.
pub(crate) fn ensure(folder: PathBuf) -> Result<Suites> {
    let suites = Suites { folder };
    if suites.is_complete() {
        return Ok(suites);
    }
    let go = process::capture(Command::new("go").arg("version")).map_err(|failure| {
        Failure::new(format!(
            "the public suites are Go programs, so Go 1.24 or newer must be in the PATH ({failure})"
        ))
    })?;
    println!("suites: fetching with {}", go.trim());
    // Without its stamp the folder counts as incomplete, so a run that is cut short is done again.
    remove_if_there(&suites.stamp())?;
    for tool in TOOLS {
        println!("suites: {} {}", tool.package, tool.version);
        let mut go = Command::new("go");
        go.arg("install").arg(format!("{}@{}", tool.package, tool.version)).env("GOBIN", suites.bin());
        // Set to another system, Go would refuse GOBIN; the programs run here.
        process::run(go.env_remove("GOOS").env_remove("GOARCH"))?;
    }
    suites.copy_protos(&conformance_module()?)?;
    fs::write(suites.stamp(), stamp()).on(|| "write the stamp of the suites".into())?;
    Ok(suites)
}

impl Suites {
    /// The folder of the programs, which belongs into the `PATH` of what is run against us.
    pub(crate) fn bin(&self) -> PathBuf {
        self.folder.join("bin")
    }

    /// One of the programs.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.bin().join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    fn stamp(&self) -> PathBuf {
        self.folder.join("stamp")
    }

    fn protos(&self) -> PathBuf {
        self.folder.join("proto").join(PROTO_FOLDER)
    }

    /// The stamp tells which versions were fetched; the files are looked for as well, because a folder below `target` loses files to
    /// whoever tidies up.
    fn is_complete(&self) -> bool {
        let is_current = fs::read_to_string(self.stamp()).is_ok_and(|seen| seen == stamp());
        is_current
            && TOOLS.iter().all(|tool| self.program(tool.program).is_file())
            && PROTOS.iter().all(|name| self.protos().join(name).is_file())
    }

    fn copy_protos(&self, module: &Path) -> Result<()> {
        let (from, to) = (module.join("proto").join(PROTO_FOLDER), self.protos());
        fs::create_dir_all(&to).on(|| format!("create {}", to.display()))?;
        for name in PROTOS {
            // Read and written, not copied: files of the module cache are read-only, and a copy would be as well.
            let text = fs::read(from.join(name)).on(|| format!("read {name} of the conformance module"))?;
            remove_if_there(&to.join(name))?;
            fs::write(to.join(name), text).on(|| format!("write {}", to.join(name).display()))?;
        }
        Ok(())
    }
}

/// Where Go unpacked the module of the Connect conformance suite.
fn conformance_module() -> Result<PathBuf> {
    let module = format!("{CONFORMANCE}@{CONFORMANCE_VERSION}");
    let json = process::capture(Command::new("go").args(["mod", "download", "-json", &module]))?;
    module_folder(&json)
}

fn module_folder(json: &str) -> Result<PathBuf> {
    let answer: Value = serde_json::from_str(json).on(|| "read what `go mod download` printed".into())?;
    let folder = answer["Dir"].as_str().map(PathBuf::from);
    folder.ok_or_else(|| Failure::new(format!("`go mod download` names no Dir: {answer}")))
}

fn remove_if_there(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).on(|| format!("remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// What the stamp says when everything is as this file wants it.
fn stamp() -> String {
    let line = |tool: &Tool| format!("{} {}\n", tool.package, tool.version);
    TOOLS.iter().map(line).chain(PROTOS.iter().map(|name| format!("{name}\n"))).collect()
}

const CONFORMANCE: &str = "connectrpc.com/conformance";
const CONFORMANCE_VERSION: &str = "v1.0.5";

const TOOLS: &[Tool] = &[
    Tool {
        package: "connectrpc.com/conformance/cmd/connectconformance",
        version: CONFORMANCE_VERSION,
        program: "connectconformance",
    },
    Tool { package: "github.com/fullstorydev/grpcurl/cmd/grpcurl", version: "v1.9.3", program: "grpcurl" },
    // The newest that is a plain module; it calls itself 2.0.0.
    Tool {
        package: "github.com/summerwind/h2spec/cmd/h2spec",
        version: "v2.2.1+incompatible",
        program: "h2spec",
    },
    Tool { package: "github.com/bojand/ghz/cmd/ghz", version: "v0.120.0", program: "ghz" },
];

const PROTO_FOLDER: &str = "connectrpc/conformance/v1";

/// What the conformance programs speak. The well-known types need no copy, our schema loader has them.
const PROTOS: &[&str] = &["config.proto", "service.proto", "server_compat.proto", "client_compat.proto"];

#[cfg(test)]
pub(crate) mod tests;
