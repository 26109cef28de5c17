//! Takes the blocks of code out of README.md that are marked by a name, and counts lines of code.
//!
//! It reads text; what becomes of a block is decided by `build.rs` and by the test. A block looks like this:
//!
//! ````text
//! <!-- compiled: server -->
//! ```rust
//! fn main() {}
//! ```
//! ````

/// The code marked with `name`.
///
/// # Errors
/// When there is no such block, or more than one.
pub(crate) fn block(text: &str, name: &str) -> Result<String, String> {
    let mark = format!("<!-- compiled: {name} -->");
    let mut blocks = text.split(&mark).skip(1);
    let block = blocks.next().ok_or_else(|| format!("there is no block marked {mark}"))?;
    if blocks.next().is_some() {
        return Err(format!("there is more than one block marked {mark}"));
    }
    let fenced = block.trim_start().strip_prefix("```").and_then(|fenced| fenced.split_once('\n'));
    let code = fenced.and_then(|(_, code)| code.split_once("\n```"));
    let (code, _) = code.ok_or_else(|| format!("no block between ``` follows {mark}"))?;
    Ok(format!("{code}\n"))
}

/// Lines that are neither blank nor a comment.
#[allow(dead_code, reason = "not all of its users count")]
pub(crate) fn code_lines(code: &str) -> usize {
    code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}
