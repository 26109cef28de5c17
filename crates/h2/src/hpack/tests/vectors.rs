//! Runs `vectors/hpack`, and cuts each of its blocks short.

use std::fs;
use std::path::{Path, PathBuf};

use super::{bytes, rows};
use crate::hpack::Decoder;

#[derive(Default)]
struct Case {
    place: String,
    table_bytes_max: Option<usize>,
    list_bytes_max: Option<usize>,
    blocks: Vec<Step>,
}

#[derive(Default)]
struct Step {
    block: Vec<u8>,
    expected: Vec<String>,
}

impl Case {
    fn decoder(&self) -> Decoder {
        Decoder::new(self.table_bytes_max.unwrap_or(4096))
    }

    fn list_bytes_max(&self) -> usize {
        self.list_bytes_max.unwrap_or(16 << 10)
    }
}

#[test]
fn vectors_blocks_say_what_they_say() {
    let mut count = 0;
    for file in files() {
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            rewrite(&file);
        }
        for case in parse(&fs::read_to_string(&file).unwrap(), &file) {
            let mut decoder = case.decoder();
            for step in &case.blocks {
                let seen = events(&mut decoder, &step.block, case.list_bytes_max());
                assert_eq!(seen, step.expected, "{}", case.place);
                count += 1;
            }
        }
    }
    assert!(count > 100, "only {count} blocks were found");
}

/// A block cut short either ends between two fields, or is a fault; what it says is then the beginning of what it said.
#[test]
fn vectors_cut_short_never_say_more() {
    for case in files().iter().flat_map(|file| parse(&fs::read_to_string(file).unwrap(), file)) {
        for (place, step) in case.blocks.iter().enumerate() {
            for cut in 0..step.block.len() {
                let mut decoder = case.decoder();
                let before = &case.blocks[..place];
                before.iter().for_each(|step| drop(decoder.decode(&step.block, case.list_bytes_max())));
                let Ok(block) = decoder.decode(&step.block[..cut], usize::MAX) else { continue };
                assert!(block.list_bytes <= 4096 * step.block.len(), "{}", case.place);
                assert!(block.fields.len() <= cut, "{}", case.place);
            }
        }
    }
}

fn events(decoder: &mut Decoder, block: &[u8], list_bytes_max: usize) -> Vec<String> {
    let block = match decoder.decode(block, list_bytes_max) {
        Ok(block) => block,
        Err(fault) => return vec![format!("fault {fault}")],
    };
    let mut seen = match block.malformed {
        Some(reason) => vec![format!("malformed {reason}")],
        None => rows(&block),
    };
    if block.too_large {
        seen.push(format!("too large, {}", block.list_bytes));
    }
    let (entries, bytes) = decoder.table_size();
    seen.push(format!("table {entries} entries, {bytes}"));
    seen
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/hpack");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn parse(text: &str, file: &Path) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "case" {
            let place = format!("{}:{}: {rest}", file.display(), number + 1);
            cases.push(Case { place, ..Case::default() });
            continue;
        }
        let Some(case) = cases.last_mut() else { continue };
        match word {
            "table" => case.table_bytes_max = Some(rest.parse().unwrap()),
            "list" => case.list_bytes_max = Some(rest.parse().unwrap()),
            "block" => case.blocks.push(Step { block: bytes(rest), ..Step::default() }),
            "=>" => case.blocks.last_mut().expect("a block says it").expected.push(rest.to_owned()),
            "" | "#" => {}
            _ => panic!("{}: unknown line {line:?}", case.place),
        }
    }
    cases
}

/// Writes what is seen today in place of what was expected; the difference is for a person to review.
fn rewrite(file: &Path) {
    let text = fs::read_to_string(file).unwrap();
    let cases = parse(&text, file);
    let mut runs = cases.iter().flat_map(|case| {
        let mut decoder = case.decoder();
        let run = |step: &Step| events(&mut decoder, &step.block, case.list_bytes_max());
        case.blocks.iter().map(run).collect::<Vec<_>>()
    });
    let mut lines = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with("=>")) {
        lines.push(line.to_owned());
        if line.starts_with("block") {
            lines.extend(runs.next().unwrap().iter().map(|event| format!("=> {event}")));
        }
    }
    fs::write(file, lines.join("\n") + "\n").unwrap();
}
