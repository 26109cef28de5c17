//! A server that its platform can look after: it says how it is (health), what it has (reflection), and on SIGTERM it ends
//! the calls it has and takes no others. That is what Kubernetes expects of a pod.

#![forbid(unsafe_code)]

use std::error::Error;
use std::sync::Arc;

use proto::greet::v1::{Greet, GreetClient, GreetServer, HelloReply, HelloRequest};
use tokio::process::Command;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Notify;
use trunkline::health::{Health, HealthCheckRequest, HealthClient};
use trunkline::reflection::v1::{
    ServerReflectionClient, ServerReflectionRequest, server_reflection_request::MessageRequest,
    server_reflection_response::MessageResponse,
};
use trunkline::{Channel, Request, Response, Result, Server};

mod proto {
    trunkline::include_protos!();
}

/// Answers once it is let go.
#[derive(Clone, Default)]
struct Slow {
    arrived: Arc<Notify>,
    go: Arc<Notify>,
}

impl Greet for Slow {
    async fn hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>> {
        self.arrived.notify_one();
        self.go.notified().await;
        Ok(HelloReply { text: format!("hi {}", request.name), ..Default::default() }.into())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let health = Health::new();
    health.set_serving("greet.v1.Greet", true);
    let slow = Slow::default();
    let server = Server::new().service(GreetServer::new(slow.clone())).service(health.service()).reflection();

    // Listened for before the server is there, so that no signal is missed.
    let mut terminate = signal(SignalKind::terminate())?;
    let told = async move {
        terminate.recv().await;
        // Here is the place to wait until balancers have noticed, after `health.set_serving("", false)`.
        println!("SIGTERM");
    };
    let bound = server.bind("127.0.0.1:0").await?;
    let target = bound.target();
    // Ends when all calls have ended, at the latest after `Limits::drain_timeout`.
    let serving = tokio::spawn(bound.serve_until(told));

    let channel = Channel::connect(&target).await?;
    println!("services: {}", list_services(&channel).await?.join(", "));
    let request = HealthCheckRequest { service: "greet.v1.Greet".into(), ..Default::default() };
    let mut watch = HealthClient::new(channel.clone()).watch(request).await?.into_message();
    if let Some(update) = watch.message().await? {
        println!("health: {:?}", update.status);
    }

    let client = GreetClient::new(channel);
    let call =
        tokio::spawn(
            async move { client.hello(HelloRequest { name: "Ann".into(), ..Default::default() }).await },
        );
    slow.arrived.notified().await;

    // What the platform does; `kill` is a word of the shell.
    Command::new("sh").args(["-c", "kill -TERM $PPID"]).status().await?;
    // Who watches our health is told and let go, so that it keeps nobody waiting.
    if let Some(update) = watch.message().await? {
        println!("health: {:?}", update.status);
    }
    if let Err(error) = watch.message().await {
        println!("health: {error}");
    }
    slow.go.notify_one();
    println!("the call that was open: {}", call.await??.text);
    serving.await?;
    println!("the server has ended");
    if let Err(error) = Channel::connect(&target).await {
        println!("a new call: {}", error.code());
    }
    Ok(())
}

/// What a tool such as grpcurl asks first.
async fn list_services(channel: &Channel) -> Result<Vec<String>> {
    let mut reflection = ServerReflectionClient::new(channel.clone()).server_reflection_info();
    let question = MessageRequest::ListServices(String::new());
    reflection
        .send(ServerReflectionRequest { message_request: Some(question), ..Default::default() })
        .await?;
    reflection.close();
    let mut names = Vec::new();
    while let Some(answer) = reflection.message().await? {
        if let Some(MessageResponse::ListServicesResponse(list)) = answer.message_response {
            names.extend(list.service.into_iter().map(|service| service.name));
        }
    }
    Ok(names)
}
