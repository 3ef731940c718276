//! Which values all threads of a block agree on.
//!
//! Varying are variables that threads compute from different values, or that
//! only some of them assign. What is left is *uniform*: all threads that
//! evaluate it together get the same value. Where the threads of a block are
//! depends on the kernel:
//!
//! - In hierarchical kernels, code outside loops over rows and lanes runs in all
//!   threads alike, on private copies that begin alike; so its values are
//!   uniform unless they come from memory that other blocks or rows may be
//!   writing, from calls with effects, or from `volatile` objects. Inside a
//!   loop over rows they are so among the lanes of a row. A value that differs
//!   between threads although the program has no race does not exist; but a
//!   race between *blocks* must not turn into a barrier that some threads never
//!   reach, hence the caution. All threads take a jump around barriers together,
//!   since `synchronisation` lets one of them decide.
//! - In kernels that a block walks *by tiles*, and those with a shape of their own, every thread runs all code of its
//!   own iteration, so that nothing is uniform by the place where it stands.
//!   Varying are the variables of tiled loops and of reductions, memory that
//!   the kernel writes, windows, and what depends on these by data or by control.
//!
//! *Contexts* are sets of threads. The outermost is that of all threads of the
//! block: the first thread of a tile always has an iteration, so that what it
//! may evaluate all others may as well. The branch of a condition that threads
//! disagree on, a loop that they leave at different times, and what follows a
//! jump that some of them take, are contexts of their own, *deep* ones, which
//! may have no threads. There only expressions that cannot fault are common to
//! all; and a variable keeps its value for all threads only if it is assigned
//! in the very context that declares it.

use std::collections::{HashMap, HashSet};

use indexmap::IndexSet;

use super::effects::{Effects, Oracle, Place, Touch, cannot_fault};
use super::scope::Scope;
use crate::ir::numbered::Numbered;
use crate::ir::validate::Violation;
use crate::ir::{
    Kernel, Loop, PlainFor, Scheme, SharedWindow, Statement, StatementKind, TileCount, WindowMarks,
    visit,
};
use crate::source::Span;
use crate::typed::{Expression, LocalDeclaration, SymbolId};

/// The answers for one kernel.
pub struct Uniformity<'a> {
    scope: &'a Scope,
    oracle: &'a Oracle<'a>,
    /// Each thread runs the code of its own iteration.
    by_tiles: bool,
    /// Memory that may be written while a thread reads it.
    contested: IndexSet<Place>,
    /// Private variables that may differ between threads.
    varying: IndexSet<SymbolId>,
    /// Loops that threads may leave at different times, by number.
    divergent: HashSet<usize>,
    /// Loops of which some threads may skip the rest of an iteration, by number.
    skipping: HashSet<usize>,
}

impl<'a> Uniformity<'a> {
    /// Looks at a whole kernel.
    pub fn of(kernel: &Kernel, scope: &'a Scope, oracle: &'a Oracle<'a>) -> Self {
        let by_tiles = is_tiled(kernel) || kernel.scheme == Some(Scheme::Threads);
        Self::with(kernel, by_tiles, &|l| l.tile.is_some(), scope, oracle)
    }

    /// As [`Self::of`], if the block walks these loops by tiles.
    pub fn by_tiles(
        kernel: &Kernel,
        is_tiled: &dyn Fn(&Loop) -> bool,
        scope: &'a Scope,
        oracle: &'a Oracle<'a>,
    ) -> Self {
        Self::with(kernel, true, is_tiled, scope, oracle)
    }

    fn with(
        kernel: &Kernel,
        by_tiles: bool,
        is_tiled: &dyn Fn(&Loop) -> bool,
        scope: &'a Scope,
        oracle: &'a Oracle<'a>,
    ) -> Self {
        let mut result = Self {
            scope,
            oracle,
            by_tiles,
            contested: contested(kernel, by_tiles, scope, oracle),
            varying: IndexSet::new(),
            divergent: HashSet::new(),
            skipping: HashSet::new(),
        };
        if by_tiles {
            let reduced = kernel
                .grid_reductions
                .iter()
                .chain(&kernel.block_reductions);
            let reduced = reduced.chain(&kernel.reductions).map(|r| r.symbol);
            // A whole array may be passed on: its elements are looked at as one
            // variable.
            let escapes = oracle.list(&kernel.body).escapes.into_iter();
            let escapes = escapes.filter(|symbol| scope.private.contains(symbol));
            result.varying.extend(reduced.chain(escapes));
        }
        let body = Numbered::all(&kernel.body);
        loop {
            let known = result.size();
            let mut walk = Walk {
                answers: &mut result,
                is_tiled,
                declared: HashMap::new(),
                contexts: 0,
                breaks: Vec::new(),
                continues: Vec::new(),
                regions: Vec::new(),
            };
            walk.list(&body, 0);
            if result.size() == known {
                return result;
            }
        }
    }

    fn size(&self) -> usize {
        self.varying.len() + self.divergent.len() + self.skipping.len()
    }

    /// Whether all threads that evaluate it together get the same value.
    pub fn is_uniform(&self, e: &Expression) -> bool {
        self.agrees(&self.oracle.expression(e))
    }

    fn agrees(&self, effects: &Effects) -> bool {
        let is_contested = |place| {
            self.contested
                .iter()
                .any(|&w| self.scope.may_alias(place, w))
        };
        effects.is_repeatable()
            && effects.reads.iter().all(|&place| match place {
                Place::Variable(symbol) if self.scope.is_private(place) => !self.varies(symbol),
                Place::Variable(symbol) if self.oracle.unit().symbol(symbol).is_thread_index() => {
                    false
                }
                _ => !is_contested(place),
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
                Place::Variable(symbol) => self.scope.is_private(place) && !self.varies(symbol),
                _ => false,
            })
    }

    /// Whether threads may disagree on a variable.
    pub fn varies(&self, symbol: SymbolId) -> bool {
        self.varying.contains(&symbol)
    }

    /// Whether threads may leave a loop at different times, or enter it with
    /// different conditions.
    pub fn is_divergent(&self, statement: &Numbered) -> bool {
        self.divergent.contains(&statement.number)
    }

    /// Whether some threads may skip the rest of an iteration of a loop.
    pub fn skips(&self, statement: &Numbered) -> bool {
        self.skipping.contains(&statement.number)
    }
}

/// What may be written while a thread reads it. By tiles, any thread of the
/// grid writes; otherwise other blocks, which reach no shared memory, or other
/// rows of the block.
fn contested(kernel: &Kernel, by_tiles: bool, scope: &Scope, oracle: &Oracle) -> IndexSet<Place> {
    let any = |is_such: &dyn Fn(&Loop) -> bool| visit::any_loop(&kernel.body, &mut |l| is_such(l));
    let by_others = by_tiles || any(&|l| l.threads()[1]);
    let by_blocks = kernel.sizes.block.is_some() || any(&|l| l.has_blocks());
    let is_contested = |place: Place| {
        !scope.is_private(place) && (by_others || by_blocks && !scope.is_of_block(place))
    };
    let writes = oracle.list(&kernel.body).writes.into_iter();
    let mut places: IndexSet<Place> = writes.filter(|&place| is_contested(place)).collect();
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

/// The jumps out of some code that only some threads take.
#[derive(Clone, Copy, Default)]
struct Leaving {
    breaks: bool,
    continues: bool,
}

impl Leaving {
    fn join(&mut self, other: Self) {
        self.breaks |= other.breaks;
        self.continues |= other.continues;
    }

    fn any(self) -> bool {
        self.breaks || self.continues
    }
}

/// One pass over a kernel, which adds what it finds.
struct Walk<'w, 'a> {
    answers: &'w mut Uniformity<'a>,
    is_tiled: &'w dyn Fn(&Loop) -> bool,
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

/// The walks give the jumps out of code that only some threads take.
impl Walk<'_, '_> {
    fn fresh(&mut self) -> usize {
        self.contexts += 1;
        self.contexts
    }

    /// Whether the threads of a context agree on a value, and on what computing
    /// it changes: in hierarchical kernels one thread does that for all.
    fn agrees(&self, e: &Expression, context: usize) -> bool {
        match self.answers.by_tiles {
            true => self.answers.is_common(e, context != 0),
            false => self.answers.is_uniform(e),
        }
    }

    fn list(&mut self, list: &[Numbered], context: usize) -> Leaving {
        let mut context = context;
        let mut leaves = Leaving::default();
        let is_label = |s: &Numbered| matches!(s.statement.kind, StatementKind::Label(_));
        if self.answers.by_tiles && list.iter().any(is_label) {
            // Where `goto` leads is not followed.
            let effects = list
                .iter()
                .map(|s| self.answers.oracle.statement(s.statement));
            let effects: Vec<Effects> = effects.collect();
            effects.iter().for_each(|effects| self.mark(effects, &[]));
        }
        let regions = self.regions.len();
        for statement in list {
            if matches!(statement.statement.kind, StatementKind::OpenWindows(_)) {
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

    fn blocks(&mut self, statement: &Numbered, context: usize) -> Leaving {
        let mut leaves = Leaving::default();
        let blocks = statement.blocks.iter();
        blocks.for_each(|inner| leaves.join(self.list(inner, context)));
        leaves
    }

    fn statement(&mut self, statement: &Numbered, context: usize) -> Leaving {
        match &statement.statement.kind {
            StatementKind::Declaration(list) => {
                list.iter().for_each(|d| self.declaration(d, context));
                Leaving::default()
            }
            StatementKind::If(condition, ..) => {
                let inner = self.condition(condition, context);
                self.blocks(statement, inner)
            }
            StatementKind::Switch(value, _) => {
                let inner = self.condition(value, context);
                self.breaks.push(inner);
                let leaves = self.blocks(statement, inner);
                self.breaks.pop();
                Leaving {
                    breaks: false,
                    ..leaves
                }
            }
            StatementKind::Break => Leaving {
                breaks: self.leaves_some(&self.breaks, context, |region| region.0),
                ..Leaving::default()
            },
            StatementKind::Continue => Leaving {
                continues: self.leaves_some(&self.continues, context, |region| region.1),
                ..Leaving::default()
            },
            StatementKind::Loop(l) => self.counted(statement, l, context),
            StatementKind::For(l) => self.plain_for(statement, l, context),
            StatementKind::While(condition, _) | StatementKind::DoWhile(_, condition) => {
                let agreed = self.agrees(condition, context);
                self.repeated(statement, agreed, context, |walk, inner| {
                    walk.assignments(condition, inner);
                    walk.list(statement.body(), inner)
                })
            }
            // The test is one for the whole block.
            StatementKind::WhileAny(..) => {
                self.in_loop(context, |walk| walk.list(statement.body(), context));
                Leaving::default()
            }
            // What one thread wrote and did not broadcast.
            StatementKind::Single {
                body, broadcast, ..
            } => {
                self.mark(&self.answers.oracle.list(body), broadcast);
                Leaving::default()
            }
            // Its threads have one result.
            StatementKind::CollectiveCall(_) => Leaving::default(),
            _ => {
                visit::own_expressions(statement.statement, &mut |e| self.assignments(e, context));
                self.blocks(statement, context)
            }
        }
    }

    /// Whether only some threads take a jump.
    fn leaves_some(
        &self,
        targets: &[usize],
        context: usize,
        outside: impl Fn(&(usize, usize)) -> usize,
    ) -> bool {
        let mut regions = self.regions.iter();
        self.answers.by_tiles
            && (targets.last() != Some(&context) || regions.any(|r| outside(r) == targets.len()))
    }

    /// Evaluates a condition; gives the context of what it decides.
    fn condition(&mut self, condition: &Expression, context: usize) -> usize {
        self.assignments(condition, context);
        match self.agrees(condition, context) {
            true => context,
            false => self.fresh(),
        }
    }

    /// A loop's iterations. What runs them at different times is a context of its
    /// own.
    fn repeated(
        &mut self,
        statement: &Numbered,
        agreed: bool,
        context: usize,
        rounds: impl Fn(&mut Self, usize) -> Leaving,
    ) -> Leaving {
        if !agreed {
            self.answers.divergent.insert(statement.number);
        }
        let inner = match self.answers.is_divergent(statement) {
            true => self.fresh(),
            false => context,
        };
        let leaves = self.in_loop(inner, |walk| rounds(walk, inner));
        if leaves.continues {
            self.answers.skipping.insert(statement.number);
        }
        if leaves.breaks {
            self.answers.divergent.insert(statement.number);
        }
        Leaving::default()
    }

    fn in_loop(&mut self, context: usize, body: impl Fn(&mut Self) -> Leaving) -> Leaving {
        self.breaks.push(context);
        self.continues.push(context);
        let leaves = body(self);
        self.breaks.pop();
        self.continues.pop();
        leaves
    }

    fn counted(&mut self, statement: &Numbered, l: &Loop, context: usize) -> Leaving {
        if (self.is_tiled)(l) {
            return self.tiled(statement, l, context);
        }
        let threads = l.threads();
        if threads != [false; 3] {
            // Reductions end alike.
            let mut own = visit::declared(&l.body);
            own.extend(&l.privates);
            own.extend(l.reductions.iter().map(|r| r.symbol));
            self.mark(&self.answers.oracle.list(&l.body), &own);
        }
        if threads[0] {
            return Leaving::default();
        }
        if l.declared_inside {
            self.declared.insert(l.induction, context);
        }
        let mut header = l.limits().into_iter();
        let agreed = header.all(|e| self.agrees(e, context) && self.answers.is_uniform(e));
        if !agreed || self.declared_in(l.induction) != context {
            self.answers.varying.insert(l.induction);
        }
        let agreed = agreed && !self.answers.varies(l.induction);
        let leaves = self.repeated(statement, agreed, context, |walk, inner| {
            walk.own(&l.privates, inner);
            walk.list(statement.body(), inner)
        });
        if self.answers.is_divergent(statement) {
            self.answers.varying.insert(l.induction);
        }
        leaves
    }

    fn tiled(&mut self, statement: &Numbered, l: &Loop, context: usize) -> Leaving {
        self.answers.varying.insert(l.induction);
        if let Some(tile) = l.tile {
            if let Some(TileCount { number, .. }) = tile.count {
                self.answers.varying.insert(number);
            }
            tile.variables()
                .for_each(|symbol| self.own(&[symbol], context));
        }
        self.own(&l.privates, context);
        let leaves = self.in_loop(context, |walk| walk.list(statement.body(), context));
        if leaves.any() {
            self.answers.skipping.insert(statement.number);
        }
        Leaving::default()
    }

    /// Private copies begin in a context.
    fn own(&mut self, privates: &[SymbolId], context: usize) {
        let privates = privates.iter().map(|&symbol| (symbol, context));
        self.declared.extend(privates);
    }

    fn plain_for(&mut self, statement: &Numbered, l: &PlainFor, context: usize) -> Leaving {
        let mut agreed = true;
        if let [initializer, _] = statement.blocks.as_slice() {
            self.list(initializer, context);
        }
        if let Some(initializer) = &l.initializer {
            visit::own_expressions(initializer, &mut |e| agreed &= self.agrees(e, context));
            if let StatementKind::Declaration(list) = &initializer.kind {
                agreed &= list.iter().all(|d| !self.answers.varies(d.symbol));
            }
        }
        let header = || l.condition.iter().chain(&l.step);
        agreed &= header().all(|e| self.agrees(e, context));
        self.repeated(statement, agreed, context, |walk, inner| {
            let leaves = walk.list(statement.body(), inner);
            header().for_each(|e| walk.assignments(e, inner));
            leaves
        })
    }

    fn declared_in(&self, symbol: SymbolId) -> usize {
        self.declared.get(&symbol).copied().unwrap_or(0)
    }

    /// Marks what an expression assigns unless all threads may assign it.
    fn assignments(&mut self, e: &Expression, context: usize) {
        let mut written = IndexSet::new();
        self.answers.oracle.accesses(e, &mut |access| {
            if access.touch == Touch::Write {
                written.insert(access.place);
            }
        });
        if !written.is_empty() && self.agrees(e, context) {
            written.retain(|place| match place {
                Place::Variable(symbol) => self.declared_in(*symbol) != context,
                _ => true,
            });
        }
        self.mark_places(&written, &[]);
    }

    fn mark(&mut self, effects: &Effects, except: &[SymbolId]) {
        self.mark_places(&effects.writes, except);
    }

    fn mark_places(&mut self, places: &IndexSet<Place>, except: &[SymbolId]) {
        for &place in places {
            if let Place::Variable(symbol) = place
                && self.answers.scope.is_private(place)
                && !except.contains(&symbol)
            {
                self.answers.varying.insert(symbol);
            }
        }
    }

    fn declaration(&mut self, declaration: &LocalDeclaration, context: usize) {
        self.declared.insert(declaration.symbol, context);
        let mut agreed = true;
        declaration.values(&mut |e| {
            self.assignments(e, context);
            agreed &= self.agrees(e, context);
        });
        if !agreed {
            self.answers.varying.insert(declaration.symbol);
        }
    }
}

/// Whether a block walks loops of a kernel by tiles.
pub fn is_tiled(kernel: &Kernel) -> bool {
    visit::any_loop(&kernel.body, &mut |l| l.tile.is_some())
}

/// The conditions around barriers of a decided kernel that threads may
/// disagree on; there must be none.
pub fn violations(kernel: &Kernel, oracle: &Oracle) -> Vec<Violation> {
    let meets = matches!(kernel.scheme, Some(Scheme::Hierarchical | Scheme::Threads));
    if !is_tiled(kernel) && !meets {
        return Vec::new();
    }
    let scope = Scope::of(kernel, oracle.unit());
    let answers = Uniformity::of(kernel, &scope, oracle);
    let mut spans = Vec::new();
    for statement in Numbered::all(&kernel.body) {
        statement.walk(&mut |s| {
            let before = spans.len();
            deciding(s.statement, &mut |e| {
                if !answers.is_uniform(e) {
                    spans.push(e.span);
                }
            });
            let is_left = answers.by_tiles && answers.is_divergent(s) && waits(s.alone());
            if is_left && before == spans.len() {
                spans.push(s.statement.span);
            }
        });
    }
    let opening = kernel.windows.iter().flat_map(SharedWindow::opening);
    spans.extend(opening.filter(|e| !answers.is_uniform(e)).map(|e| e.span));
    let message = "threads may disagree on a condition around a barrier";
    let violation = |span| Violation {
        message: message.into(),
        span,
    };
    spans.into_iter().map(violation).collect()
}

/// What threads of a block may disagree on that decides whether they come to windows and
/// barriers, before these are placed: conditions, limits of loops, jumps.
pub fn apart(kernel: &Kernel, answers: &Uniformity<'_>) -> Option<Span> {
    let mut found = None;
    for statement in Numbered::all(&kernel.body) {
        statement.walk(&mut |s| {
            if found.is_some() || !visit::has_windows(s.alone()) {
                return;
            }
            if !matches!(s.statement.kind, StatementKind::Windows(_)) {
                visit::own_expressions(s.statement, &mut |e| {
                    if !answers.is_uniform(e) {
                        let is_written = e.span != Span::default();
                        found = Some(if is_written { e.span } else { s.statement.span });
                    }
                });
            }
            let is_left = answers.is_divergent(s) || answers.skipping.contains(&s.number);
            found = found.or(is_left.then_some(s.statement.span));
        });
    }
    found
}

/// The expressions of a statement that decide whether threads come to the
/// barriers in it.
fn deciding<'s>(statement: &'s Statement, judge: &mut dyn FnMut(&'s Expression)) {
    match &statement.kind {
        StatementKind::WriteBack { .. } | StatementKind::WhileAny(..) => {}
        _ if !waits(std::slice::from_ref(statement)) => {}
        StatementKind::CollectiveCall(call) => call.arguments().iter().for_each(judge),
        StatementKind::Loop(l) if l.tile.is_none() && l.threads()[1] => {}
        _ => visit::own_expressions(statement, judge),
    }
}

/// Whether threads wait for each other somewhere in some code.
pub fn waits(list: &[Statement]) -> bool {
    visit::any(list, &mut |s| match &s.kind {
        StatementKind::Barrier(barrier) => barrier.dropped.is_none(),
        StatementKind::OpenWindows(_)
        | StatementKind::WriteBack { .. }
        | StatementKind::WhileAny(..)
        | StatementKind::RowBarrier(_)
        | StatementKind::CollectiveCall(_)
        | StatementKind::ReductionEnd(..) => true,
        StatementKind::Single { broadcast, .. } => !broadcast.is_empty(),
        _ => false,
    })
}
