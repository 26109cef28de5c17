//! Chance as an argument: a small generator, so that a failing seed is a whole bug report.

/// Numbers that follow from a seed alone (SplitMix64).
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Whether a thing happens that happens once in `times`.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn one_of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// Up to `bytes_max` bytes; half of the time in long runs, as compressible messages are.
    pub(crate) fn bytes(&mut self, bytes_max: usize) -> Vec<u8> {
        let length = self.below(bytes_max + 1);
        let run = if self.once_in(2) { 1 } else { 16 };
        let mut bytes = Vec::new();
        while bytes.len() < length {
            bytes.extend(std::iter::repeat_n(self.next() as u8, run));
        }
        bytes.truncate(length);
        bytes
    }

    /// Characters of every length in UTF-8, with those that the protocols write in a special way.
    pub(crate) fn text(&mut self, chars_max: usize) -> String {
        const ODD: [char; 12] = [
            ' ',
            '%',
            '"',
            '\\',
            '\n',
            '\0',
            '\u{7f}',
            'ä',
            '\u{2028}',
            '\u{fffd}',
            '\u{1f600}',
            '\u{10ffff}',
        ];
        let length = self.below(chars_max + 1);
        let mut text = String::new();
        for _ in 0..length {
            text.push(if self.once_in(3) {
                *self.one_of(&ODD)
            } else {
                char::from(b'a' + self.below(26) as u8)
            });
        }
        text
    }
}
