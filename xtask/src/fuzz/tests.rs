//! Rows for the command line of `fuzz`.

use super::*;

#[test]
fn requests_are_read_or_refused() {
    let parse = |line: &str| Request::parse(&line.split_whitespace().collect::<Vec<_>>());
    let check = |line: &str, seconds: u64, targets: &[&str]| {
        let targets = targets.iter().map(|&target| target.to_owned()).collect();
        assert_eq!(parse(line).unwrap(), Request { seconds, input: None, targets }, "{line}");
    };
    check("", 60, &[]);
    check("--short", 5, &[]);
    check("get", 60, &["get"]);
    check("--seconds 7 get detect", 7, &["get", "detect"]);
    check("get --short", 5, &["get"]);
    assert_eq!(parse("get --input a/b").unwrap().input.as_deref(), Some("a/b"));

    let refuse = |line: &str, part: &str| {
        let failure = parse(line).unwrap_err();
        assert!(failure.to_string().contains(part), "{line}: {failure}");
        assert_eq!(failure.exit_code, 2, "{line}");
    };
    refuse("--seconds", "`--seconds` needs a value");
    refuse("--seconds 0", "`--seconds 0` is not a number");
    refuse("--seconds soon", "`--seconds soon` is not a number");
    refuse("--long", "`--long` means nothing");
    refuse("--input file", "name it");
    refuse("--input file get detect", "name it");
}

#[test]
fn targets_are_built_for_a_named_machine_with_their_own_flags_and_folder() {
    let metadata = r#"{"workspace_root":"/w","target_directory":"/elsewhere","packages":[]}"#;
    let workspace = Workspace::parse(metadata).unwrap();
    let build = Build { folder: workspace.fuzz(), host: "a-b-c".to_owned() };
    let line = process::line_of(&build.cargo(&workspace, "build"));
    let expected = " build --quiet --release --manifest-path fuzz/Cargo.toml --target a-b-c --target-dir /elsewhere/fuzz";
    assert!(line.ends_with(expected), "{line}");
    assert_eq!(build.program(), Path::new("/elsewhere/fuzz/a-b-c/release/trunkline-fuzz"));
}
