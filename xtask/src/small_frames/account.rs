//! What a row has shown: read from the lines of the programs, printed as a table.

use crate::failure::{Failure, Result};

/// What came of the calls of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) calls: u32,
    pub(super) failed: u32,
    /// Connections beyond the one that a row needs.
    pub(super) ended: u32,
    /// What the client said of the first call that failed.
    pub(super) why: String,
}

/// A line of the table.
pub(super) struct Row {
    pub(super) client: &'static str,
    pub(super) server: &'static str,
    pub(super) direction: &'static str,
    pub(super) streams: u32,
    pub(super) pace: &'static str,
    pub(super) account: Account,
}

impl Account {
    /// Reads `calls=… failed=…` of a client, and `connections=…` of whoever has counted them: of the server, or of the client
    /// when the server says nothing.
    ///
    /// # Errors
    /// When a number is missing.
    pub(super) fn read(client: &str, server: &str, errors: &str) -> Result<Self> {
        let number = |text: &str, name: &str| {
            let mut words = text.split_whitespace();
            words.find_map(|word| word.strip_prefix(name)?.strip_prefix('=')?.parse::<u32>().ok())
        };
        let why = errors.lines().next().unwrap_or_default().to_owned();
        let connections = number(server, "connections").or_else(|| number(client, "connections"));
        match (number(client, "calls"), number(client, "failed"), connections) {
            (Some(calls), Some(failed), Some(connections)) => {
                Ok(Self { calls, failed, ended: connections.saturating_sub(1), why })
            }
            _ => Err(Failure::new(format!("a program printed `{}`, `{server}`: {why}", client.trim()))),
        }
    }

    /// The client had to be ended.
    pub(super) fn hung(calls: u32, why: &str) -> Self {
        Self { calls, failed: calls, ended: 0, why: why.to_owned() }
    }

    /// Every call was whole, over one connection.
    pub(super) fn is_clean(&self) -> bool {
        self.calls > 0 && self.failed == 0 && self.ended == 0
    }
}

impl Row {
    pub(super) fn line(&self) -> String {
        let (direction, account) = (spelled(self.direction), &self.account);
        let line = format!(
            "{:11}{:11}{direction:15}{:>7}  {:5}{:>7}{:>8}{:>19}",
            self.client, self.server, self.streams, self.pace, account.calls, account.failed, account.ended,
        );
        if account.is_clean() { line } else { format!("{line}  {}", account.why) }
    }
}

/// All rows below their heads.
pub(super) fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "{:11}{:11}{:15}{:>7}  {:5}{:>7}{:>8}{:>19}\n",
        "client", "server", "direction", "streams", "reads", "calls", "failed", "connections ended"
    );
    for row in rows {
        text.push_str(&row.line());
        text.push('\n');
    }
    text
}

/// The programs have shorter words.
fn spelled(direction: &str) -> &str {
    match direction {
        "pull" => "server stream",
        "push" => "client stream",
        _ => "bidi",
    }
}

#[cfg(test)]
mod tests;
