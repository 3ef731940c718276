//! What is left of a directive with mistakes, for [`super`]: its text once they are repaired, and the
//! clauses that have none.

use std::ops::Range;
use std::{iter, mem};

use pest::error::Error;

use super::{Known, Repair, word_before};
use crate::syntax::brackets;
use crate::syntax::grammar::{self, Rule};
use crate::syntax::message::position;

/// A text in which mistakes are repaired.
pub(super) struct Repaired {
    pub(super) text: String,
    /// Where something was repaired, and by how much what is behind it has moved.
    moved: Vec<(usize, isize)>,
}

impl Repaired {
    pub(super) fn of(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            moved: Vec::new(),
        }
    }

    /// Where a place was in the text as written.
    pub(super) fn origin(&self, at: usize) -> usize {
        let before = self.moved.iter().filter(|(end, _)| *end <= at);
        let shift: isize = before.map(|(_, by)| by).sum();
        at.saturating_add_signed(-shift)
    }

    /// Puts in what was meant; where the mistake begins in the text as written.
    pub(super) fn apply(&mut self, repair: &Repair) -> usize {
        let range = repair.range.clone();
        let first = self.origin(range.start);
        let by = repair.text.len().cast_signed() - range.len().cast_signed();
        let later = self.moved.iter_mut().filter(|(at, _)| *at > range.start);
        later.for_each(|(at, _)| *at = at.saturating_add_signed(by));
        self.text.replace_range(range.clone(), &repair.text);
        self.moved.push((range.end.saturating_add_signed(by), by));
        first
    }

    /// Where OpenACC's parser stops, and why.
    pub(super) fn unreadable(
        &self,
        start: usize,
        known: &Known<'_>,
    ) -> Option<(usize, Box<Error<Rule>>)> {
        let is_accs = known.rule == Rule::directive_unit;
        let body = self.text.get(start..).filter(|_| is_accs)?;
        let error = grammar::parse(known.rule, body).err()?;
        Some((start + position(&error), error))
    }

    /// Blanks the clause around a place, unless it is the directive's name.
    pub(super) fn leave_out(&mut self, start: usize, at: usize) -> bool {
        let blanked = without(&self.text, start, iter::once(at..at));
        let is_changed = blanked.is_some();
        self.text = blanked.unwrap_or_else(|| mem::take(&mut self.text));
        is_changed
    }
}

/// A text with blanks in place of the clauses around pieces of the directive that is behind `start`; none
/// where its name is one of them.
pub(super) fn without(
    text: &str,
    start: usize,
    pieces: impl Iterator<Item = Range<usize>>,
) -> Option<String> {
    let mut parts = grammar::parse(Rule::directive_start, text.get(start..)?).ok()?;
    let name = parts.next()?.into_inner().next()?;
    let behind_name = start + name.as_str().trim_end().len();
    let mut blanked = text.to_owned();
    for piece in pieces {
        let clause = clause_around(text, start, piece)?;
        let is_clause = clause.start >= behind_name;
        let blanks = " ".repeat(text.get(clause.clone()).filter(|_| is_clause)?.len());
        blanked.replace_range(clause, &blanks);
    }
    Some(blanked)
}

/// The clause that a piece is in, or the word, the mark or the brackets that it is.
fn clause_around(text: &str, start: usize, piece: Range<usize>) -> Option<Range<usize>> {
    let around = brackets::outermost_open(text, start, piece.start);
    let at_bracket = || {
        let is_open = text.get(piece.start..)?.starts_with(['(', '[', '{']);
        (is_open && piece.is_empty()).then_some(piece.start)
    };
    if let Some(open) = around.map(|open| open.offset).or_else(at_bracket) {
        let close = brackets::partner(text, open)?;
        let first = word_before(text, start, open).map_or(open, |(word, _)| word.start);
        return Some(behind_comma(text, start, first)..piece.end.max(close + 1));
    }
    let length = brackets::token_length(text.get(piece.start..)?);
    let end = piece.end.max(piece.start + length);
    let rest = text.get(end..)?;
    let open = text.len() - rest.trim_start().len();
    let end = match rest.trim_start().starts_with('(') {
        true => brackets::partner(text, open)? + 1,
        false => end,
    };
    (end > piece.start).then(|| behind_comma(text, start, piece.start)..end)
}

/// Where a clause begins, with the comma that separates it from the one before.
fn behind_comma(text: &str, start: usize, clause: usize) -> usize {
    let before = text.get(start..clause).unwrap_or_default().trim_end();
    match before.strip_suffix(',') {
        Some(before) => start + before.len(),
        None => clause,
    }
}
