//! Rows for finding commands in a text.

use super::*;

fn step(line: usize, command: &str, expected: &str) -> Step {
    Step { line, command: command.into(), expected: expected.into() }
}

#[test]
fn marked_blocks_are_read() {
    let check =
        |text: &str, label, expected: &[Step]| assert_eq!(steps(text, label).unwrap(), expected, "{text}");
    let one = "# T\n<!-- test: serve h1 -->\n```console\n$ curl x\n{\"a\": 1}\n```\n";
    check(one, Label::H1, &[step(4, "curl x", "{\"a\": 1}")]);
    check(one, Label::Tls, &[]);
    check(&one.replace("h1", "grpcurl"), Label::Grpcurl, &[step(4, "curl x", "{\"a\": 1}")]);

    let several = "<!--test:serve h2c-->\n\n```console\n$ one\na\n\nb\n\n$ two\n$ three\nc\n```\n";
    let expected = [step(4, "one", "a\n\nb"), step(9, "two", ""), step(10, "three", "c")];
    check(&several.replace("test:", " test: "), Label::H2c, &expected);
    check(several, Label::H2c, &expected);

    let folded = "<!-- test: serve tls -->\n```console\n$ curl \\\n    -d '$ {}' \\\n$ x\nout \\\n```\n";
    check(folded, Label::Tls, &[step(3, "curl \\\n    -d '$ {}' \\\n$ x", "out \\")]);

    check("```console\n$ cargo install\n```\n", Label::H1, &[]);
    check(
        &format!("{one}{one}"),
        Label::H1,
        &[step(4, "curl x", "{\"a\": 1}"), step(10, "curl x", "{\"a\": 1}")],
    );
}

#[test]
fn slips_in_a_mark_or_block_are_refused() {
    let check = |text: &str, part: &str| {
        let failure = steps(text, Label::H1).unwrap_err().to_string();
        assert!(failure.contains(part), "{text}: {failure}");
    };
    check("\n<!-- test: serve h3 -->\n```console\n$ a\n```", "README.md:2: `serve h3` is no mark");
    check("<!-- test: h1 -->\n```console\n$ a\n```", "`h1` is no mark");
    check("<!-- test: serve h1 -->\n```sh\n$ a\n```", "README.md:1: a ```console block must follow");
    check("<!-- test: serve h1 -->\n", "a ```console block must follow");
    check("<!-- test: serve h1 -->\n```console\n```", "README.md:1: the block has no line");
    check("<!-- test: serve h1 -->\n```console\nout\n```", "README.md:3: the block prints something before");
}
