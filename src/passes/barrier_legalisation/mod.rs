//! Every barrier is reached by every thread of the block.
//!
//! Input: kernels whose loops are walked by tiles, with barriers anywhere.
//! Output: the same with masks, so that no barrier stands under a condition
//! that threads disagree on.
//!
//! ```c
//! const int i = i_first + threadIdx.x;
//! if (i % 2 == 0) {                 // before, for each i < n
//!     s[i] = a[i];
//!     barrier;
//!     a[i] = s[i + 1];
//! }
//!
//! const int i = i_first + threadIdx.x;
//! const bool taken = i < n && i % 2 == 0;      // after
//! if (taken)
//!     s[i] = a[i];
//! barrier;
//! if (taken)
//!     a[i] = s[i + 1];
//! ```
//!
//! The block runs an iteration's code statement by statement in textual order,
//! the `then` branch wholly before the `else` branch.
//!
//! - What contains a barrier of any kind is *opened*: split at it, its parts
//!   run under a saved mask. What does not is run under the mask as it is.
//! - Conditions, loads, calls and right-hand sides are evaluated by threads
//!   whose mask is set. A thread whose iteration is out of range has a clear
//!   one.
//! - A loop with a barrier that threads may leave at different times runs
//!   while any thread is live ([`StatementKind::WhileAny`]).
//! - `break`, `continue` and leaving the iteration clear masks.
//! - What all threads agree on keeps its plain form, and is evaluated by all
//!   of them ([`crate::analysis::uniformity`]).
//! - A barrier that cannot matter is dropped ([`barriers`]).
//!
//! [`StatementKind::WhileAny`]: crate::ir::StatementKind::WhileAny

mod barriers;
mod branches;
mod jumps;
mod loops;
mod masks;
mod opening;
mod segments;
#[cfg(test)]
mod tests;
mod tidy;

use std::collections::HashSet;

use crate::analysis::effects::{Oracle, Place, cannot_fault};
use crate::analysis::exits::{Exits, Jump};
use crate::analysis::scope::Scope;
use crate::analysis::uniformity::{Uniformity, is_tiled};
use crate::analysis::whole_tiles::has_whole_tiles;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::numbered::Numbered;
use crate::ir::{
    DeviceFunction, Kernel, Loop, Module, Once, Passing, Scheme, Statement, StatementKind, visit,
};
use crate::source::Span;
use crate::typed::{Expression, LocalDeclaration, SymbolId, Unit};
use masks::Names;
use opening::Opened;
use segments::Segments;

/// Puts every tiled kernel into lock-step. In others whose threads share windows they are so
/// already.
pub fn run(module: &mut Module, unit: &mut Unit, diagnostics: &mut Diagnostics) {
    let waits =
        |k: &Kernel| is_tiled(k) || k.scheme == Some(Scheme::Threads) && !k.windows.is_empty();
    if !module.kernels.iter().any(waits) {
        return;
    }
    let mut names = Names::new(unit);
    let oracle = Oracle::new(unit, &module.functions);
    for kernel in module.kernels.iter_mut().filter(|kernel| waits(kernel)) {
        drop_redundant(kernel, &module.functions, &oracle);
        if !is_tiled(kernel) {
            continue;
        }
        kernel_legalised(kernel, &oracle, &mut names, diagnostics);
    }
    for symbol in names.constants {
        unit.symbol_mut(symbol).ty.qualifiers.is_const = true;
    }
}

fn drop_redundant(kernel: &mut Kernel, functions: &[DeviceFunction], oracle: &Oracle) {
    let scope = Scope::of(kernel, oracle.unit());
    let dropped = {
        let answers = Uniformity::of(kernel, &scope, oracle);
        barriers::redundant(kernel, functions, &answers, oracle)
    };
    barriers::drop(&mut kernel.body, &dropped);
}

fn kernel_legalised(
    kernel: &mut Kernel,
    oracle: &Oracle,
    names: &mut Names,
    diagnostics: &mut Diagnostics,
) {
    let scope = Scope::of(kernel, oracle.unit());
    let answers = Uniformity::of(kernel, &scope, oracle);
    names.enter(kernel);
    let mut splitter = Splitter {
        opened: Opened::of(kernel, &answers, &scope, oracle),
        answers: &answers,
        oracle,
        ambiguous: ambiguous(kernel, oracle.unit()),
        values: captured_values(kernel),
        known: HashSet::new(),
        kernel,
        names,
        frames: Vec::new(),
        regions: Vec::new(),
        context: 0,
        contexts: 0,
        errors: Vec::new(),
    };
    let (mut split, _) = splitter.list(&Numbered::all(&kernel.body));
    let errors = std::mem::take(&mut splitter.errors);
    tidy::run(&mut split, names);
    tidy::drop_unused(&mut split, &kernel.windows);
    kernel.body = split;
    errors.into_iter().for_each(|e| diagnostics.push(e));
}

/// Captured variables that every thread has.
fn captured_values(kernel: &Kernel) -> HashSet<SymbolId> {
    let values = kernel.captures.iter();
    let values = values.filter(|c| matches!(c.passing, Passing::Value));
    values.map(|c| c.symbol).collect()
}

/// Variables whose names others of the kernel have too: their scopes must stay
/// as they are.
fn ambiguous(kernel: &Kernel, unit: &Unit) -> HashSet<SymbolId> {
    let mut all: HashSet<SymbolId> = visit::declared(&kernel.body).into_iter().collect();
    all.extend(&kernel.privates);
    all.extend(kernel.captures.iter().map(|c| c.symbol));
    visit::loops(&kernel.body, &mut |l| {
        all.insert(l.induction);
        all.extend(&l.privates);
    });
    let name = |symbol: SymbolId| &unit.symbol(symbol).name;
    all.iter()
        .copied()
        .filter(|&a| all.iter().any(|&b| a != b && name(a) == name(b)))
        .collect()
}

/// The pass over one kernel. It reads one tree and builds another.
struct Splitter<'a, 'u> {
    answers: &'a Uniformity<'a>,
    oracle: &'a Oracle<'a>,
    opened: Opened<'a>,
    ambiguous: HashSet<SymbolId>,
    /// Captured values.
    values: HashSet<SymbolId>,
    /// Locals that all threads have computed.
    known: HashSet<SymbolId>,
    /// As it was.
    kernel: &'a Kernel,
    names: &'a mut Names<'u>,
    /// Branches and loops around, outermost first.
    frames: Vec<Frame>,
    /// How many frames are around each region of windows that is open.
    regions: Vec<usize>,
    /// The set of threads that run what is being split, as in the analysis;
    /// 0 is all.
    context: usize,
    contexts: usize,
    errors: Vec<Diagnostic>,
}

/// A branch or loop around a statement.
struct Frame {
    /// The variable that is set in the threads that run it, where these are
    /// fewer than those that run what is around it.
    mask: Option<SymbolId>,
    /// Given for loops.
    target: Option<Target>,
}

/// What jumps need to know of a loop.
#[derive(Clone, Copy)]
struct Target {
    /// Emitted as it was, so that `continue` of all threads is one.
    is_plain: bool,
    is_tile: bool,
    /// The threads that run an iteration.
    context: usize,
    /// Of a loop that runs while any thread is live.
    live: Option<SymbolId>,
}

impl Splitter<'_, '_> {
    /// The mask of the statement being split; `None` is all threads.
    fn mask(&self) -> Option<Expression> {
        let symbol = self.frames.iter().rev().find_map(|frame| frame.mask)?;
        Some(self.names.read(symbol))
    }

    fn is_deep(&self) -> bool {
        self.context != 0
    }

    fn is_common(&self, e: &Expression) -> bool {
        self.answers.is_common(e, self.is_deep())
    }

    fn new_context(&mut self) {
        self.contexts += 1;
        self.context = self.contexts;
    }

    /// Splits a list; also says whether some threads may have left it by a
    /// jump.
    fn list(&mut self, list: &[Numbered]) -> (Vec<Statement>, bool) {
        let around = self.context;
        let mut out = Segments::default();
        let mut leaves = false;
        let regions = self.regions.len();
        for statement in list {
            let kind = &statement.statement.kind;
            if matches!(kind, StatementKind::OpenWindows(_)) {
                self.regions.push(self.frames.len());
            }
            if self.statement(statement, &mut out) {
                out.flush();
                leaves = true;
                self.new_context();
            }
            // What ends a region is for those that left it, too.
            let is_jump = matches!(kind, StatementKind::Break | StatementKind::Continue);
            if is_jump && self.regions.len() == regions {
                break;
            }
        }
        self.regions.truncate(regions);
        self.context = around;
        (out.finish(self.names), leaves)
    }

    /// Splits a statement; returns whether some threads may leave it by a
    /// jump while others go on behind it.
    fn statement(&mut self, numbered: &Numbered, out: &mut Segments) -> bool {
        let statement = numbered.statement;
        match &statement.kind {
            StatementKind::Expression(None) => false,
            StatementKind::Expression(Some(_)) => {
                self.run(statement.clone(), self.opened.defines(statement), out);
                false
            }
            StatementKind::Declaration(list) => {
                let has_value = list.iter().any(|d| d.initializer.is_some());
                let at_once = if has_value { 1 } else { list.len() };
                for part in list.chunks(at_once) {
                    self.declaration(part, statement.span, out);
                }
                false
            }
            StatementKind::Barrier(barrier) => {
                if barrier.dropped.is_none() || out.is_between_groups() {
                    out.common(statement.clone());
                } else {
                    out.masked(statement.clone(), self.mask());
                }
                false
            }
            // Also reductions of a loop that all threads of the block share.
            StatementKind::OpenWindows(_)
            | StatementKind::ReductionBegin(..)
            | StatementKind::ReductionEnd(..) => {
                out.common(statement.clone());
                false
            }
            StatementKind::WriteBack { windows, .. } => {
                let kind = StatementKind::WriteBack {
                    windows: windows.clone(),
                    mask: self.mask(),
                };
                out.common(kind.at(statement.span));
                false
            }
            // Also of threads that have left since.
            StatementKind::If(condition, ..)
                if condition
                    .as_symbol()
                    .is_some_and(|s| self.names.flags.contains(&s)) =>
            {
                out.common(statement.clone());
                false
            }
            StatementKind::Break | StatementKind::Continue => self.jump(statement, out),
            _ if !self.opened.contains(statement) => self.closed(numbered, out),
            _ => self.open(numbered, out),
        }
    }

    /// A statement of all threads, or of those whose mask is set.
    fn run(&self, statement: Statement, all: bool, out: &mut Segments) {
        if all {
            out.common(statement);
        } else {
            out.masked(statement, self.mask());
        }
    }

    /// A variable with the same value in all threads, or one that any thread
    /// may compute, is declared in all of them where that costs no test.
    fn declaration(&mut self, list: &[LocalDeclaration], span: Span, out: &mut Segments) {
        let statement = StatementKind::Declaration(list.to_vec()).at(span);
        let mut is_common = true;
        let mut has_value = false;
        visit::own_expressions(&statement, &mut |e| {
            has_value = true;
            is_common &= self.is_common(e) || self.is_known_everywhere(e);
        });
        let is_needed =
            |symbol: SymbolId| self.opened.needs(symbol) && !self.answers.varies(symbol);
        let is_needed = list.iter().any(|d| is_needed(d.symbol));
        let is_own_slot = list.iter().any(|d| {
            let mut windows = self.kernel.windows.iter();
            windows.any(|window| window.own_value == Some(d.symbol))
        });
        let all = is_needed || (is_common || is_own_slot) && out.is_between_groups();
        if all && has_value {
            self.known.extend(list.iter().map(|d| d.symbol));
        }
        self.run(statement, all, out);
    }

    /// Whether threads without an iteration can compute a value: it is made of
    /// variables that they have, and computing it cannot fault.
    fn is_known_everywhere(&self, e: &Expression) -> bool {
        let effects = self.oracle.expression(e);
        let known = |place: &Place| {
            matches!(place, Place::Variable(symbol) if self.known.contains(symbol)
                || self.values.contains(symbol)
                || self.oracle.unit().symbol(*symbol).is_thread_index())
        };
        cannot_fault(e) && effects.is_pure() && effects.reads.iter().all(known)
    }

    /// What contains no barrier.
    fn closed(&mut self, numbered: &Numbered, out: &mut Segments) -> bool {
        let statement = numbered.statement;
        if !jumps::leaves(statement) {
            if let StatementKind::Block(body) = &statement.kind
                && !self.declares_again(body)
            {
                for inner in numbered.body() {
                    self.statement(inner, out);
                }
                return false;
            }
            self.run(statement.clone(), self.opened.is_common(statement), out);
            return false;
        }
        match &statement.kind {
            StatementKind::If(condition, ..)
                if self.is_common(condition) && self.jumps_alike(statement) =>
            {
                self.open(numbered, out)
            }
            StatementKind::Block(_) => self.open(numbered, out),
            _ => self.soften(statement, out),
        }
    }

    /// Whether a block's braces keep its variables apart from others.
    fn declares_again(&self, body: &[Statement]) -> bool {
        body.iter().any(|s| match &s.kind {
            StatementKind::Declaration(list) => {
                list.iter().any(|d| self.ambiguous.contains(&d.symbol))
            }
            _ => false,
        })
    }

    /// What contains a barrier, or a jump of all threads, or what all threads
    /// must compute.
    fn open(&mut self, numbered: &Numbered, out: &mut Segments) -> bool {
        let statement = numbered.statement;
        match &statement.kind {
            StatementKind::Block(_) | StatementKind::Windows(_) => {
                let (body, leaves) = self.list(numbered.body());
                self.place(body, statement, out);
                leaves
            }
            StatementKind::If(condition, ..) => self.branch(numbered, condition, out),
            StatementKind::Loop(l) if l.tile.is_some() => {
                self.tile(numbered, l, out);
                false
            }
            StatementKind::Loop(_)
            | StatementKind::For(_)
            | StatementKind::While(..)
            | StatementKind::DoWhile(..) => {
                self.repeat(numbered, out);
                false
            }
            StatementKind::Switch(..) => {
                self.refuse("`switch` around a barrier", statement.span);
                false
            }
            _ => {
                self.refuse("`goto` around a barrier", statement.span);
                false
            }
        }
    }

    fn refuse(&mut self, what: &str, span: Span) {
        self.errors.push(
            Diagnostic::error(codes::BARRIER_CONTROL, what, span)
                .note(
                    "all threads of the block must reach every barrier, also those that do not \
                     take this way",
                )
                .help("use `if` and loops"),
        );
    }

    /// A loop that the block walks by tiles: an iteration is run by the threads
    /// whose iteration is in range.
    fn tile(&mut self, numbered: &Numbered, l: &Loop, out: &mut Segments) {
        let is_of_all =
            l.once == Some(Once::Exactly) || has_whole_tiles(l, self.kernel, self.oracle.unit());
        if is_of_all && !Exits::of(&l.body).any(Jump::ends_iteration) {
            self.known.insert(l.induction);
            self.known
                .extend(l.tile.iter().flat_map(|tile| tile.variables()));
            let body = self.list(numbered.body()).0;
            return out.common(loops::with_body(numbered.statement, body));
        }
        let is_innermost = !opening::has_tile(&l.body);
        let wanted = if is_innermost {
            "active".to_string()
        } else {
            format!("{}_active", self.oracle.unit().symbol(l.induction).name)
        };
        let active = self.names.range_mask(&wanted);
        let test = self.names.in_range(l);
        let test = match self.mask() {
            Some(mask) => self.names.and(mask, test),
            None => test,
        };
        let declaration = self.names.declare(active, test);
        self.known.insert(l.induction);
        self.known
            .extend(l.tile.iter().flat_map(|tile| tile.variables()));
        self.frames.push(Frame {
            mask: Some(active),
            target: Some(Target {
                is_plain: true,
                is_tile: true,
                context: self.context,
                live: None,
            }),
        });
        let mut body = vec![declaration];
        body.extend(self.list(numbered.body()).0);
        self.frames.pop();
        out.common(loops::with_body(numbered.statement, body));
    }
}
