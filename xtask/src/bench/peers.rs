//! `cargo xtask bench peers`: other stacks and ours under the same load, in turns, from one neutral client.
//!
//! It decides what is run in which order. What is built is in `stacks`, which loads there are in `cells`, how one of them is run in `trial`,
//! and how samples become tables in `table`.

mod cells;
mod stacks;
mod table;
mod trial;

use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::failure::{Failure, Result};
use crate::workspace::Workspace;
use cells::Cell;
use stacks::{Programs, Stack};
use table::{Measured, Results};
use trial::Layout;

/// What was asked for on the command line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Request {
    rounds: u32,
    /// Of each trial, after its warm-up.
    seconds: f64,
    /// Names of stacks; all when empty.
    only: Vec<String>,
    /// How the names of cells begin; all when empty.
    cells: Vec<String>,
    parts: Vec<Part>,
    /// Everything is there already.
    is_built: bool,
}

/// A part of the run, with tables of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Servers on one core, the load on another.
    Pinned,
    /// Servers with two workers, and the system decides where.
    Free,
    /// Clients, against the floor.
    Clients,
    /// System calls of servers; needs perf and its rights, so it is run only when asked for.
    SystemCalls,
    /// Memory of connections on which nothing happens.
    Idle,
}

impl Request {
    /// Reads the words after `cargo xtask bench peers`.
    ///
    /// # Errors
    /// For words that mean nothing here.
    pub(crate) fn parse(words: &[&str]) -> Result<Self> {
        let mut request =
            Self { rounds: 3, seconds: 1.0, only: vec![], cells: vec![], parts: vec![], is_built: false };
        let mut rest = words.iter().copied();
        while let Some(word) = rest.next() {
            let mut value = || {
                let value = rest.next().filter(|value| !value.starts_with('-'));
                value.ok_or_else(|| Failure::usage(format!("`{word}` needs a value after it")))
            };
            match word {
                "--rounds" => request.rounds = number(word, value()?, &(1..=1000))?,
                "--seconds" => request.seconds = number(word, value()?, &(0.1..=600.0))?,
                "--only" => request.only = value()?.split(',').map(str::to_owned).collect(),
                "--cells" => request.cells = value()?.split(',').map(str::to_owned).collect(),
                "--pinned" => request.parts.push(Part::Pinned),
                "--free" => request.parts.push(Part::Free),
                "--clients" => request.parts.push(Part::Clients),
                "--syscalls" => request.parts.push(Part::SystemCalls),
                "--idle" => request.parts.push(Part::Idle),
                "--built" => request.is_built = true,
                _ => return Err(Failure::usage(format!("`{word}` means nothing to `bench peers`"))),
            }
        }
        if request.parts.is_empty() {
            request.parts = vec![Part::Pinned, Part::Free, Part::Clients, Part::Idle];
        }
        let is_known = |name: &&String| stacks::ALL.iter().any(|stack| stack.name() == **name);
        if let Some(unknown) = request.only.iter().find(|name| !is_known(name)) {
            let known = stacks::ALL.map(Stack::name).join(", ");
            return Err(Failure::usage(format!("there is no stack `{unknown}`; there are: {known}")));
        }
        if request.chosen(&cells::servers()).is_empty() {
            return Err(Failure::usage("no cell begins like that; a cell is called `unary-50/1`"));
        }
        Ok(request)
    }

    /// The stacks of a part, in the order of the tables.
    fn stacks(&self, has: impl Fn(Stack) -> bool) -> Vec<Stack> {
        let is_wanted =
            |stack: &Stack| self.only.is_empty() || self.only.iter().any(|name| *name == stack.name());
        stacks::ALL.into_iter().filter(|stack| has(*stack) && is_wanted(stack)).collect()
    }

    fn chosen(&self, cells: &[Cell]) -> Vec<Cell> {
        let is_wanted = |cell: &&Cell| {
            self.cells.is_empty() || self.cells.iter().any(|start| cell.name().starts_with(start.as_str()))
        };
        cells.iter().filter(is_wanted).copied().collect()
    }
}

/// A number of a range.
fn number<T: FromStr + PartialOrd>(word: &str, text: &str, range: &RangeInclusive<T>) -> Result<T> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| Failure::usage(format!("`{word} {text}` is not a number that makes sense")))
}

/// Builds what is missing, runs the parts, and prints their tables.
///
/// # Errors
/// Something cannot be built or started. That a peer fails under a load is a result.
pub(crate) fn run(workspace: &Workspace, request: &Request) -> Result<()> {
    let programs = Programs::new(workspace);
    if !request.is_built {
        programs.build()?;
    }
    println!("{}", programs.versions()?);
    for part in &request.parts {
        match part {
            Part::Pinned => servers(&programs, request, Layout::Pinned)?,
            Part::Free => servers(&programs, request, Layout::Free)?,
            Part::Clients => clients(&programs, request)?,
            Part::SystemCalls => system_calls(&programs, request)?,
            Part::Idle => idle(&programs, request)?,
        }
    }
    Ok(())
}

fn servers(programs: &Programs, request: &Request, layout: Layout) -> Result<()> {
    let (stacks, cells) = (request.stacks(|_| true), request.chosen(&cells::servers()));
    let results = play(request, &cells, &stacks, |cell, stack| {
        trial::server(programs, stack, cell, layout, request.seconds)
    })?;
    println!("\n## Servers, {}\n", layout.title());
    println!("{}", results.costs());
    println!("{}", results.details());
    if layout == Layout::Pinned {
        println!("{}", results.bars());
    }
    Ok(())
}

fn clients(programs: &Programs, request: &Request) -> Result<()> {
    let (stacks, cells) = (request.stacks(Stack::has_client), request.chosen(&cells::clients()));
    let results =
        play(request, &cells, &stacks, |cell, stack| trial::client(programs, stack, cell, request.seconds))?;
    println!("\n## Clients against the floor, on a core of their own\n");
    println!("{}", results.costs());
    println!("{}", results.bars());
    Ok(())
}

fn system_calls(programs: &Programs, request: &Request) -> Result<()> {
    let stacks = request.stacks(|_| true);
    println!("\n## System calls of the server per 1000 calls or messages, pinned\n");
    let mut head = vec!["load".to_owned()];
    head.extend(stacks.iter().map(|stack| stack.name().to_owned()));
    let mut rows = Vec::new();
    for cell in request.chosen(&cells::servers()) {
        let mut row = vec![cell.name()];
        for stack in &stacks {
            let count = trial::system_calls(programs, *stack, cell, request.seconds)?;
            row.push(count.map_or_else(|| "fails".into(), |count| format!("{count:.1}")));
        }
        rows.push(row);
    }
    println!("{}", table::markdown(&head, rows.into_iter()));
    Ok(())
}

fn idle(programs: &Programs, request: &Request) -> Result<()> {
    println!("\n## Memory of the server for each of {} idle connections\n", trial::IDLE_CONNECTIONS);
    let mut rows = Vec::new();
    for stack in request.stacks(|_| true) {
        let kibibytes = trial::idle_kibibytes(programs, stack)?;
        rows.push(vec![stack.name().to_owned(), format!("{kibibytes:.1}")]);
    }
    let head = ["stack", "KiB per connection"].map(str::to_owned);
    println!("{}", table::markdown(&head, rows.into_iter()));
    Ok(())
}

/// Every stack on every cell, in turns, so that what disturbs the machine disturbs all of them.
fn play(
    request: &Request,
    cells: &[Cell],
    stacks: &[Stack],
    trial: impl Fn(Cell, Stack) -> Result<Measured>,
) -> Result<Results> {
    let mut results = Results::new(cells, stacks);
    for round in 0..request.rounds {
        for cell in cells {
            for turn in 0..stacks.len() {
                // Nobody is always the first, or always behind the same one.
                let stack = stacks[(turn + round as usize) % stacks.len()];
                let measured = trial(*cell, stack)?;
                println!("round {} {} {}: {measured}", round + 1, cell.name(), stack.name());
                results.add(*cell, stack, round, measured);
            }
        }
    }
    Ok(results)
}

#[cfg(test)]
mod tests;
