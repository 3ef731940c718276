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
use crate::typed::{Expression, ExpressionKind, LocalDeclaration, visit};

impl Body<'_> {
    pub(super) fn plain_for(&mut self, l: &PlainFor) {
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
                self.for_with(l, "");
                return self.lines.close("}");
            }
            _ => String::new(),
        };
        self.for_with(l, &first);
    }

    /// The loop with what its header begins with.
    fn for_with(&mut self, l: &PlainFor, first: &str) {
        let part = |e: &Option<Expression>, body: &Self| {
            e.as_ref()
                .map(|e| format!(" {}", body.text(e)))
                .unwrap_or_default()
        };
        let (condition, step) = (part(&l.condition, self), part(&l.step, self));
        self.headed(&format!("for ({first};{condition};{step})"), &l.body);
    }

    /// Whether one declaration in a header can be of all these.
    fn has_one_declaration(&self, list: &[LocalDeclaration]) -> bool {
        let is_plain = |one: &LocalDeclaration| {
            let symbol = one.symbol;
            let is_passed = one.initializer.is_some() && self.passed.has(symbol);
            let is_elsewhere = self.is_shared(symbol) || self.private_arrays.contains_key(&symbol);
            let mut needs_more = !one.lengths.is_empty() || is_passed || is_elsewhere;
            one.values(&mut |value| {
                needs_more |= visit::any(value, &mut |e| {
                    matches!(
                        e.kind,
                        ExpressionKind::CompoundLiteral(_) | ExpressionKind::Statement(_)
                    )
                });
            });
            !needs_more
        };
        let mut specifiers = list.iter().map(|one| self.local_declarator(one).0);
        let first = specifiers.next();
        list.iter().all(is_plain) && specifiers.all(|other| Some(other) == first)
    }

    /// `int i = 0, *p = &i`.
    fn one_declaration(&mut self, list: &[LocalDeclaration]) -> String {
        let mut text = String::new();
        for declaration in list {
            let (specifiers, declarator) = self.local_declarator(declaration);
            self.declared.insert(declaration.symbol);
            let before = if text.is_empty() {
                specifiers + " "
            } else {
                ", ".into()
            };
            text.push_str(&before);
            text.push_str(&declarator);
            if let Some(value) = &declaration.initializer {
                let ty = self.unit.symbol(declaration.symbol).ty;
                let value = self.initializer(value, ty, declaration.span);
                text.push_str(&format!(" = {value}"));
            }
        }
        text
    }

    /// The specifiers and the declarator of a variable.
    fn local_declarator(&self, declaration: &LocalDeclaration) -> (String, String) {
        let symbol = declaration.symbol;
        let mut ty = self.unit.symbol(symbol).ty;
        ty.qualifiers.is_const &= declaration.initializer.is_some();
        let name = self.name(symbol);
        self.cuda.declarator_as(self.unit, symbol, ty, &name)
    }
}
