//! How the result of the demo is printed: as a table with its notes, as Markdown, as JSON. Pure: figures in, text out.

use std::time::Duration;

use comfy_table::{CellAlignment, ContentLineStyle, LineStyle, Table, TableStyle, presets};
use serde_json::{Value, json};

use super::calls::STREAM_MESSAGES;
use super::drive::Load;
use super::plan::{Row, protocol_label};
use super::statistics::Figures;
use crate::args::Format;
use crate::hints::{Hint, Hints};

/// All that was measured, and on what.
pub(super) struct Report {
    pub(super) load: Load,
    pub(super) cores: usize,
    pub(super) is_release: bool,
    pub(super) took: Duration,
    pub(super) rows: Vec<(Row, Figures)>,
}

impl Report {
    /// The report in the form that was asked for.
    pub(super) fn text(&self, format: Format) -> String {
        match format {
            Format::Table => {
                format!("{}\n\n{}\n\n{}\n{}", self.title(), self.table(LINES), self.notes(""), next())
            }
            Format::Markdown => {
                format!("{}\n\n{}\n\n{}", self.title(), self.table(presets::ASCII_MARKDOWN), self.notes("- "))
            }
            Format::Json => format!("{:#}\n", self.json()),
        }
    }

    /// Wrong answers in all rows.
    pub(super) fn errors(&self) -> u64 {
        self.rows.iter().map(|(_, figures)| figures.errors).sum()
    }

    /// The first wrong answers, each with its row.
    pub(super) fn complaints(&self) -> Vec<String> {
        let all = self
            .rows
            .iter()
            .flat_map(|(row, figures)| figures.wrong.iter().map(move |wrong| format!("{row}: {wrong}")));
        all.take(COMPLAINTS_MAX).collect()
    }

    fn title(&self) -> String {
        let Load { callers, lasting } = self.load;
        let callers = if callers == 1 { "1 caller".to_owned() } else { format!("{callers} callers at once") };
        let build = if self.is_release { "" } else { ", debug build" };
        format!(
            "{} ways to call, each by {callers} for {} s, on {} cores{build}; {:.0} s in all.",
            self.rows.len(),
            lasting.as_secs_f64(),
            self.cores,
            self.took.as_secs_f64()
        )
    }

    fn table(&self, style: TableStyle) -> String {
        let mut table = Table::new();
        table.load_style(style);
        table.set_header(COLUMNS);
        let mut above = self.rows.first().map(|(row, _)| row.protocol);
        for (row, figures) in &self.rows {
            // A gap between the protocols guides the eye; Markdown tables have no such thing.
            if style == LINES && above.replace(row.protocol) != Some(row.protocol) {
                table.add_row([""; COLUMNS.len()]);
            }
            table.add_row([
                protocol_label(row.protocol).to_owned(),
                row.over.label().to_owned(),
                row.kind.label().to_owned(),
                format!("{} {}", rate(figures.per_second), row.unit()),
                time(figures.p50),
                time(figures.p99),
                figures.errors.to_string(),
            ]);
        }
        for column in table.column_iter_mut().skip(NAME_COLUMNS) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    }

    fn notes(&self, bullet: &str) -> String {
        let verdict = match self.errors() {
            0 => "0 errors: every answer was as asked for, in content, order, count, headers and trailers."
                .to_owned(),
            errors => format!("{errors} ERRORS: answers were not as asked for; the first are on stderr."),
        };
        let mut notes = vec![
            verdict,
            "Client and server share this machine and one process: compare rows, not machines.".to_owned(),
            format!(
                "p50, p99: one whole call (streams: {STREAM_MESSAGES} messages); for bidi, one message there and back."
            ),
            "No rows: gRPC over HTTP/1.1 (not defined) and bidi over HTTP/1.1 (not possible).".to_owned(),
        ];
        if !self.is_release {
            notes.push(
                "This is a debug build: `cargo run --release -- demo` is several times faster.".to_owned(),
            );
        }
        notes.iter().map(|note| format!("{bullet}{note}\n")).collect()
    }

    fn json(&self) -> Value {
        let rows: Vec<Value> = self.rows.iter().map(|(row, figures)| row_json(row, figures)).collect();
        json!({
            "cores": self.cores,
            "callers": self.load.callers,
            "seconds_per_row": self.load.lasting.as_secs_f64(),
            "seconds": self.took.as_secs_f64(),
            "release_build": self.is_release,
            "stream_messages": STREAM_MESSAGES,
            "errors": self.errors(),
            "rows": rows,
        })
    }
}

fn row_json(row: &Row, figures: &Figures) -> Value {
    let microseconds = |time: Option<Duration>| time.map(|time| time.as_nanos() as f64 / 1e3);
    json!({
        "protocol": protocol_label(row.protocol),
        "transport": row.over.label(),
        "call": row.kind.label(),
        "unit": row.unit(),
        "per_second": figures.per_second,
        "p50_us": microseconds(figures.p50),
        "p99_us": microseconds(figures.p99),
        "calls": figures.calls,
        "errors": figures.errors,
        "wrong": figures.wrong,
    })
}

/// What someone who has seen the table may do now.
fn next() -> String {
    let hints = Hints::new(super::SERVE_ADDRESS, false);
    let all = hints.all();
    let list = all.iter().find(|hint| hint.command.ends_with(" list"));
    let mut text = "Try next:\n".to_owned();
    text.push_str("  trunkline serve                            # then open http://127.0.0.1:8080, or:\n");
    text.push_str(&format!("  {}\n", hints.simplest().folded()));
    if let Some(Hint { command, .. }) = list {
        text.push_str(&format!("  {command}\n"));
    }
    text
}

const COLUMNS: [&str; 7] = ["protocol", "transport", "call", "per second", "p50", "p99", "errors"];

/// Figures are read from the right, names from the left.
const NAME_COLUMNS: usize = 3;

/// More would hide the first, which is the one that explains.
const COMPLAINTS_MAX: usize = 6;

/// No frame: what is copied from a terminal stays readable.
const LINES: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none().junction(' '))
    .header_separator(LineStyle::none().fill('─').junction(' '))
    .content_lines(ContentLineStyle::none().junction(' '));

/// A rate with as many digits as it deserves: `12,345`, or `12.3` when it is small.
fn rate(per_second: f64) -> String {
    if per_second < 100.0 {
        return format!("{per_second:.1}");
    }
    let digits = format!("{per_second:.0}");
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A time with three digits and the unit that fits.
fn time(time: Option<Duration>) -> String {
    let Some(time) = time else { return "-".to_owned() };
    let microseconds = time.as_nanos() as f64 / 1e3;
    let (value, unit) = match microseconds {
        ..999.5 => (microseconds, "µs"),
        ..999_500.0 => (microseconds / 1e3, "ms"),
        _ => (microseconds / 1e6, "s"),
    };
    let decimals = match value {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {unit}")
}

#[cfg(test)]
mod tests;
