//! The client of the README of the repository, which calls the server of the other program.

#![forbid(unsafe_code)]

mod client {
    include!(concat!(env!("OUT_DIR"), "/client.rs"));
}

#[tokio::main]
async fn main() -> trunkline::Result<()> {
    client::call().await.map(drop)
}
