//! Rows for sources: what a mistake is told as, and where files come from.

use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs};

use super::*;
use crate::DescriptorSet;

/// A folder with sources, removed in the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// Writes sources into a folder of their own.
pub(crate) fn folder(files: &[(&str, &str)]) -> Folder {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("trunkline-schema-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let folder = Folder(env::temp_dir().join(name));
    for (name, text) in files {
        let path = folder.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn mistakes_are_told_with_their_place() {
    check(
        "syntax = \"proto3\";\nmessage A {\n  B b = 1;\n}",
        Some(("a.proto", Some((3, 3)))),
        "name 'B' is not defined",
    );
    check("syntax = \"proto3\";\nmessage A {", Some(("a.proto", None)), "reached end of file");
    check(
        "syntax = \"proto3\";\nimport \"b.proto\";",
        Some(("a.proto", Some((2, 1)))),
        "import 'b.proto' not found",
    );
    // The second definition is to blame, not the first.
    check(
        "syntax = \"proto3\";\nenum A { X = 0; }\nenum A { Y = 0; }",
        Some(("a.proto", Some((3, 6)))),
        "defined twice",
    );
    check("syntax = \"proto3\";\nimport \"a.proto\";", Some(("a.proto", None)), "import cycle detected");
    check("edition = \"2023\";", Some(("a.proto", Some((1, 1)))), "");
}

fn check(source: &str, place: Option<(&str, Option<(u32, u32)>)>, message: &str) {
    let folder = folder(&[("a.proto", source)]);
    let fault = DescriptorSet::from_sources(&["a.proto"], &[folder.path()]).unwrap_err();
    let Error::Source { place: seen, message: told } = &fault else { panic!("{fault}") };
    let seen = seen.as_ref().map(|place| (&*place.file, place.line_column));
    assert_eq!(seen, place, "{fault}");
    assert!(told.contains(message), "{fault}");
}

#[test]
fn mistakes_in_an_import_are_told_where_they_are() {
    let folder = folder(&[
        ("a.proto", "syntax = \"proto3\"; import \"b/b.proto\";"),
        ("b/b.proto", "syntax = \"proto3\";\n\nmessage 1 {}"),
    ]);
    let fault = DescriptorSet::from_sources(&["a.proto"], &[folder.path()]).unwrap_err();
    assert!(fault.to_string().starts_with("b/b.proto:3:9: "), "{fault}");
}

#[test]
fn files_are_found_below_includes_only() {
    let folder = folder(&[("a/a.proto", "syntax = \"proto3\";"), ("b/b.proto", "syntax = \"proto3\";")]);
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    let load = |file: &Path, includes: &[&Path]| DescriptorSet::from_sources(&[file], includes);
    assert_eq!(load(Path::new("a.proto"), &[&a, &b]).unwrap().files()[0].name(), "a.proto");
    assert_eq!(load(&b.join("b.proto"), &[&a, &b]).unwrap().files()[0].name(), "b.proto");
    assert_eq!(load(&b.join("b.proto"), &[folder.path()]).unwrap().files()[0].name(), "b/b.proto");
    let fault = load(&b.join("b.proto"), &[&a]).unwrap_err();
    assert!(fault.to_string().contains("not in any include path"), "{fault}");
}

#[test]
fn files_say_where_they_are_from() {
    let folder = folder(&[
        ("a.proto", "syntax = \"proto3\"; import \"b.proto\"; import \"google/protobuf/any.proto\";"),
        ("b.proto", "syntax = \"proto3\";"),
    ]);
    let set = DescriptorSet::from_sources(&["a.proto"], &[folder.path()]).unwrap();
    let facts = |name: &str| {
        let file = set.file(name).unwrap();
        (file.path().map(Path::to_owned), file.is_imported())
    };
    assert_eq!(facts("a.proto"), (Some(folder.path().join("a.proto")), false));
    assert_eq!(facts("b.proto"), (Some(folder.path().join("b.proto")), true));
    assert_eq!(facts("google/protobuf/any.proto"), (None, true));
}

#[test]
fn a_file_that_cannot_be_read_is_told_apart() {
    let folder = folder(&[("a.proto/inner", "a folder has the name of the file")]);
    let fault = DescriptorSet::from_sources(&["a.proto"], &[folder.path()]).unwrap_err();
    assert!(matches!(&fault, Error::Read { cause: Some(_), .. }), "{fault:?}");
}
