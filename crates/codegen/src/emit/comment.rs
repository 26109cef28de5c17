//! Comments of a schema as Rust documentation. It knows nothing of what is documented.

/// Writes `comment` as lines of documentation; `otherwise` when there is none.
///
/// rustdoc compiles what it takes for a code example. A schema's examples are no Rust, so fences are marked as text
/// and lines lose an indentation that would make code of them.
pub(crate) fn doc(comment: &str, otherwise: &str) -> String {
    let text = if comment.trim().is_empty() { otherwise } else { comment };
    let mut out = String::new();
    let mut fenced = false;
    for line in text.trim_matches('\n').lines() {
        let line = line.replace(['\r', '\t'], " ");
        let line = line.strip_prefix(' ').unwrap_or(&line).trim_end();
        let bare = line.trim_start();
        let line = match bare.strip_prefix("```") {
            Some(language) => {
                fenced = !fenced;
                if fenced && language.is_empty() { "```text".to_owned() } else { bare.to_owned() }
            }
            None if fenced || line.len() - bare.len() < 4 => line.to_owned(),
            None => format!("   {bare}"),
        };
        out.push_str(if line.is_empty() { "///" } else { "/// " });
        out.push_str(&line);
        out.push('\n');
    }
    if fenced {
        out.push_str("/// ```\n");
    }
    out
}

#[cfg(test)]
mod tests;
