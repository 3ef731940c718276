//! Statements, and heads of them, that calls of macros make as a whole.
//!
//! ```cuda
//! SWAP(a[i], a[j]);                   // do { float t = a[i]; … } while (0);
//! FOR(k, N)                           // for (int k = 0; k < 64; k++)
//!     s += a[k];
//! ```

use super::body::Body;
use super::kept::Kept;
use crate::back::layout::Place;
use crate::ir::{Statement, StatementKind};
use crate::source::{Call, Span};

/// Statements that a call makes.
struct Called<'c, 's> {
    call: &'c Call,
    first: &'s Statement,
    others: &'s [Statement],
    /// What the call makes lacks the semicolon behind it.
    is_open: bool,
}

impl Body<'_> {
    /// Prints the statements that a call makes and a list begins with, and tells how many
    /// these are; none where it begins with others.
    pub(super) fn called_statements(&mut self, list: &[Statement]) -> usize {
        let Some(kept) = self.cuda.kept.clone() else {
            return 0;
        };
        let Some(called) = self.called(&kept, list) else {
            return 0;
        };
        let count = 1 + called.others.len();
        let is_last = |index: usize| index + 1 == list.len();
        let around = self.lines.origin;
        let start = self.before(called.first);
        let text = self.lines.end();
        self.own_text(called.first, is_last(0));
        for (index, statement) in called.others.iter().enumerate() {
            self.before(statement);
            self.own_text(statement, is_last(index + 1));
        }
        if let Some(line) = called.line(&kept, self.lines.since(text)) {
            self.lines.rewrite(text, &line);
        }
        let last = called.others.last().unwrap_or(called.first);
        self.notes_of_call(called.first.span.to(last.span), text);
        self.notes_behind(last, start);
        if is_last(count - 1) {
            self.notes_after(last);
        }
        self.lines.origin = around;
        count
    }

    /// The statements with which a list begins, if a call makes them.
    fn called<'c, 's>(&self, kept: &'c Kept, list: &'s [Statement]) -> Option<Called<'c, 's>> {
        let (first, rest) = list.split_first()?;
        if let StatementKind::Expression(Some(e)) = &first.kind
            && kept.call(e.span).is_some()
        {
            return None;
        }
        let call = kept.call_at(first.span.start)?;
        let mut count = list.iter().position(|one| one.span.end >= call.end())?;
        let semicolon = |one: &Statement| {
            let behind = Span::new(call.end(), one.span.end);
            self.notes.as_ref()?.text(behind).map(str::trim)
        };
        let mut behind = semicolon(list.get(count)?)?;
        if let Some(next) = rest.get(count)
            && behind.is_empty()
            && matches!(next.kind, StatementKind::Expression(None))
            && semicolon(next) == Some(";")
        {
            behind = ";";
            count += 1;
        }
        matches!(behind, "" | ";").then(|| Called {
            call,
            first,
            others: &rest[..count],
            is_open: behind == ";",
        })
    }

    /// The call that makes the block which a head governs, of statements that are printed behind a
    /// place.
    pub(super) fn called_block(&self, body: &[Statement], behind: Place) -> Option<String> {
        let kept = self.cuda.kept.as_ref()?;
        let before = Span::new(0, body.first()?.span.start);
        let before = self.notes.as_ref()?.text(before)?.trim_end();
        let call = kept.call_at(before.strip_suffix('{')?.len() as u32)?;
        kept.text(call, &format!("{{ {} }}", self.lines.since(behind)))
    }

    /// The head of a statement, or the call that makes it.
    pub(super) fn called_head(&self, span: Span, head: String) -> String {
        let kept = self.cuda.kept.as_ref();
        let call = kept.and_then(|kept| kept.text(kept.call_at(span.start)?, &head));
        call.unwrap_or(head)
    }
}

impl Called<'_, '_> {
    /// The call as a statement, where what is printed is what it makes.
    fn line(&self, kept: &Kept, printed: &str) -> Option<String> {
        if !self.is_open {
            return kept.text(self.call, printed);
        }
        let printed = printed.trim_end().strip_suffix(';')?;
        Some(kept.text(self.call, printed)? + ";")
    }
}
