//! `bench-load KEY=VALUE…`: the neutral load on a server of the bench lab, in a closed loop, from one thread.
//!
//! It decides when calls count and prints one line of JSON; what a call sends and awaits is decided in `caller`.
//!
//! | key | default | |
//! |---|---|---|
//! | `addr` | | where the server listens |
//! | `shape` | `unary` | or `sstream`, `cstream`, `bidi`; `ping`: a bidirectional stream with one message in flight |
//! | `conns`, `callers` | 1, 50 | connections, and callers in all; without callers the connections are idle |
//! | `count`, `size` | 1000, 100 | messages of a stream, and bytes of each |
//! | `packed` | 1 | messages in a DATA frame; divides `count` |
//! | `inflight` | 32 | messages of a `bidi` stream that wait for their echo |
//! | `mode` | 0 | where the server takes the messages of a stream from |
//! | `secs`, `warm` | 1, 0.4 | seconds that count, and those before |
//! | `pid` | | the server, for its CPU time and memory |

#![forbid(unsafe_code)]

mod caller;

use std::error::Error;
use std::net::TcpStream;
use std::time::Instant;

use bench_raw::cpu;
use bench_raw::socket::{Poll, Socket};

use caller::{Connection, Counts, Plan, Shape};

/// How long a wait takes at most, so that a silent server does not stop the clock.
const WAIT_MILLISECONDS: i64 = 200;

struct Words(Vec<String>);

impl Words {
    fn text<'a>(&'a self, key: &str, default: &'a str) -> &'a str {
        let find = |word: &'a String| word.strip_prefix(key)?.strip_prefix('=');
        self.0.iter().find_map(find).unwrap_or(default)
    }

    fn number<T: std::str::FromStr>(&self, key: &str, default: &str) -> Result<T, String> {
        let text = self.text(key, default);
        text.parse().map_err(|_| format!("{key}={text} is no number that makes sense here"))
    }
}

/// What the clocks said when calls began to count.
struct Mark {
    messages: u64,
    server: f64,
    own: f64,
    at: f64,
}

impl Mark {
    fn now(plan: &Plan, counts: &Counts, process: &str) -> Self {
        let (server, own) = (cpu::seconds(process), cpu::seconds("self"));
        Self { messages: counts.messages, server, own, at: plan.start.elapsed().as_secs_f64() }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words = Words(std::env::args().skip(1).collect());
    let (plan, shape) = plan(&words)?;
    let (connections, callers): (usize, usize) =
        (words.number("conns", "1")?, words.number("callers", "50")?);
    let mut poll = Poll::new()?;
    let mut open = Vec::new();
    for token in 0..connections {
        let socket = Socket::new(TcpStream::connect(words.text("addr", ""))?, &poll, token as u64)?;
        open.push(Connection::new(socket, &plan, callers / connections, &poll)?);
    }
    let mut counts = Counts::default();
    let process = words.text("pid", "").to_owned();
    let (warm, seconds): (f64, f64) = (words.number("warm", "0.4")?, words.number("secs", "1")?);
    let mut first = None;
    loop {
        let now = plan.start.elapsed().as_secs_f64();
        if first.is_none() && now >= warm {
            counts.is_counting = true;
            first = Some(Mark::now(&plan, &counts, &process));
        }
        if now >= warm + seconds {
            break;
        }
        for (token, is_readable) in poll.wait(Some(WAIT_MILLISECONDS))? {
            let turn = open[token as usize].turn(&plan, &mut counts, &poll, is_readable);
            turn.map_err(|error| format!("connection {token}: {error}"))?;
        }
    }
    let (first, last) = (first.ok_or("no time")?, Mark::now(&plan, &counts, &process));
    println!("{}", report(&words, &plan, shape, &mut counts, (&first, &last), &process));
    Ok(())
}

fn plan(words: &Words) -> Result<(Plan, &str), Box<dyn Error>> {
    let name = words.text("shape", "unary");
    let shape = match name {
        "unary" => Shape::Unary,
        "sstream" => Shape::ServerStream,
        "cstream" => Shape::ClientStream,
        "bidi" => Shape::Bidi,
        "ping" => Shape::Ping,
        other => return Err(format!("shape={other} is none").into()),
    };
    let count = words.number("count", "1000")?;
    let packed: usize = words.number("packed", "1")?;
    if packed == 0 || count % packed != 0 {
        return Err("packed must divide count".into());
    }
    let (size, inflight) = (words.number("size", "100")?, words.number("inflight", "32")?);
    let plan = Plan::new(
        words.text("addr", ""),
        shape,
        [count, size, words.number("mode", "0")?],
        packed,
        inflight,
        Instant::now(),
    );
    Ok((plan, name))
}

/// One line of JSON. A unit is a call, or a message of a stream.
fn report(
    words: &Words,
    plan: &Plan,
    shape: &str,
    counts: &mut Counts,
    (first, last): (&Mark, &Mark),
    process: &str,
) -> String {
    counts.latencies.sort_unstable();
    let quantile = |share: f64| {
        let last = counts.latencies.len().saturating_sub(1);
        let tenths = counts.latencies.get((last as f64 * share) as usize).copied().unwrap_or(0);
        f64::from(tenths) / 10.0
    };
    let units = match plan.shape {
        Shape::Unary => counts.calls as f64,
        Shape::ClientStream => (counts.calls * plan.count as u64) as f64,
        _ => (counts.messages - first.messages) as f64,
    };
    let per_unit = |seconds: f64| if units > 0.0 { seconds * 1e6 / units } else { 0.0 };
    let elapsed = last.at - first.at;
    format!(
        "{{\"shape\":\"{shape}\",\"mode\":{},\"conns\":{},\"callers\":{},\"packed\":{},\"rate\":{:.0},\"srv_us\":{:.4},\"cli_us\":{:.4},\
         \"srv_util\":{:.3},\"p50_us\":{:.1},\"p99_us\":{:.1},\"rss_mb\":{:.2},\"calls\":{},\"errs\":{}}}",
        words.text("mode", "0"),
        words.text("conns", "1"),
        words.text("callers", "50"),
        words.text("packed", "1"),
        units / elapsed,
        per_unit(last.server - first.server),
        per_unit(last.own - first.own),
        (last.server - first.server) / elapsed,
        quantile(0.5),
        quantile(0.99),
        cpu::peak_mebibytes(process),
        counts.calls,
        counts.errors,
    )
}
