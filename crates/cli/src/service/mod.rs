//! The services of `trunkline serve`, and the server that has them all. Both `serve` and `demo` take it from here.

mod echo;
mod interop;
mod metadata;

use trunkline::health::Health;
use trunkline::{Server, Shape};

pub(crate) use self::metadata::{ECHO_HEADER, ECHO_TRAILER};
use crate::proto::grpc::testing::{TestServiceServer, test_service};
use crate::proto::trunkline::echo::v1::{EchoServiceServer, echo_service};

/// A server with every service, and the health that it reports.
pub(crate) fn server() -> (Server, Health) {
    let health = Health::new();
    let server = Server::new()
        .service(EchoServiceServer::new(echo::Echo))
        .service(TestServiceServer::new(interop::Interop))
        .service(health.service())
        .reflection();
    // Reflection joins when the server starts, so its names are not yet among the server's.
    for name in server.service_names().iter().chain(&REFLECTION) {
        health.set_serving(name, true);
    }
    (server, health)
}

/// The services of `Server::reflection`.
const REFLECTION: [&str; 2] =
    ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"];

/// A service as the page of the server lists it.
pub(crate) struct Listed {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) methods: Vec<(&'static str, Shape)>,
}

/// Every service of [`server`].
pub(crate) fn listed() -> Vec<Listed> {
    let echo = [
        echo_service::ECHO.spec(),
        echo_service::EXPAND.spec(),
        echo_service::COLLECT.spec(),
        echo_service::CHAT.spec(),
    ];
    let interop = [
        test_service::EMPTY_CALL.spec(),
        test_service::UNARY_CALL.spec(),
        test_service::CACHEABLE_UNARY_CALL.spec(),
        test_service::STREAMING_OUTPUT_CALL.spec(),
        test_service::STREAMING_INPUT_CALL.spec(),
        test_service::FULL_DUPLEX_CALL.spec(),
        test_service::HALF_DUPLEX_CALL.spec(),
        test_service::UNIMPLEMENTED_CALL.spec(),
    ];
    let named = |specs: &[&trunkline::Spec]| specs.iter().map(|spec| (spec.method, spec.shape)).collect();
    vec![
        Listed {
            name: echo[0].service,
            about: "Says things back, in each shape of call.",
            methods: named(&echo),
        },
        Listed {
            name: interop[0].service,
            about: "What gRPC's interop clients test against.",
            methods: named(&interop),
        },
        Listed {
            name: "grpc.health.v1.Health",
            about: "Whether the server and each service takes calls.",
            methods: vec![("Check", Shape::Unary), ("List", Shape::Unary), ("Watch", Shape::ServerStream)],
        },
        Listed {
            name: REFLECTION[0],
            about: "The schema, for tools that have none. v1alpha answers as well.",
            methods: vec![("ServerReflectionInfo", Shape::Bidi)],
        },
    ]
}

#[cfg(test)]
mod tests;
