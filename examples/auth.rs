//! Authentication by interceptors, on both sides and asynchronous: the server asks who a token belongs to and tells the
//! handler, the client gets another token when the server refuses its own, and calls again. Callers know nothing of it, and
//! no shape of call slips past.

#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::sync::Arc;

use proto::greet::v1::{Greet, GreetClient, GreetServer, HelloReply, HelloRequest};
use tokio::sync::Mutex;
use trunkline::interceptor::{Interceptor, Next, Payload};
use trunkline::{Channel, Code, Error, Request, Response, Result, Server, Streaming};

mod proto {
    trunkline::include_protos!();
}

/// Stands for the service that gives tokens out, over a network as a rule, hence `async`.
#[derive(Default)]
struct Authority {
    /// Tokens with the calls that each is still good for: calls in place of minutes, so that this program needs no clock.
    calls_left: Mutex<HashMap<String, u32>>,
}

impl Authority {
    async fn issue(&self, user: &str) -> String {
        let mut calls_left = self.calls_left.lock().await;
        let token = format!("{user}-{}", calls_left.len() + 1);
        calls_left.insert(token.clone(), CALLS_OF_A_TOKEN);
        token
    }

    /// Whose token this is, if it is still good.
    async fn user_of(&self, token: &str) -> Option<User> {
        let mut calls_left = self.calls_left.lock().await;
        let left = calls_left.get_mut(token)?;
        *left = left.checked_sub(1)?;
        token.split('-').next().map(|name| User(name.to_owned()))
    }
}

/// Who calls, for handlers.
#[derive(Clone)]
struct User(String);

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
        request.extensions_mut().insert(user);
        next.run(request).await
    }
}

/// The client's side: every call carries a token, and is made again with another one when the server refuses the first.
struct TokenBearer {
    authority: Arc<Authority>,
    /// The lock is held while a token is fetched, so that many calls at once fetch one.
    token: Mutex<Option<String>>,
}

impl TokenBearer {
    /// The token that is held, unless it is the one that was `refused`: another call may have fetched a new one already.
    async fn token(&self, refused: Option<&str>) -> String {
        let mut held = self.token.lock().await;
        if let Some(token) = held.as_ref().filter(|token| refused != Some(token.as_str())) {
            return token.clone();
        }
        let token = self.authority.issue("ann").await;
        println!("client: gets token {token}");
        held.insert(token).clone()
    }
}

impl Interceptor for TokenBearer {
    async fn intercept(
        &self,
        mut request: Request<Streaming<Payload>>,
        next: Next<'_>,
    ) -> Result<Response<Streaming<Payload>>> {
        let token = self.token(None).await;
        request.metadata_mut().insert("authorization", &format!("Bearer {token}"))?;
        // One message can be sent again; a stream of them is gone when it has been sent.
        if next.context().spec().shape.client_streams() {
            return next.run(request).await;
        }
        let mut request = request.into_single().await?;
        match next.run(request.again()).await {
            Err(error) if error.code() == Code::Unauthenticated => {
                let token = self.token(Some(&token)).await;
                request.metadata_mut().insert("authorization", &format!("Bearer {token}"))?;
                next.run(request.again()).await
            }
            outcome => outcome,
        }
    }
}

struct Hello;

impl Greet for Hello {
    async fn hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>> {
        let user = request.extensions().get::<User>().map_or("a stranger", |user| &user.0);
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
    let target = bound.target();
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
