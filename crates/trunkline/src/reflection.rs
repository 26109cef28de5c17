//! Server reflection, v1 and v1alpha: the descriptors of a server's services, for tools that have no schema.
//!
//! The descriptors are bytes that generated code embeds, with an index of what each file defines: nothing is parsed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

pub use crate::generated::grpc::reflection::{v1, v1alpha};
use crate::{Code, Server};

/// One descriptor file that generated code embeds.
#[derive(Debug, Clone, Copy)]
pub struct File {
    /// Its name as imports spell it.
    pub name: &'static str,
    /// The files that it imports.
    pub dependencies: &'static [&'static str],
    /// Full names of all that it defines: messages, enums and their values, services, methods, fields, oneofs,
    /// extensions.
    pub symbols: &'static [&'static str],
    /// Extensions that it defines: the message extended, and the number.
    pub extensions: &'static [(&'static str, u32)],
    /// The serialised `google.protobuf.FileDescriptorProto`.
    pub bytes: &'static [u8],
}

/// Adds both versions of the reflection service, over the descriptors of all services that `server` has.
pub(crate) fn add_to(server: Server) -> Server {
    let server =
        server.service(serve_v1::server(Arc::default())).service(serve_v1alpha::server(Arc::default()));
    let index = Arc::new(Index::new(server.service_names(), server.files()));
    // The same procedures again, now with an index that lists reflection itself as well.
    server.service(serve_v1::server(Arc::clone(&index))).service(serve_v1alpha::server(index))
}

/// What can be asked of a set of files.
#[derive(Debug, Default)]
pub(crate) struct Index {
    services: BTreeSet<&'static str>,
    files: HashMap<&'static str, &'static File>,
    symbols: HashMap<&'static str, &'static File>,
    extensions: HashMap<&'static str, BTreeMap<u32, &'static File>>,
}

/// What was found, whichever version asks.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Files(Vec<Vec<u8>>),
    Services(Vec<String>),
    ExtensionNumbers(String, Vec<i32>),
    Unknown(Code, String),
}

impl Index {
    fn new(services: &[&'static str], files: impl Iterator<Item = &'static File>) -> Self {
        let mut index = Self { services: services.iter().copied().collect(), ..Self::default() };
        for file in files {
            index.files.insert(file.name, file);
            index.symbols.extend(file.symbols.iter().map(|symbol| (*symbol, file)));
            for (extendee, number) in file.extensions {
                index.extensions.entry(extendee).or_default().insert(*number, file);
            }
        }
        index
    }

    fn file(&self, name: &str) -> Answer {
        match self.files.get(name) {
            Some(file) => self.with_dependencies(file),
            None => not_found(&format!("file {name:?}")),
        }
    }

    fn symbol(&self, symbol: &str) -> Answer {
        match self.symbols.get(symbol.trim_start_matches('.')) {
            Some(file) => self.with_dependencies(file),
            None => not_found(&format!("symbol {symbol:?}")),
        }
    }

    fn extension(&self, extendee: &str, number: i32) -> Answer {
        let known = self.extensions.get(extendee.trim_start_matches('.'));
        let file = u32::try_from(number).ok().and_then(|number| known?.get(&number));
        match file {
            Some(file) => self.with_dependencies(file),
            None => not_found(&format!("extension {number} of {extendee:?}")),
        }
    }

    fn extension_numbers(&self, extendee: &str) -> Answer {
        let name = extendee.trim_start_matches('.');
        if !self.symbols.contains_key(name) {
            return not_found(&format!("message {extendee:?}"));
        }
        let numbers = self.extensions.get(name).into_iter().flat_map(BTreeMap::keys);
        Answer::ExtensionNumbers(
            name.to_owned(),
            numbers.filter_map(|number| i32::try_from(*number).ok()).collect(),
        )
    }

    fn list(&self) -> Answer {
        Answer::Services(self.services.iter().map(|name| (*name).to_owned()).collect())
    }

    /// The file first, then all that it imports, each once: what a tool needs next is there already.
    fn with_dependencies(&self, file: &'static File) -> Answer {
        let mut seen = BTreeSet::from([file.name]);
        let mut found = vec![file];
        let mut next = 0;
        while let Some(file) = found.get(next) {
            let imports = file.dependencies.iter().filter(|name| seen.insert(*name));
            let imported: Vec<_> = imports.filter_map(|name| self.files.get(name).copied()).collect();
            found.extend(imported);
            next += 1;
        }
        Answer::Files(found.into_iter().map(|file| file.bytes.to_vec()).collect())
    }
}

fn not_found(what: &str) -> Answer {
    Answer::Unknown(Code::NotFound, format!("{what} is not known to this server"))
}

/// One version of the service; the two differ in the names of their types alone.
macro_rules! version {
    ($version:ident, $serve:ident) => {
        mod $serve {
            use std::sync::Arc;

            use super::{Answer, Index};
            use crate::Code;
            use crate::generated::grpc::reflection::$version::server_reflection_request::MessageRequest;
            use crate::generated::grpc::reflection::$version::server_reflection_response::MessageResponse;
            use crate::generated::grpc::reflection::$version::{
                ErrorResponse, ExtensionNumberResponse, FileDescriptorResponse, ListServiceResponse,
                ServerReflection, ServerReflectionRequest, ServerReflectionResponse, ServerReflectionServer,
                ServiceResponse,
            };
            use crate::server::Service;
            use crate::{Request, Response, Result, Streaming};

            pub(super) fn server(index: Arc<Index>) -> impl Service {
                ServerReflectionServer::new(Reflection { index })
            }

            struct Reflection {
                index: Arc<Index>,
            }

            impl ServerReflection for Reflection {
                async fn server_reflection_info(
                    &self,
                    request: Request<Streaming<ServerReflectionRequest>>,
                ) -> Result<Response<Streaming<ServerReflectionResponse>>> {
                    let state = (request.into_message(), Arc::clone(&self.index));
                    let answers = Streaming::unfold(state, async |(mut questions, index)| {
                        let Some(question) = questions.message().await? else { return Ok(None) };
                        Ok(Some((answer(&index, question), (questions, index))))
                    });
                    Ok(answers.into())
                }
            }

            fn answer(index: &Index, question: ServerReflectionRequest) -> ServerReflectionResponse {
                let found = match &question.message_request {
                    Some(MessageRequest::FileByFilename(name)) => index.file(name),
                    Some(MessageRequest::FileContainingSymbol(symbol)) => index.symbol(symbol),
                    Some(MessageRequest::FileContainingExtension(asked)) => {
                        index.extension(&asked.containing_type, asked.extension_number)
                    }
                    Some(MessageRequest::AllExtensionNumbersOfType(name)) => index.extension_numbers(name),
                    Some(MessageRequest::ListServices(_)) => index.list(),
                    None => Answer::Unknown(Code::InvalidArgument, "the question is empty".to_owned()),
                };
                ServerReflectionResponse {
                    valid_host: question.host.clone(),
                    original_request: question.into(),
                    message_response: Some(respond(found)),
                    ..ServerReflectionResponse::default()
                }
            }

            fn respond(answer: Answer) -> MessageResponse {
                match answer {
                    Answer::Files(files) => {
                        FileDescriptorResponse { file_descriptor_proto: files, ..Default::default() }.into()
                    }
                    Answer::Services(names) => {
                        let named = |name| ServiceResponse { name, ..Default::default() };
                        let service = names.into_iter().map(named).collect();
                        ListServiceResponse { service, ..Default::default() }.into()
                    }
                    Answer::ExtensionNumbers(base_type_name, extension_number) => {
                        ExtensionNumberResponse { base_type_name, extension_number, ..Default::default() }
                            .into()
                    }
                    Answer::Unknown(code, error_message) => {
                        let error_code = i32::from(code.number());
                        ErrorResponse { error_code, error_message, ..Default::default() }.into()
                    }
                }
            }
        }
    };
}

version!(v1, serve_v1);
version!(v1alpha, serve_v1alpha);

#[cfg(test)]
mod tests;
