//! Compression: chosen for a channel, for one call, or for one answer. A compression of one's own, wrapped around gzip,
//! tells of each message that it makes smaller.

#![forbid(unsafe_code)]

use std::sync::Arc;

use bytes::BytesMut;
use proto::greet::v1::{Greet, GreetClient, GreetServer, HelloReply, HelloRequest};
use trunkline::compress::{Compression, Compressions, Gzip, InflateFault};
use trunkline::{Channel, Request, Response, Result, Server};

mod proto {
    trunkline::include_protos!();
}

/// gzip that says when it is used. A compression of another format has another name, and peers that do not know the name
/// are never sent it.
struct Watched {
    side: &'static str,
    gzip: Gzip,
}

impl Watched {
    fn new(side: &'static str) -> Self {
        Self { side, gzip: Gzip::default() }
    }
}

impl Compression for Watched {
    fn name(&self) -> &'static str {
        self.gzip.name()
    }

    fn compress(&self, source: &[u8], target: &mut BytesMut) {
        let before = target.len();
        self.gzip.compress(source, target);
        let smaller = target.len() - before < source.len() / 10;
        println!("  {} compresses {} bytes, to less than a tenth: {smaller}", self.side, source.len());
    }

    /// `bytes_max` is what keeps a small message that inflates to a huge one from doing harm.
    fn inflate(&self, source: &[u8], bytes_max: usize, target: &mut BytesMut) -> Result<(), InflateFault> {
        self.gzip.inflate(source, bytes_max, target)
    }
}

struct Hello;

impl Greet for Hello {
    async fn hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>> {
        let secret = request.metadata().value("x-secret").is_some();
        let text = format!("hi {}", request.name);
        let response = Response::new(HelloReply { text, ..Default::default() });
        // The length of what is compressed tells something of it, so secrets are sent as they are.
        Ok(if secret { response.without_compression() } else { response })
    }
}

fn named(name: &str) -> Request<HelloRequest> {
    Request::new(HelloRequest { name: name.to_owned(), ..Default::default() })
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut known = Compressions::none();
    known.push(Arc::new(Watched::new("server")));
    let server = Server::new().service(GreetServer::new(Hello)).compressions(known);
    let bound = server.bind("127.0.0.1:0").await?;
    let target = bound.target();
    tokio::spawn(bound.serve());

    // A client compresses only what it is told to; the server answers in kind.
    let channel = Channel::builder(&target).send_compressed(Watched::new("client")).connect().await?;
    let client = GreetClient::new(channel);
    let long = "Ann ".repeat(1000);

    println!("a long message");
    client.hello(named(&long)).await?;

    println!("a short one, below Limits::compress_bytes_min");
    client.hello(named("Ann")).await?;

    println!("a long one that the caller sends as it is");
    client.hello(named(&long).without_compression()).await?;

    println!("a long one that the handler answers as it is");
    client.hello(named(&long).with_metadata("x-secret", "yes")?).await?;

    println!("a caller that compresses nothing, but takes what the server compresses");
    GreetClient::connect(&target).await?.hello(named(&long)).await?;
    Ok(())
}
