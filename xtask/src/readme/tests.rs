//! Rows for what is put in place of the ports of the text, and for servers that do not serve.

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
fn only_ports_of_the_own_host_are_replaced() {
    let check = |text: &str, expected: &str| assert_eq!(with_port(text, 7), expected);
    check("curl http://localhost:8080/a localhost:8443", "curl http://localhost:7/a localhost:7");
    check("grpcurl -plaintext 127.0.0.1:8080 list", "grpcurl -plaintext 127.0.0.1:7 list");
    check("example.org:8080 and 8080 and :8080", "example.org:8080 and 8080 and :8080");
}

#[test]
fn a_server_that_ends_or_is_missing_is_reported() {
    let workspace = Workspace::parse(r#"{"workspace_root":"/w","target_directory":"/t"}"#).unwrap();
    let failure = Served::start(&workspace, Label::Tls).err().expect("no such program").to_string();
    assert!(failure.contains("trunkline serve --listen 127.0.0.1:0 --tls-self-signed`"), "{failure}");
}
