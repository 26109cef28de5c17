//! Rows for the command line and for which loads there are.

use super::*;

#[test]
fn command_lines_are_read_or_refused() {
    let check = |line: &str, expected: std::result::Result<Request, &str>| {
        let words: Vec<_> = line.split_whitespace().collect();
        match (Request::parse(&words), expected) {
            (Ok(seen), Ok(expected)) => assert_eq!(seen, expected, "{line}"),
            (Err(seen), Err(part)) => assert!(seen.to_string().contains(part), "{line}: {seen}"),
            (seen, expected) => panic!("{line}: {seen:?} instead of {expected:?}"),
        }
    };
    check("", Ok(Request::Whole));
    check("--short", Ok(Request::Short));
    check("--shorter", Err("`--shorter` means nothing"));
}

#[test]
fn every_load_runs_in_both_runs_and_the_short_one_is_ours_alone() {
    for request in [Request::Whole, Request::Short] {
        let loads = loads(request);
        assert_eq!(loads.len(), 18);
        assert!(loads.iter().all(|load| load.calls > 0));
        for &(client, server) in request.pairs() {
            // The side in Go is the one that counts connections.
            assert!([client, server].contains(&Stack::Go));
        }
    }
    assert!(Request::Short.pairs().iter().all(|(client, server)| [client, server].contains(&&Stack::Ours)));
    assert_eq!(Request::Whole.pairs().len(), 4);
}
