//! Rows for how children are run, with the programs that every Unix has.

use super::*;

fn sh(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

#[test]
fn capture_returns_stdout_or_says_what_failed() {
    let check = |script: &str, expected: std::result::Result<&str, &str>| {
        let seen = capture(&mut sh(script)).map_err(|failure| failure.to_string());
        match (seen, expected) {
            (Ok(seen), Ok(expected)) => assert_eq!(seen, expected, "{script}"),
            (Err(seen), Err(part)) => assert!(seen.contains(part), "{script}: {seen}"),
            (seen, expected) => panic!("{script}: {seen:?} instead of {expected:?}"),
        }
    };
    check("echo one; echo two", Ok("one\ntwo\n"));
    check("true", Ok(""));
    check("exit 3", Err("`sh -c exit 3` ended with exit status: 3"));
    check("printf '\\377'", Err("not UTF-8"));
}

#[test]
fn stream_hands_over_each_line_and_the_exit_code() {
    let check = |script: &str, lines: &[&str], code: i32| {
        let mut seen = Vec::new();
        let status = stream(&mut sh(script), |line| seen.push(line.to_owned())).unwrap();
        assert_eq!((seen, status.code()), (lines.iter().map(|&l| l.to_owned()).collect(), Some(code)));
    };
    check("echo one; printf two", &["one", "two"], 0);
    check("echo one; exit 4", &["one"], 4);
    check("", &[], 0);
}

#[test]
fn bounded_returns_both_outputs_and_ends_what_never_ends() {
    let ample = Duration::from_secs(60);
    let printed = bounded(&mut sh("echo out; echo err >&2; exit 1"), ample).unwrap();
    assert!(!printed.success);
    assert_eq!((printed.stdout.as_str(), printed.stderr.as_str()), ("out\n", "err\n"));
    assert!(bounded(&mut sh("true"), ample).unwrap().success);

    let failure = bounded(&mut sh("exec tail -f /dev/null"), Duration::ZERO);
    assert!(failure.unwrap_err().to_string().contains("did not end within 0ns"));
}

#[test]
fn a_program_that_does_not_exist_is_named() {
    let failure = run(&mut Command::new("no-such-program-here")).unwrap_err();
    assert!(failure.to_string().starts_with("cannot start `no-such-program-here`"), "{failure}");
    assert!(Guard::spawn(&mut Command::new("no-such-program-here")).is_err());
}

#[test]
fn messages_name_a_program_without_its_folder() {
    let check = |program: &str, expected: &str| {
        assert_eq!(line_of(Command::new(program).args(["a", "b c"])), expected);
    };
    check("sh", "sh a b c");
    check("/opt/bin/sh", "sh a b c");
    check("./sh", "sh a b c");
    check("..", ".. a b c");
}
