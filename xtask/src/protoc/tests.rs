//! Rows for the cases and for what protoc is told.

use super::*;
use crate::suites::tests::{Scratch, write};

#[test]
fn every_golden_is_a_case() {
    let goldens = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(GOLDENS);
    let mut found: Vec<String> = fs::read_dir(goldens)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    let mut known: Vec<_> = CASES.iter().map(|case| case.name).collect();
    known.sort_unstable();
    assert_eq!(found, known);
}

#[test]
fn protoc_is_told_of_the_plugin_its_options_and_every_folder() {
    let case = Case { name: "b", files: &["x.proto", "y.proto"], imports: &["a"], options: ",json=false" };
    let command =
        command(Path::new("/p/protoc"), Path::new("/p/plugin"), Path::new("/g"), Path::new("/o"), &case);
    let line = process::line_of(&command).replace('\\', "/");
    assert_eq!(
        line,
        "protoc --plugin=protoc-gen-trunkline=/p/plugin --trunkline_out=/o \
         --trunkline_opt=include_file=mod.rs,json=false -I/g/b -I/g/a x.proto y.proto"
    );
}

#[test]
fn protoc_that_is_there_is_not_fetched_again() {
    let scratch = Scratch::new("protoc");
    let programs = scratch.0.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let program = programs.join(format!("protoc{}", std::env::consts::EXE_SUFFIX));
    write(&program, "");
    write(&scratch.0.join("stamp"), PACKAGE);
    assert_eq!(ensure(&scratch.0).unwrap(), program);
}
