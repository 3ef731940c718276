//! Who runs the code between loops, and where threads wait for each other.
//!
//! Input: hierarchical kernels with distributions and reductions. Output:
//! [`StatementKind::Single`] sections, [`StatementKind::Barrier`]s, and
//! [`Kernel::shared`].
//!
//! ```c
//! #pragma acc loop gang
//! for (int r = 0; r < rows; r++) {
//!     double scale = weight[r];        // after: all threads, alike
//!     first[r] = scale;                // after: one thread
//!     #pragma acc loop vector
//!     for (int c = 0; c < cols; c++)   // after: the lanes
//!         a[r][c] *= scale;
//!     last[r] = a[r][cols - 1];        // after: a barrier, then one thread
//! }
//! ```
//!
//! - Code outside loops over rows and lanes that writes nothing but private
//!   variables runs in all threads alike, so that they agree on its values.
//!   Other code runs in one thread, and private variables that it writes are
//!   broadcast.
//! - A barrier stands where an access meets one of another thread since the
//!   last barrier: read after write, write after read, write after write. It
//!   is a barrier of the block, or of one row inside a loop over rows. Loops whose threads touch the
//!   same elements as in the one before, each its own, do not meet ([`owners`]).
//! - Every barrier is reached by all threads it is for: conditions around it
//!   are uniform ([`crate::analysis::uniformity`]), or are evaluated by one
//!   thread and broadcast. Loops with barriers inside run in all threads
//!   alike, since only loops over lanes, in which there are none, are shared
//!   between the threads that wait.
//! - Variables of a block (or row) that its inner loops write, and its
//!   arrays that they use, live in shared memory.

mod collective;
mod control;
mod headers;
mod owners;
mod sequence;
mod sharing;
mod state;
#[cfg(test)]
mod tests;

use indexmap::{IndexMap, IndexSet};

use crate::analysis::effects::{Effects, Oracle, Place};
use crate::analysis::exits::Exits;
use crate::analysis::scope::Scope;
use crate::analysis::uniformity::Uniformity;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::ir::{
    Barrier, Collective, Kernel, Level, Module, PlainFor, Scheme, Statement, StatementKind, visit,
};
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::{Expression, SymbolId, TypeId, Unit};
pub use sharing::shared_variables;
use state::{Footprint, State};

/// Synchronises every hierarchical kernel.
pub fn run(module: &mut Module, unit: &Unit, diagnostics: &mut Diagnostics) {
    let mut errors = Vec::new();
    let oracle = Oracle::new(unit, &module.functions);
    let shared = |kernel: &&mut Kernel| is_shared(kernel);
    for kernel in module.kernels.iter_mut().filter(shared) {
        headers::run(kernel, &oracle);
        sharing::run(kernel, &oracle, &mut errors);
    }
    for kernel in module.kernels.iter_mut().filter(shared) {
        synchronise(kernel, &oracle, &mut errors);
    }
    diagnostics.extend_once(errors);
}

/// Whether several threads of a block run a kernel of the hierarchical scheme.
fn is_shared(kernel: &Kernel) -> bool {
    let is_spread = |s: &Statement| match &s.kind {
        StatementKind::Loop(l) => l.threads() != [false; 3],
        StatementKind::CollectiveCall(_) => true,
        _ => false,
    };
    let is_used = kernel.collective.is_some() || visit::any(&kernel.body, &mut |s| is_spread(s));
    is_used && kernel.scheme == Some(Scheme::Hierarchical)
}

fn synchronise(kernel: &mut Kernel, oracle: &Oracle, errors: &mut Vec<Diagnostic>) {
    let scope = Scope::of(kernel, oracle.unit());
    let mut pass = Synchroniser {
        facts: Facts::of(kernel, &scope, oracle),
        mentions: count_mentions(&kernel.body),
        jumps: Vec::new(),
        entries: Vec::new(),
        collective: kernel.collective,
        int: synthesis::int(oracle.unit()),
        made: Vec::new(),
        used: 0,
        errors,
    };
    let mut state = State::default();
    let body = match kernel.collective {
        None => pass.sequence(&kernel.body, Level::Block, &mut state),
        Some(collective) => pass.function(&kernel.body, collective, kernel.span),
    };
    kernel.body = body;
}

/// How often each variable is mentioned in some code.
fn count_mentions(body: &[Statement]) -> IndexMap<SymbolId, usize> {
    let mut counts = IndexMap::new();
    visit::symbols(body, &mut |symbol| *counts.entry(symbol).or_default() += 1);
    counts
}

/// What is known of one kernel.
struct Facts<'a> {
    kernel: &'a Kernel,
    oracle: &'a Oracle<'a>,
    scope: &'a Scope,
    uniformity: Uniformity<'a>,
    /// Memory that the kernel writes anywhere.
    writes: Vec<Place>,
    /// Variables whose address goes anywhere.
    escapes: IndexSet<SymbolId>,
    /// Variables of which threads or iterations have copies.
    copies: IndexSet<SymbolId>,
}

impl<'a> Facts<'a> {
    fn of(kernel: &'a Kernel, scope: &'a Scope, oracle: &'a Oracle<'a>) -> Self {
        let effects = oracle.list(&kernel.body);
        let writes = effects.writes.into_iter();
        Self {
            kernel,
            oracle,
            scope,
            uniformity: Uniformity::of(kernel, scope, oracle),
            writes: writes.filter(|&place| !scope.is_private(place)).collect(),
            escapes: effects.escapes,
            copies: owners::copies(kernel),
        }
    }

    fn footprint(&self, effects: &Effects) -> Footprint {
        Footprint::of(effects, self.scope, &self.writes)
    }

    fn footprint_of(&self, e: &Expression) -> Footprint {
        self.footprint(&self.oracle.expression(e))
    }

    /// Whether all threads may evaluate an expression and agree on it.
    fn is_plain(&self, e: &Expression) -> bool {
        self.footprint_of(e).writes.is_empty() && self.uniformity.is_uniform(e)
    }

    /// Whether they may do so again and again, whatever others do meanwhile.
    fn is_simple(&self, e: &Expression) -> bool {
        self.footprint_of(e).reads.is_empty() && self.is_plain(e)
    }

    /// Whether all threads can evaluate a loop's header alike.
    fn is_simple_header(&self, parts: &PlainFor) -> bool {
        let starts = parts.initializer.as_ref().is_none_or(|first| {
            let effects = self.oracle.statement(first);
            !effects.impure && self.footprint(&effects).writes.is_empty()
        });
        let mut again = parts.condition.iter().chain(&parts.step);
        starts && again.all(|e| self.is_simple(e))
    }
}

/// The pass over one kernel.
struct Synchroniser<'a> {
    facts: Facts<'a>,
    /// How often the kernel mentions each variable.
    mentions: IndexMap<SymbolId, usize>,
    /// Per loop or `switch` around: what is under way at jumps out of it or
    /// to its next iteration.
    jumps: Vec<State>,
    /// Per `switch` around: what is under way where it begins.
    entries: Vec<State>,
    /// Whose function this is, if it is no kernel.
    collective: Option<Collective>,
    int: TypeId,
    /// Variables made for what one thread evaluates, and how many of them are in
    /// use: another attempt at the iterations of a loop takes those of the one before.
    made: Vec<SymbolId>,
    used: usize,
    errors: &'a mut Vec<Diagnostic>,
}

impl Synchroniser<'_> {
    fn variable(&mut self, wanted: &str, ty: TypeId, span: Span) -> SymbolId {
        if self.used == self.made.len() {
            let unit = self.facts.oracle.unit();
            self.made.push(synthesis::variable(unit, wanted, ty, span));
        }
        self.used += 1;
        self.made[self.used - 1]
    }
}

/// A barrier of the threads that share code of a level.
fn barrier(level: Level, why: String, span: Span) -> Statement {
    let kind = match level {
        Level::Block => StatementKind::Barrier(Barrier::new(why)),
        _ => StatementKind::RowBarrier(why),
    };
    kind.at(span)
}

/// Whether a statement has a loop that threads or blocks share, a reduction, or
/// a jump that leaves it: all threads go through it together.
fn is_structured(statement: &Statement) -> bool {
    !Exits::of_statement(statement).is_empty() || has_shared_loop(statement)
}

fn has_shared_loop(statement: &Statement) -> bool {
    visit::any(std::slice::from_ref(statement), &mut |s| match &s.kind {
        StatementKind::Loop(l) => l.is_distributed(),
        StatementKind::ReductionBegin(..)
        | StatementKind::ReductionEnd(..)
        | StatementKind::CollectiveCall(_) => true,
        _ => false,
    })
}
