//! Runs `vectors/h2`: each case whole, byte by byte, and cut at each place.

use std::fs;
use std::path::{Path, PathBuf};

use super::cases::{Case, Step, parse};
use super::talk::{Feed, Talk};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/h2");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn cases(file: &Path) -> Vec<Case> {
    parse(&fs::read_to_string(file).unwrap(), &file.file_name().unwrap().to_string_lossy())
}

/// What a case says, step by step.
fn said(case: &Case, feed: Feed) -> Vec<Vec<String>> {
    let mut talk = Talk::new(case);
    case.steps.iter().map(|step| talk.run(step, feed)).collect()
}

/// The lines `=>` and `>>` of a file, by case and step.
fn expected(text: &str) -> Vec<Vec<Vec<String>>> {
    let mut cases: Vec<Vec<Vec<String>>> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        let word = line.split(' ').next().unwrap_or_default();
        match (word, cases.last_mut()) {
            ("case", _) => cases.push(Vec::new()),
            ("<<", Some(_)) if goes_on => {}
            ("<<" | "do", Some(steps)) => steps.push(Vec::new()),
            ("=>" | ">>", Some(steps)) => steps.last_mut().expect("a step says it").push(line.to_owned()),
            _ => {}
        }
        goes_on = word == "<<";
    }
    cases
}

#[test]
fn vectors_say_what_they_say() {
    let mut count = 0;
    for file in files() {
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            rewrite(&file);
        }
        let text = fs::read_to_string(&file).unwrap();
        for (case, expected) in cases(&file).iter().zip(expected(&text)) {
            assert_eq!(said(case, Feed::Whole), expected, "{}", case.place);
            count += 1;
        }
    }
    assert!(count >= 150, "only {count} cases were found");
}

#[test]
fn vectors_split_anywhere_say_the_same() {
    for case in files().iter().flat_map(|file| cases(file)) {
        let whole = said(&case, Feed::Whole);
        assert_eq!(said(&case, Feed::Bytes), whole, "{}, byte by byte", case.place);
        let longest = case.steps.iter().map(|step| match step {
            Step::Come(bytes) => bytes.len(),
            Step::Do(_) => 0,
        });
        let longest = longest.max().unwrap_or(0);
        // Long ones are floods of one frame, where a cut is as good as another.
        for cut in (0..longest).step_by(1 + longest / 500) {
            assert_eq!(said(&case, Feed::Cut(cut)), whole, "{}, cut at {cut}", case.place);
        }
    }
}

/// Writes what is said today in place of what was expected; the difference is for a person to review.
fn rewrite(file: &Path) {
    let text = fs::read_to_string(file).unwrap();
    let mut said = cases(file).into_iter().flat_map(|case| said(&case, Feed::Whole));
    let kept: Vec<&str> =
        text.lines().filter(|line| !line.starts_with("=>") && !line.starts_with(">>")).collect();
    let mut lines = Vec::new();
    for (place, line) in kept.iter().enumerate() {
        lines.push((*line).to_owned());
        let next_is_frame = kept.get(place + 1).is_some_and(|next| next.starts_with("<<"));
        if line.starts_with("do ") || line.starts_with("<< ") && !next_is_frame {
            lines.extend(said.next().unwrap());
        }
    }
    fs::write(file, lines.join("\n") + "\n").unwrap();
}
