//! Rows for budgets: what is spent, earned, and comes back with time.

use std::time::Duration;

use super::*;
use crate::tests::some_instant;

/// What is done with a budget.
enum Do {
    /// Spend, and whether that goes.
    Spend(u32, bool),
    Earn(u32),
    /// Time passes, in milliseconds.
    Wait(u64),
}
use Do::{Earn, Spend, Wait};

fn check(most: u32, per_second: u32, steps: &[Do]) {
    let mut budget = Budget::new(most, per_second);
    let mut now = some_instant();
    for (place, step) in steps.iter().enumerate() {
        match *step {
            Spend(amount, expected) => assert_eq!(budget.spend(amount, now), expected, "step {place}"),
            Earn(amount) => budget.earn(amount),
            Wait(millis) => now += Duration::from_millis(millis),
        }
    }
}

#[test]
fn budget_is_spent_and_no_more() {
    check(2, 0, &[Spend(1, true), Spend(1, true), Spend(1, false), Wait(1_000_000), Spend(1, false)]);
    check(2, 0, &[Spend(3, false), Spend(2, true), Spend(0, true), Spend(1, false)]);
    check(0, 0, &[Spend(0, true), Spend(1, false)]);
}

#[test]
fn budget_comes_back_with_time() {
    check(2, 10, &[Spend(2, true), Wait(99), Spend(1, false), Wait(1), Spend(1, true), Spend(1, false)]);
    check(2, 10, &[Spend(2, true), Wait(150), Spend(1, true), Spend(1, false), Wait(100), Spend(1, true)]);
    check(1_000, 1_000, &[Spend(1_000, true), Wait(500), Spend(500, true), Spend(1, false)]);
}

#[test]
fn budget_never_holds_more_than_its_most() {
    check(2, 10, &[Spend(1, true), Wait(1_000_000), Spend(3, false), Spend(2, true), Spend(1, false)]);
    check(
        2,
        0,
        &[Earn(100), Spend(3, false), Spend(2, true), Earn(u32::MAX), Spend(2, true), Spend(1, false)],
    );
    check(u32::MAX, u32::MAX, &[Spend(u32::MAX, true), Wait(u32::MAX.into()), Spend(u32::MAX, true)]);
}

/// Time that passed while it was full brings nothing afterwards.
#[test]
fn budget_time_while_full_does_not_count() {
    check(2, 1, &[Wait(1_000_000), Spend(2, true), Spend(1, false)]);
    check(2, 1, &[Spend(1, true), Earn(1), Wait(1_000_000), Spend(2, true), Spend(1, false)]);
}

#[test]
fn budget_earned_can_be_spent() {
    check(5, 0, &[Spend(5, true), Earn(2), Spend(1, true), Spend(1, true), Spend(1, false)]);
}
