//! What is counted while a row is driven, and the figures that come out of it. It knows no clock and no protocol.

use std::time::Duration;

use hdrhistogram::Histogram;

use super::check::Wrong;

/// What one caller, or all of them, has counted.
pub(super) struct Tally {
    /// In nanoseconds.
    times: Histogram<u64>,
    calls: u64,
    units: u64,
    errors: u64,
    wrong: Vec<String>,
}

/// The figures of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figures {
    /// Right calls, of any shape.
    pub(super) calls: u64,
    /// Calls or messages, as the row counts.
    pub(super) per_second: f64,
    /// `None` when nothing was timed.
    pub(super) p50: Option<Duration>,
    pub(super) p99: Option<Duration>,
    pub(super) errors: u64,
    /// The first wrong answers, in words.
    pub(super) wrong: Vec<String>,
}

/// Wrong answers whose words are kept; the others are counted.
const WRONG_KEPT_MAX: usize = 3;

/// Longest time that is told apart from longer ones; a call is given up before.
const TIME_MAX: Duration = Duration::from_secs(60);

/// Decimal digits that are exact in a percentile: more than a person reads.
const SIGNIFICANT_DIGITS: u8 = 3;

impl Tally {
    pub(super) fn new() -> Self {
        let times = Histogram::new_with_max(nanoseconds(TIME_MAX), SIGNIFICANT_DIGITS)
            .expect("the bounds are constants that the histogram accepts, as any test of this file shows");
        Self { times, calls: 0, units: 0, errors: 0, wrong: Vec::new() }
    }

    /// Counts a time of what the row times.
    pub(super) fn time(&mut self, time: Duration) {
        self.times.saturating_record(nanoseconds(time));
    }

    /// Counts a call whose answer was right, with the calls or messages that it stands for.
    pub(super) fn right(&mut self, units: u64) {
        self.calls += 1;
        self.units += units;
    }

    /// Counts a call whose answer was wrong.
    pub(super) fn wrong(&mut self, wrong: &Wrong) {
        self.errors += 1;
        if self.wrong.len() < WRONG_KEPT_MAX {
            self.wrong.push(wrong.to_string());
        }
    }

    pub(super) fn errors(&self) -> u64 {
        self.errors
    }

    /// Takes over what another one has counted.
    pub(super) fn merge(&mut self, other: Self) {
        // It fails for a histogram with wider bounds only; all are made above.
        let _ = self.times.add(&other.times);
        self.calls += other.calls;
        self.units += other.units;
        self.errors += other.errors;
        let room = WRONG_KEPT_MAX - self.wrong.len();
        self.wrong.extend(other.wrong.into_iter().take(room));
    }

    /// What was wrong, without what was timed and counted.
    pub(super) fn errors_alone(self) -> Self {
        Self { errors: self.errors, wrong: self.wrong, ..Self::new() }
    }

    /// The figures of what was counted in `elapsed`. A row without any call has not shown anything: that is an error.
    pub(super) fn figures(mut self, elapsed: Duration) -> Figures {
        if self.calls == 0 && self.errors == 0 {
            self.wrong(&Wrong::new("no call came to its end"));
        }
        let seconds = elapsed.as_secs_f64();
        let at = |quantile| {
            let value = Duration::from_nanos(self.times.value_at_quantile(quantile));
            (!self.times.is_empty()).then_some(value)
        };
        Figures {
            calls: self.calls,
            per_second: if seconds > 0.0 { self.units as f64 / seconds } else { 0.0 },
            p50: at(0.5),
            p99: at(0.99),
            errors: self.errors,
            wrong: self.wrong,
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
