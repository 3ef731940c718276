//! Variables that code sets and whose values it never uses.
//!
//! `if (i == 2) x = 5;` in a construct that has a copy of `x` is of no use to
//! anything there, and the user's compiler does not warn of it: to the host,
//! `x` is in use elsewhere. Such a copy needs no value at the launch, and
//! compilers are told that it is unused.

use std::collections::HashSet;

use super::{Statement, StatementKind, visit};
use crate::typed::visit::operands;
use crate::typed::{Conversion, Expression, ExpressionKind, SymbolId, Unit};

/// What code does with variables.
#[derive(Debug, Default)]
pub struct Usage {
    set: HashSet<SymbolId>,
    used: HashSet<SymbolId>,
}

impl Usage {
    /// That of a list of statements.
    pub fn of(list: &[Statement], unit: &Unit) -> Self {
        let mut usage = Self::default();
        visit::walk(list, &mut |statement| {
            match &statement.kind {
                StatementKind::Loop(l) => {
                    usage.used.insert(l.induction);
                }
                StatementKind::Declaration(declared) => {
                    let lengths = declared.iter().flat_map(|one| &one.lengths);
                    lengths.for_each(|length| usage.value(unit.length(*length)));
                }
                _ => {}
            }
            visit::own_expressions(statement, &mut |e| usage.value(e));
        });
        usage
    }

    /// Whether a variable is assigned, and no statement uses its value.
    pub fn is_only_set(&self, symbol: SymbolId) -> bool {
        self.set.contains(&symbol) && !self.used.contains(&symbol)
    }

    /// Whether no statement uses a variable's value.
    pub fn is_never_used(&self, symbol: SymbolId) -> bool {
        !self.used.contains(&symbol)
    }

    /// What an expression uses.
    fn value(&mut self, e: &Expression) {
        match &e.kind {
            ExpressionKind::Symbol(symbol) => {
                self.used.insert(*symbol);
            }
            ExpressionKind::Assign(place, assigned) => {
                self.target(place);
                self.value(assigned);
            }
            _ => operands(e, &mut |operand| self.value(operand)),
        }
    }

    /// What the place of an assignment uses: subscripts and pointers.
    fn target(&mut self, e: &Expression) {
        match &e.kind {
            ExpressionKind::Symbol(symbol) => {
                self.set.insert(*symbol);
            }
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Convert(Conversion::ArrayToPointer, inner)
            | ExpressionKind::Member {
                base: inner,
                arrow: false,
                ..
            } => self.target(inner),
            ExpressionKind::Index(array, index) => {
                self.element(array);
                self.value(index);
            }
            _ => self.value(e),
        }
    }

    /// What the array of an assigned element uses: a pointer is read.
    fn element(&mut self, array: &Expression) {
        match &array.kind {
            ExpressionKind::Convert(Conversion::ArrayToPointer, _) => self.target(array),
            ExpressionKind::Parenthesized(inner) => self.element(inner),
            _ => self.value(array),
        }
    }
}
