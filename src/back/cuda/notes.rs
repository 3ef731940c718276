//! Comments and blank lines of the user's between the statements of kernels.
//!
//! A note stays where its statement is printed first; a comment of a statement that is
//! not printed is left out. What passes made from a statement has its place but is no
//! such statement: its first token is another one.

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use super::body::Body;
use crate::back::layout::Place;
use crate::ir::{Statement, StatementKind};
use crate::source::{Alignment, Note, Origin, Span, TranslationUnit, tokens_of};
use crate::typed::Expression;

/// The label without a value.
const DEFAULT: &str = "default";

/// What is known of the user's text, and which notes stand in the kernel.
pub struct Notes<'a> {
    source: &'a TranslationUnit,
    alignment: Rc<Alignment>,
    /// Where the kernel's code begins in the text.
    floor: u32,
    /// Where it ends, if something else stands behind it.
    ceiling: u32,
    /// Places of statements and comments.
    written: HashSet<Origin>,
    /// Directives of loops that have been printed.
    directives: HashSet<Span>,
}

impl<'a> Notes<'a> {
    /// None yet.
    pub fn new(source: &'a TranslationUnit, alignment: Rc<Alignment>, code: Range<u32>) -> Self {
        Self {
            source,
            alignment,
            floor: code.start,
            ceiling: code.end,
            written: HashSet::new(),
            directives: HashSet::new(),
        }
    }

    /// The text of a span.
    pub(super) fn text(&self, span: Span) -> Option<&'a str> {
        self.source.text.get(span.start as usize..span.end as usize)
    }

    /// Whether a statement begins a block of the user's.
    pub(super) fn is_braced(&self, statement: &Statement) -> bool {
        self.source.is_behind_brace(statement.span)
    }

    /// The token that a statement of the user's begins with, and where.
    fn place(statement: &Statement) -> (Span, Option<&str>) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Loop(l) => (l.header, Some("for")),
            StatementKind::For(_) => (span, Some("for")),
            StatementKind::While(..) => (span, Some("while")),
            StatementKind::DoWhile(..) => (span, Some("do")),
            StatementKind::If(..) => (span, Some("if")),
            StatementKind::Switch(..) => (span, Some("switch")),
            StatementKind::Return(_) => (span, Some("return")),
            StatementKind::Break => (span, Some("break")),
            StatementKind::Continue => (span, Some("continue")),
            StatementKind::Goto(_) => (span, Some("goto")),
            StatementKind::Case(..) => (span, Some("case")),
            StatementKind::Default => (span, Some(DEFAULT)),
            StatementKind::Label(label) => (span, Some(label)),
            StatementKind::Block(_) => (span, Some("{")),
            StatementKind::Expression(None) => (span, Some(";")),
            _ => (span, None),
        }
    }

    /// The comments behind a label of one word, with which a statement begins.
    fn behind_word(&self, statement: &Statement, word: &str) -> Vec<Note> {
        let start = statement.span.start;
        let word = Span::new(start, start + word.len() as u32);
        self.source.notes_behind_label(&self.alignment, word)
    }

    /// The lines of those comments that have not been printed, which are then.
    fn new_ones(&mut self, notes: impl IntoIterator<Item = Note>) -> Vec<Vec<String>> {
        let new = notes.into_iter().filter_map(|note| match note {
            Note::Comment(at, lines) => self.written.insert(at).then_some(lines),
            Note::Blank => None,
        });
        new.collect()
    }

    /// Whether a statement begins as one of its kind does, where that has a token of its own.
    fn begins(&self, statement: &Statement) -> bool {
        let (span, word) = Self::place(statement);
        let text = self.source.text.get(span.start as usize..);
        word.is_none_or(|word| text.is_some_and(|text| text.starts_with(word)))
    }

    /// Whether the user has a statement without others in it where this one is: what passes made of a loop
    /// has the place of that.
    fn is_of_simple(&self, statement: &Statement) -> bool {
        let text = self.text(statement.span).unwrap_or_default();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let word = text.split(|c| !is_word(c)).next().unwrap_or_default();
        !text.starts_with('{') && !matches!(word, "for" | "while" | "do" | "if" | "switch")
    }

    /// Whether a statement may be the user's own at its end, too. What passes made of a list, or
    /// left of a statement, has the place of that.
    fn ends(&self, statement: &Statement) -> bool {
        use StatementKind as S;
        let is_made = matches!(statement.kind, S::Block(_) | S::Expression(None));
        is_own(statement) && (!is_made || self.begins(statement))
    }
}

/// Whether a statement may be the user's own, and not what a pass made of it.
fn is_own(statement: &Statement) -> bool {
    let inside = |span: Span| span.start == statement.span.start && span.end <= statement.span.end;
    match &statement.kind {
        StatementKind::Expression(Some(e)) => inside(e.span),
        StatementKind::Declaration(list) => list
            .iter()
            .all(|one| statement.span.start < one.span.start && one.span.end <= statement.span.end),
        StatementKind::CollectiveCall(call) => inside(call.call.span),
        StatementKind::Atomic(_) => true,
        _ => Notes::place(statement).1.is_some(),
    }
}

/// Whether a statement ends with its own semicolon.
fn is_simple(statement: &Statement) -> bool {
    matches!(
        statement.kind,
        StatementKind::Expression(_)
            | StatementKind::Declaration(_)
            | StatementKind::Atomic(_)
            | StatementKind::Return(_)
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Goto(_)
    )
}

impl Body<'_> {
    /// What stands before a statement in the user's file.
    pub(super) fn notes_before(&mut self, statement: &Statement) {
        let Some(notes) = &mut self.notes else { return };
        if !is_own(statement) || !notes.begins(statement) {
            return;
        }
        let (span, _) = Notes::place(statement);
        let found = notes
            .source
            .notes_before(&notes.alignment, span, notes.floor);
        let Some((place, found)) = found else { return };
        if !notes.written.insert(place) {
            return;
        }
        let is_label = matches!(
            statement.kind,
            StatementKind::Case(_) | StatementKind::Default | StatementKind::Label(_)
        );
        for note in found {
            match note {
                Note::Blank => self.lines.blank(),
                Note::Comment(at, lines) if notes.written.insert(at) => {
                    let source = notes.source;
                    let is_of_head = source.is_behind_head(&notes.alignment, at);
                    if let [line] = lines.as_slice()
                        && is_of_head
                        && self.lines.append_to_head(line)
                    {
                        continue;
                    }
                    let is_deeper = source.is_right_of(&notes.alignment, at, place);
                    match is_label && !is_deeper {
                        true => self.lines.outdented_comment(&lines),
                        false => self.lines.comment(&lines),
                    }
                }
                Note::Comment(..) => {}
            }
        }
        if let StatementKind::Loop(l) = &statement.kind {
            self.note_of_directive(l.directive);
        }
    }

    /// What the user says behind the head that is printed last, on its line, where something
    /// else stands before the first of the statements that it governs.
    pub(super) fn notes_behind_head(&mut self, body: &[Statement]) {
        let Some(notes) = &mut self.notes else { return };
        let mut own = body.iter().filter(|s| is_own(s) && notes.begins(s));
        let Some((first, _)) = own.next().map(Notes::place) else {
            return;
        };
        let found = notes
            .source
            .notes_before(&notes.alignment, first, notes.floor);
        let (place, found) = found.unzip();
        if place.is_none_or(|place| notes.written.contains(&place)) {
            return;
        }
        for note in found.into_iter().flatten() {
            let Note::Comment(at, lines) = note else {
                return;
            };
            let [line] = lines.as_slice() else { return };
            let is_new =
                notes.source.is_behind_head(&notes.alignment, at) && !notes.written.contains(&at);
            if !is_new || !self.lines.append_to_head(line) {
                return;
            }
            notes.written.insert(at);
        }
    }

    /// What the user says on the line of a loop's directive, where that is not the kernel's.
    fn note_of_directive(&mut self, directive: Option<Span>) {
        let (Some(notes), Some(span)) = (&mut self.notes, directive) else {
            return;
        };
        let is_inner = span.start >= notes.floor && notes.directives.insert(span);
        if let Some(said) = notes.source.directive_comment(span).filter(|_| is_inner) {
            self.lines.line(&format!("// {said}"));
        }
    }

    /// What the user says between the last statement of a block and the block's brace.
    pub(super) fn notes_after(&mut self, statement: &Statement) {
        let Some(notes) = &mut self.notes else { return };
        if !notes.ends(statement) || statement.span.end >= notes.ceiling {
            return;
        }
        let (first, span) = (Notes::place(statement).0, statement.span);
        let mut is_apart = false;
        for note in notes.source.notes_after(&notes.alignment, first, span) {
            let Note::Comment(at, lines) = note else {
                is_apart = true;
                continue;
            };
            if notes.written.insert(at) {
                if is_apart {
                    self.lines.blank();
                }
                self.lines.comment(&lines);
            }
            is_apart = false;
        }
    }

    /// The comments of a block without statements that ends the one that is printed, or that stands
    /// before the `else` of others.
    pub(super) fn notes_alone(&mut self, span: Span, otherwise: Option<&[Statement]>) {
        let Some(notes) = &mut self.notes else { return };
        let (source, known) = (notes.source, &notes.alignment);
        let found = match otherwise {
            Some([next, ..]) => source.notes_before_else(known, Notes::place(next).0),
            Some([]) => source.notes_behind_empty_head(known, span),
            None => source.notes_alone(known, span),
        };
        for note in found {
            let Note::Comment(at, lines) = note else {
                continue;
            };
            let is_new = notes.written.insert(at);
            let is_of_head = notes.source.is_behind_head(&notes.alignment, at);
            match lines.as_slice() {
                _ if !is_new => {}
                [line] if is_of_head && self.lines.append_to_head(line) => {}
                lines => self.lines.comment(lines),
            }
        }
    }

    /// A comment of one line behind the brace of the block that a statement ends.
    pub(super) fn comment_behind_block(&mut self, last: Span) -> Option<String> {
        let notes = self.notes.as_mut()?;
        let found = notes.source.notes_behind_block(&notes.alignment, last);
        let [Note::Comment(at, lines)] = found.as_slice() else {
            return None;
        };
        let [line] = lines.as_slice() else {
            return None;
        };
        notes.written.insert(*at).then(|| line.clone())
    }

    /// The comments at a statement that is printed in another form behind a place.
    pub(super) fn notes_around(&mut self, statement: &Statement, start: Place) {
        let Some(notes) = &mut self.notes else { return };
        if !is_own(statement) || !notes.is_of_simple(statement) {
            return;
        }
        let (source, known) = (notes.source, &notes.alignment);
        let before = source.notes_before(known, Notes::place(statement).0, notes.floor);
        let mut found = before.map_or_else(Vec::new, |(_, before)| before);
        found.extend(source.commented(known, statement.span).notes);
        for lines in notes.new_ones(found).iter().rev() {
            self.lines.insert(start, lines);
        }
        self.notes_behind(statement, start);
    }

    /// The comments that the user has on the line on which a statement ends.
    /// `start`: where its text begins.
    pub(super) fn notes_behind(&mut self, statement: &Statement, start: Place) {
        let Some(notes) = &mut self.notes else { return };
        let last = self.lines.since(start).trim_end().rsplit('\n').next();
        let last = last.unwrap_or_default().trim_start();
        let has_end = is_simple(statement) || last.ends_with([';', ')']) || last == "}";
        let known = &notes.alignment;
        let found = match &statement.kind {
            StatementKind::Case(label) => label
                .written
                .as_ref()
                .map(|value| notes.source.notes_behind_label(known, value.span)),
            StatementKind::Default => Some(notes.behind_word(statement, DEFAULT)),
            StatementKind::Label(label) if notes.begins(statement) => {
                Some(notes.behind_word(statement, label))
            }
            _ if has_end && notes.ends(statement) => {
                Some(notes.source.notes_behind(known, statement.span))
            }
            _ => None,
        };
        // What stands behind a brace that is not printed is about more than the last statement.
        let lacks_brace = !is_simple(statement)
            && last != "}"
            && notes.source.ends_with_brace(known, statement.span);
        for lines in notes.new_ones(found.into_iter().flatten()) {
            match lines.as_slice() {
                [line] if !lacks_brace => self.lines.append(line, start),
                lines => self.lines.comment(lines),
            }
        }
    }

    /// The comments behind loops that others hold and that end with these, from the innermost.
    pub(super) fn notes_behind_inner(&mut self, loops: &[&Statement]) -> Vec<Vec<String>> {
        let Some(notes) = &mut self.notes else {
            return Vec::new();
        };
        let mut said = Vec::new();
        for statement in loops.iter().rev() {
            if !notes.ends(statement) {
                continue;
            }
            let (source, known) = (notes.source, &notes.alignment);
            let mut found = source.notes_behind(known, statement.span);
            found.extend(source.notes_after(known, Notes::place(statement).0, statement.span));
            said.extend(notes.new_ones(found));
        }
        said
    }

    /// Whether the user says something behind a statement.
    pub(super) fn has_comment_behind(&self, statement: &Statement) -> bool {
        self.notes.as_ref().is_some_and(|notes| {
            let found = notes.source.notes_behind(&notes.alignment, statement.span);
            !found.is_empty()
        })
    }

    /// A condition, with the comments that the user has in it where it is as he writes it, on
    /// one line; others stand before it.
    pub(super) fn condition_text(&mut self, e: &Expression) -> String {
        let text = self.text(e);
        let Some(notes) = &mut self.notes else {
            return text;
        };
        let commented = notes.source.commented(&notes.alignment, e.span);
        let found = notes.new_ones(commented.notes);
        match commented.lines.as_slice() {
            [line] if tokens_of(line) == tokens_of(&text) => line.clone(),
            _ => {
                self.lines.comments(&found);
                text
            }
        }
    }

    /// The head of a statement of this place, or the call of a macro that makes it, with the comments
    /// that the user has in it; those that have no place in it are printed before.
    pub(super) fn head(&mut self, span: Span, head: String) -> String {
        let (head, said) = self.commented_head(span, head);
        self.lines.comments(&said);
        head
    }

    /// The comments in the head of a statement that is printed without it.
    pub(super) fn notes_of_head(&mut self, span: Span) {
        self.head(span, String::new());
    }

    /// The head of a statement of this place, with the comments in it, and those that have no place
    /// in it.
    pub(super) fn commented_head(
        &mut self,
        span: Span,
        head: String,
    ) -> (String, Vec<Vec<String>>) {
        let head = self.called_head(span, head);
        let Some(notes) = &mut self.notes else {
            return (head, Vec::new());
        };
        let commented = notes.source.commented_head(&notes.alignment, span);
        let said = notes.new_ones(commented.notes);
        let written = commented.lines.join("\n");
        // A brace may follow.
        if !commented.lines.is_empty()
            && self.lines.have_room(&commented.lines, 2)
            && tokens_of(&written) == tokens_of(&head)
        {
            return (written, Vec::new());
        }
        (head, said)
    }

    /// Writes a statement as the user does where only calls of macros, which expressions by themselves
    /// cannot have, or comments within are missing. Comments that have no place in it stand before it.
    /// `start`: where its text begins.
    pub(super) fn notes_within(&mut self, statement: &Statement, start: Place) {
        let Some(notes) = &mut self.notes else { return };
        if !is_simple(statement) || !is_own(statement) || !notes.is_of_simple(statement) {
            return;
        }
        if let Some(kept) = &self.cuda.kept
            && let Some(written) = notes.source.as_written(&notes.alignment, statement.span)
            && kept.makes(statement.span, &written, self.lines.since(start))
        {
            self.lines.rewrite(start, &written);
        }
        let commented = notes.source.commented(&notes.alignment, statement.span);
        let said = notes.new_ones(commented.notes);
        let lines = commented.lines;
        if !lines.is_empty()
            && self.lines.have_room(&lines, 0)
            && tokens_of(&lines.join("\n")) == tokens_of(self.lines.since(start))
        {
            return self.lines.replace(start, &lines);
        }
        for lines in said.iter().rev() {
            self.lines.insert(start, lines);
        }
    }

    /// The comments in the call of a macro that makes statements, before these.
    /// `start`: where their text begins.
    pub(super) fn notes_of_call(&mut self, span: Span, start: Place) {
        let Some(notes) = &mut self.notes else { return };
        let found = notes.source.commented(&notes.alignment, span).notes;
        for lines in notes.new_ones(found).iter().rev() {
            self.lines.insert(start, lines);
        }
    }
}
