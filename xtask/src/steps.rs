//! `cargo xtask test`: every check in order, and a table of what each took.
//!
//! It decides the order and which step is pointless after another failed. What a step checks is decided in its own module.

use std::time::{Duration, Instant};

use crate::conformance::{self, Request, Role};
use crate::failure::{Failure, Result};
use crate::readme::{self, Label};
use crate::workspace::Workspace;
use crate::{fuzz, r#gen, ghz, h2spec, lint, process, protoc, small_frames, suites, tidy};

/// One line of the table.
struct Step<T> {
    name: &'static str,
    /// Steps without which this one can only fail in a confusing way.
    needs: &'static [&'static str],
    run: fn(&T) -> Result<()>,
}

/// How a step went.
#[derive(Debug)]
enum Outcome {
    Passed,
    Failed(Failure),
    /// A step that this one needs did not pass.
    NotRun,
}

/// Runs all steps, or those that are named, and prints the table.
///
/// # Errors
/// When a step fails, after the others have been tried; or when there is no step of a name.
pub(crate) fn run(workspace: &Workspace, names: &[&str]) -> Result<()> {
    if let Some(unknown) = names.iter().find(|name| !STEPS.iter().any(|step| step.name == **name)) {
        let known: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        return Err(Failure::usage(format!("there is no step `{unknown}`; there are: {}", known.join(", "))));
    }
    let chosen = STEPS.iter().filter(|step| names.is_empty() || names.contains(&step.name));
    let results = run_each(chosen, workspace);
    print!("\n{}", table(&results));
    let passed = results.iter().filter(|(_, outcome, _)| matches!(outcome, Outcome::Passed)).count();
    if passed == results.len() {
        println!("{passed} passed, 0 failed");
        return Ok(());
    }
    Err(Failure::new(format!("{passed} passed, {} failed", results.len() - passed)))
}

/// A step's name, how it went, and the wall time it took.
type Row = (&'static str, Outcome, Duration);

fn run_each<'a, T: 'a>(steps: impl Iterator<Item = &'a Step<T>>, scene: &T) -> Vec<Row> {
    let mut results: Vec<Row> = Vec::new();
    for step in steps {
        // A step that was not asked for counts as done: whoever names one step has run the others before.
        let stands = |need: &&str| {
            results.iter().all(|(name, outcome, _)| name != need || matches!(outcome, Outcome::Passed))
        };
        if !step.needs.iter().all(stands) {
            results.push((step.name, Outcome::NotRun, Duration::ZERO));
            continue;
        }
        println!("\n==> {}", step.name);
        let start = Instant::now();
        let outcome = match (step.run)(scene) {
            Ok(()) => Outcome::Passed,
            Err(failure) => {
                println!("{}: {failure}", step.name);
                Outcome::Failed(failure)
            }
        };
        results.push((step.name, outcome, start.elapsed()));
    }
    results
}

/// The steps with their wall times, their sum, and below it what failed.
fn table(results: &[Row]) -> String {
    let mut text = format!("{:20}{:>9}  result\n", "step", "wall");
    for (name, outcome, wall) in results {
        let word = match outcome {
            Outcome::Passed => "passed",
            Outcome::Failed(_) => "FAILED",
            Outcome::NotRun => "not run",
        };
        text.push_str(&format!("{name:20}{:>7.1} s  {word}\n", wall.as_secs_f64()));
    }
    let sum: Duration = results.iter().map(|(_, _, wall)| *wall).sum();
    text.push_str(&format!("{:20}{:>7.1} s\n", "all", sum.as_secs_f64()));
    for (name, outcome, _) in results {
        if let Outcome::Failed(failure) = outcome {
            text.push_str(&format!("{name}: {}\n", failure.to_string().lines().next().unwrap_or_default()));
        }
    }
    text
}

fn unit_tests(workspace: &Workspace) -> Result<()> {
    process::run(workspace.cargo().args(["test", "--workspace"]))
}

/// The other provider of TLS, alone and beside the usual one. Only the tests that make TLS connections: the rest is the same.
fn aws_lc_tests(workspace: &Workspace) -> Result<()> {
    for features in [&["--no-default-features"][..], &[]] {
        let mut cargo = workspace.cargo();
        cargo.args(["test", "--package", "trunkline", "--lib", "--test", "it"]).args(features);
        cargo.args(["--features", "tls-aws-lc,gzip,deflate,json", "--"]).args(TLS_TESTS);
        process::run(&mut cargo)?;
    }
    Ok(())
}

/// Parts of the names of tests: those of TLS itself, and some that go over it among others.
const TLS_TESTS: &[&str] = &["tls", "certificate", "connection", "unary", "facts", "interceptors"];

fn readme_curl(workspace: &Workspace) -> Result<()> {
    let suites = suites::ensure(workspace.suites())?;
    readme::run(workspace, &suites, &[Label::H1, Label::H2c, Label::Tls])
}

fn readme_grpcurl(workspace: &Workspace) -> Result<()> {
    let suites = suites::ensure(workspace.suites())?;
    readme::run(workspace, &suites, &[Label::Grpcurl])
}

fn demo(workspace: &Workspace) -> Result<()> {
    process::run(std::process::Command::new(workspace.program("trunkline")).arg("demo"))
}

/// Cheap checks come first, so that a slip is told within seconds; what needs the build comes after it.
const STEPS: &[Step<Workspace>] = &[
    Step { name: "tidy", needs: &[], run: tidy::run },
    Step { name: "fmt", needs: &[], run: lint::fmt },
    Step { name: "suites", needs: &[], run: |workspace| suites::ensure(workspace.suites()).map(drop) },
    Step { name: "build", needs: &["suites"], run: Workspace::build_all },
    Step { name: "clippy", needs: &["suites"], run: lint::clippy },
    Step { name: "gen", needs: &["build"], run: |workspace| r#gen::run_built(workspace, true) },
    Step { name: "protoc", needs: &["build"], run: protoc::run_built },
    Step { name: "tests", needs: &["build"], run: unit_tests },
    Step { name: "tests aws-lc", needs: &["build"], run: aws_lc_tests },
    Step { name: "fuzz", needs: &[], run: |workspace| fuzz::run(workspace, &fuzz::Request::short()) },
    Step {
        name: "conformance server",
        needs: &["build"],
        run: |workspace| conformance::run_built(workspace, &Request::full(Role::Server)),
    },
    Step {
        name: "conformance client",
        needs: &["build"],
        run: |workspace| conformance::run_built(workspace, &Request::full(Role::Client)),
    },
    Step {
        name: "conformance hyper",
        needs: &["build"],
        run: |workspace| {
            conformance::run_built(workspace, &Request::basic_over_hyper(Role::Server))?;
            conformance::run_built(workspace, &Request::basic_over_hyper(Role::Client))
        },
    },
    Step { name: "h2spec", needs: &["build"], run: h2spec::run_built },
    Step {
        name: "ghz",
        needs: &["build"],
        run: |workspace| ghz::run_built(workspace, &ghz::Request::short()),
    },
    Step {
        name: "small-frames",
        needs: &["build"],
        run: |workspace| small_frames::run_built(workspace, small_frames::Request::Short),
    },
    Step { name: "readme curl", needs: &["build"], run: readme_curl },
    Step { name: "readme grpcurl", needs: &["build"], run: readme_grpcurl },
    Step { name: "demo", needs: &["build"], run: demo },
];

#[cfg(test)]
mod tests;
