//! Rows for what libFuzzer prints, in its own words.

use super::*;

const GOOD: &str = "\
INFO: Seed: 1
#2      INITED cov: 1281 ft: 2437 corp: 60/3565b exec/s: 0 rss: 31Mb
#9      NEW    cov: 1990 ft: 2438 corp: 61/3566b lim: 212 exec/s: 0 rss: 31Mb
#417658 DONE   cov: 1991 ft: 5477 corp: 1653/164Kb lim: 212 exec/s: 37968 rss: 34Mb
Done 417658 runs in 11 second(s)
stat::number_of_executed_units: 417658
stat::peak_rss_mb:              34
";

const CRASH: &str = "\
#2      INITED cov: 1281 ft: 2437 corp: 60/3565b exec/s: 0 rss: 31Mb
thread '<unnamed>' (16590) panicked at src/targets.rs:97:5:
assertion `left == right` failed: trailers
  left: 1
 right: 2
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
==16590== ERROR: libFuzzer: deadly signal
artifact_prefix='/a/'; Test unit written to /a/get-crash-63ce
stat::number_of_executed_units: 12
";

const SLOW: &str = "\
#2      INITED cov: 1281 ft: 2437 corp: 60/3565b exec/s: 0 rss: 31Mb
==7== ERROR: libFuzzer: timeout after 10 seconds
artifact_prefix='/a/'; Test unit written to /a/get-timeout-63ce
";

const BLIND: &str = "\
INFO: A corpus is not provided, starting from an empty corpus
#2      INITED exec/s: 0 rss: 29Mb
WARNING: no interesting inputs were found so far. Is the code instrumented for coverage?
#99     DONE   corp: 1/1b lim: 4 exec/s: 0 rss: 29Mb
stat::number_of_executed_units: 99
";

#[test]
fn a_run_is_read_from_what_was_printed() {
    let check = |text: &str, executions: u64, coverage: u64, artifact: Option<&str>, panic: &str| {
        let artifact = artifact.map(PathBuf::from);
        assert_eq!(Ran::read(text), Ran { executions, coverage, artifact, panic: panic.to_owned() });
    };
    check("", 0, 0, None, "");
    check(GOOD, 417_658, 1991, None, "");
    let panic = "thread '<unnamed>' (16590) panicked at src/targets.rs:97:5:\n\
                 assertion `left == right` failed: trailers\n  left: 1\n right: 2";
    check(CRASH, 12, 1281, Some("/a/get-crash-63ce"), panic);
    check(SLOW, 0, 1281, Some("/a/get-timeout-63ce"), "timeout after 10 seconds");
    check(BLIND, 99, 0, None, "");
}

#[test]
fn a_run_without_coverage_is_a_failure() {
    let check = |coverage: u64, is_fine: bool| {
        let ran = Ran { coverage, ..Ran::default() };
        assert_eq!(ran.check_coverage().is_ok(), is_fine, "{coverage}");
    };
    check(0, false);
    check(COVERAGE_MIN - 1, false);
    check(COVERAGE_MIN, true);
    let failure = Ran::read(BLIND).check_coverage().unwrap_err().to_string();
    assert!(failure.contains("saw 0 edges"), "{failure}");
    assert!(Ran::read(GOOD).check_coverage().is_ok());
}

#[test]
fn the_line_has_executions_coverage_and_seconds() {
    let line = Ran::read(GOOD).line("get", Duration::from_millis(5600));
    assert_eq!(line, "get              417658 executions   1991 edges    5.6 s");
}

#[test]
fn bytes_are_dumped_in_rows_of_sixteen() {
    assert_eq!(hex_dump(b""), "");
    let expected = "\
0000  00 41 ff 20                                      .A. \n";
    assert_eq!(hex_dump(b"\0A\xff "), expected);
    let dump = hex_dump(&[b'a'; 17]);
    assert!(
        dump.starts_with("0000  61 61")
            && dump.ends_with("0010  61                                               a\n"),
        "{dump}"
    );
}

#[test]
fn the_tail_is_the_last_lines() {
    assert_eq!(tail("a\nb"), "a\nb");
    let long: String = (0..30).map(|line| format!("{line}\n")).collect();
    assert!(tail(&long).starts_with("10\n11") && tail(&long).ends_with("29"));
}
