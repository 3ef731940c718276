//! Heads of statements and what these govern: `if`, `else`, `while`, `for`.
//!
//! A body of one line has braces where the user has them, every longer one has them.

use super::body::Body;
use crate::ir::{Statement, StatementKind, visit};
use crate::source::Span;
use crate::typed::{Expression, ExpressionKind};

impl Body<'_> {
    /// `if (…)`, for a statement of this place, and the comments that have no place in it.
    pub(super) fn if_head(
        &mut self,
        condition: &Expression,
        span: Span,
    ) -> (String, Vec<Vec<String>>) {
        let head = format!("if ({})", self.text(condition));
        self.commented_head(span, head)
    }

    /// `if`, with `else if` on one line. Chains are walked in a loop: they may have thousands of
    /// links.
    pub(super) fn conditional(
        &mut self,
        head: &str,
        then: &[Statement],
        otherwise: Option<&[Statement]>,
        span: Span,
    ) {
        let mut next = Some(Branch {
            head: head.to_string(),
            body: then,
            otherwise,
            link: None,
            said: Vec::new(),
        });
        let mut is_braced = false;
        while let Some(branch) = next {
            is_braced = self.branch(&branch, is_braced, span);
            if is_braced && branch.otherwise.is_some() && self.ends_with_comment(&branch) {
                is_braced = false;
            }
            next = branch.otherwise.map(|list| self.otherwise(list));
        }
        if is_braced {
            self.lines.line("}");
        }
    }

    /// Prints the brace that ends a branch and what the user says behind it, if he does.
    fn ends_with_comment(&mut self, branch: &Branch) -> bool {
        let last = branch.body.last().map(|last| last.span);
        let comment = last.and_then(|last| self.comment_behind_block(last));
        if let Some(comment) = &comment {
            self.lines.line(&format!("}} {comment}"));
        }
        comment.is_some()
    }

    /// The branch behind an `else`.
    fn otherwise<'s>(&mut self, list: &'s [Statement]) -> Branch<'s> {
        if let [link] = list
            && let StatementKind::If(condition, then, otherwise) = &link.kind
        {
            let (head, said) = self.if_head(condition, link.span);
            return Branch {
                head: behind("else ", &head),
                said,
                body: then,
                otherwise: otherwise.as_deref(),
                link: Some(link),
            };
        }
        Branch {
            head: "else".to_string(),
            body: list,
            otherwise: None,
            link: None,
            said: Vec::new(),
        }
    }

    /// A branch, without the brace that ends it, and whether it has one. `is_braced`: the one
    /// before has, which comes first. `span`: the whole statement.
    fn branch(&mut self, branch: &Branch, is_braced: bool, span: Span) -> bool {
        let end = if is_braced { "} " } else { "" };
        let head = behind(end, &branch.head);
        let is_bare = self.is_bare(branch.body);
        let begin = if is_bare { "" } else { " {" };
        let start = self.lines.end();
        self.lines.line(&format!("{head}{begin}"));
        self.lines.indent(true);
        let behind_head = self.lines.end();
        if let Some(link) = branch.link {
            self.notes_before(link);
        }
        self.lines.comments(&branch.said);
        let has_notes = self.lines.end() != behind_head;
        // What a branch declares has an end there.
        let outside = self.declared.clone();
        match branch.body {
            [] => self.notes_alone(span, branch.otherwise),
            body => self.statements(body),
        }
        self.declared = outside;
        let call = match is_bare || has_notes {
            true => None,
            false => self.called_block(branch.body, behind_head),
        };
        self.lines.indent(false);
        match call {
            Some(call) => {
                self.lines.rewrite(start, &head);
                self.lines.indent(true);
                self.lines.line(&call);
                self.lines.indent(false);
                false
            }
            None => !is_bare,
        }
    }

    /// A statement with a body.
    pub(super) fn headed(&mut self, head: &str, body: &[Statement], span: Span) {
        self.conditional(head, body, None, span);
    }

    /// Whether a body stands without braces.
    fn is_bare(&self, body: &[Statement]) -> bool {
        let [statement] = body else { return false };
        let notes = self.notes.as_ref();
        let is_braced = notes.is_some_and(|notes| notes.is_braced(statement));
        (is_simple(statement) || self.is_called(statement)) && is_alone(statement) && !is_braced
    }

    /// Whether a macro makes `do … while`, so that its call may stand as one line.
    fn is_called(&self, statement: &Statement) -> bool {
        let known = self.cuda.alignment.as_ref();
        let call = known.and_then(|known| known.call_at(statement.span.start));
        matches!(statement.kind, StatementKind::DoWhile(..)) && call.is_some()
    }
}

/// A branch of an `if`.
struct Branch<'s> {
    head: String,
    body: &'s [Statement],
    otherwise: Option<&'s [Statement]>,
    /// The `if` behind `else`.
    link: Option<&'s Statement>,
    /// Comments that have no place in the head.
    said: Vec<Vec<String>>,
}

/// A head, which may have several lines, behind something else.
fn behind(begin: &str, head: &str) -> String {
    let margin = " ".repeat(begin.len());
    begin.to_owned() + &head.replace('\n', &format!("\n{margin}"))
}

/// Whether a statement is of one line, and no `else` behind it could be its own.
fn is_simple(statement: &Statement) -> bool {
    matches!(
        statement.kind,
        StatementKind::Expression(Some(_))
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Goto(_)
            | StatementKind::Return(_)
    )
}

/// Whether a statement needs nothing before it.
fn is_alone(statement: &Statement) -> bool {
    let is_literal = |e: &Expression| matches!(e.kind, ExpressionKind::CompoundLiteral(_));
    let mut needs_more = false;
    visit::own_expressions(statement, &mut |e| {
        needs_more |= crate::typed::visit::any(e, &mut |e| is_literal(e));
    });
    !needs_more
}
