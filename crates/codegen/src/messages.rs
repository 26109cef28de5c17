//! The messages: how buffa-codegen is asked for them, and what becomes of its answer. It knows no services.

use buffa::Message;
use buffa_codegen::context::CodeGenContext;
use buffa_codegen::{CodeGenConfig, GeneratedFileKind};
use buffa_descriptor::generated::descriptor::FileDescriptorProto;
use trunkline_schema::DescriptorSet;

use crate::{Error, names, paths};

/// The messages of a set, and the way to name their types.
pub(crate) struct Messages {
    /// All files of the set, dependencies first.
    descriptors: Vec<FileDescriptorProto>,
    /// The names of those that code is generated for.
    wanted: Vec<String>,
    /// What buffa-codegen is asked for. Naming types takes the same answers as generating them.
    options: CodeGenConfig,
}

/// How messages shall be.
pub(crate) struct Options<'a> {
    /// Whether they can be read from and written as JSON.
    pub(crate) json: bool,
    /// The feature that JSON goes behind, if any.
    pub(crate) json_feature: Option<&'a str>,
    /// Packages and messages that come from elsewhere, and where from.
    pub(crate) extern_paths: &'a [(String, String)],
}

/// Generated messages.
pub(crate) struct Code {
    /// The name of each package and its code.
    pub(crate) packages: Vec<(String, String)>,
    /// What the generator remarks on the schema. None of it is an error.
    pub(crate) remarks: Vec<String>,
}

impl Messages {
    /// Reads the descriptors of `set` for the generation of the files `wanted`.
    pub(crate) fn new(set: &DescriptorSet, wanted: &[&str], options: &Options<'_>) -> Result<Self, Error> {
        let decode = |file: &trunkline_schema::File| {
            FileDescriptorProto::decode_from_slice(file.bytes())
                .map_err(|fault| Error::Messages { message: format!("{}: {fault}", file.name()) })
        };
        let mut config = CodeGenConfig::default();
        config.generate_views = false;
        config.generate_json = options.json;
        config.file_per_package = true;
        config.extern_paths = options.extern_paths.to_vec();
        if let Some(feature) = options.json_feature {
            config.gate_impls_on_crate_features = true;
            feature.clone_into(&mut config.feature_gate_names.json);
        }
        Ok(Self {
            descriptors: set.files().iter().map(decode).collect::<Result<_, _>>()?,
            wanted: wanted.iter().map(|name| (*name).to_owned()).collect(),
            options: config,
        })
    }

    /// Generates the messages.
    pub(crate) fn generate(&self) -> Result<Code, Error> {
        let (files, remarks) =
            buffa_codegen::generate_with_diagnostics(&self.descriptors, &self.wanted, &self.options)
                .map_err(|fault| Error::Messages { message: fault.to_string() })?;
        let packages = files
            .into_iter()
            .filter(|file| file.kind == GeneratedFileKind::PackageMod)
            .map(|file| (file.package, paths::through_trunkline(&file.content)))
            .collect();
        Ok(Code { packages, remarks: remarks.iter().map(ToString::to_string).collect() })
    }

    /// The way to name types in generated code.
    pub(crate) fn types(&self) -> Types<'_> {
        Types(CodeGenContext::for_generate(&self.descriptors, &self.wanted, &self.options))
    }
}

/// Finds the Rust path of a message.
pub(crate) struct Types<'a>(CodeGenContext<'a>);

impl Types<'_> {
    /// The path of the message `full_name` from `depth` modules below the module of `package`.
    pub(crate) fn path(&self, full_name: &str, package: &str, depth: usize) -> Result<String, Error> {
        let path = self
            .0
            .rust_type_relative(&format!(".{full_name}"), package, depth)
            .ok_or_else(|| Error::Messages { message: format!("no Rust type for `{full_name}`") })?;
        Ok(paths::through_trunkline(&names::escape_path(&path)))
    }
}
