//! `bench-connectrpc-client ADDRESS SHAPE CONNECTIONS CALLERS SECONDS MESSAGES [WORKERS]`: what a call costs a client on connectrpc.
//!
//! It counts and prints as all clients of the lab do, and speaks gRPC.

#![forbid(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bench_connectrpc::bench::v1::{BenchServiceClient, Msg, StreamReq};
use connectrpc::client::{ClientConfig, Http2Connection, SharedHttp2Connection};
use connectrpc::{ConnectError, Protocol};

type Client = BenchServiceClient<SharedHttp2Connection>;

/// Calls that one connection takes at a time; above what any row of the lab has.
const CALLS_MAX: usize = 1024;

/// How long calls run before they count.
const WARM_UP: Duration = Duration::from_millis(400);

fn message() -> Msg {
    Msg { payload: vec![b'x'; 100].into(), ..Default::default() }
}

async fn call(client: &Client, shape: &str, messages: u32, units: &AtomicU64) -> Result<(), ConnectError> {
    match shape {
        "unary" => {
            client.echo(message()).await?;
            units.fetch_add(1, Ordering::Relaxed);
        }
        "sstream" => {
            let request = StreamReq { count: messages, size: 100, ..Default::default() };
            let mut answers = client.server_stream(request).await?;
            while answers.message::<Msg>().await?.is_some() {
                units.fetch_add(1, Ordering::Relaxed);
            }
        }
        "cstream" => {
            client.client_stream(futures::stream::iter((0..messages).map(|_| message()))).await?;
            units.fetch_add(u64::from(messages), Ordering::Relaxed);
        }
        _ => {
            let mut talk = client.bidi().await?;
            for _ in 0..messages {
                talk.send(message()).await?;
            }
            talk.close_send();
            while talk.message::<Msg>().await?.is_some() {
                units.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    Ok(())
}

/// The CPU time of this process so far, of all its threads, user and system.
fn cpu_seconds() -> Result<f64, Box<dyn std::error::Error>> {
    let mut nanoseconds = 0;
    for thread in std::fs::read_dir("/proc/self/task")? {
        let text = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        nanoseconds += text.split(' ').next().unwrap_or_default().parse::<u64>()?;
    }
    Ok(nanoseconds as f64 / 1e9)
}

async fn measure(words: &[String]) -> Result<String, Box<dyn std::error::Error>> {
    let [address, shape, connections, callers, seconds, messages, ..] = words else {
        return Err(
            "usage: bench-connectrpc-client ADDRESS SHAPE CONNECTIONS CALLERS SECONDS MESSAGES [WORKERS]"
                .into(),
        );
    };
    let (connections, callers): (usize, usize) = (connections.parse()?, callers.parse()?);
    let (seconds, messages): (f64, u32) = (seconds.parse()?, messages.parse()?);
    let uri: http::Uri = format!("http://{address}").parse()?;
    let (units, errors) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let mut clients = Vec::new();
    for _ in 0..connections {
        let connected = Http2Connection::connect_plaintext(uri.clone()).await?;
        let config = ClientConfig::new(uri.clone()).with_protocol(Protocol::Grpc);
        clients.push(BenchServiceClient::new(connected.shared(CALLS_MAX), config));
    }
    for caller in 0..callers {
        let (client, shape): (Client, _) = (clients[caller % connections].clone(), shape.clone());
        let (units, errors) = (units.clone(), errors.clone());
        tokio::spawn(async move {
            loop {
                if let Err(error) = call(&client, &shape, messages, &units).await {
                    if errors.fetch_add(1, Ordering::Relaxed) == 0 {
                        eprintln!("first error: {error}");
                    }
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            }
        });
    }
    tokio::time::sleep(WARM_UP).await;
    let (before, cpu, start) = (units.load(Ordering::Relaxed), cpu_seconds()?, Instant::now());
    tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
    let units = (units.load(Ordering::Relaxed) - before) as f64;
    let (cpu, elapsed) = (cpu_seconds()? - cpu, start.elapsed().as_secs_f64());
    Ok(format!(
        "{{\"client\":\"connectrpc\",\"mode\":\"{shape}\",\"conns\":{connections},\"callers\":{callers},\"rate\":{:.0},\"cli_us\":{:.3},\"errs\":{}}}",
        units / elapsed,
        cpu * 1e6 / units,
        errors.load(Ordering::Relaxed)
    ))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let workers: usize = words.get(6).map_or(Ok(2), |word| word.parse())?;
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(workers).enable_all().build()?;
    println!("{}", runtime.block_on(measure(&words))?);
    Ok(())
}
