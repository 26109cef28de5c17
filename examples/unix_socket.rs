//! A Unix socket: a server for the programs of the same machine, with the rights of a file in place of a port.

#![forbid(unsafe_code)]

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs, process};

use proto::greet::v1::{Greet, GreetClient, GreetServer, HelloReply, HelloRequest};
use tokio::sync::oneshot;
use trunkline::{Request, Response, Result, Server};

mod proto {
    trunkline::include_protos!();
}

struct Hello;

impl Greet for Hello {
    async fn hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>> {
        // There is no address at the other end of such a socket.
        let known = request.context().is_some_and(|context| context.peer().address.is_some());
        let text = format!("hi {}, address known: {known}", request.name);
        Ok(HelloReply { text, ..Default::default() }.into())
    }
}

/// A folder of this run's own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        let path = env::temp_dir().join(format!("trunkline-example-{}", process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is the system's to clean up.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = Folder::new()?;
    let path = folder.0.join("greet.sock");
    let bound = Server::new().service(GreetServer::new(Hello)).bind_unix(&path).await?;
    let target = bound.target();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(bound.serve_until(async { drop(stopped.await) }));
    println!("socket there: {}", path.exists());

    // Everything goes over it: every protocol, every shape.
    let client = GreetClient::connect(&target).await?;
    let reply = client.hello(HelloRequest { name: "Ann".into(), ..Default::default() }).await?;
    println!("{}", reply.text);

    drop(stop);
    serving.await?;
    println!("socket there after the server: {}", path.exists());
    Ok(())
}
