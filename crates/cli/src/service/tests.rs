use trunkline::server::Service;

use super::*;

/// The methods of a service as its own descriptors name them.
fn described(service: &impl Service) -> (String, Vec<String>) {
    let start = format!("{}.", service.name());
    let symbols = service.files().iter().flat_map(|file| file.symbols);
    let methods = symbols.filter_map(|symbol| symbol.strip_prefix(&start)).map(str::to_owned);
    (service.name().to_owned(), methods.collect())
}

#[test]
fn listed_services_are_those_that_the_descriptors_name() {
    let listed = listed();
    let check = |service: &dyn Fn() -> (String, Vec<String>)| {
        let (name, methods) = service();
        let found = listed.iter().find(|listed| listed.name == name).unwrap_or_else(|| panic!("{name}"));
        let seen: Vec<_> = found.methods.iter().map(|(method, _)| *method).collect();
        assert_eq!(seen, methods, "{name}");
    };
    check(&|| described(&EchoServiceServer::new(echo::Echo)));
    check(&|| described(&TestServiceServer::new(interop::Interop)));
    check(&|| described(&Health::new().service()));
}

#[test]
fn server_has_what_is_listed() {
    let (server, _) = server();
    let listed = listed();
    for name in server.service_names() {
        assert!(listed.iter().any(|listed| listed.name == *name), "{name} is not on the page");
    }
    // Reflection joins when the server starts.
    assert_eq!(listed.len(), server.service_names().len() + 1);
}

#[tokio::test]
async fn health_knows_every_service() {
    let (server, _) = server();
    let names: Vec<_> = server.service_names().iter().map(|name| (*name).to_owned()).collect();
    let client = trunkline::health::HealthClient::new(trunkline::testkit::pair(server));
    let reflection = REFLECTION.map(str::to_owned);
    for name in names.into_iter().chain(reflection).chain([String::new()]) {
        let request = trunkline::health::HealthCheckRequest { service: name.clone(), ..Default::default() };
        let reply = client.check(request).await.unwrap();
        assert_eq!(reply.status.to_i32(), 1, "{name} is serving");
    }
}
