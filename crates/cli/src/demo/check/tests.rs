use super::*;

fn check(verdict: Verdict, expected: Result<(), &str>) {
    assert_eq!(verdict.map_err(|wrong| wrong.to_string()), expected.map_err(str::to_owned));
}

#[test]
fn messages_are_compared_to_the_letter() {
    check(said("a", "a"), Ok(()));
    check(said("", ""), Ok(()));
    check(said("a", "A"), Err("\"a\" was asked for, \"A\" came"));
    check(said("a", ""), Err("\"a\" was asked for, \"\" came"));
    let (long, shown) = ("ä".repeat(70), "ä".repeat(60));
    check(said(&long, "x"), Err(&format!("{shown:?} was asked for, \"x\" came")));
}

#[test]
fn sizes_show_the_order() {
    check(sized(0, 1), Ok(()));
    check(sized(9, 10), Ok(()));
    check(sized(0, 2), Err("answer 0 has 2 bytes, 1 were asked for"));
    check(sized(3, 0), Err("answer 3 has 0 bytes, 4 were asked for"));
}

#[test]
fn counts_are_compared() {
    check(counted(100, 100), Ok(()));
    check(counted(100, 99), Err("99 messages came, 100 were asked for"));
    check(counted(100, 101), Err("101 messages came, 100 were asked for"));
}

#[test]
fn metadata_comes_back_once() {
    let headers = |values: &[&str]| {
        let mut metadata = Metadata::new();
        for value in values {
            metadata.append(ECHO_HEADER, value).unwrap();
            metadata.append_bin(ECHO_TRAILER, value.as_bytes()).unwrap();
        }
        metadata
    };
    check(header("a", &headers(&["a"])), Ok(()));
    check(trailer("a", Some(&headers(&["a"]))), Ok(()));
    let sent = "header x-grpc-test-echo-initial: \"a\" was sent,";
    check(header("a", &headers(&[])), Err(&format!("{sent} [] came back")));
    check(header("a", &headers(&["b"])), Err(&format!("{sent} [\"b\"] came back")));
    check(header("a", &headers(&["a", "a"])), Err(&format!("{sent} [\"a\", \"a\"] came back")));
    let sent = "trailer x-grpc-test-echo-trailing-bin: \"a\" was sent,";
    check(trailer("a", None), Err(&format!("{sent} [] came back")));
    check(trailer("a", Some(&headers(&["b"]))), Err(&format!("{sent} [b\"b\"] came back")));
}

#[test]
fn failure_is_the_one_asked_for_and_from_the_peer() {
    let check = |seen: Result<(), Error>, expected: &str| {
        let verdict = failed(Code::Aborted, "no", seen);
        assert_eq!(verdict.err().map(|wrong| wrong.to_string()).unwrap_or_default(), expected);
    };
    check(Ok(()), "aborted was asked for, the call succeeded");
    let asked = "aborted: \"no\" from the peer was asked for,";
    // An error of this side, even with the same words, means that the peer was never heard.
    check(Err(Error::aborted("no")), &format!("{asked} aborted: no came"));
    check(Err(Error::internal("no")), &format!("{asked} internal: no came"));
    assert_eq!(Wrong::from(Error::aborted("no")).to_string(), "aborted: no");
}
