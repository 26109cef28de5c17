//! REST and RPC on one port, both ways: our server inside of an axum application, and an axum application behind our server.

#![forbid(unsafe_code)]

use std::error::Error;
use std::net::SocketAddr;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Path;
use axum::routing::get;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use proto::greet::v1::{Greet, GreetClient, GreetServer, HelloReply, HelloRequest};
use tokio::net::TcpListener;
use trunkline::{Request, Response, Result, Server};

mod proto {
    trunkline::include_protos!();
}

struct Hello;

impl Greet for Hello {
    async fn hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>> {
        Ok(HelloReply { text: greeting(&request.name), ..Default::default() }.into())
    }
}

/// What both sides of the house share.
fn greeting(name: &str) -> String {
    format!("hi {name}")
}

fn calls() -> Server {
    Server::new().service(GreetServer::new(Hello))
}

fn rest() -> Router {
    Router::new()
        .route("/hello/{name}", get(async |Path(name): Path<String>| greeting(&name)))
        .route("/version", get("1.0"))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // The application owns the port: its routes come first, its TLS, limits and shutdown hold.
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let application = rest().fallback_service(calls().into_service());
    tokio::spawn(async move { axum::serve(listener, application).await });
    println!("a server in an application");
    call_both(address).await?;

    // Our server owns the port: what is no call goes to the application.
    let bound = calls().fallback(rest()).bind("127.0.0.1:0").await?;
    let address = bound.local_address();
    tokio::spawn(bound.serve());
    println!("an application behind a server");
    call_both(address).await
}

async fn call_both(address: SocketAddr) -> Result<(), Box<dyn Error>> {
    let client = GreetClient::connect(&format!("http://{address}")).await?;
    let reply = client.hello(HelloRequest { name: "Ann".into(), ..Default::default() }).await?;
    println!("  gRPC: {}", reply.text);
    for path in ["/hello/Bob", "/version"] {
        println!("  GET {path}: {}", fetch(&format!("http://{address}{path}")).await?);
    }
    Ok(())
}

/// The body at `url`, as any HTTP client would fetch it.
async fn fetch(url: &str) -> Result<String, Box<dyn Error>> {
    let client: Client<_, Body> = Client::builder(TokioExecutor::new()).build_http();
    let response = client.get(url.parse()?).await?;
    let body = to_bytes(Body::new(response.into_body()), BODY_BYTES_MAX).await?;
    Ok(String::from_utf8(body.into())?)
}

const BODY_BYTES_MAX: usize = 64 << 10;
