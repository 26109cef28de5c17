//! Rows for what the programs print and what the table makes of it.

use super::*;

#[test]
fn accounts_are_read_or_refused() {
    let check =
        |client: &str, server: &str, expected: std::result::Result<(u32, u32, u32, bool), &str>| match (
            Account::read(client, server, "why\nmore"),
            expected,
        ) {
            (Ok(seen), Ok(expected)) => {
                assert_eq!((seen.calls, seen.failed, seen.ended, seen.is_clean()), expected, "{client}");
                assert_eq!(seen.why, "why");
            }
            (Err(seen), Err(part)) => assert!(seen.to_string().contains(part), "{client}: {seen}"),
            (seen, expected) => panic!("{client}: {seen:?} instead of {expected:?}"),
        };
    check("calls=20 failed=0 connections=1\n", "", Ok((20, 0, 0, true)));
    check("calls=20 failed=0 connections=3\n", "", Ok((20, 0, 2, false)));
    check("calls=20 failed=1\n", "connections=1", Ok((20, 1, 0, false)));
    check("calls=20 failed=0\n", "connections=2", Ok((20, 0, 1, false)));
    check("calls=0 failed=0\n", "connections=1", Ok((0, 0, 0, false)));
    check("calls=20 failed=0\n", "", Err("printed `calls=20 failed=0`, ``: why"));
    assert!(!Account::hung(20, "late").is_clean());
    check("", "connections=1", Err("printed ``, `connections=1`: why"));
    check("calls=x failed=0", "connections=1", Err("printed `calls=x failed=0`"));
}

#[test]
fn the_table_says_why_a_row_is_not_clean() {
    let row = |failed, why: &str| Row {
        client: "grpc-go",
        server: "tonic",
        direction: "push",
        streams: 50,
        pace: "slow",
        account: Account { calls: 200, failed, ended: failed, why: why.to_owned() },
    };
    let text = table(&[row(0, "noise"), row(7, "closed")]);
    let lines: Vec<_> =
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        lines,
        [
            "client server direction streams reads calls failed connections ended",
            "grpc-go tonic client stream 50 slow 200 0 0",
            "grpc-go tonic client stream 50 slow 200 7 7 closed",
        ]
    );
}
