//! The rules of tidy and what it measures: each is one function from the scene to what it found.
//!
//! A rule sees the tree in memory and cargo's account of the crates; it reads no file and runs no program.

mod crates;
mod limits;
mod size;
mod words;

use super::{Finding, Measure, Scene};

/// Every rule, in the order of the report.
pub(super) const RULES: &[fn(&Scene<'_>) -> Vec<Finding>] = &[
    crates::listed,
    crates::arrows,
    crates::budget,
    crates::dependency_reason,
    crates::forbid_unsafe,
    size::file_lines,
    size::long_functions,
    size::doc_share,
    words::unsafe_code,
    words::header_names,
    words::pure,
    words::bounded_queues,
    words::ignored_test,
    words::sleep,
    words::names,
    words::file_header,
    words::absolute_path,
    limits::limits,
];

/// Everything that is counted.
pub(super) const MEASURES: &[fn(&Scene<'_>) -> Vec<Measure>] = &[
    size::median_lines,
    size::long_function_share,
    size::test_ratio,
    size::doc_shares,
    crates::dependency_counts,
];
