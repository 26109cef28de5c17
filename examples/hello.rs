//! Hello: one service, called over two protocols on the same port.

#![forbid(unsafe_code)]

use proto::greet::v1::{Greet, GreetClient, GreetServer, HelloReply, HelloRequest};
use trunkline::{Channel, Format, Protocol, Request, Response, Result, Server};

mod proto {
    trunkline::include_protos!();
}

struct Hello;

impl Greet for Hello {
    async fn hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>> {
        Ok(HelloReply { text: format!("hi {}", request.name), ..Default::default() }.into())
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    // Port 0 is any free one. From here on connections wait for the server, so the client need not.
    let bound = Server::new().service(GreetServer::new(Hello)).bind("127.0.0.1:0").await?;
    let target = bound.target();
    tokio::spawn(bound.serve());

    let client = GreetClient::connect(&target).await?;
    let reply = client.hello(HelloRequest { name: "Ann".into(), ..Default::default() }).await?;
    println!("gRPC: {}", reply.text);

    // What a browser or curl would send. The server is the same, and nothing had to be switched on.
    let channel =
        Channel::builder(&target).protocol(Protocol::Connect).format(Format::JSON).connect().await?;
    let client = GreetClient::new(channel);
    let reply = client.hello(HelloRequest { name: "Bob".into(), ..Default::default() }).await?;
    println!("Connect with JSON: {}", reply.text);
    Ok(())
}
