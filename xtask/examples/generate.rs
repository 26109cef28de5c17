//! Writes the code of the services that the library ships: `generate ROOT OUT`.
//!
//! It is a program of its own, and not part of the tool, so that nobody waits for the code generator who only wants the checks. It decides
//! the generator's options; where its output belongs is decided in `xtask/src/gen.rs`.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io};

fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [root, out] = arguments.as_slice() else {
        eprintln!("usage: generate ROOT OUT");
        return ExitCode::from(2);
    };
    match generate(root, out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("generate: {error}");
            ExitCode::FAILURE
        }
    }
}

fn generate(root: &Path, out: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let protos = root.join("crates").join("trunkline").join("proto");
    let config = trunkline_codegen::Config::new()
        .files(sources(&protos)?)
        .includes([&protos])
        .json_feature("json")
        .include_file("mod.rs");
    for file in config.generate()? {
        let path = out.join(&file.name);
        fs::create_dir_all(path.parent().unwrap_or(out))?;
        fs::write(path, &file.content)?;
    }
    Ok(())
}

/// Every `.proto` below `folder`, in one order on every system.
fn sources(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sources.extend(self::sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "proto") {
            sources.push(path);
        }
    }
    sources.sort();
    Ok(sources)
}
