//! A client and a server of HTTP/2 in virtual time, whose every move the bytes choose: what one sends the other is told, once and in
//! order; windows agree; all streams end; neither finds fault with the other.

use std::path::Path;

use crate::h2_tests::simulation::Simulation;
use crate::input::Input;

/// Each choice is a byte, or two where one has not values enough.
pub(crate) fn check(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let mut choose = |end: usize| match end {
        0..=256 => usize::from(input.byte()) % end,
        _ => (usize::from(input.byte()) << 8 | usize::from(input.byte())) % end,
    };
    let mut simulation = Simulation::new(&mut choose);
    let mut left = bytes.len();
    while left > 0 {
        simulation.step(&mut |end| {
            left = left.saturating_sub(if end > 256 { 2 } else { 1 });
            choose(end)
        });
    }
    simulation.finish();
}

/// Bytes without meaning: every choice is as good as another.
pub(crate) fn seeds(_: &Path) -> Vec<Vec<u8>> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut byte = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..60).map(|place| (0..10 + place * 15).map(|_| byte()).collect()).collect()
}
