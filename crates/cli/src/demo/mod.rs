//! `trunkline demo`: an embedded server, called in every way there is, every answer checked, one table at the end.
//!
//! This file starts and stops things and decides the order; what is called is in `plan`, what is right in `check`.

mod calls;
mod check;
mod drive;
mod plan;
mod report;
mod statistics;

use std::future::Future;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use trunkline::Channel;
use trunkline::transport::tls::ClientTls;

use self::drive::{Load, drive};
use self::plan::{Kind, Over, Row, rows};
use self::report::Report;
use crate::args::DemoArgs;
use crate::certificate::Identity;
use crate::failure::Failure;
use crate::service;

/// Where `trunkline serve` listens unless told otherwise: what the last lines of the demo speak of.
const SERVE_ADDRESS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);

/// A call that takes longer is broken, not slow: it ends with an error and so does the row.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);

/// Runs the demo and prints the result.
pub(crate) async fn run(args: DemoArgs) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    let identity = Identity::self_signed()?;
    let plain = Served::start(None).await?;
    let secure = Served::start(Some(&identity)).await?;
    let targets = Targets { plain: plain.address, secure: secure.address, trust: identity.client()? };
    let load = Load { callers: args.callers, lasting: args.seconds };
    let rows = drive_all(&targets, load).await;
    plain.stop().await;
    secure.stop().await;
    let report = Report {
        load,
        cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        is_release: !cfg!(debug_assertions),
        took: start.elapsed(),
        rows,
    };
    print(&report.text(args.format))?;
    if report.errors() == 0 {
        return Ok(ExitCode::SUCCESS);
    }
    for complaint in report.complaints() {
        let _ = writeln!(io::stderr(), "wrong: {complaint}");
    }
    Ok(ExitCode::FAILURE)
}

async fn drive_all(targets: &Targets, load: Load) -> Vec<(Row, statistics::Figures)> {
    let rows = rows();
    let progress = progress(rows.len() as u64);
    let mut driven = Vec::with_capacity(rows.len());
    for row in rows {
        progress.set_message(row.to_string());
        let figures = drive(targets.channel(&row), row.kind, load).await;
        progress.inc(1);
        driven.push((row, figures));
    }
    progress.finish_and_clear();
    driven
}

/// The two servers, as the client sees them.
struct Targets {
    plain: SocketAddr,
    secure: SocketAddr,
    trust: ClientTls,
}

impl Targets {
    /// A channel of its own for each row: rows must not share connections.
    fn channel(&self, row: &Row) -> trunkline::Result<Channel> {
        let target = match row.over {
            Over::Http1 | Over::Http2 => format!("http://{}", self.plain),
            Over::Tls => format!("https://{}", self.secure),
        };
        Channel::builder(&target)
            .protocol(row.protocol)
            .http(row.over.http())
            .format(row.kind.format())
            .use_get(row.kind == Kind::UnaryGet)
            .timeout(CALL_TIMEOUT)
            .tls(self.trust.clone())
            .connect_lazy()
    }
}

/// A server on a free port of this machine.
struct Served {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<()>,
}

impl Served {
    async fn start(identity: Option<&Identity>) -> Result<Self, Failure> {
        let (mut server, _) = service::server();
        if let Some(identity) = identity {
            server = server.tls(identity.server()?);
        }
        let bound = server.bind((Ipv4Addr::LOCALHOST, 0)).await;
        let bound = bound.map_err(|error| Failure::new("cannot start the server of the demo").seen(error))?;
        let address = bound.local_address();
        let (stop, stopped) = oneshot::channel::<()>();
        let told = async move {
            // Whether told to or left behind, it stops.
            let _ = stopped.await;
        };
        Ok(Self { address, stop, ended: spawn(bound.serve_until(told)) })
    }

    async fn stop(self) {
        // A server that has ended already needs no telling, and how it ended shows in the rows.
        let _ = self.stop.send(());
        let _ = self.ended.await;
    }
}

fn spawn(serving: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    tokio::spawn(serving)
}

/// On stderr, and only when that is a terminal.
fn progress(rows: u64) -> ProgressBar {
    let bar = ProgressBar::new(rows);
    if let Ok(style) = ProgressStyle::with_template("{bar:32} {pos:>2} of {len}  {msg}") {
        bar.set_style(style.progress_chars("━━╌"));
    }
    bar
}

/// A reader that has gone, as `head` does, is a failure of its own kind: the exit code must not say that all is well.
fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    written.map_err(|error| Failure::new("cannot print the result").seen(error))
}
