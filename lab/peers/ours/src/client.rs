//! `trunkline-bench-client ADDRESS SHAPE CONNECTIONS CALLERS SECONDS MESSAGES [WORKERS]`: what a call costs its client.
//!
//! It decides when a call counts and prints one line of JSON. It must not know which server answers: in the lab that is one that does
//! next to nothing, so that what is measured is the client.

#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use proto::bench::v1::{BenchServiceClient, Msg, StreamReq};
use trunkline::{Result, Streaming};

mod proto {
    trunkline::include_protos!();
}

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// How long calls run before they count.
const WARM_UP: Duration = Duration::from_millis(400);

/// What stands on the command line.
#[derive(Clone)]
struct Load {
    address: String,
    shape: Shape,
    connections: usize,
    callers: usize,
    seconds: f64,
    messages: u32,
    workers: usize,
}

#[derive(Clone, Copy)]
enum Shape {
    Unary,
    ServerStream,
    ClientStream,
    Bidi,
}

/// What has happened so far, for all callers.
#[derive(Default)]
struct Counts {
    units: AtomicU64,
    errors: AtomicU64,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some(load) = parse(&words) else {
        eprintln!(
            "usage: trunkline-bench-client ADDRESS unary|sstream|cstream|bidi CONNECTIONS CALLERS SECONDS MESSAGES [WORKERS]"
        );
        return ExitCode::from(2);
    };
    match run(load) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn parse(words: &[String]) -> Option<Load> {
    let [address, shape, connections, callers, seconds, messages, rest @ ..] = words else { return None };
    let shape = SHAPES.iter().find(|(name, _)| name == shape)?.1;
    let workers = match rest {
        [] => 2,
        [workers] => workers.parse().ok()?,
        _ => return None,
    };
    Some(Load {
        address: address.clone(),
        shape,
        connections: connections.parse().ok().filter(|connections| *connections > 0)?,
        callers: callers.parse().ok()?,
        seconds: seconds.parse().ok()?,
        messages: messages.parse().ok()?,
        workers,
    })
}

fn run(load: Load) -> std::result::Result<String, AnyError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(load.workers.max(1))
        .enable_all()
        .build()?;
    runtime.block_on(measure(load))
}

/// Runs the callers, and gives what a unit has cost once they are warm. A unit is a call, or a message of a stream.
async fn measure(load: Load) -> std::result::Result<String, AnyError> {
    let counts = Arc::new(Counts::default());
    let mut clients = Vec::new();
    for _ in 0..load.connections {
        clients.push(BenchServiceClient::connect(&format!("http://{}", load.address)).await?);
    }
    for caller in 0..load.callers {
        let client = clients[caller % clients.len()].clone();
        tokio::spawn(call_on(client, load.clone(), counts.clone()));
    }
    tokio::time::sleep(WARM_UP).await;
    let (units, cpu, start) = (counts.units.load(Ordering::Relaxed), cpu_seconds()?, Instant::now());
    tokio::time::sleep(Duration::from_secs_f64(load.seconds)).await;
    let units = (counts.units.load(Ordering::Relaxed) - units) as f64;
    let (cpu, elapsed) = (cpu_seconds()? - cpu, start.elapsed().as_secs_f64());
    let name = SHAPES.iter().find(|(_, shape)| *shape as u8 == load.shape as u8).map_or("", |(name, _)| name);
    Ok(format!(
        "{{\"client\":\"ours\",\"mode\":\"{name}\",\"conns\":{},\"callers\":{},\"rate\":{:.0},\"cli_us\":{:.3},\"errs\":{}}}",
        load.connections,
        load.callers,
        units / elapsed,
        cpu * 1e6 / units,
        counts.errors.load(Ordering::Relaxed)
    ))
}

/// One caller: the next call begins when the last one has ended.
async fn call_on(client: BenchServiceClient, load: Load, counts: Arc<Counts>) {
    let message = Msg { payload: vec![b'x'; 100], ..Default::default() };
    loop {
        if let Err(error) = call(&client, &load, &counts, &message).await {
            if counts.errors.fetch_add(1, Ordering::Relaxed) == 0 {
                eprintln!("first error: {error}");
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

async fn call(client: &BenchServiceClient, load: &Load, counts: &Counts, message: &Msg) -> Result<()> {
    let count = |units: u64| {
        counts.units.fetch_add(units, Ordering::Relaxed);
    };
    let messages = load.messages;
    let source = || {
        let message = message.clone();
        Streaming::from_iter((0..messages).map(move |_| message.clone()))
    };
    match load.shape {
        Shape::Unary => {
            client.echo(message.clone()).await?;
            count(1);
        }
        Shape::ServerStream => {
            let request = StreamReq { count: messages, size: 100, ..Default::default() };
            let mut answers = client.server_stream(request).await?.into_message();
            while answers.message().await?.is_some() {
                count(1);
            }
        }
        Shape::ClientStream => {
            client.client_stream(source()).await?;
            count(u64::from(messages));
        }
        Shape::Bidi => {
            let (mut sender, mut answers) = client.bidi().split();
            let source = source();
            let sending = tokio::spawn(async move { sender.send_all(source).await });
            while answers.message().await?.is_some() {
                count(1);
            }
            // A panic of the task is none of the call's errors; there is nothing in it that could.
            sending.await.unwrap_or(Ok(()))?;
        }
    }
    Ok(())
}

/// The CPU time of this process so far, of all its threads, user and system.
///
/// The kernel counts in ticks of 10 ms in `stat`, but in nanoseconds in `schedstat` of each thread.
fn cpu_seconds() -> std::result::Result<f64, AnyError> {
    let mut nanoseconds = 0;
    for thread in std::fs::read_dir("/proc/self/task")? {
        let text = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        nanoseconds += text.split(' ').next().unwrap_or_default().parse::<u64>()?;
    }
    Ok(nanoseconds as f64 / 1e9)
}

const SHAPES: [(&str, Shape); 4] = [
    ("unary", Shape::Unary),
    ("sstream", Shape::ServerStream),
    ("cstream", Shape::ClientStream),
    ("bidi", Shape::Bidi),
];
