//! The tables of ARCHITECTURE.md that tidy reads.
//!
//! It decides how a table is found and what a cell may say; what follows from a row is decided by the rules.

use crate::failure::{Failure, Result};

/// Where the tables live.
pub(crate) const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// One row of the table of crates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) folder: String,
    pub(crate) package: String,
    pub(crate) floor: Floor,
    /// Package names.
    pub(crate) may_depend_on: Vec<String>,
    pub(crate) may_test_with: Vec<String>,
    pub(crate) budget: Budget,
    /// Files, or folders that end in `/`, in which unsafe code is allowed.
    pub(crate) unsafe_in: Vec<String>,
}

/// How high a crate stands. An arrow goes to a lower floor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Floor {
    /// Pure: no IO, no clock, no chance.
    Ground,
    Middle,
    Upper,
    Top,
    /// A tool of the workspace, which nothing may depend on.
    Aside,
}

/// How many crates from outside a crate may name without a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    pub(crate) at_most: usize,
    /// What we want in the end; missing it is printed, not punished.
    pub(crate) aim: Option<usize>,
}

/// One line of the table of exceptions.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Exception {
    pub(crate) rule: String,
    pub(crate) path: String,
}

/// Reads the table of crates.
pub(crate) fn crates(text: &str) -> Result<Vec<Row>> {
    let mut rows = cells(text, "crates", 7)?.into_iter().map(row).collect::<Result<Vec<_>>>()?;
    // The cells name crates by their folder, which is how people speak of them; cargo knows packages.
    let names: Vec<_> =
        rows.iter().map(|row| (last_part(&row.folder).to_owned(), row.package.clone())).collect();
    for row in &mut rows {
        for word in row.may_depend_on.iter_mut().chain(&mut row.may_test_with) {
            let Some((_, package)) = names.iter().find(|(short, _)| short == word) else {
                return Err(refuse(&format!(
                    "`{word}` in the row of {} is no crate of the table",
                    row.package
                )));
            };
            word.clone_from(package);
        }
    }
    Ok(rows)
}

/// Reads the table of exceptions.
pub(crate) fn exceptions(text: &str) -> Result<Vec<Exception>> {
    let read = |row: Vec<String>| {
        let [rule, path, reason] = <[String; 3]>::try_from(row).expect("cells returns rows of three");
        if reason.is_empty() {
            return Err(refuse(&format!("the exception of {path} from {rule} has no reason")));
        }
        Ok(Exception { rule, path })
    };
    cells(text, "exceptions", 3)?.into_iter().map(read).collect()
}

fn row(cells: Vec<String>) -> Result<Row> {
    let [folder, package, floor, depend, test, budget, unsafe_in] =
        <[String; 7]>::try_from(cells).expect("cells returns rows of seven");
    let floor = match floor.as_str() {
        "ground" => Floor::Ground,
        "middle" => Floor::Middle,
        "upper" => Floor::Upper,
        "top" => Floor::Top,
        "aside" => Floor::Aside,
        other => return Err(refuse(&format!("{package} stands on a floor named `{other}`"))),
    };
    let budget = budget_of(&budget).ok_or_else(|| {
        refuse(&format!("the budget of {package} is `{budget}`, not a number or `number, aim number`"))
    })?;
    let unsafe_in = if unsafe_in == "no" { Vec::new() } else { words(&unsafe_in) };
    Ok(Row {
        folder,
        package,
        floor,
        may_depend_on: words(&depend),
        may_test_with: words(&test),
        budget,
        unsafe_in,
    })
}

fn budget_of(cell: &str) -> Option<Budget> {
    match cell.split_once(", aim ") {
        Some((at_most, aim)) => Some(Budget { at_most: at_most.parse().ok()?, aim: Some(aim.parse().ok()?) }),
        None => Some(Budget { at_most: cell.parse().ok()?, aim: None }),
    }
}

/// The rows of the table below the mark `<!-- read by tidy: NAME -->`, without its head.
fn cells(text: &str, name: &str, columns: usize) -> Result<Vec<Vec<String>>> {
    let mark = format!("<!-- read by tidy: {name} -->");
    let Some((_, after)) = text.split_once(&mark) else {
        return Err(refuse(&format!("the mark `{mark}` is missing")));
    };
    let table = after.trim_start().lines().take_while(|line| line.starts_with('|'));
    let rows = table.skip(2).map(|line| {
        let cells: Vec<_> = line.trim_end().trim_matches('|').split('|').map(clean).collect();
        if cells.len() == columns {
            return Ok(cells);
        }
        Err(refuse(&format!("`{line}` has {} cells, not {columns}", cells.len())))
    });
    rows.collect()
}

/// A cell without the marks of code, which are for the reader.
fn clean(cell: &str) -> String {
    cell.trim().replace('`', "")
}

fn words(cell: &str) -> Vec<String> {
    cell.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn last_part(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}

fn refuse(what: &str) -> Failure {
    Failure::new(format!("{ARCHITECTURE}: {what}"))
}

#[cfg(test)]
mod tests;
