//! Rules on crates: which exist, which arrows they have, how many crates from outside they name.
//!
//! The table of ARCHITECTURE.md says what should be, cargo's metadata says what is; this module compares the two.

use super::super::table::{ARCHITECTURE, Floor, Row};
use super::{Finding, Measure, Scene};
use crate::workspace::{Dependency, Kind, Package};

const REASONS: &str = "docs/dependencies.md";

/// The table and the workspace hold the same crates in the same folders.
pub(super) fn listed(scene: &Scene<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in scene.packages {
        match scene.row(package) {
            None => findings.push(broken(format!("the table lacks {}", package.name))),
            Some(row) if row.folder != package.folder => findings
                .push(broken(format!("{} lives in {}, not in {}", package.name, package.folder, row.folder))),
            Some(_) => {}
        }
    }
    for row in scene.rows {
        if !scene.packages.iter().any(|package| package.name == row.package) {
            findings.push(broken(format!("{} is in the table but not in the workspace", row.package)));
        }
    }
    findings
}

/// Each arrow is allowed by the table, and the table's own arrows go down.
pub(super) fn arrows(scene: &Scene<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for row in scene.rows {
        for target in &row.may_depend_on {
            if scene.rows.iter().any(|other| other.package == *target && !goes_down(row, other)) {
                let text =
                    format!("the table lets {} depend on {target}, which is no lower floor", row.package);
                findings.push(Finding::file("arrows", ARCHITECTURE, text));
            }
        }
    }
    for (package, row) in scene.packages.iter().filter_map(|package| Some((package, scene.row(package)?))) {
        for dependency in package.dependencies.iter().filter(|dependency| dependency.is_ours) {
            let Dependency { name, kind, .. } = dependency;
            let may = row.may_depend_on.contains(name)
                || (*kind == Kind::TestOrBuild && row.may_test_with.contains(name));
            // A crate may name itself to switch on a feature for its own tests.
            if !may && *name != package.name {
                let manner = if *kind == Kind::Normal { "depends on" } else { "builds or tests with" };
                let text = format!("{} {manner} {name}, which {ARCHITECTURE} does not allow", package.name);
                findings.push(Finding::file("arrows", &manifest(package), text));
            }
        }
    }
    findings
}

/// No crate names more crates from outside than its row allows.
pub(super) fn budget(scene: &Scene<'_>) -> Vec<Finding> {
    let over = |package: &Package| {
        let (seen, at_most) = (required(package), scene.row(package)?.budget.at_most);
        let text = format!("{seen} required direct dependencies, at most {at_most} are allowed");
        (seen > at_most).then(|| Finding::file("budget", &manifest(package), text))
    };
    scene.packages.iter().filter_map(over).collect()
}

/// Each crate from outside has a row that says why it is here.
pub(super) fn dependency_reason(scene: &Scene<'_>) -> Vec<Finding> {
    let text = scene.tree.file(REASONS).map_or("", |file| file.text.as_str());
    let first_cells = text.lines().filter_map(|line| line.strip_prefix('|')?.split('|').next());
    let known: Vec<_> = first_cells
        .flat_map(|cell| cell.split([',', ' ', '(', ')']))
        .map(|word| word.trim_matches('`'))
        .collect();
    let mut findings = Vec::new();
    for package in scene.packages {
        for dependency in package.dependencies.iter().filter(|dependency| !dependency.is_ours) {
            if !known.contains(&dependency.name.as_str()) {
                let text = format!("{} has no row in {REASONS}", dependency.name);
                findings.push(Finding::file("dependency-reason", &manifest(package), text));
            }
        }
    }
    findings
}

/// Each crate root forbids unsafe code, unless the table grants the crate a place for it.
pub(super) fn forbid_unsafe(scene: &Scene<'_>) -> Vec<Finding> {
    let is_granted = |package: &Package| scene.row(package).is_some_and(|row| !row.unsafe_in.is_empty());
    let packages = scene.packages.iter().filter(|package| !is_granted(package));
    let files = packages.flat_map(|package| &package.roots).filter_map(|root| scene.tree.file(root));
    let bare = files.filter(|file| !file.source.code.contains("#![forbid(unsafe_code)]"));
    bare.map(|file| {
        Finding::file("forbid-unsafe", &file.path, "the crate root lacks #![forbid(unsafe_code)]")
    })
    .collect()
}

/// How many crates from outside each crate names, beside its bound or aim.
pub(super) fn dependency_counts(scene: &Scene<'_>) -> Vec<Measure> {
    let measure = |package: &Package| {
        let budget = scene.row(package)?.budget;
        let (seen, aim) = (required(package), budget.aim.unwrap_or(budget.at_most));
        Some(Measure {
            name: format!("direct dependencies of {}", package.name),
            seen: seen.to_string(),
            aim: format!("<= {aim}"),
            is_met: seen <= aim,
        })
    };
    scene.packages.iter().filter_map(measure).collect()
}

impl Scene<'_> {
    fn row(&self, package: &Package) -> Option<&Row> {
        self.rows.iter().find(|row| row.package == package.name)
    }
}

fn goes_down(from: &Row, to: &Row) -> bool {
    to.floor < from.floor && to.floor != Floor::Aside
}

fn required(package: &Package) -> usize {
    let counts = |dependency: &&Dependency| {
        dependency.kind == Kind::Normal && !dependency.optional && !dependency.is_ours
    };
    package.dependencies.iter().filter(counts).count()
}

fn manifest(package: &Package) -> String {
    format!("{}/Cargo.toml", package.folder)
}

fn broken(text: String) -> Finding {
    Finding::file("crates", ARCHITECTURE, text)
}
