//! What has to be taken apart, and what all threads have to compute.

use std::collections::HashSet;

use super::jumps::leaves;
use crate::analysis::effects::{Effects, Oracle, Place};
use crate::analysis::scope::Scope;
use crate::analysis::uniformity::{Uniformity, waits};
use crate::ir::{Kernel, SharedWindow, Statement, StatementKind, visit};
use crate::typed::{Expression, SymbolId};

/// The decisions for one kernel.
pub struct Opened<'a> {
    answers: &'a Uniformity<'a>,
    scope: &'a Scope,
    oracle: &'a Oracle<'a>,
    /// Uniform variables that threads without an iteration need as well: for
    /// conditions around barriers, bounds, and bases of windows.
    needed: HashSet<SymbolId>,
}

impl<'a> Opened<'a> {
    /// Looks at a whole kernel.
    pub fn of(
        kernel: &Kernel,
        answers: &'a Uniformity<'a>,
        scope: &'a Scope,
        oracle: &'a Oracle<'a>,
    ) -> Self {
        let mut opened = Self {
            answers,
            scope,
            oracle,
            needed: HashSet::new(),
        };
        let opening = kernel.windows.iter().flat_map(SharedWindow::opening);
        opening.for_each(|e| opened.need(&oracle.expression(e)));
        loop {
            let known = opened.needed.len();
            visit::walk(&kernel.body, &mut |statement| opened.look_at(statement));
            if opened.needed.len() == known {
                return opened;
            }
        }
    }

    /// Whether a statement is split.
    pub fn contains(&self, statement: &Statement) -> bool {
        match &statement.kind {
            StatementKind::Expression(_) | StatementKind::Declaration(_) => false,
            _ if is_around(statement) => true,
            _ => self.defines(statement) && !self.is_all_common(statement),
        }
    }

    /// Whether all threads run a statement without barriers.
    pub fn is_common(&self, statement: &Statement) -> bool {
        !is_around(statement) && self.defines(statement) && self.is_all_common(statement)
    }

    /// Whether threads without an iteration need a variable.
    pub fn needs(&self, symbol: SymbolId) -> bool {
        self.needed.contains(&symbol)
    }

    /// Whether a statement gives a needed variable its value.
    pub fn defines(&self, statement: &Statement) -> bool {
        let effects = self.oracle.statement(statement);
        effects.writes.iter().any(|place| match place {
            Place::Variable(symbol) => self.needs(*symbol),
            _ => false,
        })
    }

    /// All threads need what a value is made of.
    fn need(&mut self, effects: &Effects) {
        for &place in &effects.reads {
            if let Place::Variable(symbol) = place
                && self.scope.is_private(place)
                && !self.answers.varies(symbol)
            {
                self.needed.insert(symbol);
            }
        }
    }

    fn look_at(&mut self, statement: &Statement) {
        let is_simple = matches!(
            statement.kind,
            StatementKind::Expression(_) | StatementKind::Declaration(_)
        );
        if is_simple {
            if self.defines(statement) {
                self.need(&self.oracle.statement(statement));
            }
            return;
        }
        let is_run_by_all = is_around(statement) || self.defines(statement);
        let decides = self.jumps_alike(statement);
        let mut needed = Vec::new();
        visit::own_expressions(statement, &mut |e| {
            if decides || is_run_by_all && self.answers.is_uniform(e) {
                needed.push(self.oracle.expression(e));
            }
        });
        needed.iter().for_each(|effects| self.need(effects));
    }

    /// Whether all that a statement does is to compute uniform variables.
    fn is_all_common(&self, statement: &Statement) -> bool {
        let is_other = |e: &Expression| !self.answers.is_common(e, true);
        let mut others = leaves(statement);
        visit::walk(std::slice::from_ref(statement), &mut |s| {
            visit::own_expressions(s, &mut |e| others = others || is_other(e));
        });
        !others
    }

    /// Whether a statement is a test of all threads that decides about a jump.
    fn jumps_alike(&self, statement: &Statement) -> bool {
        match &statement.kind {
            StatementKind::If(condition, ..) => {
                leaves(statement) && self.answers.is_uniform(condition)
            }
            _ => false,
        }
    }
}

/// Whether a list has a loop that the block walks by tiles.
pub fn has_tile(list: &[Statement]) -> bool {
    visit::any_loop(list, &mut |l| l.tile.is_some())
}

/// Whether a statement is one that threads wait in, or a tiled loop, or has such
/// inside.
pub fn is_around(statement: &Statement) -> bool {
    let list = std::slice::from_ref(statement);
    waits(list) || has_tile(list)
}
