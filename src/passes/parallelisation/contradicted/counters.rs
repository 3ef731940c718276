//! Places that a counter gives, which the iterations of a parallel loop would have to share.
//!
//! ```c
//! #pragma acc parallel loop
//! for (int i = 0; i < n; i++)
//!     b[k++] = a[i];            // warned of: how many iterations came before?
//! ```
//!
//! The counter is a scalar from outside the loop that its body does nothing with but add to it, and
//! iterations write to an element that it names: each of them, or those that a condition chooses. What
//! chooses one iteration alone (`if (i == 0)`) says nothing.

use std::collections::BTreeSet;

use super::super::proof::Prover;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{Loop, Passing, Statement, StatementKind, visit};
use crate::typed::{self, BinaryOperator, Expression, ExpressionKind, SymbolId};

/// What is said of a loop, if it is one.
pub fn of_loop(prover: &Prover, l: &Loop, own: &BTreeSet<SymbolId>) -> Option<Diagnostic> {
    let mut several = Vec::new();
    in_several_iterations(l.induction, &l.body, &mut several);
    let mut counters = Vec::new();
    for e in &several {
        typed::visit::walk(e, &mut |part| counters.extend(counted(part)));
    }
    let targets = several.iter().filter_map(|e| e.inner().assigned());
    targets
        .filter(|target| is_shared(prover, target, own))
        .find_map(|target| {
            let is_place = |counter: &SymbolId| {
                target.mentions(*counter) && is_counter(prover, l, own, *counter)
            };
            let counter = counters.iter().copied().find(is_place)?;
            Some(warning(prover, l, target, counter))
        })
}

/// The expressions that more than one iteration may evaluate, and whole.
fn in_several_iterations<'k>(
    induction: SymbolId,
    list: &'k [Statement],
    found: &mut Vec<&'k Expression>,
) {
    for statement in list {
        match &statement.kind {
            StatementKind::Expression(Some(e)) if !is_partial(e) => found.push(e),
            StatementKind::Block(inner) => in_several_iterations(induction, inner, found),
            StatementKind::Loop(l) => in_several_iterations(induction, &l.body, found),
            StatementKind::If(condition, then, otherwise) if !is_of_one(condition, induction) => {
                in_several_iterations(induction, then, found);
                otherwise
                    .iter()
                    .for_each(|list| in_several_iterations(induction, list, found));
            }
            _ => {}
        }
    }
}

/// Whether a condition compares an iteration's number, which may be that of one iteration alone.
fn is_of_one(condition: &Expression, induction: SymbolId) -> bool {
    let is_number = |e: &Expression| {
        let mut reads_memory = false;
        typed::visit::walk(e, &mut |part| {
            reads_memory |= matches!(
                part.kind,
                ExpressionKind::Index(..) | ExpressionKind::Call { .. }
            ) || matches!(&part.kind, ExpressionKind::Unary(operator, _)
                if *operator == typed::UnaryOperator::Indirection);
        });
        !reads_memory && e.mentions(induction)
    };
    typed::visit::any(condition, &mut |e| match &e.kind {
        ExpressionKind::Binary(BinaryOperator::Equal, a, b) => is_number(a) || is_number(b),
        _ => false,
    })
}

/// Whether operands may be left out.
pub(super) fn is_partial(e: &Expression) -> bool {
    typed::visit::any(e, &mut |part| match &part.kind {
        ExpressionKind::Conditional(..) | ExpressionKind::Statement(_) => true,
        ExpressionKind::Binary(operator, ..) => {
            matches!(
                operator,
                BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr
            )
        }
        _ => false,
    })
}

/// The variable that an expression adds to.
fn counted(e: &Expression) -> Option<SymbolId> {
    match &e.kind {
        ExpressionKind::Unary(operator, target) if operator.is_step() => target.as_symbol(),
        ExpressionKind::CompoundAssign {
            operator: BinaryOperator::Add | BinaryOperator::Subtract,
            target,
            ..
        } => target.as_symbol(),
        _ => None,
    }
}

/// Whether a loop does nothing with a variable from outside but add to it and read it.
fn is_counter(prover: &Prover, l: &Loop, own: &BTreeSet<SymbolId>, symbol: SymbolId) -> bool {
    let capture = prover.kernel.capture(symbol);
    let is_outside = capture
        .is_some_and(|capture| matches!(capture.passing, Passing::Value | Passing::Reference));
    let unit = prover.oracle.unit();
    let mut is_added_to = unit.types.is_integer(unit.symbol(symbol).ty.ty);
    visit::expressions(&l.body, &mut |e| {
        let is_changed = e
            .assigned()
            .is_some_and(|target| target.as_symbol() == Some(symbol));
        is_added_to &= !is_changed || counted(e).is_some();
        is_added_to &= !matches!(&e.kind, ExpressionKind::Unary(typed::UnaryOperator::AddressOf, to) if to.mentions(symbol));
    });
    visit::walk(&l.body, &mut |statement| {
        is_added_to &= !matches!(statement.kind, StatementKind::Atomic(_));
    });
    let is_of_loop = visit::own_variables(&l.body).contains(&symbol)
        || visit::any_loop(&l.body, &mut |inner| inner.induction == symbol);
    is_outside && is_added_to && !is_of_loop && symbol != l.induction && !own.contains(&symbol)
}

/// Whether an element is of an array that all iterations share.
fn is_shared(prover: &Prover, target: &Expression, own: &BTreeSet<SymbolId>) -> bool {
    let root = prover.oracle.place(target).symbol();
    let capture = root.and_then(|root| prover.kernel.capture(root));
    capture.is_some_and(|capture| {
        matches!(capture.passing, Passing::Array | Passing::Pointer)
            && !own.contains(&capture.symbol)
    })
}

fn warning(prover: &Prover, l: &Loop, target: &Expression, counter: SymbolId) -> Diagnostic {
    let unit = prover.oracle.unit();
    let (variable, counter) = (&unit.symbol(l.induction).name, &unit.symbol(counter).name);
    let message = format!("the iterations of the loop over `{variable}` depend on each other");
    let (place, says) = super::claim(l);
    Diagnostic::warning(codes::DEPENDENCE, message, target.span)
        .label(format!("`{counter}` counts the iterations before"))
        .also(place, says)
        .note("what it computes differs from run to run")
        .help(format!(
            "compute the place from `{variable}`, take it with `#pragma acc atomic capture`, or put \
             `seq` on the loop"
        ))
}
