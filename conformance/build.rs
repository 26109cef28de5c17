//! Generates the messages, the server trait and the client of the Connect conformance service, and of our own service for
//! streams of small messages.
//!
//! The sources belong to the public suite and are not part of this tree: `cargo xtask suites` puts them below `target`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The files that import all others.
const ROOTS: [&str; 3] = ["service.proto", "server_compat.proto", "client_compat.proto"];

/// Where the suite keeps them, below the folder of imports.
const PACKAGE: &str = "connectrpc/conformance/v1";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Compiles what the suite calls its service and its words to the programs.
///
/// # Errors
/// The sources are missing, or do not compile.
fn run() -> Result<(), String> {
    let includes = protos()?;
    let own = root()?.join("lab").join("small-frames");
    let mut files = ROOTS.map(|name| includes.join(PACKAGE).join(name)).to_vec();
    files.push(own.join("small_frames.proto"));
    // The suite has a procedure that a server shall leave out.
    let config = trunkline_codegen::Config::new().files(files).includes([includes, own]).default_stubs(true);
    config.compile().map_err(|error| error.to_string())
}

/// The folder of imports. Its place does not depend on the target folder of this build: the suites lie below the root
/// whatever `CARGO_TARGET_DIR` says.
///
/// # Errors
/// The folder is not complete; then the message says which command fills it.
fn protos() -> Result<PathBuf, String> {
    let folder = root()?.join("target").join("suites").join("proto");
    let complete = ROOTS.iter().all(|name| folder.join(PACKAGE).join(name).is_file());
    if !complete {
        return Err(
            "target/suites has no sources of the conformance service: run `cargo xtask suites`".to_owned()
        );
    }
    Ok(folder)
}

/// The root of the workspace.
///
/// # Errors
/// Somebody other than cargo has started this.
fn root() -> Result<PathBuf, String> {
    let manifest =
        env::var_os("CARGO_MANIFEST_DIR").ok_or("cargo sets CARGO_MANIFEST_DIR for a build script")?;
    Ok(Path::new(&manifest).parent().ok_or("the crate lies in a workspace")?.to_owned())
}
