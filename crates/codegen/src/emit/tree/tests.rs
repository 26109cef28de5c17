//! Rows for the tree: file names, the way to the root, and modules whose names are keywords.

use super::*;

#[test]
fn files_of_a_named_include_file_carry_its_name() {
    for (include_file, package, expected) in [
        ("trunkline.rs", "demo.v1", "demo.v1.rs"),
        ("mod.rs", "demo.v1", "demo.v1.rs"),
        ("greet.rs", "demo.v1", "greet.demo.v1.rs"),
        ("trunkline.rs", "", "_.rs"),
        ("greet.rs", "", "greet._.rs"),
    ] {
        assert_eq!(package_file_name(include_file, package), expected, "{include_file} {package}");
    }
}

#[test]
fn files_are_found_from_each_package() {
    for (package, expected) in [("", "FILES"), ("a", "super::FILES"), ("a.b.c", "super::super::super::FILES")]
    {
        assert_eq!(files_path(package), expected, "{package}");
    }
}

#[test]
fn modules_nest_as_packages_do() {
    let file = include_file("trunkline.rs", &["", "a", "a.type.v1", "b"], &[]);
    let text = String::from_utf8(file.content).expect("it is text");
    let lines: Vec<&str> =
        text.lines().filter(|line| line.contains("mod ") || line.contains("include!")).collect();
    assert_eq!(
        lines,
        [
            "include!(\"_.rs\");",
            "pub mod a {",
            "    include!(\"a.rs\");",
            "    pub mod r#type {",
            "        pub mod v1 {",
            "            include!(\"a.type.v1.rs\");",
            "pub mod b {",
            "    include!(\"b.rs\");",
        ]
    );
    syn::parse_file(&text).expect("it is Rust");
}
