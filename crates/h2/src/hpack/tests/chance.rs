//! Chance as an argument: a failing seed is a whole bug report.

/// Numbers that follow from a seed alone (xorshift).
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        // Spread over all bits; zero would stay zero.
        Self((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `end`, which is not zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((self.next() >> 16) % end as u64) as usize
    }

    /// Whether a thing happens that happens once in `times`.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn one_of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// Fewer than `end` bytes, all values alike.
    pub(crate) fn bytes(&mut self, end: usize) -> Vec<u8> {
        let length = self.below(end);
        (0..length).map(|_| self.below(256) as u8).collect()
    }
}
