//! ghz, a load generator on grpc-go, against `trunkline serve`: its PINGs that measure bandwidth, and the empty DATA frame that ends
//! each of its requests, must not look like an attack.
//!
//! It decides what is called and that no call may fail. How fast the calls are is the business of the benches.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::failure::{Failure, Result, While};
use crate::process;
use crate::served::Served;
use crate::suites;
use crate::workspace::Workspace;

/// What was asked for on the command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    seconds: u32,
}

impl Request {
    /// The run that counts.
    pub(crate) fn whole() -> Self {
        Self { seconds: 60 }
    }

    /// Long enough for every caller to have made thousands of calls.
    pub(crate) fn short() -> Self {
        Self { seconds: 5 }
    }

    /// Reads the words after `cargo xtask ghz`.
    ///
    /// # Errors
    /// For words that mean nothing here.
    pub(crate) fn parse(words: &[&str]) -> Result<Self> {
        match words {
            [] => Ok(Self::whole()),
            ["--short"] => Ok(Self::short()),
            ["--seconds", count] => match count.parse() {
                Ok(seconds @ 1..) => Ok(Self { seconds }),
                _ => Err(Failure::usage(format!("`--seconds {count}` is not a number of seconds"))),
            },
            _ => Err(Failure::usage(format!("`{}` means nothing to `ghz`", words.join(" ")))),
        }
    }
}

/// Makes the calls after building what they need.
///
/// # Errors
/// When a call fails, or something cannot be built or started.
pub(crate) fn run(workspace: &Workspace, request: &Request) -> Result<()> {
    suites::ensure(workspace.suites())?;
    workspace.build_programs()?;
    run_built(workspace, request)
}

/// As `run`, with the programs already there.
pub(crate) fn run_built(workspace: &Workspace, request: &Request) -> Result<()> {
    let suites = suites::ensure(workspace.suites())?;
    let served = Served::trunkline(workspace, false)?;
    for (method, data) in CALLS {
        let mut command = Command::new(suites.program("ghz"));
        command.args(arguments(method, data, served.port, request.seconds)).stdin(Stdio::null());
        let (text, calls) = judge(&process::capture(&mut command)?)?;
        println!("ghz: {method}, {CALLERS} callers, {} s: {text}", request.seconds);
        if calls == 0 {
            return Err(Failure::new(format!("ghz: no call of {method} was made")));
        }
    }
    Ok(())
}

/// The server tells its schema itself. A call that runs when the time is over is waited for: cut by its caller, it would count as failed.
fn arguments(method: &str, data: &str, port: u16, seconds: u32) -> Vec<String> {
    let (callers, duration, target) =
        (CALLERS.to_string(), format!("{seconds}s"), format!("127.0.0.1:{port}"));
    let words = [
        ["--call", method],
        ["-d", data],
        ["-c", &callers],
        ["-z", &duration],
        ["--duration-stop", "wait"],
        ["-O", "json"],
        ["--insecure", &target],
    ];
    words.concat().into_iter().map(str::to_owned).collect()
}

/// Reads ghz's report: the account in a line, and the number of calls.
///
/// # Errors
/// When a call has failed.
fn judge(json: &str) -> Result<(String, u64)> {
    let report: Value = serde_json::from_str(json).on(|| "read what ghz printed".into())?;
    let calls = report["count"].as_u64().unwrap_or_default();
    let codes = report["statusCodeDistribution"].as_object();
    let ok = codes.and_then(|codes| codes.get("OK")?.as_u64()).unwrap_or_default();
    let errors = calls.saturating_sub(ok);
    let text = format!("{calls} calls, {errors} errors");
    if errors == 0 && report["errorDistribution"].as_object().is_none_or(serde_json::Map::is_empty) {
        return Ok((text, calls));
    }
    Err(Failure::new(format!("ghz: {text}: {}", report["errorDistribution"])))
}

/// Callers on one connection.
const CALLERS: u32 = 50;

/// Procedures with a request for each: one small message both ways, a large answer, and a stream of small messages.
const CALLS: &[(&str, &str)] = &[
    (
        "grpc.testing.TestService.UnaryCall",
        r#"{"responseSize": 100, "payload": {"body": "AAAAAAAAAAAAAAAAAAAA"}}"#,
    ),
    ("grpc.testing.TestService.StreamingOutputCall", STREAM),
];

const STREAM: &str =
    r#"{"responseParameters": [{"size": 100}, {"size": 100}, {"size": 100}, {"size": 100}]}"#;

#[cfg(test)]
mod tests;
