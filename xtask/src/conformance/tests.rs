//! Rows for reading the command line and the runner's output. The lines of output are the runner's own, v1.0.5.

use super::*;

#[test]
fn command_lines_are_read_or_refused() {
    let check = |line: &str, expected: std::result::Result<&str, &str>| {
        let words: Vec<_> = line.split_whitespace().collect();
        match (Request::parse(&words).map(|request| request.arguments().join(" ")), expected) {
            (Ok(seen), Ok(expected)) => assert_eq!(seen, expected, "{line}"),
            (Err(seen), Err(part)) => {
                assert!(seen.to_string().contains(part), "{line}: {seen}");
                assert_eq!(seen.exit_code, 2, "{line}");
            }
            (seen, expected) => panic!("{line}: {seen:?} instead of {expected:?}"),
        }
    };
    check("server --basic", Ok("--mode server"));
    check("client --basic", Ok("--mode client"));
    check("client", Ok("--mode client --conf conformance/configs/full-client.yaml"));
    check("server", Ok("--mode server --conf conformance/configs/full-server.yaml -p 16"));
    check("server -p 2", Ok("--mode server --conf conformance/configs/full-server.yaml -p 2"));
    check("server --basic --run A/** --run B --skip C", Ok("--mode server --run A/** --run B --skip C"));
    check("client --basic -p 4 --trace", Ok("--mode client -p 4 --trace"));
    check("", Err("say which role"));
    check("both", Err("say which role"));
    check("server --run", Err("`--run` needs a value"));
    check("server -p none", Err("`-p none` is not a number"));
    check("server -p 0", Err("`-p 0` is not a number"));
    check("server --known-failing x", Err("`--known-failing` means nothing"));
}

/// All cases of the empty configuration.
fn basic(role: Role) -> Request {
    Request { is_basic: true, ..Request::full(role) }
}

#[test]
fn the_programs_are_told_how_to_speak_http2() {
    let check = |line: &str, word: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        let request = Request::parse(&words).unwrap();
        assert_eq!(request.http2.word(), word, "{line}");
        assert_eq!(request.only(&["a".to_owned()]).http2.word(), word, "{line}, again");
    };
    check("server", "--http2=engine");
    check("client --http2=engine", "--http2=engine");
    check("client --http2=hyper --basic", "--http2=hyper");
    assert_eq!(Request::parse(&["client", "--http2=h2"]).unwrap_err().exit_code, 2);
    let request = Request::basic_over_hyper(Role::Server);
    assert_eq!(
        (request.arguments().join(" ").as_str(), request.http2.word()),
        ("--mode server", "--http2=hyper")
    );
}

#[test]
fn each_role_has_its_configuration_with_everything_on() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the folder of a member has a parent");
    for role in [Role::Server, Role::Client] {
        let name = Request::full(role).arguments()[3].clone();
        let text = std::fs::read_to_string(root.join(&name)).expect(&name);
        // Everything on is what makes the number of cases.
        assert!(!text.contains("false"), "{name}");
        for word in ["SNAPPY", "HalfDuplexBidiOverHttp1: true", "ConnectGet: true", "TlsClientCerts: true"] {
            assert!(text.contains(word), "{name}: {word}");
        }
    }
}

#[test]
fn output_is_read_line_by_line() {
    let check = |text: &str, failed: &[&str], last_line: &str, total: Option<u32>| {
        let verdict = read(text);
        assert_eq!(verdict.failed, failed, "{text}");
        assert_eq!(verdict.last_line, last_line, "{text}");
        assert_eq!(verdict.total(), total, "{text}");
    };
    check("\nTotal cases: 288\n288 passed, 0 failed\n", &[], "288 passed, 0 failed", Some(288));
    check(
        "FAILED: Basic/HTTPVersion:1/Protocol:PROTOCOL_CONNECT/TLS:true/unary/success:\n\
         \terror reading server response: EOF\n\nTotal cases: 80\n79 passed, 1 failed",
        &["Basic/HTTPVersion:1/Protocol:PROTOCOL_CONNECT/TLS:true/unary/success"],
        "79 passed, 1 failed",
        Some(80),
    );
    check("no sum", &[], "no sum", None);
    check("many passed, few failed", &[], "many passed, few failed", None);
    check("", &[], "", None);
}

/// Runs the judge over prepared outputs and returns its answer with the arguments of each run.
fn judged(request: &Request, outputs: &[&str]) -> (std::result::Result<(), String>, Vec<String>) {
    let mut outputs = outputs.iter();
    let mut runs = Vec::new();
    let answer = judge(request, |request| {
        runs.push(request.arguments().join(" "));
        Ok(read(outputs.next().expect("a prepared output for each run")))
    });
    assert!(outputs.next().is_none(), "a prepared output was not asked for");
    (answer.map_err(|failure| failure.to_string()), runs)
}

fn read(text: &str) -> Verdict {
    let mut verdict = Verdict::default();
    text.lines().for_each(|line| verdict.read(line));
    verdict
}

#[test]
fn a_whole_run_must_have_every_case() {
    let holds = |request: &Request, last: &str, part: Option<&str>| {
        let (answer, _) = judged(request, &[last]);
        match part {
            None => assert_eq!(answer, Ok(()), "{last}"),
            Some(part) => assert!(answer.unwrap_err().contains(part), "{last}"),
        }
    };
    let check = |role, last: &str, part: Option<&str>| holds(&basic(role), last, part);
    holds(&Request::full(Role::Server), "10736 passed, 0 failed", None);
    holds(&Request::full(Role::Client), "13046 passed, 0 failed", None);
    holds(
        &Request::full(Role::Client),
        "10736 passed, 0 failed",
        Some("instead of `13046 passed, 0 failed`"),
    );
    holds(&Request::full(Role::Server), "3600 passed, 0 failed", Some("instead of `10736 passed, 0 failed`"));
    check(Role::Server, "3600 passed, 0 failed", None);
    check(Role::Client, "4574 passed, 0 failed", None);
    check(Role::Server, "3599 passed, 0 failed", Some("instead of `3600 passed, 0 failed`"));
    check(Role::Client, "3600 passed, 0 failed", Some("instead of `4574 passed, 0 failed`"));
    check(Role::Server, "", Some("last line is ``"));
    check(Role::Server, "3600 passed, 0 failed (1 known flaky)", Some("last line is"));
}

#[test]
fn a_part_of_a_run_must_have_no_failure() {
    let request = Request::parse(&["server", "--basic", "--run", "A/**"]).unwrap();
    assert_eq!(judged(&request, &["12 passed, 0 failed"]).0, Ok(()));
    assert!(judged(&request, &["0 passed, 0 failed"]).0.is_err());
    assert!(judged(&request, &["nothing"]).0.is_err());
}

#[test]
fn one_or_two_failed_cases_run_once_more_alone() {
    let whole = basic(Role::Server);
    let two = "FAILED: a:\n\tlate\nFAILED: b:\n\tlate\n3598 passed, 2 failed";
    let (answer, runs) = judged(&whole, &[two, "2 passed, 0 failed"]);
    assert_eq!(answer, Ok(()));
    assert_eq!(runs, ["--mode server", "--mode server --run a --run b"]);

    let again = "FAILED: a:\n\tlate\n1 passed, 1 failed";
    assert!(judged(&whole, &[two, again]).0.unwrap_err().contains("`1 passed, 1 failed`"));
    assert!(judged(&whole, &[two, "1 passed, 0 failed"]).0.is_err(), "the other case was not run");

    let fewer = "FAILED: a:\n3500 passed, 1 failed";
    let answer = judged(&whole, &[fewer, "1 passed, 0 failed"]).0;
    assert!(answer.unwrap_err().contains("`3501 passed, 0 failed` instead of `3600 passed, 0 failed`"));

    let skipping = Request::parse(&["client", "--basic", "--skip", "Z", "-p", "2"]).unwrap();
    let (answer, runs) = judged(&skipping, &["FAILED: a:\n9 passed, 1 failed", "1 passed, 0 failed"]);
    assert_eq!(answer, Ok(()));
    assert_eq!(runs, ["--mode client --skip Z -p 2", "--mode client --run a -p 2"]);
}

#[test]
fn three_failed_cases_are_no_accident() {
    let three = "FAILED: a:\nFAILED: b:\nFAILED: c:\n3597 passed, 3 failed";
    let (answer, runs) = judged(&basic(Role::Server), &[three]);
    assert_eq!(answer, Err("conformance server: 3597 passed, 3 failed".to_owned()));
    assert_eq!(runs.len(), 1);
}
