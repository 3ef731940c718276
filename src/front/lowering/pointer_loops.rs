//! Loops that count with pointers.
//!
//! ```c
//! #pragma acc loop
//! for (float *p = a; p < a + n; p++)              // before
//!     *p *= 2;
//!
//! for (long p_index = 0; p_index < n; p_index++) { // after
//!     float *p = a + p_index;
//!     *p *= 2;
//! }
//! ```
//!
//! Input: a typed unit. Output: the same with such headers replaced in the
//! loops that directives govern; the pointer is declared in the body. The
//! host's text is not made from it.
//!
//! First value and bound are taken apart into a pointer and what is added to
//! it. Where the pointers differ, the loop counts up to the difference, which
//! must mean the same on host and device: that of pointers declared in the
//! construct, or in terms of what a pointer that never changes begins with, or
//! else one of pointers that the construct does not change, which the host
//! computes at the launch ([`Unit::launch_values`]). Pointers in memory are as
//! the device has them.

use std::collections::{BTreeMap, BTreeSet};

use super::canonical;
use super::constructs::{Construct, bodies};
use super::directives::Dialect;
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::{
    BinaryOperator, Conversion, Expression, ExpressionKind, For, Initializer, IntegerKind,
    QualType, Statement, StatementKind, SymbolId, Type, TypeId, UnaryOperator, Unit, visit,
};

/// Rewrites the loops of all functions.
pub fn run(unit: &mut Unit, directives: &dyn Dialect) {
    let long = unit.types.intern(Type::Integer(IntegerKind::Long));
    let mut launch_values = Vec::new();
    bodies(unit, &mut |unit, _, body| {
        let mut rewriting = Rewriting {
            unit,
            directives,
            long,
            modified: canonical::modified(body),
            initial: initial_values(unit, body),
            construct: None,
            launch_values: &mut launch_values,
        };
        rewriting.statement(body);
    });
    unit.launch_values.extend(launch_values);
}

/// How many pointers are followed to the one that others are made of.
const MOST_STEPS: usize = 16;

struct Rewriting<'u> {
    unit: &'u Unit,
    directives: &'u dyn Dialect,
    /// The type of differences.
    long: TypeId,
    /// What the function assigns to, or takes the address of.
    modified: BTreeSet<SymbolId>,
    /// What its pointers begin with.
    initial: BTreeMap<SymbolId, Expression>,
    /// The compute construct around, if there is one.
    construct: Option<Construct>,
    launch_values: &'u mut Vec<(SymbolId, Expression)>,
}

impl Rewriting<'_> {
    fn statement(&mut self, statement: &mut Statement) {
        if let StatementKind::Directive(directive, Some(body)) = &mut statement.kind {
            let role = self.directives.role(directive);
            let begins = self.construct.is_none() && role.is_construct;
            if begins {
                self.construct = Some(Construct::of(self.directives, directive, body));
            }
            if role.is_loop {
                self.nest(body, role.governs_several);
            }
            self.statement(body);
            if begins {
                self.construct = None;
            }
            return;
        }
        visit::children_mut(statement, &mut |inner| self.statement(inner));
    }

    /// The loop of a directive, and those inside that it may govern as well.
    /// The pointers are declared in the innermost.
    fn nest(&mut self, statement: &mut Statement, governs_several: bool) {
        let mut declarations = Vec::new();
        let mut next = Some(statement);
        let mut first = true;
        // A pointer from outside may be in a clause, and have a copy already.
        let mut all_own = true;
        while let Some(parts) = next.take().and_then(only_loop) {
            let is_own = matches!(
                parts.initializer.as_ref().map(|s| &s.kind),
                Some(StatementKind::Declaration(_))
            );
            all_own &= is_own;
            if first || is_own {
                declarations.extend(self.header(parts));
            }
            first = false;
            let goes_on = governs_several && is_loop(&parts.body);
            if !goes_on {
                if !declarations.is_empty() {
                    let body = parts.body.take();
                    match all_own {
                        true => declarations.extend(body.into_items()),
                        false => declarations.push(body),
                    }
                    parts.body.kind = StatementKind::Compound(declarations);
                }
                return;
            }
            next = Some(&mut parts.body);
        }
    }

    /// Makes a header count with an integer; gives the pointer's declaration.
    fn header(&mut self, parts: &mut For) -> Option<Statement> {
        let span = parts.initializer.as_ref()?.span;
        let mut header = canonical::pointer_header(self.unit, parts, span)?;
        if let ExpressionKind::Integer { .. } = header.step.kind {
            header.step.ty = QualType::plain(self.long);
        }
        if canonical::modification(self.unit, &parts.body, header.induction).is_some() {
            return None;
        }
        let (start, first) = self.taken_apart(&header.lower);
        let bound = self.resolved(&header.bound);
        let (end, last) = self.taken_apart(&bound);
        let (base, first, last) = if start.is_same(&end) {
            (start, first, last)
        } else if self.is_known(&header.lower) && self.is_known(&bound) {
            let difference = self.binary(BinaryOperator::Subtract, bound, header.lower.clone());
            (header.lower.clone(), None, Some(difference))
        } else {
            let (start, first) = self.traced(&header.lower);
            let (end, last) = self.traced(&bound);
            if start.is_same(&end) {
                (start, first, last)
            } else if let Some(difference) = self.of_host(header.induction, &start, &end) {
                let last = self.sum(Some(difference), last);
                (start, first, last)
            } else {
                // As the device has them: one lies in memory.
                let difference = self.binary(BinaryOperator::Subtract, bound, header.lower.clone());
                (header.lower.clone(), None, Some(difference))
            }
        };
        let wanted = format!("{}_index", self.unit.symbol(header.induction).name);
        // It stands for the pointer where loops are told of.
        let of = self.unit.symbol(header.induction).span;
        let index = synthesis::variable(self.unit, &wanted, self.long, of);
        let number = synthesis::symbol(self.unit, index, span);
        let ty = self.unit.symbol(header.induction).ty.ty;
        let pointer = Expression {
            ty: QualType::plain(ty),
            ..self.binary(BinaryOperator::Add, base, number.clone())
        };
        let zero = || synthesis::integer(0, self.long, span);
        let first = first.unwrap_or_else(zero);
        let last = last.unwrap_or_else(zero);
        parts.initializer = Some(synthesis::declaration(index, Some(first), span));
        let relation = header.relation.operator();
        parts.condition = Some(self.binary(relation, number.clone(), last));
        parts.step = Some(Expression {
            kind: ExpressionKind::CompoundAssign {
                operator: if header.downward {
                    BinaryOperator::Subtract
                } else {
                    BinaryOperator::Add
                },
                target: Box::new(number),
                value: Box::new(header.step),
                computation: self.long,
            },
            ty: QualType::plain(self.long),
            span,
        });
        Some(synthesis::declaration(
            header.induction,
            Some(pointer),
            span,
        ))
    }

    /// A pointer and what is added to it, in elements.
    fn taken_apart(&self, e: &Expression) -> (Expression, Option<Expression>) {
        let types = &self.unit.types;
        let is_pointer = |e: &Expression| types.pointee(e.ty.ty).is_some();
        match &e.kind {
            ExpressionKind::Parenthesized(inner) => self.taken_apart(inner),
            ExpressionKind::Convert(Conversion::Pointer, inner)
                if types.pointee(inner.ty.ty).map(|to| to.ty)
                    == types.pointee(e.ty.ty).map(|to| to.ty) =>
            {
                self.taken_apart(inner)
            }
            ExpressionKind::Binary(BinaryOperator::Add, a, b) => {
                let (pointer, number) = if is_pointer(a) { (a, b) } else { (b, a) };
                self.further(pointer, BinaryOperator::Add, number)
            }
            ExpressionKind::Binary(BinaryOperator::Subtract, a, b) if !is_pointer(b) => {
                self.further(a, BinaryOperator::Subtract, b)
            }
            ExpressionKind::Unary(UnaryOperator::AddressOf, inner) => match &inner.inner().kind {
                ExpressionKind::Index(pointer, number) => {
                    self.further(pointer, BinaryOperator::Add, number)
                }
                _ => (e.clone(), None),
            },
            _ => (e.clone(), None),
        }
    }

    /// As [`Self::taken_apart`], back to a pointer that no other one gives its
    /// value.
    fn traced(&self, e: &Expression) -> (Expression, Option<Expression>) {
        let (mut base, mut offset) = self.taken_apart(e);
        // A pointer may be made of itself, which has no value.
        for _ in 0..MOST_STEPS {
            let value = self.resolved(&base);
            if value.is_same(&base) {
                break;
            }
            let (further, before) = self.taken_apart(&value);
            (base, offset) = (further, self.sum(before, offset));
        }
        (base, offset)
    }

    fn sum(&self, a: Option<Expression>, b: Option<Expression>) -> Option<Expression> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.binary(BinaryOperator::Add, a, b)),
            (a, b) => a.or(b),
        }
    }

    fn further(
        &self,
        pointer: &Expression,
        operator: BinaryOperator,
        number: &Expression,
    ) -> (Expression, Option<Expression>) {
        let (base, before) = self.taken_apart(pointer);
        let number = self.signed(number.clone());
        let sum = match (before, operator) {
            (None, BinaryOperator::Add) => number,
            (None, _) => {
                let zero = synthesis::integer(0, self.long, number.span);
                self.binary(operator, zero, number)
            }
            (Some(before), _) => self.binary(operator, before, number),
        };
        (base, Some(sum))
    }

    /// An offset in which a difference may be negative.
    fn signed(&self, e: Expression) -> Expression {
        match self.unit.types.get(e.ty.ty) {
            Type::Integer(IntegerKind::UnsignedLong | IntegerKind::UnsignedLongLong) => {
                let ty = QualType::plain(self.long);
                let span = e.span;
                let kind = ExpressionKind::Cast(Box::new(synthesis::parenthesized(e)));
                Expression { kind, ty, span }
            }
            _ => e,
        }
    }

    /// What a pointer is that is declared outside of the construct, has a
    /// value there and keeps it, as all that the value is made of does.
    fn resolved(&self, bound: &Expression) -> Expression {
        let Some(symbol) = bound.as_symbol() else {
            return bound.clone();
        };
        let keeps = |symbol: SymbolId| !self.modified.contains(&symbol);
        let value = self.initial.get(&symbol).filter(|_| keeps(symbol));
        let value = value.filter(|_| self.construct.is_some());
        let Some(value) = value else {
            return bound.clone();
        };
        let mut constant = true;
        visit::walk(value, &mut |e| {
            constant = constant
                && match e.kind {
                    ExpressionKind::Symbol(s) => {
                        let variable = self.unit.symbol(s);
                        let is_array = self.unit.types.is_array(variable.ty.ty);
                        is_array || variable.is_automatic() && keeps(s)
                    }
                    ExpressionKind::Binary(..)
                    | ExpressionKind::Integer { .. }
                    | ExpressionKind::Parenthesized(_)
                    | ExpressionKind::Convert(..)
                    | ExpressionKind::Cast(_) => true,
                    _ => false,
                };
        });
        if constant { value } else { bound }.clone()
    }

    /// Whether a pointer has its value from the device's own code.
    fn is_known(&self, pointer: &Expression) -> bool {
        let Some(construct) = &self.construct else {
            return true;
        };
        let (base, _) = self.taken_apart(pointer);
        base.as_symbol()
            .is_some_and(|symbol| construct.declared.contains(&symbol))
    }

    /// The difference of two pointers that the host has at the launch and the
    /// construct does not change, as a variable that the launch passes.
    fn of_host(
        &mut self,
        pointer: SymbolId,
        start: &Expression,
        end: &Expression,
    ) -> Option<Expression> {
        let construct = self.construct.as_ref()?;
        let is_of_host = |e: &Expression| match e.kind {
            ExpressionKind::Symbol(symbol) => {
                !construct.declared.contains(&symbol) && !construct.modified.contains(&symbol)
            }
            ExpressionKind::Integer { .. }
            | ExpressionKind::Parenthesized(_)
            | ExpressionKind::Convert(..)
            | ExpressionKind::Cast(_)
            | ExpressionKind::Binary(..)
            | ExpressionKind::Member { .. }
            | ExpressionKind::Unary(UnaryOperator::AddressOf, _) => true,
            _ => false,
        };
        let mut is_known = true;
        for e in [start, end] {
            visit::walk(e, &mut |e| is_known &= is_of_host(e));
        }
        let difference = self.binary(BinaryOperator::Subtract, end.clone(), start.clone());
        if !is_known {
            return None;
        }
        let span = start.span;
        let wanted = format!("{}_length", self.unit.symbol(pointer).name);
        // It is the host's, wherever the pointers are written.
        let length = synthesis::variable(self.unit, &wanted, self.long, Span::default());
        self.launch_values.push((length, difference));
        Some(synthesis::symbol(self.unit, length, span))
    }

    fn binary(&self, operator: BinaryOperator, a: Expression, b: Expression) -> Expression {
        synthesis::binary(operator, a, b, self.long)
    }
}

/// The loop that a statement is, or that is all there is in a block.
fn only_loop(statement: &mut Statement) -> Option<&mut For> {
    match &mut statement.kind {
        StatementKind::For(parts) => Some(parts),
        StatementKind::Compound(items) => match items.as_mut_slice() {
            [one] => only_loop(one),
            _ => None,
        },
        _ => None,
    }
}

fn is_loop(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::For(_) => true,
        StatementKind::Compound(items) => matches!(items.as_slice(), [one] if is_loop(one)),
        _ => false,
    }
}

/// What the pointers that a function declares begin with.
fn initial_values(unit: &Unit, body: &Statement) -> BTreeMap<SymbolId, Expression> {
    let mut found = BTreeMap::new();
    visit::statements(body, &mut |statement| {
        let StatementKind::Declaration(list) = &statement.kind else {
            return;
        };
        for one in list {
            if let Some(Initializer::Expression(e)) = &one.initializer
                && unit.types.pointee(unit.symbol(one.symbol).ty.ty).is_some()
            {
                found.insert(one.symbol, e.clone());
            }
        }
    });
    found
}
