//! Rows for reading cargo's metadata.

use super::*;

fn metadata(packages: &str) -> String {
    format!(r#"{{"workspace_root":"/w","target_directory":"/elsewhere","packages":[{packages}]}}"#)
}

#[test]
fn a_package_is_read_with_its_arrows_and_roots() {
    let json = metadata(
        r#"{"name":"a","manifest_path":"/w/crates/a/Cargo.toml",
            "targets":[{"kind":["lib"],"src_path":"/w/crates/a/src/lib.rs"},
                       {"kind":["test"],"src_path":"/w/crates/a/tests/it.rs"}],
            "dependencies":[{"name":"b","kind":null,"optional":false,"path":"/w/crates/b"},
                            {"name":"c","kind":"build","optional":true}]}"#,
    );
    let workspace = Workspace::parse(&json).unwrap();
    let package = &workspace.packages[0];
    assert_eq!((package.name.as_str(), package.folder.as_str()), ("a", "crates/a"));
    assert_eq!(
        (package.roots.as_slice(), package.is_library),
        (&["crates/a/src/lib.rs".to_owned()][..], true)
    );
    let seen: Vec<_> =
        package.dependencies.iter().map(|d| (d.name.as_str(), d.kind, d.optional, d.is_ours)).collect();
    assert_eq!(seen, [("b", Kind::Normal, false, true), ("c", Kind::TestOrBuild, true, false)]);
}

#[test]
fn folders_follow_cargo_but_the_suites_do_not() {
    let workspace = Workspace::parse(&metadata("")).unwrap();
    assert_eq!(workspace.program("x").parent(), Some(Path::new("/elsewhere/debug")));
    assert_eq!(workspace.suites(), Path::new("/w/target/suites"));
}

#[test]
fn metadata_that_lacks_something_is_refused() {
    let check = |json: &str, part: &str| {
        let failure = Workspace::parse(json).err().expect("refused").to_string();
        assert!(failure.contains(part), "{failure}");
    };
    check("", "cannot read cargo's metadata");
    check("{}", "no text named workspace_root");
    check(&metadata(r#"{"name":"a"}"#), "no text named manifest_path");
    check(&metadata(r#"{"name":"a","manifest_path":"/other/Cargo.toml"}"#), "outside of the workspace");
}
