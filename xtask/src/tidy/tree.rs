//! The tracked files as the rules see them: in memory, so that a test can write a tree in three lines.
//!
//! It decides what is a test and what is generated; it must not know a rule.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use crate::failure::{Result, While};
use crate::process;
use crate::tidy::lexer::{self, Source};

/// All text files of the workspace.
#[derive(Default)]
pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
}

/// One text file.
pub(crate) struct File {
    /// Relative to the root, with `/` between the parts.
    pub(crate) path: String,
    pub(crate) text: String,
    /// Empty unless the name ends in `.rs`.
    pub(crate) source: Source,
}

impl Tree {
    /// Reads what git tracks or would track; a file that is deleted but not yet committed is gone.
    pub(crate) fn load(root: &Path) -> Result<Self> {
        let mut git = Command::new("git");
        git.current_dir(root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let mut tree = Self::default();
        for path in process::capture(&mut git)?.split_terminator('\0') {
            let bytes = match fs::read(root.join(path)) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error).on(|| format!("read {path}")),
            };
            // What is not UTF-8 is a picture or a vector of bytes, and no rule reads those.
            if let Ok(text) = String::from_utf8(bytes) {
                tree.add(path, &text);
            }
        }
        Ok(tree)
    }

    pub(crate) fn add(&mut self, path: &str, text: &str) {
        let source = if path.ends_with(".rs") { lexer::scan(text) } else { Source::default() };
        self.files.push(File { path: path.to_owned(), text: text.to_owned(), source });
    }

    /// The file at `path`, if there is one.
    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Every Rust source that a person wrote.
    pub(crate) fn written(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.path.ends_with(".rs") && !file.is_generated())
    }

    /// As `written`, below one folder.
    pub(crate) fn written_in(&self, folder: &str) -> impl Iterator<Item = &File> {
        self.written().filter(move |file| is_below(&file.path, folder))
    }
}

impl File {
    /// Nobody reads it line by line, so the rules on size and style do not hold for it.
    pub(crate) fn is_generated(&self) -> bool {
        self.path.split('/').any(|part| part == "generated") || self.text.starts_with("// @generated")
    }

    /// A file of tests: `tests.rs`, or anything in a `tests` folder.
    pub(crate) fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs") || self.path.split('/').any(|part| part == "tests")
    }
}

/// Whether `path` lies in `folder`. The empty folder holds everything.
pub(crate) fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}
