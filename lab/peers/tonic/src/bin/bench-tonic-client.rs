//! `bench-tonic-client ADDRESS SHAPE CONNECTIONS CALLERS SECONDS MESSAGES [WORKERS]`: what a call costs a client on tonic.
//!
//! It counts and prints as all clients of the lab do.

#![forbid(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bench_tonic::proto::bench_service_client::BenchServiceClient;
use bench_tonic::proto::{Msg, StreamReq};
use bytes::Bytes;
use tonic::Status;
use tonic::transport::{Channel, Endpoint};

type Client = BenchServiceClient<Channel>;

/// How long calls run before they count.
const WARM_UP: Duration = Duration::from_millis(400);

async fn call(client: &mut Client, shape: &str, messages: u32, units: &AtomicU64) -> Result<(), Status> {
    let message = Msg { payload: Bytes::from_static(&[b'x'; 100]) };
    let source = {
        let message = message.clone();
        tokio_stream::iter((0..messages).map(move |_| message.clone()))
    };
    match shape {
        "unary" => {
            client.echo(message).await?;
            units.fetch_add(1, Ordering::Relaxed);
        }
        "sstream" => {
            let request = StreamReq { count: messages, size: 100, mode: 0 };
            let mut answers = client.server_stream(request).await?.into_inner();
            while answers.message().await?.is_some() {
                units.fetch_add(1, Ordering::Relaxed);
            }
        }
        "cstream" => {
            client.client_stream(source).await?;
            units.fetch_add(u64::from(messages), Ordering::Relaxed);
        }
        _ => {
            let mut answers = client.bidi(source).await?.into_inner();
            while answers.message().await?.is_some() {
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
            "usage: bench-tonic-client ADDRESS SHAPE CONNECTIONS CALLERS SECONDS MESSAGES [WORKERS]".into()
        );
    };
    let (connections, callers): (usize, usize) = (connections.parse()?, callers.parse()?);
    let (seconds, messages): (f64, u32) = (seconds.parse()?, messages.parse()?);
    let (units, errors) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let mut clients = Vec::new();
    for _ in 0..connections {
        let endpoint = Endpoint::from_shared(format!("http://{address}"))?.tcp_nodelay(true);
        clients.push(BenchServiceClient::new(endpoint.connect().await?));
    }
    for caller in 0..callers {
        let (mut client, shape) = (clients[caller % connections].clone(), shape.clone());
        let (units, errors) = (units.clone(), errors.clone());
        tokio::spawn(async move {
            loop {
                if let Err(status) = call(&mut client, &shape, messages, &units).await {
                    if errors.fetch_add(1, Ordering::Relaxed) == 0 {
                        eprintln!("first error: {status}");
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
        "{{\"client\":\"tonic\",\"mode\":\"{shape}\",\"conns\":{connections},\"callers\":{callers},\"rate\":{:.0},\"cli_us\":{:.3},\"errs\":{}}}",
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
