//! Edits of a text at places of it.

use std::ops::Range;

/// What to put in the place of which bytes.
#[derive(Debug, Default)]
pub struct Edits(Vec<(Range<usize>, Vec<u8>)>);

impl Edits {
    /// Puts a text before a place.
    pub fn insert(&mut self, at: usize, text: &str) {
        self.0.push((at..at, text.into()));
    }

    /// Puts a text in the place of a range.
    pub fn replace(&mut self, range: Range<usize>, text: &str) {
        self.0.push((range, text.into()));
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text with them; without those that lie in others, as they can only
    /// in a text that means nothing.
    pub fn apply(mut self, text: &[u8]) -> Vec<u8> {
        self.0.sort_by_key(|(range, _)| (range.start, range.end));
        let mut result = Vec::with_capacity(text.len() + 64 * self.0.len());
        let mut done = 0;
        for (range, with) in self.0 {
            if range.start < done {
                continue;
            }
            result.extend(&text[done..range.start]);
            result.extend(with);
            done = range.end;
        }
        result.extend(&text[done..]);
        result
    }
}
