//! Each case is a folder of `tests/golden`: its `.proto` files, and in `generated` what they become.
//! `UPDATE_GOLDEN=1` writes the latter anew; the diff is what a reviewer reads.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use trunkline_codegen::Config;

#[test]
fn greet_every_shape_and_json() {
    check("greet", &["greet.proto"], |config| config);
}

#[test]
fn names_that_are_taken_give_way() {
    check("names", &["names.proto"], |config| config);
}

#[test]
fn packages_nest_and_refer_to_each_other() {
    check("packages", &["a.proto", "b.proto", "none.proto", "only.proto", "sub.proto"], |config| config);
}

#[test]
fn stubs_have_bodies_and_proto2_has_extensions() {
    check("stubs", &["stubs.proto"], |config| config.default_stubs(true));
}

#[test]
fn elsewhere_messages_are_referred_to() {
    check("elsewhere", &["elsewhere.proto"], |config| {
        config
            .includes([root().join("greet")])
            .extern_path(".demo.v1", "crate::greet::demo::v1")
            .server(false)
    });
}

#[test]
fn binary_has_no_json() {
    check("binary", &["binary.proto"], |config| config.json(false));
}

fn check(case: &str, files: &[&str], configure: impl FnOnce(Config) -> Config) {
    let folder = root().join(case);
    let config = Config::new().files(files).includes([&folder]).include_file("mod.rs");
    let files = configure(config).generate().expect("the case compiles");
    let folder = folder.join("generated");
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::remove_dir_all(&folder).ok();
        for file in &files {
            let path = folder.join(&file.name);
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the tree can be written");
            fs::write(path, &file.content).expect("the tree can be written");
        }
        return;
    }
    let mut left_over = BTreeSet::new();
    list(&folder, &mut left_over);
    for file in &files {
        let path = folder.join(&file.name);
        let expected = fs::read(&path).unwrap_or_default();
        let (expected, found) = (String::from_utf8_lossy(&expected), String::from_utf8_lossy(&file.content));
        if let Some((line, (expected, found))) =
            (1..).zip(expected.lines().zip(found.lines())).find(|(_, (expected, found))| expected != found)
        {
            panic!(
                "{case}/{}:{line}: expected\n{expected}\nfound\n{found}\n(UPDATE_GOLDEN=1 accepts it)",
                file.name
            );
        }
        assert_eq!(expected.len(), found.len(), "{case}/{} (UPDATE_GOLDEN=1 accepts it)", file.name);
        left_over.remove(&path);
    }
    assert!(left_over.is_empty(), "{left_over:?} are generated no more (UPDATE_GOLDEN=1 accepts it)");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn list(folder: &Path, files: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the golden is there") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            list(&path, files);
        } else {
            files.insert(path);
        }
    }
}
