//! Server reflection: the descriptors of all services of a server, for tools that have no schema.

use crate::Server;

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

pub(crate) fn add_to(server: Server) -> Server {
    server
}
