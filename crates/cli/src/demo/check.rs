//! Whether an answer is the right one. Pure: it compares what was asked for with what came, and says what is wrong.

use std::fmt;

use trunkline::{Code, Error, Metadata};

use crate::service::{ECHO_HEADER, ECHO_TRAILER};

/// What is wrong with an answer, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrong(String);

type Verdict = Result<(), Wrong>;

/// The message that came back is the one that was sent.
pub(super) fn said(expected: &str, seen: &str) -> Verdict {
    if expected == seen {
        return Ok(());
    }
    Err(Wrong::new(format!("{:?} was asked for, {:?} came", short(expected), short(seen))))
}

/// The payload at `index` has the size that was asked for there; each has another one, so the order shows as well.
pub(super) fn sized(index: usize, seen: usize) -> Verdict {
    let expected = index + 1;
    if expected == seen {
        return Ok(());
    }
    Err(Wrong::new(format!("answer {index} has {seen} bytes, {expected} were asked for")))
}

/// As many messages came as were asked for.
pub(super) fn counted(expected: usize, seen: usize) -> Verdict {
    if expected == seen {
        return Ok(());
    }
    Err(Wrong::new(format!("{seen} messages came, {expected} were asked for")))
}

/// The header came back.
pub(super) fn header(expected: &str, headers: &Metadata) -> Verdict {
    let seen: Vec<_> = headers.values(ECHO_HEADER).collect();
    if seen == [expected] {
        return Ok(());
    }
    Err(Wrong::new(format!("header {ECHO_HEADER}: {expected:?} was sent, {seen:?} came back")))
}

/// The trailer came back.
pub(super) fn trailer(expected: &str, trailers: Option<&Metadata>) -> Verdict {
    let seen: Vec<_> = trailers.into_iter().flat_map(|trailers| trailers.bins(ECHO_TRAILER)).collect();
    if seen == [expected.as_bytes()] {
        return Ok(());
    }
    Err(Wrong::new(format!("trailer {ECHO_TRAILER}: {expected:?} was sent, {seen:?} came back")))
}

/// The call failed in the way that was asked for, and the error says that the server wanted it so.
pub(super) fn failed<T>(code: Code, message: &str, seen: Result<T, Error>) -> Result<Error, Wrong> {
    match seen {
        Err(error) if error.code() == code && error.message() == message && error.is_from_peer() => Ok(error),
        Err(error) => {
            Err(Wrong::new(format!("{code}: {message:?} from the peer was asked for, {error} came")))
        }
        Ok(_) => Err(Wrong::new(format!("{code} was asked for, the call succeeded"))),
    }
}

impl Wrong {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl From<Error> for Wrong {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The start of a text that may be long.
fn short(text: &str) -> &str {
    text.char_indices().nth(SHORT_CHARS_MAX).map_or(text, |(end, _)| &text[..end])
}

const SHORT_CHARS_MAX: usize = 60;

#[cfg(test)]
mod tests;
