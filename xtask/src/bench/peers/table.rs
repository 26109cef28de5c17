//! What was measured, as tables: medians, and ratios of what ran in the same round.
//!
//! It must not know where samples come from.

use std::fmt;

use super::cells::Cell;
use super::stacks::Stack;

/// How one trial ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Measured {
    Sample(Sample),
    /// The load could not be carried, and why.
    Failed(&'static str),
}

/// One trial. A unit is a call, or a message of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sample {
    /// CPU time of what is measured.
    pub(crate) unit_us: f64,
    /// CPU time of the neutral client, when it was the load.
    pub(crate) load_us: Option<f64>,
    /// Units per second.
    pub(crate) rate: f64,
    pub(crate) p50_us: Option<f64>,
    pub(crate) p99_us: Option<f64>,
    pub(crate) peak_mebibytes: Option<f64>,
    pub(crate) errors: u64,
}

/// All trials of a part.
pub(crate) struct Results {
    cells: Vec<Cell>,
    stacks: Vec<Stack>,
    trials: Vec<Trial>,
}

struct Trial {
    cell: Cell,
    stack: Stack,
    round: u32,
    measured: Measured,
}

/// Ours as a share of theirs: the median of the rounds, the least and the most.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ratio {
    median: f64,
    least: f64,
    most: f64,
}

impl Results {
    pub(crate) fn new(cells: &[Cell], stacks: &[Stack]) -> Self {
        Self { cells: cells.to_vec(), stacks: stacks.to_vec(), trials: Vec::new() }
    }

    pub(crate) fn add(&mut self, cell: Cell, stack: Stack, round: u32, measured: Measured) {
        self.trials.push(Trial { cell, stack, round, measured });
    }

    /// CPU time per unit: a row for each cell, a column for each stack, then the ratios.
    pub(crate) fn costs(&self) -> String {
        let peers = self.peers();
        let mut head: Vec<String> = vec!["µs of CPU per unit".into()];
        head.extend(self.stacks.iter().map(|stack| stack.name().to_owned()));
        head.extend(peers.iter().map(|peer| format!("ours ÷ {}", peer.name())));
        let row = |cell: &Cell| {
            let mut row = vec![cell.name()];
            row.extend(self.stacks.iter().map(|stack| self.cost(*cell, *stack)));
            row.extend(peers.iter().map(|peer| text(self.ratio(*cell, *peer))));
            row
        };
        markdown(&head, self.cells.iter().map(row))
    }

    /// Rates, latencies and memory: a row for each cell and stack.
    pub(crate) fn details(&self) -> String {
        let head =
            ["load", "stack", "per second", "p50 µs", "p99 µs", "peak MiB", "µs of the load", "errors"];
        let mut rows = Vec::new();
        for cell in &self.cells {
            for stack in &self.stacks {
                let of = |pick: fn(&Sample) -> Option<f64>, digits: usize| {
                    let median = median(self.samples(*cell, *stack).filter_map(pick).collect());
                    median.map_or_else(String::new, |value| format!("{value:.digits$}"))
                };
                let errors: u64 = self.samples(*cell, *stack).map(|sample| sample.errors).sum();
                rows.push(vec![
                    cell.name(),
                    stack.name().to_owned(),
                    of(|sample| Some(sample.rate), 0),
                    of(|sample| sample.p50_us, 0),
                    of(|sample| sample.p99_us, 0),
                    of(|sample| sample.peak_mebibytes, 1),
                    of(|sample| sample.load_us, 3),
                    self.failure(*cell, *stack).map_or_else(|| errors.to_string(), str::to_owned),
                ]);
            }
        }
        markdown(&head.map(str::to_owned), rows.into_iter())
    }

    /// What was promised, beside what was measured.
    pub(crate) fn bars(&self) -> String {
        let is_client = !self.stacks.contains(&Stack::Floor);
        let head = ["bar", "÷ grpc-go", "measured", "", "÷ tonic", "measured", ""].map(str::to_owned);
        let mut rows = Vec::new();
        for cell in &self.cells {
            let Some(bars) = cell.bars(is_client) else { continue };
            let mut row = vec![cell.name()];
            for (peer, bar) in [(Stack::GrpcGo, Some(bars.grpc_go)), (Stack::Tonic, bars.tonic)] {
                let ratio = self.ratio(*cell, peer);
                row.push(bar.map_or_else(|| "fails".into(), |bar| format!("≤ {bar:.2}")));
                row.push(self.failure(*cell, peer).map_or_else(|| text(ratio), str::to_owned));
                let verdict = bar.zip(ratio).map(|(bar, ratio)| ratio.median <= bar);
                row.push(verdict.map_or("", |is_met| if is_met { "met" } else { "missed" }).to_owned());
            }
            rows.push(row);
        }
        markdown(&head, rows.into_iter())
    }

    /// Those that ours is held against.
    fn peers(&self) -> Vec<Stack> {
        let is_peer = |stack: &Stack| matches!(stack, Stack::GrpcGo | Stack::Tonic);
        self.stacks.iter().copied().filter(is_peer).collect()
    }

    fn cost(&self, cell: Cell, stack: Stack) -> String {
        if let Some(why) = self.failure(cell, stack) {
            return format!("**{why}**");
        }
        let cost = median(self.samples(cell, stack).map(|sample| sample.unit_us).collect());
        cost.map_or_else(String::new, |cost| format!("{cost:.3}"))
    }

    /// Why a stack could not carry the load, if that happened in any round.
    fn failure(&self, cell: Cell, stack: Stack) -> Option<&'static str> {
        self.trials(cell, stack).find_map(|trial| match trial.measured {
            Measured::Failed(why) => Some(why),
            Measured::Sample(_) => None,
        })
    }

    fn ratio(&self, cell: Cell, peer: Stack) -> Option<Ratio> {
        let ours = self.trials(cell, Stack::Ours).filter_map(|trial| Some((trial.round, trial.cost()?)));
        let mut ratios: Vec<f64> = ours
            .filter_map(|(round, ours)| {
                let theirs = self.trials(cell, peer).find(|trial| trial.round == round)?.cost()?;
                Some(ours / theirs)
            })
            .collect();
        ratios.sort_by(f64::total_cmp);
        let (least, most) = (*ratios.first()?, *ratios.last()?);
        Some(Ratio { median: median(ratios)?, least, most })
    }

    fn trials(&self, cell: Cell, stack: Stack) -> impl Iterator<Item = &Trial> {
        self.trials.iter().filter(move |trial| trial.cell == cell && trial.stack == stack)
    }

    fn samples(&self, cell: Cell, stack: Stack) -> impl Iterator<Item = &Sample> {
        self.trials(cell, stack).filter_map(|trial| match &trial.measured {
            Measured::Sample(sample) => Some(sample),
            Measured::Failed(_) => None,
        })
    }
}

impl Trial {
    fn cost(&self) -> Option<f64> {
        match &self.measured {
            Measured::Sample(sample) if sample.unit_us > 0.0 => Some(sample.unit_us),
            _ => None,
        }
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(why) => f.write_str(why),
            Self::Sample(Sample { unit_us, rate, errors, .. }) => {
                write!(f, "{unit_us:.3} µs, {rate:.0}/s, {errors} errors")
            }
        }
    }
}

/// The value in the middle, or between the two that are.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.len().checked_sub(1)? / 2, values.len() / 2);
    Some(f64::midpoint(values[low], values[high]))
}

fn text(ratio: Option<Ratio>) -> String {
    ratio.map_or_else(String::new, |Ratio { median, least, most }| {
        format!("{median:.2} ({least:.2}–{most:.2})")
    })
}

/// A table as documentation has it.
pub(crate) fn markdown(head: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = format!("|{}\n", "---|".repeat(head.len()));
    line(head) + &rule + &rows.map(|row| line(&row)).collect::<String>()
}

#[cfg(test)]
mod tests;
