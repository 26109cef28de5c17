//! The program `protoc-gen-trunkline`, as protoc starts it. What it answers is tested with the function behind it.

use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn program_answers_on_standard_output() {
    for request in [&b""[..], b"\xff", b"\x0a\x07a.proto"] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_protoc-gen-trunkline"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        // Dropping the pipe behind the request ends it.
        let mut stdin = program.stdin.take().expect("it is piped");
        stdin.write_all(request).expect("the program reads");
        drop(stdin);
        let done = program.wait_with_output().expect("the program ends");
        assert!(done.status.success(), "an error of the request is in the response");
        assert_eq!(done.stdout, trunkline_codegen::plugin(request));
        assert!(done.stderr.is_empty());
    }
}
