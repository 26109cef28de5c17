//! What a file says about its services, in the form that generators and registries read. It knows no names of any
//! target language.

use buffa_descriptor::generated::descriptor::method_options::IdempotencyLevel;
use buffa_descriptor::generated::descriptor::{
    FileDescriptorProto, MethodDescriptorProto, ServiceDescriptorProto,
};

use crate::Error;

/// A service of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Service {
    /// The name as declared, such as `Greet`.
    pub name: String,
    /// The name with its package, such as `demo.v1.Greet`.
    pub full_name: String,
    /// The comment in front of it, without comment marks; empty when there is none.
    pub comment: String,
    /// Whether it carries `option deprecated = true`.
    pub deprecated: bool,
    /// Its methods in the order of their declaration.
    pub methods: Vec<Method>,
}

/// A method of a [`Service`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Method {
    /// The name as declared, such as `Hello`.
    pub name: String,
    /// The full name of the request message, without a leading dot.
    pub input: String,
    /// The full name of the reply message, without a leading dot.
    pub output: String,
    /// Whether the client sends a stream of requests.
    pub client_streaming: bool,
    /// Whether the server sends a stream of replies.
    pub server_streaming: bool,
    /// What the schema promises about repeated calls.
    pub idempotency: Idempotency,
    /// The comment in front of it, without comment marks; empty when there is none.
    pub comment: String,
    /// Whether it carries `option deprecated = true`.
    pub deprecated: bool,
}

/// The `idempotency_level` of a method (descriptor.proto, `MethodOptions.IdempotencyLevel`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Idempotency {
    /// Nothing is promised.
    #[default]
    Unknown,
    /// The method only reads.
    NoSideEffects,
    /// Calling it twice does what calling it once does.
    Idempotent,
}

/// `FileDescriptorProto.service` and `ServiceDescriptorProto.method` of descriptor.proto: the steps of a path in
/// `SourceCodeInfo`.
const FILE_SERVICE: i32 = 6;
const SERVICE_METHOD: i32 = 2;

/// Reads the services of `file`. Their names have been checked by the caller.
pub(crate) fn services(file: &FileDescriptorProto, package: &str) -> Result<Vec<Service>, Error> {
    let comments = Comments::of(file);
    (0i32..)
        .zip(&file.service)
        .map(|(index, service)| {
            let name = service.name.clone().unwrap_or_default();
            let full_name = if package.is_empty() { name.clone() } else { format!("{package}.{name}") };
            Ok(Service {
                methods: methods(file, service, &full_name, index, &comments)?,
                comment: comments.at(&[FILE_SERVICE, index]),
                deprecated: service.options.deprecated.unwrap_or_default(),
                name,
                full_name,
            })
        })
        .collect()
}

/// Reads the methods of the service at `service_index`.
fn methods(
    file: &FileDescriptorProto,
    service: &ServiceDescriptorProto,
    full_name: &str,
    service_index: i32,
    comments: &Comments<'_>,
) -> Result<Vec<Method>, Error> {
    let file_name = file.name.as_deref().unwrap_or_default();
    (0i32..)
        .zip(&service.method)
        .map(|(index, method)| {
            let name = method.name.clone().unwrap_or_default();
            let type_name = |field: &Option<String>, what| {
                absolute(field.as_deref()).map(str::to_owned).ok_or_else(|| {
                    let seen = field.as_deref().unwrap_or_default();
                    Error::in_file(
                        file_name,
                        format!("{full_name}.{name}: the {what} type `{seen}` is not a full name with a leading dot"),
                    )
                })
            };
            Ok(Method {
                input: type_name(&method.input_type, "request")?,
                output: type_name(&method.output_type, "reply")?,
                client_streaming: method.client_streaming.unwrap_or_default(),
                server_streaming: method.server_streaming.unwrap_or_default(),
                idempotency: idempotency(method),
                comment: comments.at(&[FILE_SERVICE, service_index, SERVICE_METHOD, index]),
                deprecated: method.options.deprecated.unwrap_or_default(),
                name,
            })
        })
        .collect()
}

/// descriptor.proto: a type name that starts with a dot is fully qualified. Compilers write no others.
fn absolute(type_name: Option<&str>) -> Option<&str> {
    type_name?.strip_prefix('.').filter(|name| !name.is_empty())
}

/// What the options promise. Levels of later versions promise nothing that we know.
fn idempotency(method: &MethodDescriptorProto) -> Idempotency {
    match method.options.idempotency_level {
        Some(IdempotencyLevel::NO_SIDE_EFFECTS) => Idempotency::NoSideEffects,
        Some(IdempotencyLevel::IDEMPOTENT) => Idempotency::Idempotent,
        _ => Idempotency::Unknown,
    }
}

/// The leading comments of a file by path.
struct Comments<'a> {
    /// Sorted by path, so that a set with many comments is searched in no time.
    sorted: Vec<(&'a [i32], &'a str)>,
}

impl<'a> Comments<'a> {
    /// Collects those of services and methods.
    fn of(file: &'a FileDescriptorProto) -> Self {
        let mut sorted: Vec<_> = file
            .source_code_info
            .location
            .iter()
            .filter_map(|location| Some((location.path.as_slice(), location.leading_comments.as_deref()?)))
            .filter(|(path, _)| path.first() == Some(&FILE_SERVICE))
            .collect();
        sorted.sort_unstable();
        Self { sorted }
    }

    /// The comment at `path`; empty when there is none.
    fn at(&self, path: &[i32]) -> String {
        match self.sorted.binary_search_by(|(candidate, _)| (*candidate).cmp(path)) {
            Ok(found) => self.sorted[found].1.to_owned(),
            Err(_) => String::new(),
        }
    }
}

#[cfg(test)]
mod tests;
