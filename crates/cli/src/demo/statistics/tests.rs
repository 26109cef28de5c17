use super::*;

fn tally(milliseconds: std::ops::RangeInclusive<u64>) -> Tally {
    let mut tally = Tally::new();
    for time in milliseconds {
        tally.time(Duration::from_millis(time));
        tally.right(10);
    }
    tally
}

/// Within what three digits promise.
fn near(seen: Option<Duration>, milliseconds: f64) -> bool {
    seen.is_some_and(|seen| (seen.as_secs_f64() * 1000.0 / milliseconds - 1.0).abs() < 0.002)
}

#[test]
fn figures_are_rates_and_percentiles() {
    let check = |tally: Tally, elapsed: u64, per_second: f64, p50: f64, p99: f64| {
        let figures = tally.figures(Duration::from_secs(elapsed));
        assert_eq!((figures.per_second, figures.errors), (per_second, 0));
        assert!(near(figures.p50, p50), "{figures:?}");
        assert!(near(figures.p99, p99), "{figures:?}");
    };
    check(tally(1..=100), 2, 500.0, 50.0, 99.0);
    check(tally(7..=7), 1, 10.0, 7.0, 7.0);
    let mut merged = tally(1..=50);
    merged.merge(tally(51..=100));
    check(merged, 1, 1000.0, 50.0, 99.0);
    // A time above all bounds counts as the largest, it is not lost.
    check(tally(100_000..=100_000), 1, 10.0, 60_000.0, 60_000.0);
}

#[test]
fn nothing_counted_is_an_error() {
    let figures = Tally::new().figures(Duration::from_secs(1));
    assert_eq!((figures.errors, figures.calls, figures.p50, figures.p99), (1, 0, None, None));
    assert_eq!(figures.wrong, ["no call came to its end"]);
    assert_eq!(tally(1..=1).figures(Duration::ZERO).per_second, 0.0);
}

#[test]
fn wrong_answers_are_counted_and_the_first_kept() {
    let mut all = tally(1..=1);
    for number in 0..2 {
        all.wrong(&Wrong::new(format!("a{number}")));
    }
    let mut other = Tally::new();
    for number in 0..5 {
        other.wrong(&Wrong::new(format!("b{number}")));
    }
    assert_eq!((all.errors(), other.errors()), (2, 5));
    all.merge(other);
    let figures = all.figures(Duration::from_secs(1));
    assert_eq!((figures.errors, figures.calls), (7, 1));
    assert_eq!(figures.wrong, ["a0", "a1", "b0"]);
}
