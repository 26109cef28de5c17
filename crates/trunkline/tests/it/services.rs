//! The services that the library brings: health and reflection, by their generated clients, in both formats.

use trunkline::health::{Health, HealthCheckRequest, HealthClient, ServingStatus};
use trunkline::reflection::{v1, v1alpha};
use trunkline::{Channel, Code, Format, Protocol, Server, testkit};

use crate::support::within_bounds;

fn builders() -> Vec<(&'static str, trunkline::ChannelBuilder)> {
    let memory = || Channel::builder("memory");
    vec![
        ("gRPC, proto", memory()),
        ("gRPC, json", memory().format(Format::JSON)),
        ("Connect, json", memory().protocol(Protocol::Connect).format(Format::JSON)),
        ("gRPC-Web, proto", memory().protocol(Protocol::GrpcWeb)),
    ]
}

fn asking(service: &str) -> HealthCheckRequest {
    HealthCheckRequest { service: service.to_owned(), ..HealthCheckRequest::default() }
}

#[tokio::test]
async fn health_check_and_watch_follow_the_reporter() {
    for (name, builder) in builders() {
        let health = Health::new();
        let client = HealthClient::new(testkit::pair_with(Server::new().service(health.service()), builder));
        within_bounds(name, async {
            assert_eq!(client.check(asking("")).await.unwrap().status, ServingStatus::SERVING, "{name}");
            let unknown = client.check(asking("a.B")).await.unwrap_err();
            assert_eq!(unknown.code(), Code::NotFound, "{name}");
            let mut updates = client.watch(asking("a.B")).await.unwrap().into_message();
            let mut seen = Vec::new();
            for change in [None, Some(true), Some(false)] {
                if let Some(serving) = change {
                    health.set_serving("a.B", serving);
                }
                seen.push(updates.message().await.unwrap().unwrap().status);
            }
            let expected =
                [ServingStatus::SERVICE_UNKNOWN, ServingStatus::SERVING, ServingStatus::NOT_SERVING];
            assert!(seen.iter().zip(expected).all(|(seen, expected)| *seen == expected), "{name}: {seen:?}");
        })
        .await;
    }
}

/// One question to one version of the reflection service, and the answer in words.
macro_rules! ask {
    ($version:ident, $channel:expr, $question:expr) => {{
        use $version::server_reflection_response::MessageResponse;
        let client = $version::ServerReflectionClient::new($channel.clone());
        let mut call = client.server_reflection_info();
        let question = Some($question.into());
        call.send($version::ServerReflectionRequest { message_request: question, ..Default::default() })
            .await
            .unwrap();
        call.close();
        let answer = call.message().await.unwrap().unwrap().message_response;
        assert!(call.message().await.unwrap().is_none());
        match answer {
            Some(MessageResponse::ListServicesResponse(list)) => {
                list.service.iter().map(|service| service.name.clone()).collect::<Vec<_>>().join(" ")
            }
            Some(MessageResponse::FileDescriptorResponse(found)) => {
                let files = found.file_descriptor_proto.iter().map(|file| file_name(file));
                files.collect::<Vec<_>>().join(" ")
            }
            Some(MessageResponse::ErrorResponse(error)) => {
                format!("{}: {}", error.error_code, error.error_message)
            }
            other => format!("{other:?}"),
        }
    }};
}

/// The first field of a descriptor is its name.
fn file_name(descriptor: &[u8]) -> String {
    let length = usize::from(descriptor[1]);
    String::from_utf8(descriptor[2..2 + length].to_vec()).unwrap()
}

#[tokio::test]
async fn reflection_answers_in_both_versions() {
    let services =
        "grpc.health.v1.Health grpc.reflection.v1.ServerReflection grpc.reflection.v1alpha.ServerReflection";
    for (name, builder) in builders() {
        let server = Server::new().reflection().service(Health::new().service());
        let channel = testkit::pair_with(server, builder);
        within_bounds(name, async {
            use v1::server_reflection_request::MessageRequest as Ask;
            use v1alpha::server_reflection_request::MessageRequest as AskAlpha;
            assert_eq!(ask!(v1, channel, Ask::ListServices(String::new())), services, "{name}");
            assert_eq!(ask!(v1alpha, channel, AskAlpha::ListServices(String::new())), services, "{name}");
            let symbol = "grpc.health.v1.Health.Check".to_owned();
            let file = "grpc/health/v1/health.proto";
            assert_eq!(ask!(v1, channel, Ask::FileContainingSymbol(symbol.clone())), file, "{name}");
            assert_eq!(ask!(v1alpha, channel, AskAlpha::FileContainingSymbol(symbol)), file, "{name}");
            assert_eq!(ask!(v1, channel, Ask::FileByFilename(file.to_owned())), file, "{name}");
            let with_imports = ask!(v1, channel, Ask::FileByFilename("google/rpc/status.proto".to_owned()));
            assert_eq!(with_imports, "google/rpc/status.proto google/protobuf/any.proto", "{name}");
            let unknown = ask!(v1, channel, Ask::FileContainingSymbol("no.Such".to_owned()));
            assert_eq!(unknown, "5: symbol \"no.Such\" is not known to this server", "{name}");
        })
        .await;
    }
}
