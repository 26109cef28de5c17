//! `cargo xtask tidy`: the checks on the source tree itself.
//!
//! This module decides the order of the rules, applies the exceptions and prints. What a rule forbids is decided in `rules`; where
//! files come from, in `tree`.

pub(crate) mod lexer;
mod rules;
mod table;
mod tree;

use std::fmt;

use crate::failure::{Failure, Result};
use crate::workspace::{Package, Workspace};
use table::{ARCHITECTURE, Exception, Row};
use tree::Tree;

/// Something that a rule forbids.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    rule: &'static str,
    path: String,
    /// Counted from 1; 0 when the whole file is meant.
    line: usize,
    text: String,
}

/// Something that was counted and is printed whether it is good or bad.
#[derive(Debug, PartialEq, Eq)]
struct Measure {
    name: String,
    seen: String,
    aim: String,
    /// Missing an aim is no failure; where a bound is broken, a finding says so.
    is_met: bool,
}

/// What tidy has to say.
#[derive(Debug)]
struct Report {
    findings: Vec<Finding>,
    measures: Vec<Measure>,
}

/// What a rule looks at.
struct Scene<'a> {
    tree: &'a Tree,
    packages: &'a [Package],
    rows: &'a [Row],
}

/// Checks the workspace and prints the report.
///
/// # Errors
/// When a rule is broken, or the tables of ARCHITECTURE.md cannot be read.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let tree = Tree::load(&workspace.root)?;
    let report = check(&tree, &workspace.packages)?;
    let width = report.measures.iter().map(|measure| measure.name.len()).max().unwrap_or(0);
    for Measure { name, seen, aim, is_met } in &report.measures {
        let verdict = if *is_met { "" } else { "  <- missed" };
        println!("{name:width$}  {seen:>8}  aim {aim}{verdict}");
    }
    for finding in &report.findings {
        println!("{finding}");
    }
    match report.findings.len() {
        0 => Ok(()),
        count => Err(Failure::new(format!("tidy: {count} findings"))),
    }
}

fn check(tree: &Tree, packages: &[Package]) -> Result<Report> {
    let architecture = tree.file(ARCHITECTURE).map_or("", |file| file.text.as_str());
    let rows = table::crates(architecture)?;
    let exceptions = table::exceptions(architecture)?;
    let scene = Scene { tree, packages, rows: &rows };
    let findings = rules::RULES.iter().flat_map(|rule| rule(&scene)).collect();
    let measures = rules::MEASURES.iter().flat_map(|measure| measure(&scene)).collect();
    Ok(Report { findings: excuse(findings, &exceptions), measures })
}

/// Takes away what an exception covers, and adds a finding for each exception that covers nothing.
fn excuse(mut findings: Vec<Finding>, exceptions: &[Exception]) -> Vec<Finding> {
    let mut stale = Vec::new();
    for exception in exceptions {
        let before = findings.len();
        findings.retain(|finding| !exception.covers(finding));
        if findings.len() == before {
            let text = format!(
                "the exception of {} from {} excuses nothing: delete it",
                exception.path, exception.rule
            );
            stale.push(Finding::file("exception", ARCHITECTURE, text));
        }
    }
    findings.extend(stale);
    findings
}

impl Exception {
    fn covers(&self, finding: &Finding) -> bool {
        let is_there = match self.path.strip_suffix('/') {
            Some(folder) => tree::is_below(&finding.path, folder),
            None => finding.path == self.path,
        };
        is_there && finding.rule == self.rule
    }
}

impl Finding {
    fn file(rule: &'static str, path: &str, text: impl Into<String>) -> Self {
        Self::line(rule, path, 0, text)
    }

    fn line(rule: &'static str, path: &str, line: usize, text: impl Into<String>) -> Self {
        Self { rule, path: path.to_owned(), line, text: text.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, path, line, text } = self;
        match line {
            0 => write!(f, "{path}: {rule}: {text}"),
            _ => write!(f, "{path}:{line}: {rule}: {text}"),
        }
    }
}

#[cfg(test)]
mod tests;
