//! From `.proto` sources to the bytes of a descriptor set. Parsing and checking is protox's work; this module decides
//! how its findings are told. It knows nothing of what descriptors mean.

use std::path::{Path, PathBuf};

use miette::Diagnostic;
use protox::Compiler;

use crate::{Error, Place};

/// What a compilation of sources gave.
pub(crate) struct Compiled {
    /// An encoded `FileDescriptorSet`, dependencies first, source info included.
    pub(crate) set: Vec<u8>,
    /// For each file of the set: its name, where it was read from, and whether it was only imported.
    pub(crate) origins: Vec<Origin>,
}

/// Where a file of a set came from.
pub(crate) struct Origin {
    /// The name of the file as an import writes it.
    pub(crate) name: String,
    /// None for the well-known files that are compiled in.
    pub(crate) path: Option<PathBuf>,
    /// Whether nobody asked for the file but another file.
    pub(crate) imported: bool,
}

/// Compiles `files`, which lie below or are named relative to one of `includes`.
pub(crate) fn compile(files: &[&Path], includes: &[&Path]) -> Result<Compiled, Error> {
    let mut compiler = Compiler::new(includes).map_err(|fault| tell(&fault))?;
    compiler.include_source_info(true).include_imports(true);
    for file in files {
        compiler.open_file(file).map_err(|fault| tell(&fault))?;
    }
    let origins = compiler
        .files()
        .map(|file| Origin {
            name: file.name().to_owned(),
            path: file.path().map(Path::to_owned),
            imported: file.is_import(),
        })
        .collect();
    Ok(Compiled { set: compiler.encode_file_descriptor_set(), origins })
}

/// Protox names the place of a fault by labels for a fancy printer. A build log wants `file:line:column: message`.
fn tell(fault: &protox::Error) -> Error {
    if fault.is_io() {
        let cause = std::error::Error::source(fault).and_then(|cause| cause.downcast_ref::<std::io::Error>());
        let cause = cause.map(|cause| std::io::Error::new(cause.kind(), cause.to_string()));
        return Error::Read { message: fault.to_string().into(), cause };
    }
    let line_column = line_column(fault);
    let place = fault.file().map(|file| Place { file: file.into(), line_column });
    Error::Source { place, message: fault.to_string().into() }
}

/// The last label is the one to blame: for a name defined twice the first label shows the first definition.
fn line_column(fault: &protox::Error) -> Option<(u32, u32)> {
    let label = fault.labels()?.last()?;
    let contents = fault.source_code()?.read_span(label.inner(), 0, 0).ok()?;
    let one_based = |zero_based: usize| u32::try_from(zero_based).ok()?.checked_add(1);
    Some((one_based(contents.line())?, one_based(contents.column())?))
}

#[cfg(test)]
pub(crate) mod tests;
