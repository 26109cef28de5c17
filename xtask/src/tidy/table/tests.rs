//! Rows for reading the tables of ARCHITECTURE.md.

use super::*;

fn crates_table(rows: &str) -> String {
    format!(
        "words\n\n<!-- read by tidy: crates -->\n| a | b | c | d | e | f | g |\n|---|---|---|---|---|---|---|\n{rows}\n\n| no | row |\n"
    )
}

fn exceptions_table(rows: &str) -> String {
    format!("<!-- read by tidy: exceptions -->\n| Rule | Path | Reason |\n|---|---|---|\n{rows}\n")
}

#[test]
fn crates_are_read_with_short_names_resolved() {
    let text = crates_table(
        "| `crates/wire` | t-wire | ground | | | 4, aim 3 | no |\n| `crates/top` | t-top | top | wire | `wire`, top | 12 | `crates/top/src/raw.rs` |",
    );
    let rows = crates(&text).unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!((rows[0].folder.as_str(), rows[0].floor), ("crates/wire", Floor::Ground));
    assert_eq!(rows[0].budget, Budget { at_most: 4, aim: Some(3) });
    assert!(rows[0].unsafe_in.is_empty() && rows[0].may_depend_on.is_empty());
    assert_eq!(
        (rows[1].may_depend_on.clone(), rows[1].may_test_with.clone()),
        (vec!["t-wire".to_owned()], vec!["t-wire".to_owned(), "t-top".to_owned()])
    );
    assert_eq!(rows[1].budget, Budget { at_most: 12, aim: None });
    assert_eq!(rows[1].unsafe_in, ["crates/top/src/raw.rs"]);
}

#[test]
fn a_table_of_crates_that_cannot_be_read_is_refused() {
    let check = |rows: &str, part: &str| {
        let failure = crates(&crates_table(rows)).unwrap_err().to_string();
        assert!(failure.starts_with("ARCHITECTURE.md: ") && failure.contains(part), "{failure}");
    };
    check("| a | b |", "has 2 cells, not 7");
    check("| a | b | cellar | | | 1 | no |", "b stands on a floor named `cellar`");
    check("| a | b | top | | | few | no |", "the budget of b is `few`");
    check("| a | b | top | | | 3, aim low | no |", "the budget of b is `3, aim low`");
    check("| a | b | top | c | | 1 | no |", "`c` in the row of b is no crate");
    assert!(crates("no table").unwrap_err().to_string().contains("is missing"));
}

#[test]
fn exceptions_need_a_reason() {
    assert_eq!(exceptions(&exceptions_table("")).unwrap(), []);
    let row = exceptions_table("| sleep | `a/b.rs` | it waits for the kernel |");
    let expected = Exception { rule: "sleep".into(), path: "a/b.rs".into() };
    assert_eq!(exceptions(&row).unwrap(), [expected]);
    let failure = exceptions(&exceptions_table("| sleep | a/b.rs | |")).unwrap_err().to_string();
    assert!(failure.contains("has no reason"), "{failure}");
}
