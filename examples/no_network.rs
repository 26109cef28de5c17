//! Tests without a network: a client and a server in one process, over the real codec and protocol.
//!
//! The tests below are what you would write; `cargo test -p trunkline-examples --bin no_network` runs them. The program
//! shows the same by hand.

#![forbid(unsafe_code)]

use proto::greet::v1::{Greet, GreetClient, GreetServer, HelloReply, HelloRequest};
use trunkline::{Channel, Error, Format, Protocol, Request, Response, Result, Server, testkit};

mod proto {
    trunkline::include_protos!();
}

struct Hello;

impl Greet for Hello {
    async fn hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>> {
        if request.name.is_empty() {
            return Err(Error::invalid_argument("a greeting needs a name"));
        }
        Ok(HelloReply { text: format!("hi {}", request.name), ..Default::default() }.into())
    }
}

fn server() -> Server {
    Server::new().service(GreetServer::new(Hello))
}

fn named(name: &str) -> HelloRequest {
    HelloRequest { name: name.to_owned(), ..Default::default() }
}

#[tokio::main]
async fn main() -> Result<()> {
    let client = GreetClient::new(testkit::pair(server()));
    println!("gRPC in memory: {}", client.hello(named("Ann")).await?.text);

    let builder = Channel::builder("memory").protocol(Protocol::Connect).format(Format::JSON);
    let client = GreetClient::new(testkit::pair_with(server(), builder));
    println!("Connect with JSON in memory: {}", client.hello(named("Bob")).await?.text);
    match client.hello(named("")).await {
        Ok(reply) => println!("unexpected: {}", reply.text),
        Err(error) => println!("no name: {error}"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::time::Duration;

    use trunkline::Code;

    use super::*;

    /// Rows of what is asked and what comes of it; the server is the real one.
    #[tokio::test]
    async fn hello_greets_by_name_and_refuses_nobody() {
        let client = GreetClient::new(testkit::pair(server()));
        for (name, expected) in
            [("Ann", Ok("hi Ann")), ("Bob", Ok("hi Bob")), ("", Err(Code::InvalidArgument))]
        {
            let outcome = client.hello(named(name)).await;
            let seen = outcome.as_ref().map(|reply| reply.text.as_str()).map_err(Error::code);
            assert_eq!(seen, expected, "{name:?}");
        }
    }

    struct Never;

    impl Greet for Never {
        async fn hello(&self, _: Request<HelloRequest>) -> Result<Response<HelloReply>> {
            pending().await
        }
    }

    /// With tokio's clock paused, an hour passes as soon as nothing else is left to do.
    #[tokio::test(start_paused = true)]
    async fn deadline_of_an_hour_passes_at_once() {
        let client = GreetClient::new(testkit::pair(Server::new().service(GreetServer::new(Never))));
        let request = Request::new(named("Ann")).with_timeout(Duration::from_secs(60 * 60));
        assert_eq!(client.hello(request).await.unwrap_err().code(), Code::DeadlineExceeded);
    }
}
