//! Rows for medians, ratios and what a table says of a failure.

use super::super::cells;
use super::*;

fn sample(unit_us: f64) -> Measured {
    let (load_us, p50_us, p99_us, peak_mebibytes) = (Some(0.5), Some(60.0), Some(90.0), Some(4.25));
    Measured::Sample(Sample { unit_us, load_us, rate: 1000.0, p50_us, p99_us, peak_mebibytes, errors: 0 })
}

/// Two rounds of the cell `unary-50/1`.
fn results(stacks: &[(Stack, [Measured; 2])]) -> Results {
    let cell = cells::servers()[1];
    let names: Vec<Stack> = stacks.iter().map(|(stack, _)| *stack).collect();
    let mut results = Results::new(&[cell], &names);
    for (stack, rounds) in stacks {
        for (round, measured) in rounds.iter().enumerate() {
            results.add(cell, *stack, round as u32, measured.clone());
        }
    }
    results
}

#[test]
fn median_is_in_the_middle() {
    let check = |values: &[f64], wants: Option<f64>| assert_eq!(median(values.to_vec()), wants, "{values:?}");
    check(&[], None);
    check(&[3.0], Some(3.0));
    check(&[9.0, 1.0, 2.0], Some(2.0));
    check(&[4.0, 1.0, 2.0, 9.0], Some(3.0));
}

#[test]
fn ratios_are_those_of_one_round() {
    let results = results(&[
        (Stack::Floor, [sample(0.5), sample(0.5)]),
        (Stack::Ours, [sample(2.0), sample(4.0)]),
        (Stack::GrpcGo, [sample(8.0), sample(20.0)]),
        (Stack::Tonic, [sample(16.0), Measured::Failed("connection ended")]),
    ]);
    let costs = results.costs();
    let row = "| unary-50/1 | 0.500 | 3.000 | 14.000 | **connection ended** | 0.23 (0.20–0.25) | 0.12 (0.12–0.12) |\n";
    assert!(costs.ends_with(row), "{costs}");
    let bars = results.bars();
    let row = "| unary-50/1 | ≤ 0.25 | 0.23 (0.20–0.25) | met | ≤ 0.19 | connection ended | met |\n";
    assert!(bars.ends_with(row), "{bars}");
    let details = results.details();
    assert!(details.contains("| unary-50/1 | ours | 1000 | 60 | 90 | 4.2 | 0.500 | 0 |\n"), "{details}");
    assert!(details.contains("| 0.500 | connection ended |\n"), "{details}");
}

#[test]
fn a_bar_that_is_missed_says_so() {
    let results = results(&[
        (Stack::Floor, [sample(0.5), sample(0.5)]),
        (Stack::Ours, [sample(9.0), sample(9.0)]),
        (Stack::GrpcGo, [sample(10.0), sample(10.0)]),
    ]);
    let bars = results.bars();
    assert!(bars.ends_with("| ≤ 0.25 | 0.90 (0.90–0.90) | missed | ≤ 0.19 |  |  |\n"), "{bars}");
}
