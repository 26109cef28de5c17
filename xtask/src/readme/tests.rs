//! Rows for what is put in place of the ports of the text, and for commands that print something else.

use super::*;
use crate::suites::tests::{Scratch, complete, write};

#[test]
fn only_ports_of_the_own_host_are_replaced() {
    let check = |text: &str, expected: &str| assert_eq!(with_port(text, 7), expected);
    check("curl http://localhost:8080/a localhost:8443", "curl http://localhost:7/a localhost:7");
    check("grpcurl -plaintext 127.0.0.1:8080 list", "grpcurl -plaintext 127.0.0.1:7 list");
    check("example.org:8080 and 8080 and :8080", "example.org:8080 and 8080 and :8080");
}

/// A workspace whose README.md is `readme` and whose server is the shell script `serve`.
fn stage(scratch: &Scratch, readme: &str, serve: &str) -> Workspace {
    let root = scratch.0.display();
    let json = format!(r#"{{"workspace_root":"{root}","target_directory":"{root}/target"}}"#);
    let workspace = Workspace::parse(&json).unwrap();
    write(&scratch.0.join("README.md"), readme);
    // The server is called as `trunkline serve …`, so a shell under that name runs the script `serve`. A script that was itself
    // the program could be busy: another test may start a child while it is open for writing.
    write(&scratch.0.join("serve"), serve);
    let program = workspace.program("trunkline");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink("/bin/sh", program).unwrap();
    workspace
}

#[test]
fn commands_are_compared_with_what_the_text_says() {
    const WAITS: &str = "echo first; echo listening on http://127.0.0.1:4711; exec tail -f /dev/null";
    let check = |name: &str, block: &str, serve: &str, expected: std::result::Result<(), &str>| {
        let scratch = Scratch::new(name);
        let text = format!("<!-- test: serve h1 -->\n```console\n{block}\n```\n");
        let workspace = stage(&scratch, &text, serve);
        let seen = run(&workspace, &complete(&scratch), &[Label::H1]).map_err(|failure| failure.to_string());
        match (seen, expected) {
            (Ok(()), Ok(())) => {}
            (Err(seen), Err(part)) => assert!(seen.contains(part), "{name}: {seen}"),
            (seen, expected) => panic!("{name}: {seen:?} instead of {expected:?}"),
        }
    };
    check("readme-text", "$ echo x localhost:8080\nx localhost:8080", WAITS, Ok(()));
    check("readme-port", "$ echo localhost:8080 | tr -d lo\ncahst:4711", WAITS, Ok(()));
    check("readme-json", "$ echo '{\"b\":1,\"a\":2}'\n{\"a\": 2, \"b\": 1}", WAITS, Ok(()));
    check("readme-path", "$ trunkline -c 'echo ours'\nours", WAITS, Ok(()));
    check("readme-other", "$ echo x\ny", WAITS, Err("1 commands of README.md"));
    check("readme-both", "$ echo x\ny\n$ echo x\nz\n$ echo x\nx", WAITS, Err("2 commands of README.md"));
    check("readme-exit", "$ echo x; exit 1\nx", WAITS, Err("1 commands of README.md"));
    check("readme-mark", "no command", WAITS, Err("prints something before its first command"));
    check("readme-ends", "$ echo x\nx", "echo bye", Err("ended without saying `listening on`"));
}

#[test]
fn a_label_without_commands_is_a_failure() {
    let scratch = Scratch::new("readme-none");
    let workspace = stage(&scratch, "# Nothing to run\n", "");
    let failure = run(&workspace, &complete(&scratch), &[Label::Grpcurl]).unwrap_err().to_string();
    assert!(failure.contains("README.md has no command marked `serve grpcurl`"), "{failure}");
}
