//! `for` statements that are no counted loops.
//!
//! Their variables stand in the header where one C++ declaration has them all, else in a block
//! around the loop, in C's order and scope:
//!
//! ```text
//! for (int i = n, *p = &i; …)        for (int i = n, *p = &i; …)
//! for (const int i = n, *p = &i; …)  for (const int i = n, *p = &i; …)
//! for (int i = n, (*p)[m] = a; …)    {
//!                                        int i = n;
//!                                        …
//!                                        for (; …)
//! ```

use super::body::Body;
use crate::ir::{PlainFor, StatementKind};
use crate::source::Span;
use crate::typed::Expression;

impl Body<'_> {
    pub(super) fn plain_for(&mut self, l: &PlainFor, span: Span) {
        let first = match l.initializer.as_ref().map(|s| &s.kind) {
            Some(StatementKind::Expression(Some(e))) => {
                self.name_parts(e);
                self.text(e)
            }
            Some(StatementKind::Declaration(list)) if self.has_one_declaration(list) => {
                self.one_declaration(list)
            }
            Some(StatementKind::Declaration(list)) => {
                self.lines.open("{");
                list.iter().for_each(|one| self.declaration(one));
                self.for_with(l, span, "");
                return self.lines.close("}");
            }
            _ => String::new(),
        };
        self.for_with(l, span, &first);
    }

    /// The loop with what its header begins with.
    fn for_with(&mut self, l: &PlainFor, span: Span, first: &str) {
        let part = |e: &Option<Expression>, body: &Self| {
            e.as_ref()
                .map(|e| format!(" {}", body.text(e)))
                .unwrap_or_default()
        };
        let (condition, step) = (part(&l.condition, self), part(&l.step, self));
        let head = format!("for ({first};{condition};{step})");
        let head = self.head(span, head);
        self.unroll(span);
        self.headed(&head, &l.body, span);
    }
}
