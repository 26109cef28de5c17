//! Rules and measures on size: lines of files and functions, tests beside code, docs beside both.
//!
//! The numbers are house rules, stated once at the end of this file.

use super::super::tree::File;
use super::{Finding, Measure, Scene};
use crate::workspace::Package;

/// No file is too long to be read in one sitting.
pub(super) fn file_lines(scene: &Scene<'_>) -> Vec<Finding> {
    let long = |file: &File| {
        let lines = file.source.lines.len();
        let text = format!("{lines} lines, at most {FILE_LINES_MAX}");
        (lines > FILE_LINES_MAX).then(|| Finding::file("file-lines", &file.path, text))
    };
    scene.tree.written().filter_map(long).collect()
}

/// Few functions are longer than a screen. Single ones are forgiven, a habit is not.
pub(super) fn long_functions(scene: &Scene<'_>) -> Vec<Finding> {
    let (long, count) = count_functions(scene);
    if percent(long.len(), count) <= LONG_FUNCTIONS_PERCENT_MAX {
        return Vec::new();
    }
    long
}

/// A library explains itself.
pub(super) fn doc_share(scene: &Scene<'_>) -> Vec<Finding> {
    let poor = |package: &Package| {
        let share = doc_percent(scene, package);
        let text = format!("{share:.1} % of the lines are docs, at least {DOC_PERCENT_MIN:.0} % must be");
        let path = format!("{}/src/lib.rs", package.folder);
        (share < DOC_PERCENT_MIN).then(|| Finding::file("doc-share", &path, text))
    };
    libraries(scene).filter_map(poor).collect()
}

/// The usual length of a file.
pub(super) fn median_lines(scene: &Scene<'_>) -> Vec<Measure> {
    let mut lines: Vec<_> = scene.tree.written().map(|file| file.source.lines.len()).collect();
    lines.sort_unstable();
    let median = lines.get(lines.len() / 2).copied().unwrap_or(0);
    let longest = lines.last().copied().unwrap_or(0);
    vec![
        measure("lines of a file, median", median.to_string(), "<= 250", median <= 250),
        measure("lines of the longest file", longest.to_string(), "<= 300", longest <= 300),
    ]
}

/// How many functions are longer than a screen.
pub(super) fn long_function_share(scene: &Scene<'_>) -> Vec<Measure> {
    let (long, count) = count_functions(scene);
    let share = percent(long.len(), count);
    let name = format!("functions above {FUNCTION_LINES_MAX} lines, of {count}");
    let aim = format!("<= {LONG_FUNCTIONS_PERCENT_MAX} %");
    vec![measure(&name, format!("{share:.2} %"), &aim, share <= LONG_FUNCTIONS_PERCENT_MAX)]
}

/// Lines of test code for a line of code.
pub(super) fn test_ratio(scene: &Scene<'_>) -> Vec<Measure> {
    let (mut tests, mut code) = (0_usize, 0_usize);
    for file in scene.tree.written() {
        for line in file.source.lines.iter().filter(|line| line.code) {
            *(if line.test || file.is_test() { &mut tests } else { &mut code }) += 1;
        }
    }
    let ratio = tests as f64 / code.max(1) as f64;
    let name = format!("test lines for a line of code ({tests} : {code})");
    vec![measure(&name, format!("{ratio:.2}"), "1.0 to 1.6", (1.0..=1.6).contains(&ratio))]
}

/// The share of docs in each library.
pub(super) fn doc_shares(scene: &Scene<'_>) -> Vec<Measure> {
    let measure = |package: &Package| {
        let share = doc_percent(scene, package);
        let name = format!("doc lines of {}", package.name);
        measure(
            &name,
            format!("{share:.1} %"),
            &format!(">= {DOC_PERCENT_MIN:.0} %"),
            share >= DOC_PERCENT_MIN,
        )
    };
    libraries(scene).map(measure).collect()
}

/// Doc lines among the lines that are not blank, tests and generated files left out.
fn doc_percent(scene: &Scene<'_>, package: &Package) -> f64 {
    let folder = format!("{}/src", package.folder);
    let files = scene.tree.written_in(&folder).filter(|file| !file.is_test());
    let lines = files.flat_map(|file| &file.source.lines).filter(|line| !line.test);
    let (mut docs, mut all) = (0, 0);
    for line in lines.filter(|line| line.code || line.doc || line.comment) {
        all += 1;
        docs += usize::from(line.doc);
    }
    if all == 0 { 100.0 } else { percent(docs, all) }
}

fn libraries<'a>(scene: &'a Scene<'_>) -> impl Iterator<Item = &'a Package> {
    scene.packages.iter().filter(|package| package.is_library)
}

/// The functions that are too long, as findings, and how many functions there are.
fn count_functions(scene: &Scene<'_>) -> (Vec<Finding>, usize) {
    let (mut long, mut count) = (Vec::new(), 0);
    for file in scene.tree.written() {
        for function in file.source.functions() {
            count += 1;
            if function.length > FUNCTION_LINES_MAX {
                let text =
                    format!("fn {} has {} lines, aim {FUNCTION_LINES_MAX}", function.name, function.length);
                long.push(Finding::line("long-functions", &file.path, function.line, text));
            }
        }
    }
    (long, count)
}

fn percent(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}

fn measure(name: &str, seen: String, aim: &str, is_met: bool) -> Measure {
    Measure { name: name.to_owned(), seen, aim: aim.to_owned(), is_met }
}

/// Longer files fail; the aim is a quarter of it.
const FILE_LINES_MAX: usize = 1200;
const FUNCTION_LINES_MAX: usize = 70;
const LONG_FUNCTIONS_PERCENT_MAX: f64 = 1.5;
const DOC_PERCENT_MIN: f64 = 20.0;
