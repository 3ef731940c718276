//! What has to be taken apart, and what all threads have to compute.

use std::collections::HashSet;

use crate::analysis::block_uniformity::{BlockUniformity, key};
use crate::analysis::effects::{Effects, Oracle, Place};
use crate::analysis::scope::Scope;
use crate::analysis::uniformity::waits;
use crate::ir::{Kernel, Statement, StatementKind, visit};
use crate::typed::{Expression, SymbolId};

/// The decisions for one tree.
pub struct Opened {
    /// Statements to be split, by [`key`].
    statements: HashSet<usize>,
    /// Statements without barriers that all threads run, by [`key`].
    common: HashSet<usize>,
    /// Uniform variables that threads without an iteration need as well: for
    /// conditions around barriers, bounds, and bases of windows.
    needed: HashSet<SymbolId>,
}

impl Opened {
    /// Looks at a whole kernel.
    pub fn of(kernel: &Kernel, answers: &BlockUniformity, scope: &Scope, oracle: &Oracle) -> Self {
        let mut search = Search {
            answers,
            scope,
            oracle,
            opened: Self {
                statements: HashSet::new(),
                common: HashSet::new(),
                needed: HashSet::new(),
            },
        };
        for window in &kernel.windows {
            for dimension in &window.dimensions {
                for e in dimension.opening() {
                    search.need(&oracle.expression(e));
                }
            }
        }
        loop {
            let known = search.size();
            search.list(&kernel.body);
            if search.size() == known {
                return search.opened;
            }
        }
    }

    /// Whether a statement is split.
    pub fn contains(&self, statement: &Statement) -> bool {
        self.statements.contains(&key(statement))
    }

    /// Whether all threads run a statement without barriers.
    pub fn is_common(&self, statement: &Statement) -> bool {
        self.common.contains(&key(statement))
    }

    /// Whether threads without an iteration need a variable.
    pub fn needs(&self, symbol: SymbolId) -> bool {
        self.needed.contains(&symbol)
    }

    /// Whether an expression gives a needed variable its value.
    pub fn defines(&self, e: &Expression, oracle: &Oracle) -> bool {
        self.is_defined_by(&oracle.expression(e))
    }

    fn is_defined_by(&self, effects: &Effects) -> bool {
        effects.writes.iter().any(|place| match place {
            Place::Variable(symbol) => self.needs(*symbol),
            _ => false,
        })
    }
}

/// Whether a list has a loop that the block walks by tiles.
pub fn has_tile(list: &[Statement]) -> bool {
    let mut found = false;
    visit::loops(list, &mut |l| found |= l.tile.is_some());
    found
}

struct Search<'a> {
    answers: &'a BlockUniformity<'a>,
    scope: &'a Scope,
    oracle: &'a Oracle<'a>,
    opened: Opened,
}

impl Search<'_> {
    fn size(&self) -> usize {
        self.opened.statements.len() + self.opened.common.len() + self.opened.needed.len()
    }

    /// All threads need what a value is made of.
    fn need(&mut self, effects: &Effects) {
        for &place in &effects.reads {
            if let Place::Variable(symbol) = place
                && self.scope.is_private(place)
                && !self.answers.varies(symbol)
            {
                self.opened.needed.insert(symbol);
            }
        }
    }

    fn list(&mut self, list: &[Statement]) {
        list.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        let effects = self.oracle.statement(statement);
        let defines = self.opened.is_defined_by(&effects);
        match &statement.kind {
            StatementKind::Expression(_) | StatementKind::Declaration(_) => {
                if defines {
                    self.need(&effects);
                }
                return;
            }
            StatementKind::Loop(l) if l.tile.is_some() => {
                self.opened.statements.insert(key(statement));
            }
            _ => {
                let waits = waits(std::slice::from_ref(statement)) || has_region(statement);
                let around = waits || has_tile(std::slice::from_ref(statement));
                if !around && defines && self.is_all_common(statement) {
                    self.opened.common.insert(key(statement));
                } else if around || defines {
                    self.opened.statements.insert(key(statement));
                }
            }
        }
        let is_run_by_all = self.opened.contains(statement) || self.opened.is_common(statement);
        if is_run_by_all {
            visit::own_expressions(statement, &mut |e| {
                if self.answers.is_uniform(e) {
                    self.need(&self.oracle.expression(e));
                }
            });
        }
        if jumps_alike(statement, self.answers) {
            visit::own_expressions(statement, &mut |e| self.need(&self.oracle.expression(e)));
        }
        visit::blocks(statement, &mut |body| self.list(body));
    }

    /// Whether all that a statement does is to compute uniform variables.
    fn is_all_common(&self, statement: &Statement) -> bool {
        let mut all = true;
        visit::walk(std::slice::from_ref(statement), &mut |s| {
            visit::own_expressions(s, &mut |e| all = all && self.answers.is_common(e, true));
        });
        all && !super::jumps::leaves(statement)
    }
}

/// Windows that no pass has placed yet.
fn has_region(statement: &Statement) -> bool {
    let mut found = false;
    visit::walk(std::slice::from_ref(statement), &mut |s| {
        found |= matches!(s.kind, StatementKind::Windows(_));
    });
    found
}

/// Whether a statement is a test of all threads that decides about a jump.
fn jumps_alike(statement: &Statement, answers: &BlockUniformity) -> bool {
    match &statement.kind {
        StatementKind::If(condition, ..) => {
            super::jumps::leaves(statement) && answers.is_uniform(condition)
        }
        _ => false,
    }
}
