//! What holds in a whole kernel: who is assigned how often, which memory the
//! kernel writes.

use std::rc::Rc;

use indexmap::{IndexMap, IndexSet};

use super::formula::{self, Formula};
use crate::analysis::effects::{Oracle, Place, Touch};
use crate::analysis::scope::Scope;
use crate::ir::{DeviceFunction, Kernel, Statement, StatementKind, visit};
use crate::typed::{Expression, SymbolId, Unit};

/// What holds in a whole kernel.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Where its variables live.
    pub scope: Scope,
    /// How often variables are assigned in the text, headers of counted loops
    /// apart.
    assignments: IndexMap<SymbolId, usize>,
    /// Variables whose address is known somewhere.
    escapes: IndexSet<SymbolId>,
    /// Memory that the kernel writes.
    written: IndexSet<Place>,
    /// What the functions that the kernel calls give, where that is one
    /// expression.
    pub(super) formulas: Rc<IndexMap<SymbolId, Formula>>,
    /// There is a label, to which a `goto` may lead.
    pub has_labels: bool,
}

impl Facts {
    /// Looks at a kernel before its windows are opened.
    pub fn of(kernel: &Kernel, functions: &[DeviceFunction], oracle: &Oracle) -> Self {
        let scope = Scope::of(kernel, oracle.unit());
        let effects = oracle.list(&kernel.body);
        let written = effects
            .writes
            .into_iter()
            .filter(|&place| !scope.is_private(place))
            .collect();
        let mut facts = Self {
            scope,
            assignments: IndexMap::new(),
            escapes: effects.escapes,
            written,
            formulas: Rc::new(formula::all(functions, oracle)),
            has_labels: false,
        };
        visit::walk(&kernel.body, &mut |s| {
            facts.count(s, oracle);
            facts.has_labels |= matches!(s.kind, StatementKind::Label(_));
        });
        facts
    }

    fn count(&mut self, statement: &Statement, oracle: &Oracle) {
        visit::own_expressions(statement, &mut |e| self.count_expression(e, oracle));
        if let StatementKind::Declaration(list) = &statement.kind {
            for declaration in list {
                if declaration.initializer.is_some() {
                    *self.assignments.entry(declaration.symbol).or_default() += 1;
                }
            }
        }
    }

    fn count_expression(&mut self, e: &Expression, oracle: &Oracle) {
        oracle.accesses(e, &mut |access| {
            if let (Touch::Write, Place::Variable(symbol)) = (access.touch, access.place) {
                *self.assignments.entry(symbol).or_default() += 1;
            }
        });
    }

    /// How often a variable is assigned in a part of the kernel.
    pub(super) fn assignments_in(list: &[Statement], symbol: SymbolId, oracle: &Oracle) -> usize {
        let mut facts = Self::default();
        visit::walk(list, &mut |s| facts.count(s, oracle));
        facts.assignments.get(&symbol).copied().unwrap_or(0)
    }

    /// How often an expression assigns a variable.
    pub(super) fn assignments_of(e: &Expression, symbol: SymbolId, oracle: &Oracle) -> usize {
        let mut facts = Self::default();
        facts.count_expression(e, oracle);
        facts.assignments.get(&symbol).copied().unwrap_or(0)
    }

    /// Whether a variable is assigned, headers of counted loops apart.
    pub fn is_assigned(&self, symbol: SymbolId) -> bool {
        self.assignments(symbol) > 0 || self.escapes.contains(&symbol)
    }

    /// Whether a loop's body leaves its variable alone.
    pub(super) fn is_kept_by(&self, body: &[Statement], symbol: SymbolId, unit: &Unit) -> bool {
        let oracle = Oracle::new(unit, &[]);
        let mut counts_again = false;
        visit::loops(body, &mut |l| counts_again |= l.induction == symbol);
        !counts_again
            && !self.escapes.contains(&symbol)
            && Self::assignments_in(body, symbol, &oracle) == 0
    }

    /// Whether a local has one value as long as it lives.
    pub(super) fn is_assigned_once(&self, symbol: SymbolId) -> bool {
        self.assignments(symbol) == 1
            && !self.escapes.contains(&symbol)
            && self.scope.is_private(Place::Variable(symbol))
            && !self.is_captured(symbol)
    }

    /// How often a variable is assigned, headers of counted loops apart.
    pub(super) fn assignments(&self, symbol: SymbolId) -> usize {
        self.assignments.get(&symbol).copied().unwrap_or(0)
    }

    /// Whether the assignments of a variable can be followed in the text.
    pub(super) fn is_local(&self, symbol: SymbolId) -> bool {
        self.scope.is_private(Place::Variable(symbol))
            && !self.escapes.contains(&symbol)
            && !self.scope.shared.contains(&symbol)
    }

    /// Whether every thread has this variable's value from the launch, and no
    /// one changes it.
    pub(super) fn is_given(&self, symbol: SymbolId) -> bool {
        self.is_captured(symbol) && !self.is_assigned(symbol)
    }

    fn is_captured(&self, symbol: SymbolId) -> bool {
        self.scope.captured.contains(&symbol)
    }

    /// Whether the kernel leaves a place in memory as it is.
    pub fn is_constant(&self, place: Place) -> bool {
        self.scope.is_private(place)
            || !self
                .written
                .iter()
                .any(|&written| self.scope.may_alias(place, written))
    }
}
