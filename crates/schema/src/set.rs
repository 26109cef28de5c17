//! A set of files that is whole: each import is there, each name is defined once, and each method names messages that
//! exist. It decides the order of the files. It knows neither where they are from nor what they are used for.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::path::Path;

use crate::file::File;
use crate::source::{self, Origin};
use crate::{Error, raw};

/// A whole set of descriptors, in dependency order.
#[derive(Debug, Clone)]
pub struct DescriptorSet {
    /// Each behind those that it imports.
    files: Vec<File>,
}

impl DescriptorSet {
    /// Compiles `.proto` sources. Each of `files` is a path below one of the `includes`, or a name relative to one.
    /// No protoc is needed; `google/protobuf/*.proto` are at hand without an include.
    ///
    /// # Errors
    /// [`Error::Source`] names file, line and column of a mistake; [`Error::Read`] a file that cannot be read.
    pub fn from_sources<F, I>(files: &[F], includes: &[I]) -> Result<Self, Error>
    where
        F: AsRef<Path>,
        I: AsRef<Path>,
    {
        let files: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
        let includes: Vec<&Path> = includes.iter().map(AsRef::as_ref).collect();
        let compiled = source::compile(&files, &includes)?;
        let mut origins: HashMap<String, Origin> =
            compiled.origins.into_iter().map(|origin| (origin.name.clone(), origin)).collect();
        let mut set = Self::from_bytes(&compiled.set)?;
        for file in &mut set.files {
            if let Some(origin) = origins.remove(file.name()) {
                file.set_origin(origin.path, origin.imported);
            }
        }
        Ok(set)
    }

    /// Reads an encoded `FileDescriptorSet`, as `protoc --include_imports --descriptor_set_out` and `buf build` write
    /// it.
    ///
    /// # Errors
    /// [`Error::Set`] when the bytes do not decode, an import is missing, a name is defined twice or is no name, or a
    /// method uses a message that the set does not have.
    pub fn from_bytes(set: &[u8]) -> Result<Self, Error> {
        let files = raw::split_set(set)?.into_iter().map(File::decode).collect::<Result<Vec<_>, _>>()?;
        let files = in_dependency_order(files)?;
        check_symbols(&files)?;
        check_methods(&files)?;
        Ok(Self { files })
    }

    /// All files, each behind those that it imports.
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// The file of this name.
    pub fn file(&self, name: &str) -> Option<&File> {
        self.files.iter().find(|file| file.name() == name)
    }

    /// The named files and all that they import, in dependency order. Names that the set does not have are passed
    /// over.
    ///
    /// ```
    /// let set = trunkline_schema::DescriptorSet::from_bytes(b"")?;
    /// assert!(set.closure(&["greet.proto"]).is_empty());
    /// # Ok::<(), trunkline_schema::Error>(())
    /// ```
    ///
    /// # Cost
    /// Linear in the files and imports of the set.
    pub fn closure<'a>(&'a self, names: &[&str]) -> Vec<&'a File> {
        let mut wanted: HashSet<&str> = names.iter().copied().collect();
        // From the back, each file is met behind all files that import it.
        for file in self.files.iter().rev() {
            if wanted.contains(file.name()) {
                wanted.extend(file.dependencies().iter().map(String::as_str));
            }
        }
        self.files.iter().filter(|file| wanted.contains(file.name())).collect()
    }
}

/// Kahn's algorithm with the given order as the tie-breaker: a set that is in order already stays as it is.
fn in_dependency_order(files: Vec<File>) -> Result<Vec<File>, Error> {
    let mut index = HashMap::new();
    for (at, file) in files.iter().enumerate() {
        if index.insert(file.name(), at).is_some() {
            return Err(Error::in_file(file.name(), "the set has this file twice"));
        }
    }
    let mut importers: Vec<Vec<usize>> = vec![Vec::new(); files.len()];
    let mut imports_left = vec![0usize; files.len()];
    for (at, file) in files.iter().enumerate() {
        for dependency in file.dependencies() {
            let Some(&imported) = index.get(dependency.as_str()) else {
                return Err(Error::in_file(
                    file.name(),
                    format!(
                        "the set lacks the import {dependency:?}; was it made with its imports included?"
                    ),
                ));
            };
            importers[imported].push(at);
            imports_left[at] += 1;
        }
    }
    let mut ready: BinaryHeap<_> =
        (0..files.len()).filter(|&at| imports_left[at] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(files.len());
    while let Some(Reverse(at)) = ready.pop() {
        order.push(at);
        for &importer in &importers[at] {
            imports_left[importer] -= 1;
            if imports_left[importer] == 0 {
                ready.push(Reverse(importer));
            }
        }
    }
    if let Some(stuck) = imports_left.iter().position(|left| *left > 0) {
        return Err(Error::in_file(files[stuck].name(), "it imports itself, directly or through others"));
    }
    let mut files: Vec<Option<File>> = files.into_iter().map(Some).collect();
    Ok(order.into_iter().filter_map(|at| files[at].take()).collect())
}

/// A full name means one thing in a set (language specification, "Name resolution").
fn check_symbols(files: &[File]) -> Result<(), Error> {
    let mut defined: HashMap<&str, &str> = HashMap::new();
    for file in files {
        for symbol in file.symbols() {
            if let Some(first) = defined.insert(symbol, file.name()) {
                return Err(Error::in_file(
                    file.name(),
                    format!("`{symbol}` is defined twice, the first time in {first}"),
                ));
            }
        }
    }
    Ok(())
}

/// Requests and replies are messages, and those messages are here.
fn check_methods(files: &[File]) -> Result<(), Error> {
    let messages: HashSet<&str> = files.iter().flat_map(File::messages).map(String::as_str).collect();
    for file in files {
        for service in file.services() {
            for method in &service.methods {
                for type_name in [&method.input, &method.output] {
                    if !messages.contains(type_name.as_str()) {
                        return Err(Error::in_file(
                            file.name(),
                            format!("{}.{}: no message `{type_name}`", service.full_name, method.name),
                        ));
                    }
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
