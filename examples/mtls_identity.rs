//! Mutual TLS: the server knows its callers by their certificates, and gets a new certificate of its own while it runs.

#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::error::Error;

use bytes::Bytes;
use proto::greet::v1::{Greet, GreetClient, GreetServer, HelloReply, HelloRequest};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use trunkline::transport::tls::{ClientTls, ServerTls};
use trunkline::{Channel, Request, Response, Result, Server};

mod proto {
    trunkline::include_protos!();
}

/// Greets callers by the name that goes with their certificate, not by the one they say.
struct Hello {
    /// The certificates that are known (DER), with the name of each. A program with many callers would read the name out of
    /// the certificate by a crate such as x509-parser.
    callers: HashMap<Bytes, &'static str>,
}

impl Greet for Hello {
    async fn hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>> {
        let shown = request.context().and_then(|context| context.peer().certificates.first().cloned());
        let Some(caller) = shown.and_then(|certificate| self.callers.get(&certificate)) else {
            return Err(trunkline::Error::permission_denied("this certificate may not call Hello"));
        };
        Ok(HelloReply { text: format!("hi {caller}"), ..Default::default() }.into())
    }
}

/// A certificate with its key.
struct Identity {
    pem: String,
    der: Bytes,
    key: String,
}

/// Signs certificates. It stands for the authority of a company or a mesh.
struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Result<Self, rcgen::Error> {
        let key = KeyPair::generate()?;
        let mut parameters = CertificateParams::new(Vec::new())?;
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = parameters.self_signed(&key)?.pem();
        Ok(Self { pem, issuer: Issuer::new(parameters, key) })
    }

    fn sign(&self, name: &str) -> Result<Identity, rcgen::Error> {
        let key = KeyPair::generate()?;
        let certificate = CertificateParams::new([name.to_owned()])?.signed_by(&key, &self.issuer)?;
        let der = Bytes::copy_from_slice(certificate.der());
        Ok(Identity { pem: certificate.pem(), der, key: key.serialize_pem() })
    }

    fn trusted(&self) -> Result<ClientTls> {
        ClientTls::trusting_pem(self.pem.as_bytes())
    }
}

async fn say_hello(client: &GreetClient) -> String {
    let request = HelloRequest { name: "somebody".into(), ..Default::default() };
    match client.hello(request).await {
        Ok(reply) => reply.into_message().text,
        Err(error) => format!("{}: {}", error.code(), error.message()),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let authority = Authority::new()?;
    let (server, ann, guest) =
        (authority.sign("localhost")?, authority.sign("ann")?, authority.sign("guest")?);

    let tls = ServerTls::from_pem(server.pem.as_bytes(), server.key.as_bytes())?
        .require_client_certificates(authority.pem.as_bytes())?;
    let hello = Hello { callers: HashMap::from([(ann.der.clone(), "Ann")]) };
    // A clone is kept: replacing its certificate replaces the server's.
    let bound = Server::new().service(GreetServer::new(hello)).tls(tls.clone()).bind("127.0.0.1:0").await?;
    let target = bound.target();
    tokio::spawn(bound.serve());

    let trust = authority.trusted()?.with_identity(ann.pem.as_bytes(), ann.key.as_bytes())?;
    let client = GreetClient::new(Channel::builder(&target).tls(trust).connect().await?);
    println!("a certificate that is known: {}", say_hello(&client).await);

    let trust = authority.trusted()?.with_identity(guest.pem.as_bytes(), guest.key.as_bytes())?;
    let channel = Channel::builder(&target).tls(trust).connect().await?;
    println!("one that is trusted but not known: {}", say_hello(&GreetClient::new(channel)).await);

    // A connection is refused before there is a call, so nothing comes from the handler.
    let channel = Channel::builder(&target).tls(authority.trusted()?).connect_lazy()?;
    if let Err(error) = GreetClient::new(channel).hello(HelloRequest::default()).await {
        println!("none at all: {}", error.code());
    }

    // Another authority signs from now on. New connections see the new certificate; those that stand go on.
    let next = Authority::new()?;
    let renewed = next.sign("localhost")?;
    tls.replace_pem(renewed.pem.as_bytes(), renewed.key.as_bytes())?;
    let trust = next.trusted()?.with_identity(ann.pem.as_bytes(), ann.key.as_bytes())?;
    let renewed = GreetClient::new(Channel::builder(&target).tls(trust).connect().await?);
    println!("new connection, new certificate: {}", say_hello(&renewed).await);
    println!("connection from before: {}", say_hello(&client).await);
    Ok(())
}
