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
        let callers = if callers == 1 { "1 caller".to_owned() } else { format!("{callers} callers") };
        format!(
            "{} ways to call, each by {callers} for {} s, on {} cores; {:.0} s in all.",
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
        // Markdown has bars between its columns, a terminal has blanks alone.
        let padding = if style == LINES { (0, 1) } else { (1, 1) };
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
                format!("{} {}", number(figures.per_second), row.unit_short()),
                microseconds(figures.p50).map_or("-".to_owned(), number),
                microseconds(figures.p99).map_or("-".to_owned(), number),
                figures.errors.to_string(),
            ]);
        }
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_padding(padding);
            if index >= NAME_COLUMNS {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    }

    fn notes(&self, bullet: &str) -> String {
        let verdict = match self.errors() {
            0 => "0 errors: each answer was right in content, order, count, headers, trailers.".to_owned(),
            errors => format!("{errors} ERRORS: wrong answers; the first are on stderr."),
        };
        let mut notes = vec![
            verdict,
            "Client and server share one process: compare rows, not machines.".to_owned(),
            format!(
                "p50, p99: a whole call (streams: {STREAM_MESSAGES} messages); bidi: one there and back."
            ),
            "No rows: gRPC over HTTP/1.1 (not defined), bidi over HTTP/1.1 (takes turns).".to_owned(),
        ];
        if !self.is_release {
            notes.push("A debug build: `cargo run --release -- demo` is several times faster.".to_owned());
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
    text.push_str(&format!("  trunkline serve\n  # then open {}, or:\n", hints.listening()));
    text.push_str(&format!("  {}\n", hints.simplest().folded()));
    if let Some(Hint { command, .. }) = list {
        text.push_str(&format!("  {command}\n"));
    }
    text
}

const COLUMNS: [&str; 7] = ["protocol", "transport", "call", "per second", "p50 µs", "p99 µs", "errors"];

/// Figures are read from the right, names from the left.
const NAME_COLUMNS: usize = 3;

/// More would hide the first, which is the one that explains.
const COMPLAINTS_MAX: usize = 6;

/// No frame: what is copied from a terminal stays readable.
const LINES: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none().junction(' '))
    .header_separator(LineStyle::none().fill('─').junction(' '))
    .content_lines(ContentLineStyle::none().junction(' '));

/// A number with as many digits as it deserves: `12,345`, or `12.3` when it is small.
fn number(value: f64) -> String {
    if value < 100.0 {
        return format!("{value:.1}");
    }
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn microseconds(time: Option<Duration>) -> Option<f64> {
    time.map(|time| time.as_nanos() as f64 / 1e3)
}

#[cfg(test)]
mod tests;
