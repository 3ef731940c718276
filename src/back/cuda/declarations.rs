//! Declarations of several variables, which are one where C++ can have them in one, and of
//! copies of variables with their first values.

use std::collections::{HashMap, HashSet};

use super::body::Body;
use crate::ir::{self, Statement, StatementKind};
use crate::source::Span;
use crate::typed::print::precedence;
use crate::typed::{Expression, ExpressionKind, LocalDeclaration, SymbolId, visit};

impl Body<'_> {
    /// An expression as a statement, which declares a copy of a variable where it is the first that
    /// sets it.
    pub(super) fn expression_statement(&mut self, e: &Expression) {
        if let ExpressionKind::Assign(target, value) = &e.kind
            && let Some(symbol) = target.as_symbol()
            && self.first_values.get(&e.span) == Some(&symbol)
        {
            self.first_values.remove(&e.span);
            let unused = self.unused_copy(symbol);
            let declarator = self.declarator(symbol);
            let value = self.operand(value, precedence::ASSIGNMENT);
            return self.lines.line(&format!("{unused}{declarator} = {value};"));
        }
        let text = self.text(e);
        self.lines.line(&format!("{text};"));
    }

    /// Whether a statement declares what the next one, an atomic access, sets as its result: that
    /// declares the variable then.
    pub(super) fn declares_captured(&mut self, statement: &Statement, next: &Statement) -> bool {
        let (StatementKind::Declaration(list), StatementKind::Atomic(atomic)) =
            (&statement.kind, &next.kind)
        else {
            return false;
        };
        let ([one], Ok(access)) = (list.as_slice(), atomic.access()) else {
            return false;
        };
        let symbol = one.symbol;
        let is_result = access.capture.and_then(|(result, _)| result.as_symbol()) == Some(symbol);
        let mut named = 0;
        ir::visit::symbols(std::slice::from_ref(next), &mut |id| {
            named += usize::from(id == symbol);
        });
        let is_plain = one.initializer.is_none()
            && !self.passed.has(symbol)
            && self.unused(symbol).is_empty()
            && self.has_one_declaration(list);
        if !is_result || named != 1 || !is_plain || self.has_comment_behind(statement) {
            return false;
        }
        self.notes_before(statement);
        self.first_values.insert(next.span, symbol);
        true
    }

    /// Declares variables that the user declares together.
    pub(super) fn declarations(&mut self, list: &[LocalDeclaration]) {
        let first = list.first().map(|one| self.unused(one.symbol));
        let mut unused = list.iter().map(|one| self.unused(one.symbol));
        let are_alike = unused.all(|one| Some(one) == first);
        if list.len() > 1 && are_alike && self.has_one_declaration(list) {
            let text = self.one_declaration(list);
            let unused = first.unwrap_or_default();
            return self.lines.line(&format!("{unused}{text};"));
        }
        list.iter().for_each(|one| self.declaration(one));
    }

    /// Whether one declaration can be of all these.
    pub(super) fn has_one_declaration(&self, list: &[LocalDeclaration]) -> bool {
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
    pub(super) fn one_declaration(&mut self, list: &[LocalDeclaration]) -> String {
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
        let (specifiers, declarator) = self.cuda.declarator_as(self.unit, symbol, ty, &name);
        (self.aligned(symbol) + &specifiers, declarator)
    }
}

/// Which of these variables a list of statements sets before it uses them otherwise, each by one of
/// its own statements and without jumps into it: the places of the assignments.
pub(super) fn set_first(list: &[Statement], of: &[SymbolId]) -> HashMap<SymbolId, Span> {
    let mut found = HashMap::new();
    let is_label = |statement: &Statement| matches!(statement.kind, StatementKind::Label(_));
    if of.is_empty() || ir::visit::any(list, &mut |statement| is_label(statement)) {
        return found;
    }
    let mut open: HashSet<SymbolId> = of.iter().copied().collect();
    for statement in list {
        let mut named: HashMap<SymbolId, usize> = HashMap::new();
        ir::visit::symbols(std::slice::from_ref(statement), &mut |symbol| {
            *named.entry(symbol).or_default() += 1;
        });
        if let StatementKind::Expression(Some(e)) = &statement.kind
            && let ExpressionKind::Assign(target, _) = &e.kind
            && let Some(symbol) = target.as_symbol()
            && open.contains(&symbol)
            && named.get(&symbol) == Some(&1)
        {
            found.insert(symbol, e.span);
        }
        open.retain(|symbol| !named.contains_key(symbol));
    }
    found
}
