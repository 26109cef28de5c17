//! Which parts of README.md are commands to be run, and what each is said to print.
//!
//! It reads text; it must not know servers or ports.
//!
//! A block that is run looks like this, where `h1` says what it shows and so which server it needs:
//!
//! ````text
//! <!-- test: serve h1 -->
//! ```console
//! $ curl http://localhost:8080/
//! what is printed
//! ```
//! ````

use crate::failure::{Failure, Result};

/// What a block shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Label {
    H1,
    H2c,
    Tls,
    Grpcurl,
}

/// One command and what the text says it prints.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// Counted from 1.
    pub(crate) line: usize,
    /// As the shell gets it, with the line breaks of the text.
    pub(crate) command: String,
    pub(crate) expected: String,
}

impl Label {
    pub(crate) const ALL: [Self; 4] = [Self::H1, Self::H2c, Self::Tls, Self::Grpcurl];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::H1 => "h1",
            Self::H2c => "h2c",
            Self::Tls => "tls",
            Self::Grpcurl => "grpcurl",
        }
    }

    /// Whether the server needs a certificate.
    pub(crate) fn is_tls(self) -> bool {
        self == Self::Tls
    }
}

/// The commands of all blocks with this label.
///
/// # Errors
/// For a mark that cannot be read, or that no block of commands follows: a block with a slip in its mark would never be run.
pub(crate) fn steps(text: &str, label: Label) -> Result<Vec<Step>> {
    let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    let mut steps = Vec::new();
    while let Some((number, line)) = lines.next() {
        let Some(mark) = mark_of(line) else { continue };
        let seen = label_of(mark).ok_or_else(|| refuse(number, &format!("`{mark}` is no mark of a test")))?;
        let opening = lines.find(|(_, line)| !line.trim().is_empty());
        if opening.is_none_or(|(_, line)| line.trim() != "```console") {
            return Err(refuse(number, "a ```console block must follow the mark"));
        }
        let block: Vec<_> = lines.by_ref().take_while(|(_, line)| line.trim() != "```").collect();
        let found = commands(&block)?;
        if found.is_empty() {
            return Err(refuse(number, "the block has no line that starts with `$ `"));
        }
        if seen == label {
            steps.extend(found);
        }
    }
    Ok(steps)
}

/// Takes a block apart. A command goes on in the next line after a backslash, as in the shell.
fn commands(block: &[(usize, &str)]) -> Result<Vec<Step>> {
    let mut steps: Vec<Step> = Vec::new();
    let mut goes_on = false;
    for &(line, text) in block {
        if let Some(command) = text.strip_prefix("$ ").filter(|_| !goes_on) {
            steps.push(Step { line, command: command.to_owned(), expected: String::new() });
            goes_on = command.ends_with('\\');
            continue;
        }
        let Some(step) = steps.last_mut() else {
            return Err(refuse(line, "the block prints something before its first command"));
        };
        if goes_on {
            step.command.push('\n');
            step.command.push_str(text);
            goes_on = text.ends_with('\\');
        } else {
            step.expected.push_str(text);
            step.expected.push('\n');
        }
    }
    for step in &mut steps {
        step.expected.truncate(step.expected.trim_end().len());
    }
    Ok(steps)
}

fn mark_of(line: &str) -> Option<&str> {
    let inside = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
    inside.trim().strip_prefix("test:").map(str::trim)
}

fn label_of(mark: &str) -> Option<Label> {
    let word = mark.strip_prefix("serve ")?;
    Label::ALL.into_iter().find(|label| label.word() == word)
}

fn refuse(line: usize, what: &str) -> Failure {
    Failure::new(format!("README.md:{line}: {what}"))
}

#[cfg(test)]
mod tests;
