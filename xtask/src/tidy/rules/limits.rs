//! The rule on limits: a bound that users can meet is a bound that they can read about.
//!
//! It knows where the limits are declared and where they are described, not what they mean.

use super::{Finding, Scene};

const DECLARED: &str = "crates/trunkline/src/limits.rs";
const DESCRIBED: &str = "docs/limits.md";

/// Each public field of `Limits` has a row in docs/limits.md.
pub(super) fn limits(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(file) = scene.tree.file(DECLARED) else { return Vec::new() };
    let described = scene.tree.file(DESCRIBED).map_or("", |file| file.text.as_str());
    let Some(start) = file.source.code.find("pub struct Limits {") else {
        return vec![Finding::file("limits", DECLARED, "there is no `pub struct Limits {` to read")];
    };
    let body = &file.source.code[start..];
    let body = &body[..body.find('}').unwrap_or(body.len())];
    let mut findings = Vec::new();
    for (index, _) in body.match_indices("pub ").skip(1) {
        let Some((name, _)) = body[index + 4..].split_once(':') else { continue };
        let row = format!("| `{name}` |");
        if !described.lines().any(|line| line.starts_with(&row)) {
            let text = format!("`{name}` has no row in {DESCRIBED}");
            findings.push(Finding::line("limits", DECLARED, file.source.line_of(start + index), text));
        }
    }
    findings
}
