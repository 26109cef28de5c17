//! The cases of the vectors, as `vectors/README.md` describes their text. What becomes of a case is for its reader to say: the
//! tests of this crate run it, the fuzz targets begin with it.

use std::fs;
use std::path::{Path, PathBuf};

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::tests::testing::unescape;

/// One case of a file.
#[derive(Debug, Default)]
pub(crate) struct Case {
    pub(crate) place: String,
    pub(crate) name: String,
    pub(crate) side: Vec<String>,
    pub(crate) request: Vec<String>,
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    pub(crate) trailers: Option<HeaderMap>,
    pub(crate) expected: Vec<String>,
}

/// All files of vectors in a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if path.extension().is_some_and(|extension| extension == "txt") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The cases of a file.
pub(crate) fn parse(file: &Path) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for (number, line) in fs::read_to_string(file).unwrap().lines().enumerate() {
        let place = format!("{}:{}", file.display(), number + 1);
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "case" {
            let (name, status) = (rest.to_owned(), 200);
            cases.push(Case { place, name, status, ..Case::default() });
            continue;
        }
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let case = cases.last_mut().unwrap_or_else(|| panic!("{place}: a line in front of the first case"));
        let words = || rest.split(' ').map(str::to_owned).collect();
        match word {
            "server" | "client" => case.side = line.split(' ').map(str::to_owned).collect(),
            "request" => case.request = words(),
            "status" => case.status = rest.parse().unwrap(),
            "header" => append(&mut case.headers, rest),
            "body" => case.body.extend(unescape(rest.trim().trim_matches('"'))),
            "trailer" => append(case.trailers.get_or_insert_default(), rest),
            "=>" => case.expected.push(rest.to_owned()),
            _ => panic!("{place}: unknown word {word:?}"),
        }
    }
    cases
}

fn append(fields: &mut HeaderMap, row: &str) {
    let (name, value) = row.split_once(':').expect("a field has a colon");
    let value = HeaderValue::from_bytes(&unescape(value.trim())).unwrap();
    fields.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), value);
}
