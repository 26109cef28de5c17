//! Authentication by interceptors, on both sides and asynchronous: the server asks who a token belongs to, the client gets
//! a new token when the old one has run out. Handlers and callers know nothing of it, and no shape of call slips past.

#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::sync::Arc;

use proto::greet::v1::{Greet, GreetClient, GreetServer, HelloReply, HelloRequest};
use tokio::sync::Mutex;
use trunkline::interceptor::{Interceptor, Next, Payload};
use trunkline::{Channel, Error, Request, Response, Result, Server, Streaming};

mod proto {
    trunkline::include_protos!();
}

/// Stands for the service that gives tokens out, over a network as a rule, hence `async`.
#[derive(Default)]
struct Authority {
    /// Tokens with the calls that each is still good for: calls in place of minutes, so that this program needs no clock.
    calls_left: Mutex<HashMap<String, u32>>,
}

/// A token as its bearer gets it.
struct Token {
    text: String,
    calls_left: u32,
}

impl Authority {
    async fn issue(&self, user: &str) -> Token {
        let mut calls_left = self.calls_left.lock().await;
        let text = format!("{user}-{}", calls_left.len() + 1);
        calls_left.insert(text.clone(), CALLS_OF_A_TOKEN);
        Token { text, calls_left: CALLS_OF_A_TOKEN }
    }

    /// Whose token this is, if it is still good.
    async fn user_of(&self, token: &str) -> Option<String> {
        let mut calls_left = self.calls_left.lock().await;
        let left = calls_left.get_mut(token)?;
        *left = left.checked_sub(1)?;
        Some(token.split('-').next()?.to_owned())
    }
}

/// The server's side: nobody comes in without a token, whatever the shape of the call.
struct Doorkeeper {
    authority: Arc<Authority>,
}

impl Interceptor for Doorkeeper {
    async fn intercept(
        &self,
        mut request: Request<Streaming<Payload>>,
        next: Next<'_>,
    ) -> Result<Response<Streaming<Payload>>> {
        let Some(token) =
            request.metadata().value("authorization").and_then(|value| value.strip_prefix("Bearer "))
        else {
            return Err(Error::unauthenticated(format!("{} needs a token", next.context().spec().path)));
        };
        let Some(user) = self.authority.user_of(token).await else {
            return Err(Error::unauthenticated("the token has run out"));
        };
        // In place of whatever the caller has written there: from here on it can be trusted.
        request.metadata_mut().insert("x-user", &user)?;
        next.run(request).await
    }
}

/// The client's side: every call carries a token, and gets another one when the old one has run out.
struct TokenBearer {
    authority: Arc<Authority>,
    /// The lock is held while a token is fetched, so that many calls at once fetch one.
    token: Mutex<Option<Token>>,
}

impl TokenBearer {
    async fn token(&self) -> String {
        let mut held = self.token.lock().await;
        let mut token = match held.take() {
            Some(token) if token.calls_left > 0 => token,
            _ => {
                let token = self.authority.issue("ann").await;
                println!("client: gets token {}", token.text);
                token
            }
        };
        token.calls_left -= 1;
        held.insert(token).text.clone()
    }
}

impl Interceptor for TokenBearer {
    async fn intercept(
        &self,
        mut request: Request<Streaming<Payload>>,
        next: Next<'_>,
    ) -> Result<Response<Streaming<Payload>>> {
        let token = self.token().await;
        request.metadata_mut().insert("authorization", &format!("Bearer {token}"))?;
        next.run(request).await
    }
}

struct Hello;

impl Greet for Hello {
    async fn hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>> {
        let user = request.metadata().value("x-user").unwrap_or("stranger");
        Ok(HelloReply { text: format!("hi {}, says {user}", request.name), ..Default::default() }.into())
    }
}

fn named(name: &str) -> HelloRequest {
    HelloRequest { name: name.to_owned(), ..Default::default() }
}

#[tokio::main]
async fn main() -> Result<()> {
    let authority = Arc::new(Authority::default());
    let doorkeeper = Doorkeeper { authority: Arc::clone(&authority) };
    let server = Server::new().service(GreetServer::new(Hello)).intercept(doorkeeper);
    let bound = server.bind("127.0.0.1:0").await?;
    let target = format!("http://{}", bound.local_address());
    tokio::spawn(bound.serve());

    let stranger = GreetClient::connect(&target).await?;
    if let Err(error) = stranger.hello(named("Bob")).await {
        println!("without a token: {error}");
    }
    let request = Request::new(named("Bob")).with_metadata("authorization", "Bearer ann-0")?;
    if let Err(error) = stranger.hello(request).await {
        println!("with an old one: {error}");
    }

    let bearer = TokenBearer { authority, token: Mutex::default() };
    let client = GreetClient::new(Channel::builder(&target).intercept(bearer).connect().await?);
    for name in ["Bob", "Cid", "Dan"] {
        println!("{}", client.hello(named(name)).await?.text);
    }
    Ok(())
}

const CALLS_OF_A_TOKEN: u32 = 2;
