//! Rows for what counts as stale and how it is brought in line.

use super::*;
use crate::suites::tests::Scratch;

fn files(pairs: &[(&str, &str)]) -> Files {
    pairs.iter().map(|&(path, text)| (path.to_owned(), text.as_bytes().to_vec())).collect()
}

#[test]
fn stale_is_what_differs_lacks_or_is_left_over() {
    let check = |seen: &[(&str, &str)], fresh: &[(&str, &str)], expected: &[&str]| {
        assert_eq!(stale(&files(seen), &files(fresh)), expected, "{seen:?} against {fresh:?}");
    };
    check(&[], &[], &[]);
    check(&[("a", "1"), ("b/c", "2")], &[("a", "1"), ("b/c", "2")], &[]);
    check(&[("a", "1")], &[("a", "2")], &["a"]);
    check(&[], &[("a", "")], &["a"]);
    check(&[("a", "1"), ("old", "")], &[("a", "1")], &["old"]);
    check(&[("b", "")], &[("a", "")], &["a", "b"]);
}

#[test]
fn writing_brings_a_folder_in_line() {
    let check = |name: &str, before: &[(&str, &str)], after: &[(&str, &str)]| {
        let scratch = Scratch::new(name);
        let folder = scratch.0.join("generated");
        for files in [files(before), files(after)] {
            let seen = read(&folder).unwrap();
            write(&folder, &files, &stale(&seen, &files)).unwrap();
            assert_eq!(read(&folder).unwrap(), files, "{name}");
        }
    };
    check("gen-new", &[], &[("mod.rs", "x"), ("descriptors/a.bin", "y")]);
    check("gen-changed", &[("mod.rs", "x"), ("same", "1")], &[("mod.rs", "y"), ("same", "1")]);
    check("gen-left-over", &[("mod.rs", "x"), ("deep/er/old.rs", "1")], &[("mod.rs", "x")]);
}
