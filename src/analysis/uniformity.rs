//! Which values all threads of a block (or of a worker) agree on.
//!
//! Code outside worker and vector loops runs in all threads alike, on private
//! copies that begin alike; so its values are uniform unless they come from
//! memory that others may be writing, from calls with effects, or from
//! `volatile` objects. A value that differs between threads although the
//! program has no race does not exist; but a race between *blocks* must not
//! turn into a barrier that some threads never reach, hence the caution.

use indexmap::IndexSet;

use super::block_uniformity;
use super::effects::{Effects, Oracle, Place, Touch};
use super::scope::Scope;
use crate::ir::validate::Violation;
use crate::ir::{Distribution, Kernel, Loop, Scheme, Statement, StatementKind, visit};
use crate::source::Span;
use crate::typed::{Expression, SymbolId};

/// The answers for one kernel.
#[derive(Debug)]
pub struct Uniformity {
    /// Memory that other blocks or workers may write while a block reads it.
    contested: IndexSet<Place>,
    /// Private variables that may differ between threads.
    varying: IndexSet<SymbolId>,
}

impl Uniformity {
    /// Looks at a whole kernel.
    pub fn of(kernel: &Kernel, scope: &Scope, oracle: &Oracle) -> Self {
        let mut result = Self {
            contested: IndexSet::new(),
            varying: IndexSet::new(),
        };
        let mut gangs = kernel.gangs.is_some();
        let mut workers = false;
        visit::loops(&kernel.body, &mut |l| {
            let own = l.distribution.unwrap_or_default();
            gangs |= own.blocks.is_some();
            workers |= own.threads[1];
        });
        // Shared memory is out of reach of other blocks.
        let is_of_block = |place| scope.is_of_block(place);
        if gangs || workers {
            let writes = oracle.list(&kernel.body).writes;
            result.contested = writes
                .into_iter()
                .filter(|&place| !scope.is_private(place) && (workers || !is_of_block(place)))
                .collect();
        }
        loop {
            let known = result.varying.len();
            result.scan(&kernel.body, false, scope, oracle);
            if result.varying.len() == known {
                return result;
            }
        }
    }

    /// Whether all threads that evaluate it together get the same value.
    pub fn is_uniform(&self, e: &Expression, scope: &Scope, oracle: &Oracle) -> bool {
        let effects = oracle.expression(e);
        self.agrees(&effects, scope)
    }

    fn agrees(&self, effects: &Effects, scope: &Scope) -> bool {
        effects.is_repeatable()
            && effects.reads.iter().all(|&place| match place {
                Place::Variable(symbol) if scope.is_private(place) => {
                    !self.varying.contains(&symbol)
                }
                _ => !self.contested.iter().any(|&w| scope.may_alias(place, w)),
            })
    }

    /// Marks what code outside worker and vector loops assigns from values
    /// that may vary, or under conditions that may.
    fn scan(&mut self, list: &[Statement], varying: bool, scope: &Scope, oracle: &Oracle) {
        for statement in list {
            let mut inner = varying;
            if let StatementKind::Single {
                body, broadcast, ..
            } = &statement.kind
            {
                // What one thread wrote and did not broadcast.
                self.mark(&oracle.list(body), broadcast, scope);
                continue;
            }
            // Its threads have one result.
            if matches!(statement.kind, StatementKind::CollectiveCall(_)) && !varying {
                continue;
            }
            if let StatementKind::Loop(l) = &statement.kind {
                let threads = l.distribution.unwrap_or(Distribution::SEQUENTIAL).threads;
                if threads != [false; 3] {
                    self.mark_written(l, scope, oracle);
                }
                if threads[0] {
                    continue;
                }
                let header = [&l.lower, &l.bound, &l.step];
                if varying
                    || !header
                        .into_iter()
                        .all(|e| self.is_uniform(e, scope, oracle))
                {
                    self.varying.insert(l.induction);
                    inner = true;
                }
            }
            visit::own_expressions(statement, &mut |e| {
                let agrees = self.is_uniform(e, scope, oracle);
                if !agrees || varying {
                    self.mark_expression(e, statement, scope, oracle);
                }
                let decides = !matches!(
                    statement.kind,
                    StatementKind::Expression(_)
                        | StatementKind::Declaration(_)
                        | StatementKind::Atomic(_)
                );
                inner |= decides && !agrees;
            });
            visit::blocks(statement, &mut |body| self.scan(body, inner, scope, oracle));
        }
    }

    fn mark_expression(
        &mut self,
        e: &Expression,
        statement: &Statement,
        scope: &Scope,
        oracle: &Oracle,
    ) {
        oracle.accesses(e, &mut |access| {
            if let Place::Variable(symbol) = access.place
                && access.touch == Touch::Write
                && scope.is_private(access.place)
            {
                self.varying.insert(symbol);
            }
        });
        if let StatementKind::Declaration(list) = &statement.kind {
            self.varying.extend(list.iter().map(|d| d.symbol));
        }
    }

    /// What a worker or vector loop writes of outer private variables differs
    /// between threads, reductions apart, which end alike.
    fn mark_written(&mut self, l: &Loop, scope: &Scope, oracle: &Oracle) {
        let mut own = visit::declared(&l.body);
        own.extend(&l.privates);
        own.extend(l.reductions.iter().map(|r| r.symbol));
        self.mark(&oracle.list(&l.body), &own, scope);
    }

    fn mark(&mut self, effects: &Effects, except: &[SymbolId], scope: &Scope) {
        for &place in &effects.writes {
            if let Place::Variable(symbol) = place
                && scope.is_private(place)
                && !except.contains(&symbol)
            {
                self.varying.insert(symbol);
            }
        }
    }
}

/// The conditions around barriers of a decided kernel that threads may
/// disagree on; there must be none.
pub fn violations(kernel: &Kernel, oracle: &Oracle) -> Vec<Violation> {
    let mut found = Vec::new();
    if block_uniformity::is_tiled(kernel) {
        let spans = block_uniformity::disagreements(kernel, oracle);
        found.extend(spans.into_iter().map(disagreement));
    } else if kernel.scheme == Some(Scheme::Hierarchical) {
        let scope = Scope::of(kernel, oracle.unit());
        let uniformity = Uniformity::of(kernel, &scope, oracle);
        uniformity.check(&kernel.body, &scope, oracle, &mut found);
    }
    found
}

fn disagreement(span: Span) -> Violation {
    Violation {
        message: "threads may disagree on a condition around a barrier".into(),
        span,
    }
}

impl Uniformity {
    fn check(
        &self,
        list: &[Statement],
        scope: &Scope,
        oracle: &Oracle,
        found: &mut Vec<Violation>,
    ) {
        for statement in list {
            if waits(std::slice::from_ref(statement)) {
                let shared = match &statement.kind {
                    StatementKind::Loop(l) => l.distribution.unwrap_or_default().threads[1],
                    _ => false,
                };
                let mut judge = |e: &Expression| {
                    if !shared && !self.is_uniform(e, scope, oracle) {
                        found.push(disagreement(e.span));
                    }
                };
                match &statement.kind {
                    StatementKind::CollectiveCall(call) => call.arguments().iter().for_each(judge),
                    _ => visit::own_expressions(statement, &mut judge),
                }
            }
            visit::blocks(statement, &mut |inner| {
                self.check(inner, scope, oracle, found);
            });
        }
    }
}

/// Whether threads wait for each other somewhere in some code.
pub fn waits(list: &[Statement]) -> bool {
    let mut found = false;
    visit::walk(list, &mut |s| {
        found |= match &s.kind {
            StatementKind::Barrier(barrier) => barrier.dropped.is_none(),
            StatementKind::OpenWindows(_)
            | StatementKind::WriteBack { .. }
            | StatementKind::WhileAny(..)
            | StatementKind::WorkerBarrier(_)
            | StatementKind::CollectiveCall(_)
            | StatementKind::ReductionEnd(..) => true,
            StatementKind::Single { broadcast, .. } => !broadcast.is_empty(),
            _ => false,
        };
    });
    found
}
