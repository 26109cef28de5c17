//! Runs simulations by seed. `SEEDS=20000 cargo test -p trunkline-h2 seeds` runs that many.

use super::simulation::Simulation;

/// Says which seed failed.
struct Seed(u64);

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seed {}", self.0);
        }
    }
}

/// Numbers that follow from a seed alone (xorshift).
pub(super) fn chance(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    move |end| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 16) % end as u64) as usize
    }
}

fn run(seed: u64) {
    let _seed = Seed(seed);
    let mut choose = chance(seed);
    let mut simulation = Simulation::new(&mut choose);
    for _ in 0..choose(400) {
        simulation.step(&mut choose);
    }
    simulation.finish();
}

#[test]
fn seeds_run_and_nothing_is_lost() {
    let count = std::env::var("SEEDS").ok().and_then(|count| count.parse().ok()).unwrap_or(300);
    (0..count).for_each(run);
}

/// Seeds that have failed once.
#[test]
fn seeds_that_failed_run() {
    for seed in [] {
        run(seed);
    }
}
