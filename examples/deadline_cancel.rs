//! Deadlines and cancellation: a call that takes too long, a caller that leaves, and how both reach the work behind them.

#![forbid(unsafe_code)]

use std::future::pending;
use std::time::Duration;

use proto::greet::v1::{Greet, GreetClient, GreetServer, HelloReply, HelloRequest};
use tokio::sync::mpsc;
use trunkline::{Channel, Request, Response, Result, Server, testkit};

mod proto {
    trunkline::include_protos!();
}

/// Never answers. What it sees of its calls it tells `events`.
struct Slow {
    events: mpsc::Sender<&'static str>,
}

/// Tells of its own end: a handler is dropped where it waits, so what must be tidied up belongs into a `Drop`.
struct Work {
    events: mpsc::Sender<&'static str>,
}

impl Drop for Work {
    fn drop(&mut self) {
        // Full or closed means that nobody waits for it any more.
        let _ = self.events.try_send("handler dropped");
    }
}

impl Greet for Slow {
    async fn hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>> {
        let _work = Work { events: self.events.clone() };
        if let Some(context) = request.context().cloned() {
            let events = self.events.clone();
            // A task of its own goes on when the handler is gone, unless it is told.
            tokio::spawn(async move {
                context.canceled().await;
                let _ = events.send("task told").await;
            });
        }
        let _ = self.events.send("call arrived").await;
        pending().await
    }
}

/// Asks another server, and leaves it as much time as its own caller has left.
struct Front {
    back: GreetClient,
}

impl Greet for Front {
    async fn hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>> {
        let onward = HelloRequest { name: request.name.clone(), ..Default::default() };
        self.back.hello(Request::new(onward).within(request.context())).await
    }
}

fn ann() -> HelloRequest {
    HelloRequest { name: "Ann".into(), ..Default::default() }
}

/// Waits for the two events that end a call, in whichever order they come.
async fn report(events: &mut mpsc::Receiver<&'static str>) {
    let mut seen = [events.recv().await, events.recv().await].map(Option::unwrap_or_default);
    seen.sort_unstable();
    println!("  server: {}, {}", seen[0], seen[1]);
}

#[tokio::main]
async fn main() -> Result<()> {
    let (sender, mut events) = mpsc::channel(8);
    let bound = Server::new().service(GreetServer::new(Slow { events: sender })).bind("127.0.0.1:0").await?;
    let channel = Channel::connect(&bound.target()).await?;
    tokio::spawn(bound.serve());
    let client = GreetClient::new(channel.clone());

    println!("a deadline of 300 ms");
    let request = Request::new(ann()).with_timeout(Duration::from_millis(300));
    if let Err(error) = client.hello(request).await {
        println!("  client: {}", error.code());
    }
    println!("  server: {}", events.recv().await.unwrap_or_default());
    report(&mut events).await;

    println!("a caller that leaves");
    tokio::select! {
        _ = client.hello(ann()) => println!("  client: unexpected answer"),
        event = events.recv() => println!("  server: {}", event.unwrap_or_default()),
    }
    // The future of the call has been dropped at the end of `select!`: that is all there is to cancelling.
    report(&mut events).await;

    println!("a deadline that goes through a server in between");
    let front = Server::new().service(GreetServer::new(Front { back: GreetClient::new(channel) }));
    let client = GreetClient::new(testkit::pair(front));
    let request = Request::new(ann()).with_timeout(Duration::from_millis(300));
    if let Err(error) = client.hello(request).await {
        println!("  client: {}", error.code());
    }
    println!("  server behind it: {}", events.recv().await.unwrap_or_default());
    report(&mut events).await;
    Ok(())
}
