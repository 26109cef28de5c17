use super::*;

fn hints(address: &str, tls: bool) -> Hints {
    Hints::new(address.parse().unwrap(), tls)
}

#[test]
fn address_is_shown_as_bound_and_called_as_reachable() {
    let check = |address: &str, tls: bool, listening: &str, url: &str| {
        let hints = hints(address, tls);
        assert_eq!((hints.listening().as_str(), hints.url().as_str()), (listening, url));
    };
    check("127.0.0.1:8080", false, "http://127.0.0.1:8080", "http://127.0.0.1:8080");
    check("127.0.0.1:8443", true, "https://127.0.0.1:8443", "https://127.0.0.1:8443");
    check("0.0.0.0:1", false, "http://0.0.0.0:1", "http://127.0.0.1:1");
    check("[::]:1", true, "https://[::]:1", "https://[::1]:1");
    check("[::1]:1", false, "http://[::1]:1", "http://[::1]:1");
}

#[test]
fn commands_fit_the_server() {
    let check = |tls: bool, index: usize, expected: &str| {
        assert_eq!(hints("127.0.0.1:9", tls).all()[index].command, expected);
    };
    let echo = "trunkline.echo.v1.EchoService/Echo";
    let post = r#"-H 'content-type: application/json' -d '{"message":"hello"}'"#;
    check(false, 0, &format!("curl http://127.0.0.1:9/{echo} {post}"));
    check(true, 0, &format!("curl -k https://127.0.0.1:9/{echo} {post}"));
    check(false, 1, &format!("curl --http2-prior-knowledge http://127.0.0.1:9/{echo} {post}"));
    check(true, 1, &format!("curl --http2 -k https://127.0.0.1:9/{echo} {post}"));
    let query = r#"-d encoding=json --data-urlencode 'message={"message":"hello"}'"#;
    check(false, 2, &format!("curl -G http://127.0.0.1:9/{echo} {query}"));
    check(false, 4, "grpcurl -plaintext 127.0.0.1:9 list");
    check(true, 4, "grpcurl -insecure 127.0.0.1:9 list");
    check(true, 5, &format!(r#"grpcurl -insecure -d '{{"message":"hello"}}' 127.0.0.1:9 {echo}"#));
    let thrice = r#"grpcurl -plaintext -d '{"message":"hello","count":3}' 127.0.0.1:9"#;
    check(false, 6, &format!("{thrice} trunkline.echo.v1.EchoService/Expand"));
    assert_eq!(hints("127.0.0.1:9", false).all()[0], hints("127.0.0.1:9", false).simplest());
}

#[test]
fn long_commands_are_folded_for_a_shell() {
    let check = |command: &str, expected: &str| {
        assert_eq!(Hint { about: "", command: command.to_owned() }.folded(), expected);
    };
    check("grpcurl -plaintext a list", "grpcurl -plaintext a list");
    check("grpcurl -d 'a b' c d", "grpcurl -d 'a b' \\\n    c d");
    check("curl a -H 'b: c' -d d", "curl a \\\n    -H 'b: c' -d d");
    check("curl -G a -d b --data-urlencode c", "curl -G a -d b \\\n    --data-urlencode c");
    for tls in [false, true] {
        for hint in hints("127.0.0.1:65535", tls).all() {
            assert!(hint.folded().lines().all(|line| line.len() <= 100), "{}", hint.command);
        }
    }
}
