use super::*;

#[test]
fn target_is_parsed_or_refused() {
    fn check(target: &str, expected: Result<(&str, bool), &str>) {
        match (parse_target(target), expected) {
            (Ok((uri, secure)), Ok(expected)) => assert_eq!((uri.to_string().as_str(), secure), expected),
            (Err(error), Err(part)) => assert!(error.message().contains(part), "{target}: {error}"),
            (seen, expected) => panic!("{target:?}: {seen:?}, expected {expected:?}"),
        }
    }
    check("http://localhost:8080", Ok(("http://localhost:8080/", false)));
    check("http://localhost:8080/", Ok(("http://localhost:8080/", false)));
    check("localhost:8080", Ok(("http://localhost:8080/", false)));
    check("https://example.com", Ok(("https://example.com/", true)));
    check("https://example.com/prefix/", Ok(("https://example.com/prefix", true)));
    check("http://[::1]:8080", Ok(("http://[::1]:8080/", false)));
    check("http://host:port", Err("has a port that is no number"));
    check("http://host:65536", Err("has a port that is no number"));
    check("http://[::1]:x", Err(""));
    check("http://user:secret@host", Err("carries a user name"));
    check("ftp://example.com", Err("must start with http:// or https://"));
    check("", Err("is not a URL"));
    check("http://", Err("is not a URL"));
    check("http://host name", Err("is not a URL"));
}

#[cfg(unix)]
#[test]
fn socket_is_parsed_or_refused() {
    let check = |target: &str, expected: Option<&str>| {
        assert_eq!(parse_socket(target).unwrap(), expected.map(Into::into), "{target}");
    };
    check("unix:/run/x.sock", Some("/run/x.sock"));
    check("unix:///run/x.sock", Some("/run/x.sock"));
    check("unix:relative.sock", Some("relative.sock"));
    check("http://localhost", None);
    check("localhost:80", None);
    for empty in ["unix:", "unix://"] {
        assert!(parse_socket(empty).unwrap_err().message().contains("names no socket"), "{empty}");
    }
}
