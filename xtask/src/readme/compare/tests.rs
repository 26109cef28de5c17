//! Rows for when two outputs are the same.

use super::*;

#[test]
fn json_is_compared_by_value_and_text_to_the_letter() {
    let check = |expected: &str, seen: &str, same: bool| {
        assert_eq!(is_same(expected, seen), same, "{expected} against {seen}");
    };
    check("text", "text\n", true);
    check("text", "Text", false);
    check("a\nb", "a\nb\n\n", true);
    check("a\nb", "a b", false);
    check("", "", true);
    check("", "{}", false);
    check(r#"{"a": 1, "b": [true]}"#, "{\"b\":[true],\n \"a\":1}\n", true);
    check(r#"{"a": 1}"#, r#"{"a": 2}"#, false);
    check(r#"{"a": 1}"#, r#"{"a": "1"}"#, false);
    check("{\"a\":1}\n{\"a\":2}", "{ \"a\": 1 } { \"a\": 2 }", true);
    check("{\"a\":1}\n{\"a\":2}", "{\"a\":1}", false);
    check(r#"{"a": 1}"#, r#"{"a": 1} and more"#, false);
}
