//! Rows for versions.

use super::*;

#[test]
fn versions_are_read_from_lock_files() {
    let lock = "[[package]]\nname = \"tonic-prost\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"tonic\"\nversion = \"0.14.9\"\n";
    assert_eq!(locked(lock, "tonic").as_deref(), Some("0.14.9"));
    assert_eq!(locked(lock, "hyper"), None);
    let module = "require (\n\tgoogle.golang.org/grpc v1.84.0\n\tgoogle.golang.org/grpcx v2\n)\n";
    assert_eq!(required(module, "google.golang.org/grpc").as_deref(), Some("v1.84.0"));
    assert_eq!(required(module, "google.golang.org/protobuf"), None);
    assert!(list(&["h2"], |_| None).unwrap_err().to_string().contains("h2"));
}

#[test]
fn floor_and_connect_go_are_no_clients() {
    let names: Vec<_> = ALL.into_iter().filter(|stack| stack.has_client()).map(Stack::name).collect();
    assert_eq!(names, ["ours", "grpc-go", "tonic", "connectrpc"]);
}
