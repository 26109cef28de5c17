//! Rows for the command line, and for what ghz reports.

use super::*;

#[test]
fn command_lines_are_read_or_refused() {
    let check = |line: &str, expected: std::result::Result<u32, &str>| {
        let words: Vec<_> = line.split_whitespace().collect();
        match (Request::parse(&words), expected) {
            (Ok(seen), Ok(seconds)) => assert_eq!(seen, Request { seconds }, "{line}"),
            (Err(seen), Err(part)) => assert!(seen.to_string().contains(part), "{line}: {seen}"),
            (seen, expected) => panic!("{line}: {seen:?} instead of {expected:?}"),
        }
    };
    check("", Ok(60));
    check("--short", Ok(5));
    check("--seconds 7", Ok(7));
    check("--seconds 0", Err("not a number of seconds"));
    check("--seconds many", Err("not a number of seconds"));
    check("--seconds", Err("`--seconds` means nothing"));
    check("--long", Err("`--long` means nothing"));
}

#[test]
fn callers_share_a_connection_and_end_their_calls() {
    let line = arguments("a.B.C", "{}", 7, 9).join(" ");
    assert_eq!(line, "--call a.B.C -d {} -c 50 -z 9s --duration-stop wait -O json --insecure 127.0.0.1:7");
}

#[test]
fn a_call_that_failed_fails_the_run() {
    let check = |json: &str, expected: std::result::Result<&str, &str>| match (judge(json), expected) {
        (Ok((seen, _)), Ok(expected)) => assert_eq!(seen, expected),
        (Err(seen), Err(part)) => assert!(seen.to_string().contains(part), "{seen}"),
        (seen, expected) => panic!("{json}: {seen:?} instead of {expected:?}"),
    };
    check(r#"{"count":9,"errorDistribution":{},"statusCodeDistribution":{"OK":9}}"#, Ok("9 calls, 0 errors"));
    check(r#"{"count":0,"errorDistribution":{},"statusCodeDistribution":{}}"#, Ok("0 calls, 0 errors"));
    check(
        r#"{"count":9,"errorDistribution":{"lost":1},"statusCodeDistribution":{"OK":8,"Unavailable":1}}"#,
        Err(r#"9 calls, 1 errors: {"lost":1}"#),
    );
    check(r#"{"count":9}"#, Err("9 calls, 9 errors"));
    check("nonsense", Err("cannot read what ghz printed"));
}
