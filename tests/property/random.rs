//! The source of chance: the same seed gives the same programs on every machine.

/// SplitMix64. It needs no crate, and its numbers never change with one.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A sequence of its own for every seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = u64::try_from(high - low).expect("an interval that is not empty") + 1;
        low + i64::try_from(self.next() % span).expect("a remainder below an i64")
    }

    /// True in `times` of `of` cases.
    pub fn chance(&mut self, times: i64, of: i64) -> bool {
        self.between(1, of) <= times
    }

    /// One of the choices.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        let last = i64::try_from(choices.len()).expect("a length below an i64") - 1;
        &choices[usize::try_from(self.between(0, last)).expect("an index from 0")]
    }

    /// One of the choices, by value.
    pub fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        *self.pick(choices)
    }
}
