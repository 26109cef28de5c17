//! What a service becomes: a trait, a server, a client and a module of procedures. It decides the text of this code and
//! nothing else; names and types come from outside.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use trunkline_schema::{Idempotency, Method, Service};

use super::comment::doc;
use super::{Options, tree};
use crate::Error;
use crate::messages::Types;
use crate::names::{MethodNames, ServiceNames};

/// All that is needed to write one service.
pub(super) struct Emit<'a> {
    /// The package that the service is in.
    pub(super) package: &'a str,
    /// What the schema says of it.
    pub(super) service: &'a Service,
    /// What it is called in Rust.
    pub(super) names: &'a ServiceNames,
    /// The way to name its messages.
    pub(super) types: &'a Types<'a>,
    /// The names of all items of the package: what the prelude would give may be one of them.
    pub(super) taken: &'a BTreeSet<String>,
    /// What was asked for.
    pub(super) options: &'a Options<'a>,
}

/// One method with what its code needs again and again.
struct Call<'a> {
    method: &'a Method,
    names: &'a MethodNames,
    shape: Shape,
    /// The Rust path of the request message.
    input: String,
    /// The Rust path of the reply message.
    output: String,
}

/// Which sides of a call stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Unary,
    ServerStream,
    ClientStream,
    Bidi,
}

impl Shape {
    /// The shape that the schema declares.
    fn of(method: &Method) -> Self {
        match (method.client_streaming, method.server_streaming) {
            (false, false) => Self::Unary,
            (false, true) => Self::ServerStream,
            (true, false) => Self::ClientStream,
            (true, true) => Self::Bidi,
        }
    }

    /// What `Procedure`, `Routes` and `Channel` call it.
    fn function(self) -> &'static str {
        match self {
            Self::Unary => "unary",
            Self::ServerStream => "server_stream",
            Self::ClientStream => "client_stream",
            Self::Bidi => "bidi",
        }
    }
}

/// The error of a failed call.
const ERROR: &str = "::trunkline::Error";

impl Emit<'_> {
    /// The code of the whole service, not yet formatted.
    pub(super) fn code(&self) -> Result<String, Error> {
        let calls = self.calls(0)?;
        let mut out = String::new();
        if self.options.server {
            self.service_trait(&calls, &mut out);
            self.server(&calls, &mut out);
        }
        if self.options.client {
            self.client(&calls, &mut out);
        }
        self.procedures(&self.calls(1)?, &mut out);
        Ok(out)
    }

    /// The methods, their types named from `depth` modules below the package.
    fn calls(&self, depth: usize) -> Result<Vec<Call<'_>>, Error> {
        let type_path = |name: &str| self.types.path(name, self.package, depth);
        let call = |(method, names)| -> Result<Call<'_>, Error> {
            let method: &Method = method;
            Ok(Call {
                input: type_path(&method.input)?,
                output: type_path(&method.output)?,
                shape: Shape::of(method),
                method,
                names,
            })
        };
        self.service.methods.iter().zip(&self.names.methods).map(call).collect()
    }

    /// The trait that a server implements.
    fn service_trait(&self, calls: &[Call<'_>], out: &mut String) {
        let (name, full_name) = (&self.names.service, &self.service.full_name);
        let (bound, error) = (self.error_bound(), self.error());
        let (send, sync) = (self.std("Send", "marker"), self.std("Sync", "marker"));
        out.push_str(&doc(&self.service.comment, &format!("The service `{full_name}`.")));
        out.push_str(deprecated(self.service.deprecated));
        put(out, format_args!("pub trait {name}<{error}: {bound} = {ERROR}>: {send} + {sync} + 'static {{"));
        for call in calls {
            let function = &call.names.function;
            let (argument, reply) = (call.argument(), call.reply());
            let result = self.std("Result", "result");
            out.push_str(&doc(&call.method.comment, &format!("The method `{}`.", call.method.name)));
            out.push_str(deprecated(call.method.deprecated));
            put(
                out,
                format_args!(
                    "fn {function}(&self, request: {argument}) \
                     -> impl ::core::future::Future<Output = {result}<{reply}, {error}>> + {send}"
                ),
            );
            out.push_str(&self.stub(call));
        }
        out.push_str("}\n");
    }

    /// The body of a method of the trait.
    fn stub(&self, call: &Call<'_>) -> String {
        if !self.options.default_stubs {
            return ";\n".to_owned();
        }
        let (full_name, method) = (&self.service.full_name, &call.method.name);
        let error = self.error();
        format!(
            "{{ let _ = request; async move {{ \
             Err({error}::from({ERROR}::new(::trunkline::Code::Unimplemented, \
             \"{full_name}/{method} is not implemented\"))) }} }}\n"
        )
    }

    /// The struct that gives an implementation of the trait to a server.
    fn server(&self, calls: &[Call<'_>], out: &mut String) {
        let (name, server, module) = (&self.names.service, &self.names.server, &self.names.module);
        let (implementer, error, bound) = (self.implementer(), self.error(), self.error_bound());
        let send = self.std("Send", "marker");
        let full_name = &self.service.full_name;
        put(out, format_args!("/// Serves a [`{name}`]."));
        out.push_str(deprecated(self.service.deprecated));
        put(
            out,
            format_args!(
                "#[derive(Debug)] pub struct {server}<{implementer}, {error} = {ERROR}> {{ \
                 service: ::std::sync::Arc<{implementer}>, \
                 error: ::core::marker::PhantomData<fn() -> {error}> }}\n\
                 impl<{implementer}: {name}<{error}>, {error}: {bound}> {server}<{implementer}, {error}> {{\n\
                 /// Serves `service`.\n\
                 pub fn new(service: {implementer}) -> Self {{ Self::from_arc(::std::sync::Arc::new(service)) }}\n\
                 /// Serves a service that others hold on to as well.\n\
                 pub fn from_arc(service: ::std::sync::Arc<{implementer}>) -> Self {{ \
                 Self {{ service, error: ::core::marker::PhantomData }} }} }}\n\
                 impl<{implementer}: {name}<{error}>, {error}: {bound} + {send} + 'static> \
                 ::trunkline::server::Service for {server}<{implementer}, {error}> {{\n\
                 fn name(&self) -> &'static str {{ {full_name:?} }}"
            ),
        );
        let files = tree::files_path(self.package);
        put(out, format_args!("fn files(&self) -> &'static [::trunkline::reflection::File] {{ {files} }}"));
        put(out, format_args!("fn register(self, routes: &mut ::trunkline::server::Routes) {{"));
        for call in calls {
            let (shape, names) = (call.shape.function(), call.names);
            let (constant, function) = (&names.constant, &names.function);
            put(
                out,
                format_args!(
                    "routes.{shape}(&{module}::{constant}, &self.service, \
                     |service, request| async move {{ service.{function}(request).await }});"
                ),
            );
        }
        if calls.is_empty() {
            out.push_str("let _ = routes;\n");
        }
        out.push_str("} }\n");
    }

    /// The struct that calls the service.
    fn client(&self, calls: &[Call<'_>], out: &mut String) {
        let (client, full_name) = (&self.names.client, &self.service.full_name);
        let result = self.std("Result", "result");
        put(out, format_args!("/// Calls `{full_name}`."));
        out.push_str(deprecated(self.service.deprecated));
        put(
            out,
            format_args!(
                "#[derive(Debug, Clone)] pub struct {client} {{ channel: ::trunkline::Channel }}\n\
                 impl {client} {{\n\
                 /// Calls through `channel`.\n\
                 pub const fn new(channel: ::trunkline::Channel) -> Self {{ Self {{ channel }} }}\n\
                 /// Connects to `target`, such as `http://127.0.0.1:8080`.\n\
                 pub async fn connect(target: &str) -> {result}<Self, {ERROR}> {{ \
                 Ok(Self::new(::trunkline::Channel::connect(target).await?)) }}"
            ),
        );
        for call in calls {
            self.client_method(call, out);
        }
        out.push_str("}\n");
    }

    /// A method of the client; two for a call whose both sides stream, since only those take options apart from a request.
    fn client_method(&self, call: &Call<'_>, out: &mut String) {
        let (function, constant, module) = (&call.names.function, &call.names.constant, &self.names.module);
        let (shape, input, output) = (call.shape.function(), &call.input, &call.output);
        let result = self.std("Result", "result");
        let comment = doc(&call.method.comment, &format!("Calls `{}`.", call.method.name));
        out.push_str(&comment);
        out.push_str(deprecated(call.method.deprecated));
        if call.shape == Shape::Bidi {
            let with_options = &call.names.with_options;
            put(
                out,
                format_args!(
                    "pub fn {function}(&self) -> ::trunkline::Bidi<{input}, {output}> {{ \
                     self.{with_options}(::trunkline::CallOptions::new()) }}\n\
                     /// As [`{function}`](Self::{function}), with options."
                ),
            );
            out.push_str(deprecated(call.method.deprecated));
            put(
                out,
                format_args!(
                    "pub fn {with_options}(&self, options: ::trunkline::CallOptions) \
                     -> ::trunkline::Bidi<{input}, {output}> {{ self.channel.bidi(&{module}::{constant}, options) }}"
                ),
            );
            return;
        }
        let (argument, into) = match call.shape {
            Shape::ClientStream => ("requests", "IntoStreamingRequest"),
            _ => ("request", "IntoRequest"),
        };
        let reply = call.reply();
        put(
            out,
            format_args!(
                "pub async fn {function}(&self, {argument}: impl ::trunkline::{into}<{input}>) \
                 -> {result}<{reply}, {ERROR}> {{ \
                 self.channel.{shape}(&{module}::{constant}, {argument}).await }}"
            ),
        );
    }

    /// The module with a constant for each method.
    fn procedures(&self, calls: &[Call<'_>], out: &mut String) {
        let (module, full_name) = (&self.names.module, &self.service.full_name);
        put(out, format_args!("/// The procedures of `{full_name}`."));
        put(out, format_args!("pub mod {module} {{"));
        for call in calls {
            let (constant, shape, method) = (&call.names.constant, call.shape.function(), &call.method.name);
            let (input, output) = (&call.input, &call.output);
            let promise = match call.method.idempotency {
                Idempotency::NoSideEffects => ".no_side_effects()",
                Idempotency::Idempotent => ".idempotent()",
                _ => "",
            };
            put(out, format_args!("/// `{full_name}/{method}`."));
            out.push_str(deprecated(call.method.deprecated));
            let codec = if self.options.json { "" } else { ", ::trunkline::codec::Binary" };
            put(
                out,
                format_args!(
                    "pub const {constant}: ::trunkline::Procedure<{input}, {output}{codec}> = \
                     ::trunkline::Procedure::{shape}({full_name:?}, {method:?}, \"/{full_name}/{method}\"){promise};"
                ),
            );
        }
        out.push_str("}\n");
    }

    /// What an error type of a service must offer. A default method makes an error of its own, so it needs the way
    /// back as well.
    fn error_bound(&self) -> String {
        let into = format!("{}<{ERROR}>", self.std("Into", "convert"));
        if self.options.default_stubs {
            format!("{into} + {}<{ERROR}>", self.std("From", "convert"))
        } else {
            into
        }
    }

    /// A name of the prelude: plain, unless the package has an item of that name.
    fn std(&self, name: &str, module: &str) -> String {
        if self.taken.contains(name) { format!("::core::{module}::{name}") } else { name.to_owned() }
    }

    /// The type parameter for errors. A parameter hides a message of the same name.
    fn error(&self) -> String {
        self.parameter("E")
    }

    /// The type parameter for the user's type.
    fn implementer(&self) -> String {
        self.parameter("S")
    }

    /// The name of a type parameter, out of the way of the package's items.
    fn parameter(&self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.taken.contains(&name) {
            name.push('_');
        }
        name
    }
}

impl Call<'_> {
    /// What the server's method takes.
    fn argument(&self) -> String {
        let input = &self.input;
        match self.shape {
            Shape::Unary | Shape::ServerStream => format!("::trunkline::Request<{input}>"),
            Shape::ClientStream | Shape::Bidi => {
                format!("::trunkline::Request<::trunkline::Streaming<{input}>>")
            }
        }
    }

    /// What a method answers with, on either side.
    fn reply(&self) -> String {
        let output = &self.output;
        match self.shape {
            Shape::Unary | Shape::ClientStream => format!("::trunkline::Response<{output}>"),
            Shape::ServerStream | Shape::Bidi => {
                format!("::trunkline::Response<::trunkline::Streaming<{output}>>")
            }
        }
    }
}

/// The attribute of an item that the schema advises against.
fn deprecated(deprecated: bool) -> &'static str {
    if deprecated { "#[deprecated]\n" } else { "" }
}

/// Adds a line.
fn put(out: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(out, "{line}").expect("writing to a String does not fail");
}
