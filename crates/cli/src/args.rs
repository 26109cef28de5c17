//! The command line: which words it takes and what each means. It decides nothing about what a command does.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};

/// One server and one client for gRPC, gRPC-Web and Connect, on one port.
#[derive(Debug, Parser)]
#[command(
    name = "trunkline",
    version,
    max_term_width = 100,
    after_help = "Start with `trunkline demo`. `trunkline <command> --help` says more about each command.",
    after_long_help = "\
Start with:
  trunkline demo     see every protocol at work, in about 35 seconds
  trunkline serve    then open http://127.0.0.1:8080 in a browser

Exit codes: 0 success, 1 failure (three lines on stderr say what was seen and what to try),
2 wrong command line."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What the command can do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Serve(ServeArgs),
    Demo(DemoArgs),
}

/// Serve echo, gRPC's test service, health and reflection
///
/// Serves trunkline.echo.v1.EchoService, grpc.testing.TestService, grpc.health.v1.Health and server reflection
/// (v1 and v1alpha). gRPC, gRPC-Web and Connect all answer on the one port, over HTTP/1.1 and HTTP/2. A browser
/// that opens the address gets a page with the services and with curl lines to copy.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Ctrl-C or SIGTERM stops: open calls have 30 seconds to end, exit code 0. A second one stops at once.

Examples:
  trunkline serve
  trunkline serve --listen 0.0.0.0:8080
  trunkline serve --listen 127.0.0.1:8443 --tls-self-signed --tls-cert-out trunkline.pem
  trunkline serve --listen 127.0.0.1:8443 --tls-cert server.pem --tls-key server.key")]
pub(crate) struct ServeArgs {
    /// Address and port to listen on; port 0 takes any free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080", value_parser = listen_address)]
    pub(crate) listen: String,

    /// Serve TLS with this certificate chain (PEM, the server's own first)
    #[arg(long, value_name = "FILE", requires = "tls_key", conflicts_with = "tls_self_signed")]
    pub(crate) tls_cert: Option<PathBuf>,

    /// The private key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert", conflicts_with = "tls_self_signed")]
    pub(crate) tls_key: Option<PathBuf>,

    /// Serve TLS with a certificate made now, for localhost, 127.0.0.1 and ::1
    #[arg(long, alias = "tls")]
    pub(crate) tls_self_signed: bool,

    /// Write the certificate made now to this file, for clients that shall trust it
    #[arg(long, value_name = "FILE", requires = "tls_self_signed")]
    pub(crate) tls_cert_out: Option<PathBuf>,
}

/// Call an embedded server over every protocol, check every answer, print one table
///
/// Starts the server of `trunkline serve` on two free ports of this machine (clear text and TLS), calls it over gRPC,
/// gRPC-Web and Connect, over HTTP/1.1, HTTP/2 and TLS, in every shape of call, checks every answer, and prints one
/// table with a row for each combination.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
The table goes to stdout, progress to stderr. The exit code is 0 only if every answer of every row was right.

Examples:
  trunkline demo
  trunkline demo --seconds 0.2
  trunkline demo --format markdown > demo.md")]
pub(crate) struct DemoArgs {
    /// How long each row is driven, 0.05 to 60
    #[arg(long, value_name = "S", default_value = "1", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) seconds: Duration,

    /// How many callers drive a row at once, 1 to 256
    #[arg(long, value_name = "N", default_value_t = 8, allow_negative_numbers = true, value_parser = callers)]
    pub(crate) callers: u16,

    /// How the result is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Table)]
    pub(crate) format: Format,
}

/// How the result of the demo is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A table for a terminal
    Table,
    /// The table as Markdown
    Markdown,
    /// All figures as JSON
    Json,
}

/// Callers beyond the streams that the server allows on one connection would only wait for each other.
const CALLERS: std::ops::RangeInclusive<u16> = 1..=256;

/// Bounds of the time for a row: enough for some calls, and not so long that someone waits an hour for a slip.
const SECONDS: std::ops::RangeInclusive<f64> = 0.05..=60.0;

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    if SECONDS.contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(format!("must be from {} to {} seconds", SECONDS.start(), SECONDS.end()))
    }
}

fn callers(text: &str) -> Result<u16, String> {
    let callers: i64 = text.parse().map_err(|_| "not a number of callers".to_owned())?;
    let within = u16::try_from(callers).ok().filter(|callers| CALLERS.contains(callers));
    within.ok_or_else(|| format!("must be from {} to {} callers", CALLERS.start(), CALLERS.end()))
}

/// Host and port. The host is looked up when the address is bound; only the shape is judged here.
fn listen_address(text: &str) -> Result<String, String> {
    if let Some((_, rest)) = text.split_once("://") {
        let address = rest.split('/').next().unwrap_or_default();
        return Err(format!("an address, not a URL; write {address}"));
    }
    let (host, port) = text.rsplit_once(':').ok_or("no port; write it as in 127.0.0.1:8080")?;
    if port.parse::<u16>().is_err() {
        return Err(format!("{port:?} is no port; write it as in 127.0.0.1:8080"));
    }
    if host.is_empty() {
        return Err(format!("no host; for every address of this machine write 0.0.0.0:{port}"));
    }
    if host.contains(':') && !(host.starts_with('[') && host.ends_with(']')) {
        return Err(format!("write an IPv6 address in brackets, as in [::1]:{port}"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests;
