//! Errors of one's own with typed details: a handler uses `?` on its own error type, the caller reads what it can act on.

#![forbid(unsafe_code)]

use proto::greet::v1::HelloReply;
use proto::shop::v1::{Bill, Item, Shop, ShopClient, ShopServer};
use trunkline::details::{BadRequest, ErrorInfo, RetryInfo, bad_request::FieldViolation};
use trunkline::proto::well_known::Duration;
use trunkline::{Error, Protocol, Request, Response, Result, Server, Streaming};

mod proto {
    trunkline::include_protos!();
}

/// Why the shop sells nothing.
enum Refused {
    NoName,
    SoldOut { item: String, back_in_seconds: i64 },
}

/// The one place that says how a refusal looks to callers.
impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::NoName => {
                let violation = FieldViolation {
                    field: "name".into(),
                    description: "must not be empty".into(),
                    ..Default::default()
                };
                let detail = BadRequest { field_violations: vec![violation], ..Default::default() };
                Error::invalid_argument("the item is not complete").with_message_detail(&detail)
            }
            Refused::SoldOut { item, back_in_seconds } => {
                let info = ErrorInfo {
                    reason: "SOLD_OUT".into(),
                    domain: "shop.example".into(),
                    metadata: [("item".into(), item.clone())].into_iter().collect(),
                    ..Default::default()
                };
                let retry = RetryInfo {
                    retry_delay: Duration { seconds: back_in_seconds, ..Default::default() }.into(),
                    ..Default::default()
                };
                // A detail may be any generated message, one of your own as well.
                let sorry = HelloReply { text: "sorry".into(), ..Default::default() };
                Error::failed_precondition(format!("no {item} left"))
                    .with_message_detail(&info)
                    .with_message_detail(&retry)
                    .with_message_detail(&sorry)
            }
        }
    }
}

struct Store;

impl Store {
    fn look_up(item: &Item) -> Result<u64, Refused> {
        match item.name.as_str() {
            "" => Err(Refused::NoName),
            "tea" => Ok(1),
            name => Err(Refused::SoldOut { item: name.to_owned(), back_in_seconds: 30 }),
        }
    }
}

impl Shop for Store {
    async fn buy(&self, request: Request<Item>) -> Result<Response<Bill>> {
        let items = Self::look_up(&request)?;
        Ok(Bill { items, ..Default::default() }.into())
    }

    /// An error may also come behind the first answers: it ends the stream.
    async fn watch(&self, request: Request<Item>) -> Result<Response<Streaming<Item>>> {
        let (sender, answers) = Streaming::channel(1);
        tokio::spawn(async move {
            // Both fail only when the caller has left, and then there is nobody to tell.
            let _ = sender.send(request.into_message()).await;
            let _ = sender.fail(Refused::SoldOut { item: "cup".into(), back_in_seconds: 5 }).await;
        });
        Ok(answers.into())
    }

    async fn total(&self, _: Request<Streaming<Item>>) -> Result<Response<Bill>> {
        Err(Error::unimplemented("not in this example"))
    }

    async fn talk(&self, _: Request<Streaming<Item>>) -> Result<Response<Streaming<Item>>> {
        Err(Error::unimplemented("not in this example"))
    }
}

/// Prints what a program can act on.
fn report(error: &Error) {
    println!("{error}");
    if let Some(bad) = error.message_detail::<BadRequest>() {
        for violation in bad.field_violations {
            println!("  field {} {}", violation.field, violation.description);
        }
    }
    if let Some(info) = error.message_detail::<ErrorInfo>() {
        println!("  {} at {}, item {:?}", info.reason, info.domain, info.metadata.get("item"));
    }
    if let Some(retry) = error.message_detail::<RetryInfo>() {
        println!("  try again in {} s", retry.retry_delay.seconds);
    }
    if let Some(reply) = error.message_detail::<HelloReply>() {
        println!("  of our own: {}", reply.text);
    }
}

fn item(name: &str) -> Item {
    Item { name: name.to_owned(), ..Default::default() }
}

#[tokio::main]
async fn main() -> Result<()> {
    let bound = Server::new().service(ShopServer::new(Store)).bind("127.0.0.1:0").await?;
    let target = bound.target();
    tokio::spawn(bound.serve());

    let client = ShopClient::connect(&target).await?;
    println!("tea: {} sold", client.buy(item("tea")).await?.items);
    for name in ["", "cup"] {
        if let Err(error) = client.buy(item(name)).await {
            report(&error);
        }
    }

    println!("in a stream, over Connect:");
    let channel = trunkline::Channel::builder(&target).protocol(Protocol::Connect).connect().await?;
    let mut answers = ShopClient::new(channel).watch(item("tea")).await?.into_message();
    loop {
        match answers.message().await {
            Ok(Some(item)) => println!("{}", item.name),
            Ok(None) => break,
            Err(error) => {
                report(&error);
                break;
            }
        }
    }
    Ok(())
}
