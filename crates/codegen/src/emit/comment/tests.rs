//! Rows for comments: a schema's text must not become code that rustdoc compiles, nor break out of its lines.

use super::doc;

fn check(comment: &str, expected: &str) {
    assert_eq!(doc(comment, "Otherwise."), expected, "{comment:?}");
}

#[test]
fn comments_become_documentation() {
    check(" Says hello.\n", "/// Says hello.\n");
    check(" One.\n\n Two.\n", "/// One.\n///\n/// Two.\n");
    check("Bare.", "/// Bare.\n");
    check("\n\n Late.\n\n", "/// Late.\n");
}

#[test]
fn no_comment_is_replaced() {
    check("", "/// Otherwise.\n");
    check(" \n \n", "/// Otherwise.\n");
}

#[test]
fn code_is_no_rust() {
    check(" ```\n a\n ```\n", "/// ```text\n/// a\n/// ```\n");
    check(" ```json\n {}\n ```\n", "/// ```json\n/// {}\n/// ```\n");
    check("     indented\n", "///    indented\n");
    check("   three\n", "///   three\n");
    check(" ```\n     kept\n ```", "/// ```text\n///     kept\n/// ```\n");
    check(" ```\n never closed", "/// ```text\n/// never closed\n/// ```\n");
}

#[test]
fn carriage_returns_and_tabs_do_not_get_through() {
    check(" a\r\n b\r c\td\r\n", "/// a\n/// b  c d\n");
    check(" a */ b\n", "/// a */ b\n");
}
