use super::{Direction, Load};

#[test]
fn load_is_read_or_refused() {
    let check = |line: &str, expected: Result<(Direction, u32, u32, bool), &str>| {
        let words: Vec<_> = line.split_whitespace().collect();
        match (Load::parse(&words), expected) {
            (Ok(load), Ok(expected)) => {
                assert_eq!((load.direction, load.streams, load.calls, load.is_slow), expected, "{line}");
            }
            (Err(refused), Err(part)) => assert!(refused.to_string().contains(part), "{line}: {refused}"),
            (seen, expected) => panic!("{line}: {seen:?}, expected {expected:?}"),
        }
    };
    check("pull 1 2 fast", Ok((Direction::Pull, 1, 2, false)));
    check("push 50 4 slow", Ok((Direction::Push, 50, 4, true)));
    check("talk 4 10 fast", Ok((Direction::Talk, 4, 10, false)));
    check("echo 4 10 fast", Err("`echo` is neither"));
    check("talk 4 10 quick", Err("`quick` is neither"));
    check("talk four 10 fast", Err("invalid digit"));
    check("talk 4 -1 fast", Err("invalid digit"));
    check("talk 4 10", Err("four words"));
    check("", Err("four words"));
}
