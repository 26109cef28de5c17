//! Rows for where a server says that it listens, for one that is missing, and for what it says last.

use super::*;

#[test]
fn the_port_is_read_from_the_first_line_of_the_server() {
    let check = |line: &str, port: Option<u16>| assert_eq!(port_of(line), port, "{line}");
    check("trunkline 0.1.0 listening on http://127.0.0.1:40123", Some(40123));
    check("listening on https://127.0.0.1:40123 (self-signed)", Some(40123));
    check("listening on http://127.0.0.1:40123/, ready", Some(40123));
    check("listening on http://127.0.0.1:99999", None);
    check("listening on http://127.0.0.1:", None);
    check("listening on http://[::1]:40123", None);
    check("http://127.0.0.1:40123", None);
    check("", None);
}

#[test]
fn a_server_that_is_missing_is_reported() {
    let workspace = Workspace::parse(r#"{"workspace_root":"/w","target_directory":"/t"}"#).unwrap();
    let failure = Served::trunkline(&workspace, true).err().expect("no such program").to_string();
    assert!(failure.contains("`trunkline serve --listen 127.0.0.1:0 --tls-self-signed`"), "{failure}");
}

/// A shell that plays a server.
fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]).stdin(Stdio::piped());
    command
}

#[test]
fn the_last_line_is_what_a_server_says_when_its_input_ends() {
    let check = |script: &str, port: u16, last: &str| {
        let served = Served::start(&mut shell(script)).unwrap();
        assert_eq!(served.port, port, "{script}");
        assert_eq!(served.last_words().unwrap(), last, "{script}");
    };
    check("echo listening on http://127.0.0.1:7; cat; echo a; echo b", 7, "b");
    check("echo hello; echo listening on http://127.0.0.1:8; cat", 8, "hello");
    check(
        "echo listening on http://127.0.0.1:9; cat; echo listening on http://127.0.0.1:10",
        9,
        "listening on http://127.0.0.1:10",
    );
    check("echo listening on http://127.0.0.1:7; cat", 7, "");
    let failure = Served::start(&mut shell("echo hello")).err().expect("it ends").to_string();
    assert!(failure.contains("ended without saying `listening on`"), "{failure}");
}
