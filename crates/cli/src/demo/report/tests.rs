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
fn numbers_are_readable() {
    let check = |value: f64, expected: &str| assert_eq!(number(value), expected);
    check(0.0, "0.0");
    check(12.34, "12.3");
    check(100.0, "100");
    check(999.4, "999");
    check(1000.0, "1,000");
    check(123_456.0, "123,456");
    check(1_234_567.0, "1,234,567");
}

#[test]
fn report_has_a_line_for_each_row_and_fits_its_reader() {
    let check = |format: Format, change: fn(&mut Report), width: usize| {
        let mut report = report(0);
        change(&mut report);
        let text = report.text(format);
        for line in text.lines() {
            assert!(line.chars().count() <= width && line == line.trim_end(), "{line}|");
        }
        for (row, _) in &report.rows {
            let names = [protocol_label(row.protocol), row.over.label(), row.kind.label(), row.unit_short()];
            let of_row = |line: &&str| names.iter().all(|name| line.contains(name));
            assert!(text.lines().any(|line| of_row(&line)), "{row}");
        }
        assert!(text.contains("\n0 errors") || text.contains("\n- 0 errors"), "{text}");
    };
    // A terminal has 80 columns; what renders Markdown folds by itself.
    let widest: fn(&mut Report) = |report| {
        report.is_release = false;
        report.load = Load { callers: 256, lasting: Duration::from_millis(50) };
        report.cores = 128;
        for (_, figures) in &mut report.rows {
            figures.per_second = 98_765_432.0;
            figures.p99 = Some(Duration::from_millis(100));
        }
    };
    check(Format::Table, |_| {}, 79);
    check(Format::Table, widest, 80);
    check(Format::Markdown, |_| {}, 100);
    check(Format::Markdown, widest, 100);
}

#[test]
fn row_shows_rate_and_times() {
    let check = |figures: Figures, expected: &str| {
        let mut report = report(0);
        report.rows = vec![(Row { protocol: Protocol::Grpc, over: Over::Http2, kind: Kind::Bidi }, figures)];
        let text = report.text(Format::Table);
        let seen = text.lines().nth(4).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        assert_eq!(seen.as_deref(), Some(expected), "{text}");
    };
    check(figures(0), "gRPC HTTP/2 bidi 1,234,567 msg 412 10,000 0");
    check(Figures { p50: None, p99: None, ..figures(3) }, "gRPC HTTP/2 bidi 1,234,567 msg - - 3");
    let quick = Some(Duration::from_nanos(4120));
    check(Figures { p50: quick, ..figures(0) }, "gRPC HTTP/2 bidi 1,234,567 msg 4.1 10,000 0");
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
    check(|_| {}, "32 ways to call, each by 8 callers for 1 s, on 2 cores; 35 s in all.");
    check(
        |report| {
            report.is_release = false;
            report.load = Load { callers: 1, lasting: Duration::from_millis(200) };
        },
        "32 ways to call, each by 1 caller for 0.2 s, on 2 cores; 35 s in all.",
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
