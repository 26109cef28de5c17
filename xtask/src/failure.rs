//! The one error of this tool: a sentence for the person at the terminal, and the exit code that goes with it.
//!
//! It knows no step and no rule; whoever fails says what was seen and what to do about it.

use std::fmt;
use std::io;

pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// Why a command of this tool did not succeed.
#[derive(Debug)]
pub(crate) struct Failure {
    text: String,
    /// 1: the thing that was checked is wrong. 2: the request was, so nothing has been checked.
    pub(crate) exit_code: u8,
}

impl Failure {
    /// What was checked is not as it should be.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), exit_code: 1 }
    }

    /// The command line asked for something that does not exist.
    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self { text: text.into(), exit_code: 2 }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Says what was being done when the system refused.
pub(crate) trait While<T> {
    /// `action` is a phrase such as `"read Cargo.toml"`.
    fn on(self, action: impl FnOnce() -> String) -> Result<T>;
}

impl<T> While<T> for io::Result<T> {
    fn on(self, action: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| Failure::new(format!("cannot {}: {error}", action())))
    }
}

impl<T> While<T> for serde_json::Result<T> {
    fn on(self, action: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| Failure::new(format!("cannot {}: {error}", action())))
    }
}
