//! Command lines that cannot be obeyed, and those that only print.

use std::net::TcpListener;

use crate::program::run;

/// Runs the program and looks at its exit code, and at what it says on the stream that it should use.
fn check(args: &[&str], code: i32, expected: &[&str]) {
    let output = run(args);
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
    let (said, silent) = if code == 0 { (&stdout, &stderr) } else { (&stderr, &stdout) };
    assert!(silent.is_empty(), "{args:?}: {silent}");
    for part in expected {
        assert!(said.contains(part), "{args:?}: {part} is not in {said}");
    }
    if code == 1 {
        assert!(said.lines().count() <= 3, "{args:?}: {said}");
    }
}

#[test]
fn help_and_version_are_printed() {
    check(&["--version"], 0, &[concat!("trunkline ", env!("CARGO_PKG_VERSION"))]);
    check(&["--help"], 0, &["Usage: trunkline <COMMAND>", "serve", "demo", "Exit codes:"]);
    check(&["help"], 0, &["Usage: trunkline <COMMAND>", "serve", "demo"]);
    check(&["help", "serve"], 0, &["Usage: trunkline serve", "--listen"]);
    check(&["serve", "-h"], 0, &["--listen", "--tls-self-signed"]);
    check(&["demo", "--help"], 0, &["--seconds", "Examples:"]);
}

#[test]
fn wrong_command_line_ends_with_2() {
    check(&[], 2, &["Usage:"]);
    check(&["serv"], 2, &["serve"]);
    check(&["serve", "--listen", "8080"], 2, &["127.0.0.1:8080"]);
    check(&["serve", "--tls-cert", "a.pem"], 2, &["--tls-key"]);
    check(&["serve", "--listen", "http://127.0.0.1:8080"], 2, &["not a URL; write 127.0.0.1:8080"]);
    check(&["demo", "--callers", "0"], 2, &["--callers", "from 1 to 256"]);
}

#[test]
fn failure_ends_with_1_and_says_what_to_try() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    check(&["serve", "--listen", &address], 1, &["cannot listen on", &address, "seen:", "try:"]);
    let missing = ["serve", "--listen", "127.0.0.1:0", "--tls-cert", "no.pem", "--tls-key", "no.key"];
    check(&missing, 1, &["cannot read no.pem", "seen:", "try:"]);
    let nowhere =
        ["serve", "--listen", "127.0.0.1:0", "--tls-self-signed", "--tls-cert-out", "no/such/a.pem"];
    check(&nowhere, 1, &["cannot write the certificate to no/such/a.pem", "try:"]);
}

#[test]
fn certificate_is_left_alone_when_the_server_does_not_start() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let path = std::env::temp_dir().join(format!("trunkline-it-kept-{}.pem", std::process::id()));
    std::fs::write(&path, "of another server").unwrap();
    let out = path.to_str().unwrap();
    let seen = run(&["serve", "--listen", &address, "--tls-self-signed", "--tls-cert-out", out]);
    let kept = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!((seen.status.code(), kept.as_str()), (Some(1), "of another server"));
}
