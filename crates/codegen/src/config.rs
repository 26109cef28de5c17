//! What a `build.rs` asks for, and how the answer reaches its output folder. It knows no generated code.

use std::path::{Path, PathBuf};
use std::{env, fs};

use trunkline_schema::{DescriptorSet, File};

use crate::{Error, emit, messages};

/// Generates code for `.proto` files into the output folder of a `build.rs`: messages with JSON, servers and clients.
///
/// Each of `files` lies below one of `includes`. Files that they import are generated as well, but for
/// `google/protobuf/*.proto`, whose messages come with `trunkline`.
///
/// # Errors
/// See [`Config::compile`].
pub fn compile<F: AsRef<Path>, I: AsRef<Path>>(files: &[F], includes: &[I]) -> Result<(), Error> {
    Config::new().files(files).includes(includes).compile()
}

/// What shall be generated, from what, and where to.
///
/// ```no_run
/// trunkline_codegen::Config::new()
///     .files(["proto/greet.proto"])
///     .includes(["proto"])
///     .extern_path(".acme.common", "::acme_common::proto")
///     .compile()
///     .unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct Config {
    files: Vec<PathBuf>,
    includes: Vec<PathBuf>,
    descriptor_set: Option<PathBuf>,
    /// An encoded set that is in memory already.
    descriptors: Option<Vec<u8>>,
    json: bool,
    json_feature: Option<String>,
    extern_paths: Vec<(String, String)>,
    server: bool,
    client: bool,
    default_stubs: bool,
    out_dir: Option<PathBuf>,
    include_file: String,
}

/// One file of generated code.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Generated {
    /// Its name, relative to the folder of the include file.
    pub name: String,
    /// What it holds: Rust, or an encoded descriptor.
    pub content: Vec<u8>,
}

/// All that a run gives.
struct Outcome {
    /// The include file first.
    files: Vec<Generated>,
    /// What the run has read.
    sources: Vec<PathBuf>,
    /// What the author of the schema should know, though it is no error.
    remarks: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self::new()
    }
}

impl Config {
    /// Nothing to generate yet; JSON, servers and clients are on.
    pub fn new() -> Self {
        Self {
            files: Vec::new(),
            includes: Vec::new(),
            descriptor_set: None,
            descriptors: None,
            json: true,
            json_feature: None,
            extern_paths: Vec::new(),
            server: true,
            client: true,
            default_stubs: false,
            out_dir: None,
            include_file: "trunkline.rs".to_owned(),
        }
    }

    /// The `.proto` files to generate code for. With a descriptor set these are names of files in it.
    #[must_use]
    pub fn files<P: AsRef<Path>>(mut self, files: impl IntoIterator<Item = P>) -> Self {
        self.files.extend(files.into_iter().map(|file| file.as_ref().to_owned()));
        self
    }

    /// The folders that imports are looked up in, first one first.
    #[must_use]
    pub fn includes<P: AsRef<Path>>(mut self, includes: impl IntoIterator<Item = P>) -> Self {
        self.includes.extend(includes.into_iter().map(|include| include.as_ref().to_owned()));
        self
    }

    /// Reads this file, made by `buf build` or `protoc --include_imports --descriptor_set_out`, instead of sources.
    /// It is the way to use editions. Without [`files`](Self::files), all of it is generated.
    #[must_use]
    pub fn descriptor_set(mut self, path: impl Into<PathBuf>) -> Self {
        self.descriptor_set = Some(path.into());
        self
    }

    /// Takes this encoded set instead of a file with one.
    pub(crate) fn descriptors(mut self, set: Vec<u8>) -> Self {
        self.descriptors = Some(set);
        self
    }

    /// Whether messages can be read from and written as JSON. On at first; off makes less code, and procedures that speak
    /// binary Protobuf only. On needs the feature `json` of `trunkline`, which is on by default.
    #[must_use]
    pub fn json(mut self, json: bool) -> Self {
        self.json = json;
        self
    }

    /// Puts what JSON needs behind this feature of the crate that the code goes into.
    #[must_use]
    pub fn json_feature(mut self, feature: impl Into<String>) -> Self {
        self.json_feature = Some(feature.into());
        self
    }

    /// Takes the messages of a package, or one message, from elsewhere: `(".acme.common", "::acme_common::proto")`.
    #[must_use]
    pub fn extern_path(mut self, proto: impl Into<String>, rust: impl Into<String>) -> Self {
        self.extern_paths.push((proto.into(), rust.into()));
        self
    }

    /// Whether traits and servers are generated. On at first.
    #[must_use]
    pub fn server(mut self, server: bool) -> Self {
        self.server = server;
        self
    }

    /// Whether clients are generated. On at first.
    #[must_use]
    pub fn client(mut self, client: bool) -> Self {
        self.client = client;
        self
    }

    /// Whether the methods of a trait have a body that fails with `Unimplemented`, so that an implementation may leave
    /// some out. Off at first: then the compiler names what is missing. The error type of such a trait must also be
    /// `From<trunkline::Error>`.
    #[must_use]
    pub fn default_stubs(mut self, default_stubs: bool) -> Self {
        self.default_stubs = default_stubs;
        self
    }

    /// Where the files go. At first it is `OUT_DIR`, which cargo sets for a `build.rs`.
    #[must_use]
    pub fn out_dir(mut self, out_dir: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(out_dir.into());
        self
    }

    /// The name of the file that a user includes. At first it is `trunkline.rs`. Files of an include file with a name
    /// of its own carry that name, so that several can stand side by side.
    #[must_use]
    pub fn include_file(mut self, name: impl Into<String>) -> Self {
        self.include_file = name.into();
        self
    }

    /// Generates the code and writes it, and tells cargo when to do it again.
    ///
    /// # Errors
    /// [`Error::Schema`] names file, line and column of a mistake in a source; the other kinds say what else is wrong.
    pub fn compile(self) -> Result<(), Error> {
        let out_dir = match (&self.out_dir, env::var_os("OUT_DIR")) {
            (Some(out_dir), _) => out_dir.clone(),
            (None, Some(out_dir)) => PathBuf::from(out_dir),
            (None, None) => {
                let message = "OUT_DIR is not set: call this from a build.rs, or set `out_dir`".to_owned();
                return Err(Error::Config { message });
            }
        };
        let outcome = self.run()?;
        for source in &outcome.sources {
            println!("cargo:rerun-if-changed={}", source.display());
        }
        for remark in &outcome.remarks {
            println!("cargo:warning={}", remark.replace('\n', " "));
        }
        outcome.files.iter().try_for_each(|file| write(&out_dir, file))
    }

    /// Generates the code and gives it back instead of writing it. The first file is the one that a user includes.
    ///
    /// Code that is checked in is made this way. An include file called `mod.rs` is a module as it stands, for all its
    /// paths are relative:
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let config = trunkline_codegen::Config::new().files(["proto/greet.proto"]).includes(["proto"]);
    /// for file in config.include_file("mod.rs").generate()? {
    ///     println!("{}: {} bytes", file.name, file.content.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Config::compile`].
    pub fn generate(&self) -> Result<Vec<Generated>, Error> {
        Ok(self.run()?.files)
    }

    /// The whole way from sources to files in memory.
    fn run(&self) -> Result<Outcome, Error> {
        let name = &self.include_file;
        let plain =
            name.strip_suffix(".rs").is_some_and(|stem| !stem.is_empty() && !stem.contains(['/', '\\', '"']));
        if !plain {
            return Err(Error::Config {
                message: format!("include_file: {name:?} is not a plain name with .rs"),
            });
        }
        let set = self.load()?;
        let wanted = self.wanted(&set)?;
        let messages = messages::Messages::new(
            &set,
            &wanted,
            &messages::Options {
                json: self.json,
                json_feature: self.json_feature.as_deref(),
                extern_paths: &self.extern_paths,
            },
        )?;
        let options = emit::Options {
            server: self.server,
            client: self.client,
            json: self.json,
            default_stubs: self.default_stubs,
            include_file: &self.include_file,
        };
        let (files, remarks) = emit::generate(&set, &wanted, &messages, &options)?;
        let sources = set.files().iter().filter_map(File::path).map(Path::to_owned);
        Ok(Outcome { files, sources: sources.chain(self.descriptor_set.clone()).collect(), remarks })
    }

    /// Loads what the configuration names.
    fn load(&self) -> Result<DescriptorSet, Error> {
        if let Some(bytes) = &self.descriptors {
            return Ok(DescriptorSet::from_bytes(bytes)?);
        }
        let Some(path) = &self.descriptor_set else {
            if self.files.is_empty() {
                let message = "nothing to generate: neither files nor a descriptor set".to_owned();
                return Err(Error::Config { message });
            }
            return Ok(DescriptorSet::from_sources(&self.files, &self.includes)?);
        };
        let bytes = fs::read(path).map_err(|cause| Error::Io { path: path.clone(), cause })?;
        Ok(DescriptorSet::from_bytes(&bytes)?)
    }

    /// The names of the files that code is generated for: those that were asked for and what they import, without what
    /// comes from elsewhere.
    fn wanted<'a>(&self, set: &'a DescriptorSet) -> Result<Vec<&'a str>, Error> {
        let mut asked: Vec<&str> = Vec::new();
        if self.descriptor_set.is_none() && self.descriptors.is_none() {
            asked.extend(set.files().iter().filter(|file| !file.is_imported()).map(File::name));
        } else {
            for file in &self.files {
                let name = file.to_string_lossy().replace('\\', "/");
                let found = set.file(&name).ok_or(Error::NotInSet { file: name })?;
                asked.push(found.name());
            }
        }
        let reachable = if asked.is_empty() { set.files().iter().collect() } else { set.closure(&asked) };
        let wanted = reachable
            .into_iter()
            .filter(|file| asked.contains(&file.name()) || !is_below(file.package(), "google.protobuf"))
            .filter(|file| {
                let elsewhere = |proto: &str| is_below(file.package(), proto.trim_start_matches('.'));
                !self.extern_paths.iter().any(|(proto, _)| elsewhere(proto))
            })
            .map(File::name);
        Ok(wanted.collect())
    }
}

/// Whether `package` is `above` or lies in it.
fn is_below(package: &str, above: &str) -> bool {
    package.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Writes a file unless it says the same already: a file that is not touched does not make cargo build again.
fn write(out_dir: &Path, file: &Generated) -> Result<(), Error> {
    let path = out_dir.join(&file.name);
    if fs::read(&path).is_ok_and(|content| content == file.content) {
        return Ok(());
    }
    let fault = |cause| Error::Io { path: path.clone(), cause };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(fault)?;
    }
    fs::write(&path, &file.content).map_err(fault)
}

#[cfg(test)]
pub(crate) mod tests;
