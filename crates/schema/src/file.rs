//! One file of a set: which names it defines and which bytes describe it. Names are checked here, once, so that a
//! generator may write them into code. It knows nothing of the other files.

use std::path::{Path, PathBuf};

use buffa_descriptor::generated::descriptor::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, ServiceDescriptorProto,
};

use crate::service::{self, Service};
use crate::{Error, raw};

/// The longest full name that a set may define. Names of members repeat those of what they lie in, so without a bound
/// a small set could ask for a lot of memory.
const SYMBOL_BYTES_MAX: usize = 2048;

/// How much memory the elements of one decoded file may take. Descriptors of the largest public schemas stay far below.
const FILE_ELEMENT_BYTES_MAX: usize = 256 * 1024 * 1024;

/// A file of a [`DescriptorSet`](crate::DescriptorSet).
#[derive(Debug, Clone)]
pub struct File {
    name: String,
    package: String,
    dependencies: Vec<String>,
    symbols: Vec<String>,
    messages: Vec<String>,
    extensions: Vec<Extension>,
    services: Vec<Service>,
    bytes: Vec<u8>,
    embedded: Vec<u8>,
    path: Option<PathBuf>,
    imported: bool,
}

/// A field that extends a message of another place.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extension {
    /// The full name of the extension, without a leading dot.
    pub name: String,
    /// The full name of the extended message, without a leading dot.
    pub extendee: String,
    /// The field number in the extended message.
    pub number: u32,
}

impl File {
    /// Reads an encoded `FileDescriptorProto`.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let descriptor: FileDescriptorProto = buffa::DecodeOptions::new()
            .with_element_memory_limit(FILE_ELEMENT_BYTES_MAX)
            .decode_from_slice(bytes)
            .map_err(|fault| Error::set(format!("a file does not decode: {fault}")))?;
        let name = file_name(descriptor.name.as_deref())?;
        let package = descriptor.package.clone().unwrap_or_default();
        let mut walk = Walk::new(&name);
        if !package.is_empty() {
            for part in package.split('.') {
                walk.check_identifier(part, "package")?;
            }
        }
        for dependency in &descriptor.dependency {
            file_name(Some(dependency))?;
        }
        walk.file(&descriptor, &package)?;
        let (symbols, messages, extensions) = (walk.symbols, walk.messages, walk.extensions);
        Ok(Self {
            services: service::services(&descriptor, &package)?,
            embedded: raw::without_source_info(bytes).map_err(|fault| Error::in_file(&name, fault))?,
            bytes: bytes.to_owned(),
            dependencies: descriptor.dependency,
            path: None,
            imported: false,
            name,
            package,
            symbols,
            messages,
            extensions,
        })
    }

    /// Says where the source of the file was found.
    pub(crate) fn set_origin(&mut self, path: Option<PathBuf>, imported: bool) {
        self.path = path;
        self.imported = imported;
    }

    /// The name as an `import` writes it, such as `google/protobuf/any.proto`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The package, empty when none is declared.
    pub fn package(&self) -> &str {
        &self.package
    }

    /// The names of the files that this one imports.
    pub fn dependencies(&self) -> &[String] {
        &self.dependencies
    }

    /// The full names of all that the file defines, without a leading dot: messages, fields, oneofs, enums, enum
    /// values, extensions, services and methods.
    pub fn symbols(&self) -> &[String] {
        &self.symbols
    }

    /// The full names of the messages only, nested ones included, without a leading dot.
    pub fn messages(&self) -> &[String] {
        &self.messages
    }

    /// The extensions that the file defines.
    pub fn extensions(&self) -> &[Extension] {
        &self.extensions
    }

    /// The services that the file defines.
    pub fn services(&self) -> &[Service] {
        &self.services
    }

    /// The encoded `FileDescriptorProto`, byte for byte as it was loaded.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The encoded `FileDescriptorProto` without `source_code_info`: what a program embeds to describe itself.
    pub fn embedded_bytes(&self) -> &[u8] {
        &self.embedded
    }

    /// Where the source was read from. None for files of a descriptor set and for the well-known files.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Whether the file is there only because another one imports it. Descriptor sets do not tell, so it is false
    /// for their files.
    pub fn is_imported(&self) -> bool {
        self.imported
    }
}

/// A file name goes into code, comments and paths, so control characters and steps out of a folder are refused.
fn file_name(name: Option<&str>) -> Result<String, Error> {
    let name = name.unwrap_or_default();
    let good = !name.is_empty()
        && name.len() <= SYMBOL_BYTES_MAX
        && !name.contains(|c: char| c.is_control() || c == '\\')
        && name.split('/').all(|part| !matches!(part, "" | "." | ".."));
    if good { Ok(name.to_owned()) } else { Err(Error::set(format!("{name:?} is not a file name"))) }
}

/// Collects the names of a file, checking each.
struct Walk<'a> {
    /// The name of the file, for faults.
    file: &'a str,
    symbols: Vec<String>,
    messages: Vec<String>,
    extensions: Vec<Extension>,
}

impl<'a> Walk<'a> {
    fn new(file: &'a str) -> Self {
        Self { file, symbols: Vec::new(), messages: Vec::new(), extensions: Vec::new() }
    }

    /// Walks a whole file.
    fn file(&mut self, file: &FileDescriptorProto, package: &str) -> Result<(), Error> {
        for message in &file.message_type {
            self.message(message, package)?;
        }
        for enumeration in &file.enum_type {
            self.enumeration(enumeration, package)?;
        }
        for extension in &file.extension {
            self.extension(extension, package)?;
        }
        for service in &file.service {
            self.service(service, package)?;
        }
        Ok(())
    }

    /// The decoder bounds how deep messages nest, and with it this recursion.
    fn message(&mut self, message: &DescriptorProto, scope: &str) -> Result<(), Error> {
        let full_name = self.symbol(message.name.as_deref(), scope, "message")?;
        self.messages.push(full_name.clone());
        for field in &message.field {
            self.symbol(field.name.as_deref(), &full_name, "field")?;
        }
        for oneof in &message.oneof_decl {
            self.symbol(oneof.name.as_deref(), &full_name, "oneof")?;
        }
        for nested in &message.nested_type {
            self.message(nested, &full_name)?;
        }
        for enumeration in &message.enum_type {
            self.enumeration(enumeration, &full_name)?;
        }
        for extension in &message.extension {
            self.extension(extension, &full_name)?;
        }
        Ok(())
    }

    /// The values of an enum are siblings of the enum, not its children (language guide, "Enum value options").
    fn enumeration(&mut self, enumeration: &EnumDescriptorProto, scope: &str) -> Result<(), Error> {
        self.symbol(enumeration.name.as_deref(), scope, "enum")?;
        for value in &enumeration.value {
            self.symbol(value.name.as_deref(), scope, "enum value")?;
        }
        Ok(())
    }

    /// An extension has a name where it is declared and a number in the message that it extends.
    fn extension(&mut self, extension: &FieldDescriptorProto, scope: &str) -> Result<(), Error> {
        let name = self.symbol(extension.name.as_deref(), scope, "extension")?;
        let extendee = extension.extendee.as_deref().unwrap_or_default();
        let number =
            extension.number.and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0);
        let (Some(extendee), Some(number)) = (extendee.strip_prefix('.'), number) else {
            return Err(
                self.fault(format!("the extension `{name}` does not say what it extends, or as which field"))
            );
        };
        self.extensions.push(Extension { name, extendee: extendee.to_owned(), number });
        Ok(())
    }

    /// The methods of a service are its children.
    fn service(&mut self, service: &ServiceDescriptorProto, scope: &str) -> Result<(), Error> {
        let full_name = self.symbol(service.name.as_deref(), scope, "service")?;
        for method in &service.method {
            self.symbol(method.name.as_deref(), &full_name, "method")?;
        }
        Ok(())
    }

    /// Takes in the full name of `name` in `scope`.
    fn symbol(&mut self, name: Option<&str>, scope: &str, what: &str) -> Result<String, Error> {
        let name = name.unwrap_or_default();
        self.check_identifier(name, what)?;
        let full_name = if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") };
        if full_name.len() > SYMBOL_BYTES_MAX {
            let bytes = full_name.len();
            return Err(self.fault(format!(
                "a full name of {bytes} bytes is above SYMBOL_BYTES_MAX ({SYMBOL_BYTES_MAX})"
            )));
        }
        self.symbols.push(full_name.clone());
        Ok(full_name)
    }

    /// An identifier is a letter or underscore, then letters, digits and underscores (language specification,
    /// "Identifiers").
    fn check_identifier(&self, name: &str, what: &str) -> Result<(), Error> {
        let mut bytes = name.bytes();
        let good = bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if good { Ok(()) } else { Err(self.fault(format!("{name:?} is not a name for a {what}"))) }
    }

    /// A fault of this file.
    fn fault(&self, message: String) -> Error {
        Error::in_file(self.file, message)
    }
}

#[cfg(test)]
mod tests;
