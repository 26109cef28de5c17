//! The four shapes of a call: one message or a stream of them, in each direction.

#![forbid(unsafe_code)]

use proto::shop::v1::{Bill, Item, Shop, ShopClient, ShopServer};
use trunkline::{Request, Response, Result, Server, Streaming};

mod proto {
    trunkline::include_protos!();
}

struct Store;

impl Shop for Store {
    /// One in, one out.
    async fn buy(&self, _: Request<Item>) -> Result<Response<Bill>> {
        Ok(Bill { items: 1, ..Default::default() }.into())
    }

    /// One in, many out: a task feeds the stream. `send` waits while eight messages wait, and fails when the caller has
    /// left.
    async fn watch(&self, request: Request<Item>) -> Result<Response<Streaming<Item>>> {
        let (sender, answers) = Streaming::channel(8);
        tokio::spawn(async move {
            for number in 1..=3 {
                if sender.send(item(&format!("{} {number}", request.name))).await.is_err() {
                    break;
                }
            }
        });
        Ok(answers.into())
    }

    /// Many in, one out.
    async fn total(&self, mut request: Request<Streaming<Item>>) -> Result<Response<Bill>> {
        let mut bill = Bill::default();
        while let Some(_item) = request.message().await? {
            bill.items += 1;
        }
        Ok(bill.into())
    }

    /// Many in, many out. Each request has one answer here, so `map` is all it takes.
    async fn talk(&self, request: Request<Streaming<Item>>) -> Result<Response<Streaming<Item>>> {
        Ok(request.into_message().map(|asked| Ok(item(&asked.name.to_uppercase()))).into())
    }
}

fn item(name: &str) -> Item {
    Item { name: name.to_owned(), ..Default::default() }
}

#[tokio::main]
async fn main() -> Result<()> {
    let bound = Server::new().service(ShopServer::new(Store)).bind("127.0.0.1:0").await?;
    let client = ShopClient::connect(&bound.target()).await?;
    tokio::spawn(bound.serve());

    let bill = client.buy(item("tea")).await?;
    println!("unary: {} item", bill.items);

    let mut answers = client.watch(item("cup")).await?.into_message();
    while let Some(answer) = answers.message().await? {
        println!("server stream: {}", answer.name);
    }

    let bill = client.total(Streaming::from_iter(["tea", "cup", "milk"].map(item))).await?;
    println!("client stream: {} items", bill.items);

    // A conversation: the second request is sent when the first answer is here.
    let mut talk = client.talk();
    for name in ["tea", "cup"] {
        talk.send(item(name)).await?;
        if let Some(answer) = talk.message().await? {
            println!("bidi: {name} -> {}", answer.name);
        }
    }
    talk.close();
    println!("bidi: ended by both: {}", talk.message().await?.is_none());
    Ok(())
}
