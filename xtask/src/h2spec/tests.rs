//! Rows for what is asked of h2spec and what its last line must be. The lines are its own, v2.2.1.

use super::*;

#[test]
fn clear_text_and_tls_differ_in_two_words() {
    assert_eq!(arguments(7, false).join(" "), "-h 127.0.0.1 -p 7 -S -o 5");
    assert_eq!(arguments(7, true).join(" "), "-h 127.0.0.1 -p 7 -S -o 5 -t -k");
}

#[test]
fn every_case_must_pass() {
    let check = |last: &str, is_good: bool| {
        let verdict = judge("TLS", last);
        assert_eq!(verdict.is_ok(), is_good, "{last}");
        if let Err(failure) = verdict {
            assert!(
                failure.to_string().contains(&format!("over TLS: the last line is `{last}`")),
                "{failure}"
            );
        }
    };
    check("146 tests, 146 passed, 0 skipped, 0 failed", true);
    check("146 tests, 145 passed, 0 skipped, 1 failed", false);
    check("146 tests, 145 passed, 1 skipped, 0 failed", false);
    check("145 tests, 145 passed, 0 skipped, 0 failed", false);
    check("Error: dial tcp 127.0.0.1:7: connect: connection refused", false);
    check("", false);
}
