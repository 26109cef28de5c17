//! Rows for taking Rust sources apart.

use super::*;

#[test]
fn code_keeps_its_bytes_and_loses_comments_and_insides_of_literals() {
    let check = |text: &str, code: &str| assert_eq!(scan(text).code, code, "{text}");
    check("let a = 1; // b", "let a = 1;     ");
    check("a /* b /* c */ d */ e", "a                   e");
    check("a /* never closed", "a                ");
    check(r#"f("a // b")"#, r#"f("      ")"#);
    check(r#"f("\" {")"#, r#"f("    ")"#);
    check(r##"f(r#"a " b"#, c)"##, r##"f(r#"     "#, c)"##);
    check(r#"f(b"ab", br"\", c"z")"#, r#"f(b"  ", br" ", c" ")"#);
    check(r"m('{', '\'', 'é', b'}')", r"m(' ', '  ', '  ', b' ')");
    check("fn f<'a>(x: &'a str, y: &'static u8)", "fn f<'a>(x: &'a str, y: &'static u8)");
    check("r#type + bar\"x\"", "r#type + bar\" \"");
    check("\"never closed", "\"            ");
    check("'", "'");
    check("é = \"ü\";", "é = \"  \";");
}

#[test]
fn literals_are_found_with_their_lines() {
    let check = |text: &str, expected: &[(usize, &str)]| {
        let seen = scan(text).literals;
        let expected: Vec<_> =
            expected.iter().map(|&(line, text)| Literal { line, text: text.to_owned() }).collect();
        assert_eq!(seen, expected, "{text}");
    };
    check("a(\"x\");\nb(b\"y\");", &[(1, "x"), (2, "y")]);
    check("a(\"x\n  y\");\nb(r#\"\"z\"\"#)", &[(1, "x\n  y"), (3, "\"z\"")]);
    check("// \"no\"\n/* \"no\" */ 'n'", &[]);
}

#[test]
fn lines_know_what_they_hold() {
    const NONE: Line = Line { code: false, doc: false, comment: false, test: false };
    const CODE: Line = Line { code: true, ..NONE };
    const DOC: Line = Line { doc: true, ..NONE };
    const COMMENT: Line = Line { comment: true, ..NONE };
    const BOTH: Line = Line { code: true, comment: true, ..NONE };
    let check = |text: &str, expected: &[Line]| assert_eq!(scan(text).lines, expected, "{text}");
    check("", &[]);
    check("a\n", &[CODE]);
    check("//! a\n\n/// b\n//// c\n// d\ne", &[DOC, NONE, DOC, COMMENT, COMMENT, CODE]);
    check("/** a\n b */\n/* c\n\n d */ e", &[DOC, DOC, COMMENT, NONE, BOTH]);
    check("a // b\n\"x\n // y\"", &[BOTH, CODE, CODE]);
}

#[test]
fn inline_test_modules_are_marked() {
    let check = |text: &str, expected: &[bool]| {
        let seen: Vec<_> = scan(text).lines.iter().map(|line| line.test).collect();
        assert_eq!(seen, expected, "{text}");
    };
    check("a\n#[cfg(test)]\nmod t {\n  b\n}\nc", &[false, true, true, true, true, false]);
    check("#[cfg(test)]\nmod tests;\nfn f() {\n}", &[false; 4]);
    check("#[cfg(test)]\nfn f() {\n}", &[false; 3]);
}

#[test]
fn functions_are_measured_from_the_keyword_to_the_closing_brace() {
    let check = |text: &str, expected: &[(&str, usize, usize)]| {
        let seen: Vec<_> = scan(text).functions().into_iter().map(|f| (f.name, f.line, f.length)).collect();
        let expected: Vec<_> =
            expected.iter().map(|&(n, line, length)| (n.to_owned(), line, length)).collect();
        assert_eq!(seen, expected, "{text}");
    };
    check("fn f() {}", &[("f", 1, 1)]);
    check(
        "trait T {\n  fn declared(&self) -> [u8; 2];\n  fn given() -> [u8; 2] {\n    g\n  }\n}",
        &[("given", 3, 3)],
    );
    check("fn outer() {\n  fn inner() {\n  }\n}", &[("outer", 1, 4), ("inner", 2, 2)]);
    check("type F = fn(u8) -> u8;\nconst C: u8 = 1;", &[]);
    check("fn f(\n  a: u8,\n)\nwhere\n  A: B,\n{\n  \"}\"\n}", &[("f", 1, 8)]);
    check("fn f() {\n never closed", &[("f", 1, 2)]);
    check("fn", &[]);
}

#[test]
fn words_come_with_their_lines() {
    let source = scan("ab c\n\nd_1 // e");
    let seen: Vec<_> = source.words().map(|(offset, word)| (source.line_of(offset), word)).collect();
    assert_eq!(seen, [(1, "ab"), (1, "c"), (3, "d_1")]);
}
