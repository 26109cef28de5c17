//! The goldens in use: what a user writes against them compiles, and they say of themselves what the schema says.

use std::sync::Arc;

use trunkline::server::Service;
use trunkline::{Code, Error, Idempotency, Request, Response, Shape, Spec, Streaming};

use crate::greet::demo::v1::greet::{self as procedures, COLLECT, HELLO, WATCH};
use crate::greet::demo::v1::{Greet, GreetServer, HelloReply, HelloRequest};
use crate::stubs::stubs::{Half, HalfServer, Message};
use crate::{greet, names, packages, stubs};

#[tokio::test]
async fn service_without_json_answers_binary_and_nothing_else() {
    use crate::binary::binary::{Echo, EchoClient, EchoServer, Ping};
    use trunkline::{Channel, Format, Server, testkit};

    struct Same;
    impl Echo for Same {
        async fn ping(&self, request: Request<Ping>) -> trunkline::Result<Response<Ping>> {
            Ok(request.into_message().into())
        }
    }
    let server = || Server::new().service(EchoServer::new(Same));
    let ping = Ping { number: 7, ..Ping::default() };
    let client = EchoClient::new(testkit::pair(server()));
    assert_eq!(client.ping(ping.clone()).await.expect("binary is known").number, 7);
    let json = Channel::builder("memory").protocol(trunkline::Protocol::Connect).format(Format::JSON);
    let error =
        EchoClient::new(testkit::pair_with(server(), json)).ping(ping).await.expect_err("JSON is not");
    assert!(error.message().contains("json"), "{error}");
}

/// An error of a user's own.
#[derive(Debug, PartialEq)]
struct Refused(&'static str);

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Error::new(Code::PermissionDenied, refused.0)
    }
}

struct Polite;

impl Greet<Refused> for Polite {
    async fn hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>, Refused> {
        let _ = request;
        Err(Refused("hello"))
    }

    async fn watch(
        &self,
        request: Request<HelloRequest>,
    ) -> Result<Response<Streaming<HelloReply>>, Refused> {
        let _ = request;
        Err(Refused("watch"))
    }

    async fn collect(
        &self,
        requests: Request<Streaming<HelloRequest>>,
    ) -> Result<Response<HelloReply>, Refused> {
        let _ = requests;
        Err(Refused("collect"))
    }

    #[allow(deprecated, reason = "the schema deprecates it to show that it can")]
    async fn chat(
        &self,
        requests: Request<Streaming<HelloRequest>>,
    ) -> Result<Response<Streaming<HelloReply>>, Refused> {
        let _ = requests;
        Err(Refused("chat"))
    }
}

/// Leaves out all of a service with stubs.
struct Nothing;

impl Half for Nothing {}

#[test]
fn servers_take_implementations_with_errors_of_their_own() {
    let server = GreetServer::new(Polite);
    assert_eq!(server.name(), "demo.v1.Greet");
    assert_eq!(GreetServer::from_arc(Arc::new(Polite)).name(), "demo.v1.Greet");
    assert_eq!(HalfServer::new(Nothing).name(), "stubs.Half");
}

#[test]
fn procedures_say_what_the_schema_says() {
    let check = |spec: &Spec, method, path, shape, idempotency| {
        let seen = (spec.service, spec.method, spec.path, spec.shape, spec.idempotency);
        assert_eq!(seen, ("demo.v1.Greet", method, path, shape, idempotency));
    };
    check(HELLO.spec(), "Hello", "/demo.v1.Greet/Hello", Shape::Unary, Idempotency::NoSideEffects);
    check(WATCH.spec(), "Watch", "/demo.v1.Greet/Watch", Shape::ServerStream, Idempotency::Idempotent);
    check(COLLECT.spec(), "Collect", "/demo.v1.Greet/Collect", Shape::ClientStream, Idempotency::Unknown);
    #[allow(deprecated, reason = "the schema deprecates it to show that it can")]
    let chat = procedures::CHAT;
    check(chat.spec(), "Chat", "/demo.v1.Greet/Chat", Shape::Bidi, Idempotency::Unknown);
}

#[test]
fn files_are_whole_and_in_order() {
    check_files(greet::FILES, &["google/protobuf/timestamp.proto", "greet.proto"]);
    check_files(names::FILES, &["names.proto"]);
    check_files(
        packages::FILES,
        &["b.proto", "none.proto", "google/protobuf/empty.proto", "a.proto", "only.proto", "sub.proto"],
    );
    assert_eq!(GreetServer::new(Polite).files().len(), greet::FILES.len());
    assert!(greet::FILES[1].symbols.contains(&"demo.v1.Greet.Hello"));
    assert_eq!(stubs::FILES[0].extensions, [("stubs.Message", 100)]);
}

fn check_files(files: &[trunkline::reflection::File], expected: &[&str]) {
    let names: Vec<&str> = files.iter().map(|file| file.name).collect();
    assert_eq!(names, expected);
    for (at, file) in files.iter().enumerate() {
        assert!(file.dependencies.iter().all(|import| names[..at].contains(import)), "{}", file.name);
        // FileDescriptorProto.name is field 1 and written first.
        assert_eq!(&file.bytes[2..2 + file.name.len()], file.name.as_bytes());
    }
}

#[test]
fn values_of_strings_are_not_taken_for_paths() {
    assert_eq!(Message::default().text, "::serde::not_a_path");
}
