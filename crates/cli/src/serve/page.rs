//! The page that a browser gets at `/`: what is served here, and commands that call it. One file, no scripts, no network.

use trunkline::Shape;

use crate::hints::{Hint, Hints};
use crate::service::Listed;

/// The whole page.
pub(super) fn html(hints: &Hints, services: &[Listed]) -> String {
    let place = escaped(&hints.listening());
    let commands: String = hints.all().iter().map(command).collect();
    let services: String = services.iter().map(service).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>Trunkline at {place}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>Trunkline</h1>\n\
         <p>This is an RPC server. gRPC, gRPC-Web and Connect answer at <code>{place}</code>, over HTTP/1.1 and \
         HTTP/2, all on this one port.</p>\n\
         <h2>Try it</h2>\n{commands}\
         <h2>Services</h2>\n{services}\
         <footer>trunkline {}</footer>\n</main>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    )
}

fn command(hint: &Hint) -> String {
    format!(
        "<p class=\"about\">{}</p>\n<pre><code>{}</code></pre>\n",
        escaped(hint.about),
        escaped(&hint.folded())
    )
}

fn service(service: &Listed) -> String {
    let mut rows = String::new();
    for (method, shape) in &service.methods {
        rows.push_str(&format!(
            "<tr><td><code>{}</code></td><td>{}</td></tr>\n",
            escaped(method),
            shape_words(*shape)
        ));
    }
    format!(
        "<section>\n<h3><code>{}</code></h3>\n<p class=\"about\">{}</p>\n<table>\n{rows}</table>\n</section>\n",
        escaped(service.name),
        escaped(service.about)
    )
}

/// What flows, in words for people.
fn shape_words(shape: Shape) -> &'static str {
    match shape {
        Shape::Unary => "one request, one answer",
        Shape::ServerStream => "one request, many answers",
        Shape::ClientStream => "many requests, one answer",
        Shape::Bidi => "many requests, many answers",
    }
}

/// Text as HTML shows it, in elements and in attributes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b6470; --paper: #fcfcfd; --panel: #f0f2f5; --line: #d9dde3; --accent: #0b5cad; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ee; --soft: #a0a9b5; --paper: #14171b; --panel: #1f242b; --line: #333a44; --accent: #7fb8f5; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 54rem; margin: 0 auto; padding: 2.5rem 1.25rem 3rem; }
h1 { margin: 0 0 .5rem; font-size: 2rem; letter-spacing: -.02em; color: var(--accent); }
h2 { margin: 2.25rem 0 .75rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); font-size: 1.25rem; }
h3 { margin: 0; font-size: 1rem; }
h3 code { font-weight: 650; }
code { font: .9em/1.5 ui-monospace, Menlo, Consolas, monospace; }
pre { margin: .25rem 0 1rem; padding: .7rem .9rem; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; }
.about { margin: 0 0 .25rem; color: var(--soft); }
section { margin: 0 0 1.5rem; }
table { width: 100%; border-collapse: collapse; }
td { padding: .3rem .75rem .3rem 0; border-top: 1px solid var(--line); vertical-align: top; }
td:first-child { width: 50%; overflow-wrap: anywhere; }
td:last-child { color: var(--soft); }
footer { margin-top: 2.5rem; color: var(--soft); font-size: .875rem; }
";

#[cfg(test)]
mod tests;
