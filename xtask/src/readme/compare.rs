//! When what a command printed is what the text says.
//!
//! JSON is compared by value, because spaces and the order of members are not promised (protobuf's JSON mapping leaves both open); all
//! else to the letter.

use serde_json::{Deserializer, Value};

/// Whether `seen` may stand for `expected`. White space at the end counts for neither.
pub(crate) fn is_same(expected: &str, seen: &str) -> bool {
    let (expected, seen) = (expected.trim_end(), seen.trim_end());
    if expected == seen {
        return true;
    }
    match (values(expected), values(seen)) {
        (Some(expected), Some(seen)) => expected == seen,
        _ => false,
    }
}

/// The JSON values of a text that has nothing else, one or more.
fn values(text: &str) -> Option<Vec<Value>> {
    let values: Vec<Value> = Deserializer::from_str(text).into_iter().collect::<Result<_, _>>().ok()?;
    (!values.is_empty()).then_some(values)
}

#[cfg(test)]
mod tests;
