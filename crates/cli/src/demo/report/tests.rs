use trunkline::Protocol;

use super::*;
use crate::demo::plan::{Kind, Over, rows};

fn figures(errors: u64) -> Figures {
    Figures {
        calls: 2000,
        per_second: 1_234_567.0,
        p50: Some(Duration::from_micros(412)),
        p99: Some(Duration::from_millis(10)),
        errors,
        wrong: (0..errors).map(|number| format!("wrong {number}")).collect(),
    }
}

fn report(errors: u64) -> Report {
    Report {
        load: Load { callers: 8, lasting: Duration::from_secs(1) },
        cores: 2,
        is_release: true,
        took: Duration::from_secs(35),
        rows: rows().into_iter().map(|row| (row, figures(errors))).collect(),
    }
}

#[test]
fn rates_are_readable() {
    let check = |per_second: f64, expected: &str| assert_eq!(rate(per_second), expected);
    check(0.0, "0.0");
    check(12.34, "12.3");
    check(100.0, "100");
    check(999.4, "999");
    check(1000.0, "1,000");
    check(123_456.0, "123,456");
    check(1_234_567.0, "1,234,567");
}

#[test]
fn times_have_three_digits_and_a_unit() {
    let check = |nanoseconds: Option<u64>, expected: &str| {
        assert_eq!(time(nanoseconds.map(Duration::from_nanos)), expected);
    };
    check(None, "-");
    check(Some(0), "0.00 µs");
    check(Some(4_120), "4.12 µs");
    check(Some(41_200), "41.2 µs");
    check(Some(412_000), "412 µs");
    check(Some(999_499), "999 µs");
    check(Some(999_500), "1.00 ms");
    check(Some(9_996_000), "10.0 ms");
    check(Some(99_960_000), "100 ms");
    check(Some(999_500_000), "1.00 s");
    check(Some(12_300_000_000), "12.3 s");
}

#[test]
fn table_has_a_line_for_each_row_and_fits_100_columns() {
    for format in [Format::Table, Format::Markdown] {
        let text = report(0).text(format);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert!(text.lines().all(|line| line == line.trim_end()), "{text}");
        for (row, _) in &report(0).rows {
            let names = [protocol_label(row.protocol), row.over.label(), row.kind.label(), row.unit()];
            let of_row = |line: &&str| names.iter().all(|name| line.contains(name));
            assert!(text.lines().any(|line| of_row(&line)), "{row}");
        }
        assert_eq!(text.lines().filter(|line| line.contains("1,234,567")).count(), report(0).rows.len());
        assert!(text.contains("412 µs") && text.contains("10.0 ms"));
        assert!(text.contains("\n0 errors") || text.contains("\n- 0 errors"), "{text}");
    }
}

#[test]
fn errors_are_said_aloud() {
    let text = report(2).text(Format::Table);
    assert!(text.contains("64 ERRORS"), "{text}");
    assert_eq!(report(2).errors(), 64);
    let complaints = report(2).complaints();
    assert_eq!(complaints.len(), COMPLAINTS_MAX);
    assert_eq!(complaints[0], "gRPC over HTTP/2, unary: wrong 0");
    assert!(report(0).complaints().is_empty());
}

#[test]
fn title_says_what_was_done() {
    let check = |change: fn(&mut Report), expected: &str| {
        let mut report = report(0);
        change(&mut report);
        assert_eq!(report.text(Format::Table).lines().next(), Some(expected));
    };
    check(|_| {}, "32 ways to call, each by 8 callers at once for 1 s, on 2 cores; 35 s in all.");
    check(
        |report| {
            report.is_release = false;
            report.load = Load { callers: 1, lasting: Duration::from_millis(200) };
        },
        "32 ways to call, each by 1 caller for 0.2 s, on 2 cores, debug build; 35 s in all.",
    );
}

#[test]
fn json_has_every_figure() {
    let mut report = report(1);
    report.rows = vec![(
        Row { protocol: Protocol::Connect, over: Over::Http1, kind: Kind::UnaryGet },
        Figures { p50: None, ..figures(1) },
    )];
    let seen: Value = serde_json::from_str(&report.text(Format::Json)).unwrap();
    let expected = json!({
        "cores": 2,
        "callers": 8,
        "seconds_per_row": 1.0,
        "seconds": 35.0,
        "release_build": true,
        "stream_messages": 100,
        "errors": 1,
        "rows": [{
            "protocol": "Connect",
            "transport": "HTTP/1.1",
            "call": "unary, GET",
            "unit": "calls/s",
            "per_second": 1_234_567.0,
            "p50_us": null,
            "p99_us": 10_000.0,
            "calls": 2000,
            "errors": 1,
            "wrong": ["wrong 0"],
        }],
    });
    assert_eq!(seen, expected);
}
