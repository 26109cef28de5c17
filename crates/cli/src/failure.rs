//! What a person reads when a command cannot do its work: what failed, what was seen, what to try. Three lines at most.

use std::error::Error;
use std::fmt;
use std::io::Write as _;

/// Why a command ended early.
#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    seen: Option<String>,
    advice: Option<String>,
}

impl Failure {
    /// A failure to do `what`.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), seen: None, advice: None }
    }

    /// Adds what was seen: the innermost cause, because the words around it say what `what` says already.
    pub(crate) fn seen(mut self, error: impl Error) -> Self {
        let mut cause: &dyn Error = &error;
        while let Some(source) = cause.source() {
            cause = source;
        }
        self.seen = Some(cause.to_string());
        self
    }

    /// Adds what was seen, in words.
    pub(crate) fn saying(mut self, seen: impl Into<String>) -> Self {
        self.seen = Some(seen.into());
        self
    }

    /// Adds what to try.
    pub(crate) fn advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A line break inside would make more than three lines.
        write!(f, "error: {}", one_line(&self.what))?;
        if let Some(seen) = &self.seen {
            write!(f, "\n seen: {}", one_line(seen))?;
        }
        if let Some(advice) = &self.advice {
            write!(f, "\n  try: {}", one_line(advice))?;
        }
        Ok(())
    }
}

/// Writes the failure to stderr. A closed stderr is no reason to fail once more.
pub(crate) fn complain(failure: &Failure) {
    let _ = writeln!(std::io::stderr(), "{failure}");
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
