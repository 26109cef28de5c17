//! The server and the client of `small_frames.proto` on tonic, with its default options, for comparison with ours: the same command
//! line and the same lines of output as `trunkline-small-frames`.

#![forbid(unsafe_code)]

mod proto {
    tonic::include_proto!("trunkline.lab.small_frames.v1");
}

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use proto::Piece;
use proto::small_frames_client::SmallFramesClient;
use proto::small_frames_server::{SmallFrames, SmallFramesServer};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tokio_stream::{Stream, StreamExt};
use tonic::transport::{Channel, Server};
use tonic::{Request, Response, Status, Streaming};

const MESSAGES: u32 = 1000;
const PAYLOAD_BYTES: usize = 100;
const CALL_TIMEOUT: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(2);
const READ_AT_ONCE: u32 = 100;

type Fault = Box<dyn std::error::Error + Send + Sync>;
type Pieces = Pin<Box<dyn Stream<Item = Result<Piece, Status>> + Send>>;

struct Echo;

#[tonic::async_trait]
impl SmallFrames for Echo {
    type PullStream = Pieces;
    type TalkStream = Pieces;

    async fn pull(&self, request: Request<Piece>) -> Result<Response<Pieces>, Status> {
        let piece = request.into_inner();
        let pieces = tokio_stream::iter((0..MESSAGES).map(move |_| Ok(piece.clone())));
        Ok(Response::new(Box::pin(pieces)))
    }

    async fn push(&self, request: Request<Streaming<Piece>>) -> Result<Response<Piece>, Status> {
        let is_slow = request.metadata().contains_key("slow");
        let count = counted(request.into_inner(), is_slow).await?;
        Ok(Response::new(Piece { payload: count.to_string().into_bytes() }))
    }

    async fn talk(&self, request: Request<Streaming<Piece>>) -> Result<Response<Pieces>, Status> {
        let is_slow = request.metadata().contains_key("slow");
        let mut seen = 0;
        let pieces = request.into_inner().then(move |piece| {
            seen += 1;
            paced(is_slow, seen, piece)
        });
        Ok(Response::new(Box::pin(pieces)))
    }
}

fn paced<T>(is_slow: bool, seen: u32, value: T) -> impl Future<Output = T> {
    async move {
        pace(is_slow, seen).await;
        value
    }
}

async fn pace(is_slow: bool, seen: u32) {
    if is_slow && seen.is_multiple_of(READ_AT_ONCE) {
        tokio::time::sleep(PAUSE).await;
    }
}

async fn counted(mut pieces: Streaming<Piece>, is_slow: bool) -> Result<u32, Status> {
    let mut count = 0;
    while pieces.message().await?.is_some() {
        count += 1;
        pace(is_slow, count).await;
    }
    Ok(count)
}

fn piece() -> Piece {
    Piece { payload: vec![0; PAYLOAD_BYTES] }
}

fn request<T>(message: T, is_slow: bool) -> Request<T> {
    let mut request = Request::new(message);
    if is_slow {
        request.metadata_mut().insert("slow", "1".parse().expect("it is ASCII"));
    }
    request
}

async fn call(mut client: SmallFramesClient<Channel>, direction: &str, is_slow: bool) -> Result<(), Status> {
    let pieces = tokio_stream::iter((0..MESSAGES).map(|_| piece()));
    let seen = match direction {
        "pull" => counted(client.pull(piece()).await?.into_inner(), is_slow).await?,
        "push" => {
            let answer = client.push(request(pieces, is_slow)).await?.into_inner();
            String::from_utf8_lossy(&answer.payload).parse().unwrap_or_default()
        }
        _ => counted(client.talk(request(pieces, is_slow)).await?.into_inner(), is_slow).await?,
    };
    if seen == MESSAGES { Ok(()) } else { Err(Status::data_loss(format!("{seen} of {MESSAGES} messages"))) }
}

async fn calls(address: &str, direction: &str, streams: u32, calls: u32, is_slow: bool) -> Result<(), Fault> {
    let channel = Channel::from_shared(format!("http://{address}"))?.connect().await?;
    let client = SmallFramesClient::new(channel);
    let failed = Arc::new(AtomicU32::new(0));
    let mut callers = tokio::task::JoinSet::new();
    for _ in 0..streams {
        let (client, failed, direction) = (client.clone(), Arc::clone(&failed), direction.to_owned());
        callers.spawn(async move {
            for _ in 0..calls {
                let ended = tokio::time::timeout(CALL_TIMEOUT, call(client.clone(), &direction, is_slow)).await;
                if let Err(status) = ended.unwrap_or_else(|_| Err(Status::deadline_exceeded("no end"))) {
                    eprintln!("small-frames-tonic: {status}");
                    failed.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
    }
    while let Some(ended) = callers.join_next().await {
        ended?;
    }
    println!("calls={} failed={}", streams * calls, failed.load(Ordering::Relaxed));
    Ok(())
}

async fn serve() -> Result<(), Fault> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on http://{}", listener.local_addr()?);
    let stop = async {
        let _ = tokio::io::stdin().read_to_end(&mut Vec::new()).await;
    };
    let router = Server::builder().add_service(SmallFramesServer::new(Echo));
    Ok(router.serve_with_incoming_shutdown(TcpListenerStream::new(listener), stop).await?)
}

#[tokio::main]
async fn main() -> Result<(), Fault> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["server"] => serve().await,
        ["client", address, direction, streams, count, pace] => {
            calls(address, direction, streams.parse()?, count.parse()?, *pace == "slow").await
        }
        _ => Err("say `server` or `client ADDRESS pull|push|talk STREAMS CALLS fast|slow`".into()),
    }
}
