//! Absolute paths of generated messages, led through `::trunkline::__rt`, so that a user depends on `trunkline` alone.
//! It knows Rust's surface well enough to tell paths, strings, attributes and comments apart, and nothing of messages.

/// Where `trunkline` re-exports what generated code needs.
const ROUTE: &str = "::trunkline::__rt";

/// The crates that generated messages name.
const CRATES: [&str; 6] = ["buffa", "buffa_descriptor", "buffa_types", "bytes", "serde", "serde_json"];

/// Leads each absolute path to a crate of the runtime through `trunkline`, and tells serde's derives where serde is.
///
/// Paths are rewritten in code, in comments, and in the strings of attributes, where serde takes paths; other strings
/// are values and stay. Only a `::` that starts a path counts: `a::serde::b` and `<T>::serde` stay.
///
/// ```
/// let code = "#[derive(::serde::Serialize)]\nstruct A(::buffa::UnknownFields);";
/// assert_eq!(
///     trunkline_codegen::through_trunkline(code),
///     "#[derive(::trunkline::__rt::serde::Serialize)]\n\
///      #[serde(crate = \"::trunkline::__rt::serde\")]\n\
///      struct A(::trunkline::__rt::buffa::UnknownFields);"
/// );
/// ```
pub fn through_trunkline(code: &str) -> String {
    let mut out = String::with_capacity(code.len() + code.len() / 4);
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let (piece, length) = match first {
            '#' if rest.starts_with("#[") || rest.starts_with("#![") => {
                let attribute = &rest[..attribute_length(rest)];
                out.push_str(&rewrite_paths(attribute));
                out.push_str(&serde_location(attribute));
                ("", attribute.len())
            }
            '"' => (&rest[..string_length(rest)], string_length(rest)),
            '\'' => (&rest[..quote_length(rest)], quote_length(rest)),
            '/' if rest.starts_with("//") || rest.starts_with("/*") => {
                let comment = &rest[..comment_length(rest)];
                out.push_str(&rewrite_paths(comment));
                ("", comment.len())
            }
            ':' if starts_route(&out, rest) => {
                out.push_str(ROUTE);
                ("::", 2)
            }
            // The second colon of a path must not be taken for a first one.
            ':' if rest.starts_with("::") => ("::", 2),
            other => (&rest[..other.len_utf8()], other.len_utf8()),
        };
        out.push_str(piece);
        rest = &rest[length..];
    }
    out
}

/// Rewrites all paths of a piece in which strings count as code.
fn rewrite_paths(piece: &str) -> String {
    let mut out = String::with_capacity(piece.len());
    let mut rest = piece;
    while let Some(at) = rest.find("::") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if starts_route(&out, rest) {
            out.push_str(ROUTE);
        }
        out.push_str("::");
        rest = &rest[2..];
    }
    out.push_str(rest);
    out
}

/// Whether `rest` is an absolute path to one of [`CRATES`], given what stands in front of it.
fn starts_route(before: &str, rest: &str) -> bool {
    let continues = before.ends_with(|c: char| is_identifier(c) || c == '>' || c == ':');
    let Some(path) = rest.strip_prefix("::").filter(|_| !continues) else { return false };
    let first = path.find(|c: char| !is_identifier(c)).map_or(path, |end| &path[..end]);
    CRATES.contains(&first)
}

/// Whether `c` may stand in an identifier.
fn is_identifier(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The attribute that goes behind `attribute` when that derives one of serde's traits: the code that serde's macros
/// write looks for a crate `serde` unless it is told otherwise (serde.rs, "Container attributes", `crate`).
fn serde_location(attribute: &str) -> String {
    if !(attribute.contains("derive(") && attribute.contains("::serde::")) {
        return String::new();
    }
    let location = format!("serde(crate = \"{ROUTE}::serde\")");
    match attribute.strip_prefix("#[cfg_attr(").and_then(|inner| inner.split_once("derive(")) {
        Some((condition, _)) => format!("\n#[cfg_attr({} {location})]", condition.trim()),
        None => format!("\n#[{location}]"),
    }
}

/// The length of the attribute at the start of `rest`, brackets matched outside of strings.
fn attribute_length(rest: &str) -> usize {
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(next) = rest[at..].chars().next() {
        match next {
            '"' => {
                at += string_length(&rest[at..]);
                continue;
            }
            '[' => depth += 1,
            ']' if depth == 1 => return at + 1,
            ']' => depth -= 1,
            _ => {}
        }
        at += next.len_utf8();
    }
    rest.len()
}

/// The length of the comment at the start of `rest`. Generated code does not nest block comments.
fn comment_length(rest: &str) -> usize {
    let end = if rest.starts_with("//") { rest.find('\n') } else { rest.find("*/").map(|at| at + 2) };
    end.unwrap_or(rest.len())
}

/// The length of the string literal at the start of `rest`, quotes included. Generated code has no raw strings.
fn string_length(rest: &str) -> usize {
    let mut escaped = false;
    for (at, next) in rest.char_indices().skip(1) {
        match next {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The length of the character literal at the start of `rest`, or of the quote alone when it begins a lifetime.
fn quote_length(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((escaped, _))) => {
            rest[escaped + 1..].find('\'').map_or(rest.len(), |end| escaped + 1 + end + 1)
        }
        (Some(_), Some((end, '\''))) => end + 1,
        _ => 1,
    }
}

#[cfg(test)]
mod tests;
