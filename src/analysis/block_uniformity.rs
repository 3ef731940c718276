//! Which values all threads of a block agree on in kernels that a block walks
//! by tiles.
//!
//! There every thread runs all code of its own iteration, so that nothing is
//! uniform by the place where it stands. Varying are the variables of tiled
//! loops and of reductions, memory that the kernel writes, windows, and what
//! depends on these by data or by control. What is left is uniform: all
//! threads would compute the same value from values that all of them have.
//!
//! *Contexts* are sets of threads. The outermost is that of all threads of the
//! block: the first thread of a tile always has an iteration, so that what it
//! may evaluate all others may as well. The branch of a condition that threads
//! disagree on, a loop that they leave at different times, and what follows a
//! jump that some of them take, are contexts of their own, *deep* ones, which
//! may have no threads. There only expressions that cannot fault count as
//! uniform; and a variable keeps its value for all threads only if it is
//! assigned in the very context that declares it.

use std::collections::HashMap;

use indexmap::IndexSet;

use super::effects::{Effects, Oracle, Place, Touch, cannot_fault};
use super::scope::Scope;
use crate::ir::{
    Kernel, Loop, PlainFor, Statement, StatementKind, Tile, TileCount, WindowMarks, visit,
};
use crate::source::Span;
use crate::typed::{self, Expression, Initializer, LocalDeclaration, SymbolId};

/// The answers for one kernel.
#[derive(Debug)]
pub struct BlockUniformity<'a> {
    scope: &'a Scope,
    oracle: &'a Oracle<'a>,
    /// Memory that any thread may write while another reads it.
    contested: IndexSet<Place>,
    /// Private variables that may differ between threads.
    varying: IndexSet<SymbolId>,
    /// Loops that threads may leave at different times, by [`key`].
    divergent: IndexSet<usize>,
    /// Loops of which some threads may skip the rest of a round.
    skipping: IndexSet<usize>,
}

/// Names a statement of the tree that was looked at, as long as it stays where
/// it is.
pub fn key(statement: &Statement) -> usize {
    std::ptr::from_ref(statement) as usize
}

/// Jumps in some code that only some threads take.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Leaves {
    breaks: bool,
    continues: bool,
}

impl Leaves {
    fn any(self) -> bool {
        self.breaks || self.continues
    }

    fn join(&mut self, other: Self) {
        self.breaks |= other.breaks;
        self.continues |= other.continues;
    }
}

impl<'a> BlockUniformity<'a> {
    /// Looks at a whole kernel with tiled loops.
    pub fn of(kernel: &Kernel, scope: &'a Scope, oracle: &'a Oracle<'a>) -> Self {
        let mut result = Self {
            scope,
            oracle,
            contested: contested(kernel, scope, oracle),
            varying: IndexSet::new(),
            divergent: IndexSet::new(),
            skipping: IndexSet::new(),
        };
        let reduced = kernel.grid_reductions.iter().chain(&kernel.gang_reductions);
        result.varying.extend(reduced.map(|r| r.symbol));
        result
            .varying
            .extend(kernel.reductions.iter().map(|r| r.symbol));
        result
            .varying
            .extend(oracle.list(&kernel.body).escapes.iter().filter(|symbol| {
                // A whole array may be passed on: its elements are looked at
                // as one variable.
                scope.private.contains(*symbol)
            }));
        loop {
            let known = result.size();
            let mut walk = Walk {
                answers: &mut result,
                declared: HashMap::new(),
                contexts: 0,
                breaks: Vec::new(),
                continues: Vec::new(),
                regions: Vec::new(),
            };
            walk.list(&kernel.body, 0);
            if result.size() == known {
                return result;
            }
        }
    }

    fn size(&self) -> usize {
        self.varying.len() + self.divergent.len() + self.skipping.len()
    }

    /// Whether all threads that evaluate it get the same value.
    pub fn is_uniform(&self, e: &Expression) -> bool {
        self.agrees(&self.oracle.expression(e))
    }

    fn agrees(&self, effects: &Effects) -> bool {
        effects.is_repeatable()
            && effects.reads.iter().all(|&place| match place {
                Place::Variable(symbol) if self.scope.is_private(place) => {
                    !self.varying.contains(&symbol)
                }
                _ => !self
                    .contested
                    .iter()
                    .any(|&w| self.scope.may_alias(place, w)),
            })
    }

    /// Whether all threads of the block, with or without an iteration, may
    /// evaluate an expression and get one value: it is uniform, changes
    /// nothing but uniform private variables, and cannot fault in a deep
    /// context.
    pub fn is_common(&self, e: &Expression, deep: bool) -> bool {
        let effects = self.oracle.expression(e);
        self.agrees(&effects)
            && (!deep || cannot_fault(e))
            && effects.writes.iter().all(|&place| match place {
                Place::Variable(symbol) => {
                    self.scope.is_private(place) && !self.varying.contains(&symbol)
                }
                _ => false,
            })
    }

    /// Whether threads may disagree on a variable.
    pub fn varies(&self, symbol: SymbolId) -> bool {
        self.varying.contains(&symbol)
    }

    /// Whether threads may leave a loop at different times, or enter it with
    /// different conditions.
    pub fn is_divergent(&self, statement: &Statement) -> bool {
        self.divergent.contains(&key(statement))
    }

    /// Whether some threads may skip the rest of a round of a loop.
    pub fn skips(&self, statement: &Statement) -> bool {
        self.skipping.contains(&key(statement))
    }
}

/// What any thread of the grid may write: memory that the kernel writes or
/// writes back, and windows.
fn contested(kernel: &Kernel, scope: &Scope, oracle: &Oracle) -> IndexSet<Place> {
    let writes = oracle.list(&kernel.body).writes;
    let mut places: IndexSet<Place> = writes
        .into_iter()
        .filter(|&place| !scope.is_private(place))
        .collect();
    let mut both = |symbol: SymbolId| {
        places.insert(Place::Variable(symbol));
        places.insert(Place::Target(symbol));
    };
    for window in &kernel.windows {
        both(window.storage);
        if window.policy.write_back {
            both(window.array);
        }
        if let WindowMarks::Slots(marks) = window.marks {
            both(marks);
        }
    }
    visit::walk(&kernel.body, &mut |statement| {
        if let StatementKind::Windows(region) = &statement.kind {
            let written = region.windows.iter();
            let written = written.filter(|w| w.policy.channel || w.policy.write_back);
            written.for_each(|w| both(w.array));
        }
    });
    places
}

/// One pass over a kernel, which adds what it finds.
struct Walk<'w, 'a> {
    answers: &'w mut BlockUniformity<'a>,
    /// The context that each variable is declared in; others are of all
    /// threads.
    declared: HashMap<SymbolId, usize>,
    /// The last context's number; 0 is that of all threads.
    contexts: usize,
    /// The contexts that `break` leads to, of loops and `switch`es around.
    breaks: Vec<usize>,
    /// The contexts that `continue` leads to.
    continues: Vec<usize>,
    /// For each region of windows around, how many targets of `break` and of
    /// `continue` are around it. A jump to one of these would pass by the end
    /// of the region, where windows are written back: no thread takes it alone.
    regions: Vec<(usize, usize)>,
}

impl Walk<'_, '_> {
    fn fresh(&mut self) -> usize {
        self.contexts += 1;
        self.contexts
    }

    fn is_common(&self, e: &Expression, context: usize) -> bool {
        self.answers.is_common(e, context != 0)
    }

    fn list(&mut self, list: &[Statement], context: usize) -> Leaves {
        let mut context = context;
        let mut leaves = Leaves::default();
        if list
            .iter()
            .any(|s| matches!(s.kind, StatementKind::Label(_)))
        {
            self.mark_all(list);
        }
        let regions = self.regions.len();
        for statement in list {
            if matches!(statement.kind, StatementKind::OpenWindows(_)) {
                self.regions.push((self.breaks.len(), self.continues.len()));
            }
            let found = self.statement(statement, context);
            if found.any() {
                context = self.fresh();
            }
            leaves.join(found);
        }
        self.regions.truncate(regions);
        leaves
    }

    /// Where `goto` leads is not followed.
    fn mark_all(&mut self, list: &[Statement]) {
        let effects = self.answers.oracle.list(list);
        for &place in &effects.writes {
            self.mark(place);
        }
    }

    fn statement(&mut self, statement: &Statement, context: usize) -> Leaves {
        match &statement.kind {
            StatementKind::Expression(Some(e)) => {
                self.assignments(e, context);
                Leaves::default()
            }
            StatementKind::Declaration(list) => {
                list.iter().for_each(|d| self.declaration(d, context));
                Leaves::default()
            }
            StatementKind::If(condition, then, otherwise) => {
                let inner = self.condition(condition, context);
                let mut leaves = self.list(then, inner);
                if let Some(otherwise) = otherwise {
                    leaves.join(self.list(otherwise, inner));
                }
                leaves
            }
            StatementKind::Switch(value, body) => {
                let inner = self.condition(value, context);
                self.breaks.push(inner);
                let leaves = self.list(body, inner);
                self.breaks.pop();
                Leaves {
                    breaks: false,
                    ..leaves
                }
            }
            StatementKind::Break => Leaves {
                breaks: self.breaks.last() != Some(&context)
                    || self
                        .regions
                        .iter()
                        .any(|region| region.0 == self.breaks.len()),
                continues: false,
            },
            StatementKind::Continue => Leaves {
                breaks: false,
                continues: self.continues.last() != Some(&context)
                    || self
                        .regions
                        .iter()
                        .any(|region| region.1 == self.continues.len()),
            },
            StatementKind::Loop(l) => self.counted(statement, l, context),
            StatementKind::For(l) => self.plain_for(statement, l, context),
            StatementKind::While(condition, body) | StatementKind::DoWhile(body, condition) => {
                let agreed = self.is_common(condition, context);
                self.repeated(statement, agreed, context, |walk, inner| {
                    walk.assignments(condition, inner);
                    walk.list(body, inner)
                });
                Leaves::default()
            }
            // The test is one for the whole block.
            StatementKind::WhileAny(_, body) => {
                self.in_loop(context, |walk| walk.list(body, context));
                Leaves::default()
            }
            _ => {
                let mut leaves = Leaves::default();
                visit::blocks(statement, &mut |body| leaves.join(self.list(body, context)));
                leaves
            }
        }
    }

    /// Evaluates a condition; gives the context of what it decides.
    fn condition(&mut self, condition: &Expression, context: usize) -> usize {
        self.assignments(condition, context);
        if self.is_common(condition, context) {
            context
        } else {
            self.fresh()
        }
    }

    /// A loop's rounds. What runs them at different times is a context of its
    /// own.
    fn repeated(
        &mut self,
        statement: &Statement,
        agreed: bool,
        context: usize,
        rounds: impl Fn(&mut Self, usize) -> Leaves,
    ) {
        if !agreed {
            self.answers.divergent.insert(key(statement));
        }
        let inner = if self.answers.is_divergent(statement) {
            self.fresh()
        } else {
            context
        };
        let leaves = self.in_loop(inner, |walk| rounds(walk, inner));
        if leaves.continues {
            self.answers.skipping.insert(key(statement));
        }
        if leaves.breaks {
            self.answers.divergent.insert(key(statement));
        }
    }

    fn in_loop(&mut self, context: usize, body: impl Fn(&mut Self) -> Leaves) -> Leaves {
        self.breaks.push(context);
        self.continues.push(context);
        let leaves = body(self);
        self.breaks.pop();
        self.continues.pop();
        leaves
    }

    fn counted(&mut self, statement: &Statement, l: &Loop, context: usize) -> Leaves {
        if let Some(tile) = l.tile {
            self.tiled(statement, l, tile, context);
            return Leaves::default();
        }
        if l.declared_inside {
            self.declared.insert(l.induction, context);
        }
        let deep = context != 0;
        let header = [&l.lower, &l.bound, &l.step];
        let agreed = header
            .into_iter()
            .all(|e| self.answers.is_common(e, deep) && self.answers.is_uniform(e));
        if !agreed || self.declared_in(l.induction) != context {
            self.answers.varying.insert(l.induction);
        }
        let agreed = agreed && !self.answers.varies(l.induction);
        self.repeated(statement, agreed, context, |walk, inner| {
            walk.own(&l.privates, inner);
            walk.list(&l.body, inner)
        });
        if self.answers.is_divergent(statement) {
            self.answers.varying.insert(l.induction);
        }
        Leaves::default()
    }

    fn tiled(&mut self, statement: &Statement, l: &Loop, tile: Tile, context: usize) {
        self.answers.varying.insert(l.induction);
        if let Some(TileCount { number, .. }) = tile.count {
            self.answers.varying.insert(number);
        }
        for symbol in tile.variables() {
            self.declared.insert(symbol, context);
        }
        self.own(&l.privates, context);
        let leaves = self.in_loop(context, |walk| walk.list(&l.body, context));
        if leaves.any() {
            self.answers.skipping.insert(key(statement));
        }
    }

    /// Private copies begin in a context.
    fn own(&mut self, privates: &[SymbolId], context: usize) {
        for &symbol in privates {
            self.declared.insert(symbol, context);
        }
    }

    fn plain_for(&mut self, statement: &Statement, l: &PlainFor, context: usize) -> Leaves {
        let mut agreed = true;
        if let Some(initializer) = &l.initializer {
            self.statement(initializer, context);
            visit::own_expressions(initializer, &mut |e| agreed &= self.is_common(e, context));
            if let StatementKind::Declaration(list) = &initializer.kind {
                agreed &= list.iter().all(|d| !self.answers.varies(d.symbol));
            }
        }
        for e in l.condition.iter().chain(&l.step) {
            agreed &= self.is_common(e, context);
        }
        self.repeated(statement, agreed, context, |walk, inner| {
            let leaves = walk.list(&l.body, inner);
            for e in l.condition.iter().chain(&l.step) {
                walk.assignments(e, inner);
            }
            leaves
        });
        Leaves::default()
    }

    fn declared_in(&self, symbol: SymbolId) -> usize {
        self.declared.get(&symbol).copied().unwrap_or(0)
    }

    /// Marks what an expression assigns unless all threads may assign it.
    fn assignments(&mut self, e: &Expression, context: usize) {
        let mut written = Vec::new();
        self.answers.oracle.accesses(e, &mut |access| {
            if access.touch == Touch::Write {
                written.push(access.place);
            }
        });
        if written.is_empty() {
            return;
        }
        let common = self.is_common(e, context);
        for place in written {
            let elsewhere = match place {
                Place::Variable(symbol) => self.declared_in(symbol) != context,
                _ => true,
            };
            if !common || elsewhere {
                self.mark(place);
            }
        }
    }

    fn mark(&mut self, place: Place) {
        if let Place::Variable(symbol) = place
            && self.answers.scope.is_private(place)
        {
            self.answers.varying.insert(symbol);
        }
    }

    fn declaration(&mut self, declaration: &LocalDeclaration, context: usize) {
        self.declared.insert(declaration.symbol, context);
        let Some(initializer) = &declaration.initializer else {
            return;
        };
        let mut agreed = true;
        values(initializer, &mut |e| {
            self.assignments(e, context);
            agreed &= self.is_common(e, context);
        });
        if !agreed {
            self.answers.varying.insert(declaration.symbol);
        }
    }
}

fn values(initializer: &Initializer, visit: &mut dyn FnMut(&Expression)) {
    typed::visit::initializer_values(initializer, &mut |e| visit(e));
}

/// Whether a block walks loops of a kernel by tiles.
pub fn is_tiled(kernel: &Kernel) -> bool {
    let mut found = false;
    visit::loops(&kernel.body, &mut |l| found |= l.tile.is_some());
    found
}

/// A condition or bound around a barrier that threads may disagree on.
pub fn disagreements(kernel: &Kernel, oracle: &Oracle) -> Vec<Span> {
    let scope = Scope::of(kernel, oracle.unit());
    let answers = BlockUniformity::of(kernel, &scope, oracle);
    let mut found = Vec::new();
    answers.look_for(&kernel.body, &mut found);
    for window in &kernel.windows {
        let opening = window.dimensions.iter().flat_map(|d| d.opening());
        found.extend(opening.filter(|e| !answers.is_uniform(e)).map(|e| e.span));
    }
    found
}

impl BlockUniformity<'_> {
    fn look_for(&self, list: &[Statement], found: &mut Vec<Span>) {
        for statement in list {
            let decides = !matches!(
                statement.kind,
                StatementKind::WriteBack { .. } | StatementKind::WhileAny(..)
            );
            if decides && super::uniformity::waits(std::slice::from_ref(statement)) {
                let before = found.len();
                visit::own_expressions(statement, &mut |e| {
                    if !self.is_uniform(e) {
                        found.push(e.span);
                    }
                });
                if found.len() == before && self.is_divergent(statement) {
                    found.push(statement.span);
                }
            }
            visit::blocks(statement, &mut |inner| self.look_for(inner, found));
        }
    }
}
