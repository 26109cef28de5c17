//! Values beside a request: from a caller to the interceptors of its channel, from those of a server to the handler.

use bytes::Bytes;
use trunkline::interceptor::{Interceptor, Next, Payload};
use trunkline::{CallOptions, Request, Response, Result, Streaming};

use crate::support::{CHAT, ECHO, FACTS, JOIN, User, between, cases, within_bounds};

/// On a channel: says in metadata who calls.
struct Sign;

impl Interceptor for Sign {
    async fn intercept(
        &self,
        mut request: Request<Streaming<Payload>>,
        next: Next<'_>,
    ) -> Result<Response<Streaming<Payload>>> {
        if let Some(User(name)) = request.extensions().get::<User>().cloned() {
            request.metadata_mut().insert("echo", &name)?;
        }
        next.run(request).await
    }
}

/// On a server: reads that, adds to what an outer one has found, and runs the rest with it.
struct Read(&'static str);

impl Interceptor for Read {
    async fn intercept(
        &self,
        mut request: Request<Streaming<Payload>>,
        next: Next<'_>,
    ) -> Result<Response<Streaming<Payload>>> {
        let outer = request.extensions_mut().remove::<User>().map(|User(name)| name);
        let name = outer.or_else(|| request.metadata().value("echo").map(str::to_owned));
        if let Some(name) = name {
            request.extensions_mut().insert(User(format!("{name}{}", self.0)));
        }
        next.run(request).await
    }
}

#[tokio::test]
async fn values_reach_the_handler_and_stay_on_their_side() {
    for case in cases() {
        let (channel, _serving) = between(
            &case,
            |server| server.intercept(Read("+outer")).intercept(Read("+inner")),
            |builder| builder.intercept(Sign),
        )
        .await;
        for (name, expected) in [(None::<&str>, None), (Some("ann"), Some("user:ann+outer+inner"))] {
            let mut request = Request::new(Bytes::new());
            if let Some(name) = name {
                request.extensions_mut().insert(User(str::to_owned(name)));
            }
            let reply = within_bounds(case, channel.unary(&FACTS, request)).await.unwrap().into_message();
            let facts = String::from_utf8(reply.to_vec()).unwrap();
            let seen = facts.split(' ').find(|fact| fact.starts_with("user:"));
            assert_eq!(seen, expected, "{case:?}");
        }
    }
}

#[tokio::test]
async fn values_of_a_caller_reach_its_interceptors_in_every_shape() {
    for case in cases() {
        let (channel, _serving) = between(&case, |server| server, |builder| builder.intercept(Sign)).await;
        let mut one = Request::new(Bytes::new());
        one.extensions_mut().insert(User("ann".to_owned()));
        let mut many = Request::new(Streaming::from_iter([Bytes::new()]));
        many.extensions_mut().insert(User("ann".to_owned()));
        let mut options = CallOptions::new();
        options.extensions_mut().insert(User("ann".to_owned()));
        within_bounds(case, async {
            let unary = channel.unary(&ECHO, one).await.unwrap();
            let streamed = channel.client_stream(&JOIN, many).await.unwrap();
            let mut call = channel.bidi(&CHAT, options);
            call.close();
            let headers = [unary.metadata(), streamed.metadata(), call.headers().await.unwrap()];
            assert_eq!(headers.map(|headers| headers.value("echoed")), [Some("ann"); 3], "{case:?}");
        })
        .await;
    }
}
