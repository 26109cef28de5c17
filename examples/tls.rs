//! TLS: a server with a certificate, a client that trusts it, and one that does not.

#![forbid(unsafe_code)]

use std::error::Error;

use proto::greet::v1::{Greet, GreetClient, GreetServer, HelloReply, HelloRequest};
use trunkline::transport::tls::{ClientTls, ServerTls};
use trunkline::{Channel, Request, Response, Result, Server};

mod proto {
    trunkline::include_protos!();
}

struct Hello;

impl Greet for Hello {
    async fn hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>> {
        let tls = request.context().is_some_and(|context| context.peer().tls);
        let text = format!("hi {}{}", request.name, if tls { ", this is private" } else { "" });
        Ok(HelloReply { text, ..Default::default() }.into())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Made here so that the program needs no files; elsewhere both come from disk, as PEM.
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let (certificate, key) = (made.cert.pem(), made.signing_key.serialize_pem());

    let tls = ServerTls::from_pem(certificate.as_bytes(), key.as_bytes())?;
    let bound = Server::new().service(GreetServer::new(Hello)).tls(tls).bind("127.0.0.1:0").await?;
    // The name must be one that the certificate holds for.
    let target = bound.target();
    tokio::spawn(bound.serve());

    let trust = ClientTls::trusting_pem(certificate.as_bytes())?;
    let client = GreetClient::new(Channel::builder(&target).tls(trust).connect().await?);
    let reply = client.hello(HelloRequest { name: "Ann".into(), ..Default::default() }).await?;
    println!("{}", reply.text);

    // Somebody else's certificate of the same name. Without `tls` it would be what the system trusts.
    let other = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let distrust = ClientTls::trusting_pem(other.cert.pem().as_bytes())?;
    match Channel::builder(&target).tls(distrust).connect().await {
        Ok(_) => println!("unexpected: connected to a server that is not trusted"),
        Err(error) => println!("not trusted: {}, nothing was sent", error.code()),
    }
    Ok(())
}
