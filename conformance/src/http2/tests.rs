use trunkline::Http2;

use super::chosen;

#[test]
fn words_choose_or_are_refused() {
    let check = |line: &str, expected: Result<Http2, &str>| {
        let seen = chosen(line.split_whitespace().map(str::to_owned));
        match (seen, expected) {
            (Ok(seen), Ok(expected)) => assert_eq!(seen, expected, "{line}"),
            (Err(refused), Err(part)) => assert!(refused.contains(part), "{line}: {refused}"),
            (seen, expected) => panic!("{line}: {seen:?}, expected {expected:?}"),
        }
    };
    check("", Ok(Http2::Engine));
    check("--http2=engine", Ok(Http2::Engine));
    check("--http2=hyper", Ok(Http2::Hyper));
    check("--http2=hyper --http2=engine", Ok(Http2::Engine));
    check("--http2=h2", Err("`--http2=h2` is neither"));
    check("--http2", Err("`--http2` is neither"));
    check("hyper", Err("`hyper` is neither"));
}
