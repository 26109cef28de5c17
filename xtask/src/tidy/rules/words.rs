//! Rules on what a source may say: words, names and literals that are fine elsewhere but not there.
//!
//! Each rule is a list of what it looks for and of the places where that is allowed. None of them understands Rust; they see code
//! without comments, and literals.

use super::super::lexer::Source;
use super::super::table::Floor;
use super::super::tree::{File, is_below};
use super::{Finding, Scene};

/// A protocol, the headers that only its folder writes, and that folder.
struct Owner {
    protocol: &'static str,
    headers: &'static [&'static str],
    homes: &'static [&'static str],
}

/// The word `unsafe` stands only where the table of crates allows it.
pub(super) fn unsafe_code(scene: &Scene<'_>) -> Vec<Finding> {
    let granted: Vec<_> = scene.rows.iter().flat_map(|row| &row.unsafe_in).collect();
    let is_granted = |file: &File| {
        granted.iter().any(|place| match place.strip_suffix('/') {
            Some(folder) => is_below(&file.path, folder),
            None => file.path == **place,
        })
    };
    let mut findings = Vec::new();
    for file in scene.tree.written().filter(|file| !is_granted(file)) {
        for (offset, _) in file.source.words().filter(|(_, word)| *word == "unsafe") {
            let line = file.source.line_of(offset);
            findings.push(Finding::line("unsafe", &file.path, line, "unsafe code is not allowed here"));
        }
    }
    findings
}

/// A header of a protocol is written in that protocol's folder only, so that one folder answers how the protocol works.
pub(super) fn header_names(scene: &Scene<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in scene.tree.written_in("crates").filter(|file| !file.is_test()) {
        for literal in &file.source.literals {
            let is_tested = file.source.lines.get(literal.line - 1).is_some_and(|line| line.test);
            for owner in OWNERS.iter().filter(|owner| !is_tested && !owner.lives_in(&file.path)) {
                for header in
                    header_words(&literal.text).filter(|word| owner.headers.contains(&word.as_str()))
                {
                    let text = format!("`{header}` belongs to {}, so to {}", owner.protocol, owner.homes[0]);
                    findings.push(Finding::line("header-names", &file.path, literal.line, text));
                }
            }
        }
    }
    findings
}

/// Time and chance are arguments on the ground floor.
pub(super) fn pure(scene: &Scene<'_>) -> Vec<Finding> {
    let ground = scene.rows.iter().filter(|row| row.floor == Floor::Ground);
    let files = ground.flat_map(|row| scene.tree.written_in(&row.folder));
    find_code(files, "pure", AMBIENT, "time and chance are arguments on the ground floor")
}

/// Each queue has a bound.
pub(super) fn bounded_queues(scene: &Scene<'_>) -> Vec<Finding> {
    find_code(scene.tree.written(), "unbounded", UNBOUNDED, "a queue needs a bound with a name")
}

/// No test is switched off.
pub(super) fn ignored_test(scene: &Scene<'_>) -> Vec<Finding> {
    let why = "assert what happens today and leave a FIXME with the number of the issue";
    find_code(scene.tree.written(), "ignored-test", &["#[ignore"], why)
}

/// Nothing waits by the wall clock: a test that sleeps is slow where it passes and fails where the machine is slow.
pub(super) fn sleep(scene: &Scene<'_>) -> Vec<Finding> {
    find_code(scene.tree.written(), "sleep", &["thread::sleep"], "wait for the event, not for a time")
}

/// A name says what a thing is.
pub(super) fn names(scene: &Scene<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in scene.tree.written() {
        let mut previous = "";
        for (offset, word) in file.source.words() {
            let is_type = matches!(previous, "struct" | "enum" | "trait" | "type" | "union");
            let is_empty_name = is_type && EMPTY_ENDINGS.iter().any(|ending| word.ends_with(ending));
            if is_empty_name || (previous == "fn" && word.starts_with("get_")) {
                let line = file.source.line_of(offset);
                findings.push(Finding::line("names", &file.path, line, format!("`{word}` says nothing")));
            }
            previous = word;
        }
    }
    findings
}

/// Each file but those of tests says first what it decides.
pub(super) fn file_header(scene: &Scene<'_>) -> Vec<Finding> {
    let bare = scene.tree.written().filter(|file| !file.is_test() && !file.text.starts_with("//!"));
    bare.map(|file| Finding::line("file-header", &file.path, 1, "the file does not start with //!")).collect()
}

/// Nothing in the tree depends on where it lies or who is logged in.
pub(super) fn absolute_path(scene: &Scene<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &scene.tree.files {
        for (index, line) in file.text.lines().enumerate() {
            for root in LOCAL_ROOTS.iter().filter(|root| names_path(line, root)) {
                let text = format!("/{root} is a folder of one machine");
                findings.push(Finding::line("absolute-path", &file.path, index + 1, text));
            }
        }
    }
    findings
}

impl Owner {
    /// Below a home, or in the file that opens it: `grpc.rs` beside `grpc/`.
    fn lives_in(&self, path: &str) -> bool {
        self.homes.iter().any(|home| is_below(path, home) || path.strip_suffix(".rs") == Some(home))
    }
}

/// Each place where the code says one of `needles`.
fn find_code<'a>(
    files: impl Iterator<Item = &'a File>,
    rule: &'static str,
    needles: &[&str],
    why: &str,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        for needle in needles {
            for offset in offsets(&file.source, needle) {
                let line = file.source.line_of(offset);
                findings.push(Finding::line(rule, &file.path, line, format!("`{needle}`: {why}")));
            }
        }
    }
    findings
}

/// Where `needle` stands in the code, not as the end of a longer word.
fn offsets(source: &Source, needle: &str) -> impl Iterator<Item = usize> {
    let is_alone =
        |offset: usize| !source.code[..offset].ends_with(|c: char| c == '_' || c.is_alphanumeric());
    let hits = source.code.match_indices(needle).map(|(offset, _)| offset);
    hits.filter(move |&offset| needle.starts_with('#') || is_alone(offset)).collect::<Vec<_>>().into_iter()
}

/// The words of a literal as header names are spelt.
fn header_words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| c != '-' && !c.is_ascii_alphanumeric()).map(str::to_ascii_lowercase)
}

/// Whether `line` holds a path that starts with the folder `root`, as the whole of its first part.
fn names_path(line: &str, root: &str) -> bool {
    line.match_indices(&format!("/{root}")).any(|(index, found)| {
        let before = line[..index].chars().next_back();
        let after = line[index + found.len()..].chars().next();
        let starts = before.is_none_or(|c| !c.is_alphanumeric() && !"._-/~*}>$".contains(c));
        let ends = after.is_none_or(|c| !c.is_alphanumeric() && !"_-.".contains(c));
        starts && ends
    })
}

const OWNERS: &[Owner] = &[
    Owner {
        protocol: "gRPC",
        headers: &[
            "grpc-accept-encoding",
            "grpc-encoding",
            "grpc-message",
            "grpc-message-type",
            "grpc-previous-rpc-attempts",
            "grpc-retry-pushback-ms",
            "grpc-status",
            "grpc-status-details-bin",
            "grpc-tags-bin",
            "grpc-timeout",
            "grpc-trace-bin",
            "x-grpc-web",
            "x-user-agent",
        ],
        homes: &["crates/wire/src/grpc", "crates/wire/src/grpc_web"],
    },
    Owner {
        protocol: "Connect",
        headers: &[
            "connect-accept-encoding",
            "connect-content-encoding",
            "connect-protocol-version",
            "connect-timeout-ms",
        ],
        homes: &["crates/wire/src/connect"],
    },
];

const AMBIENT: &[&str] =
    &["SystemTime::now", "Instant::now", "thread_rng", "getrandom", "RandomState", "rand::"];

const UNBOUNDED: &[&str] =
    &["unbounded_channel", "unbounded(", "UnboundedSender", "mpsc::channel()", "mpsc::channel::<"];

/// Endings that could be put on any name.
const EMPTY_ENDINGS: &[&str] = &["Manager", "Helper", "Helpers", "Util", "Utils", "Impl", "Info"];

const LOCAL_ROOTS: &[&str] = &["work", "tmp", "root", "home"];
