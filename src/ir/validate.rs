//! What must hold for every module, checked after every pass in tests and
//! debug builds.
//!
//! Here stands what the tree alone shows. Whether conditions around barriers
//! are uniform takes analysis: [`crate::analysis::uniformity::violations`].

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use super::{
    BlockExtent, Collective, ConstantArray, Distribution, Kernel, Level, Loop, Module, RegionKind,
    Scheme, SharedWindow, Statement, StatementKind, Tile, limits, visit,
};
use crate::source::Span;
use crate::typed::{ExpressionKind, SymbolId, Unit};

/// How far the passes have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// As the front end made it.
    Lowered,
    /// Loops are known to be parallel or not, and have private copies.
    Parallelised,
    /// Loops have distributions, kernels schemes.
    Mapped,
    /// Nothing is left to decide.
    Decided,
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which, in words.
    pub message: String,
    /// Where.
    pub span: Span,
}

/// The rules that a module breaks; none is the normal case.
pub fn violations(module: &Module, unit: &Unit, stage: Stage) -> Vec<Violation> {
    let mut found = Vec::new();
    for region in &module.regions {
        if let RegionKind::Compute { launches, .. } = &region.kind {
            for launch in launches {
                let mut ids = std::iter::once(launch.kernel).chain(launch.others());
                let dangling = ids.any(|id| id.0 as usize >= module.kernels.len());
                if dangling {
                    found.push(Violation {
                        message: "a launch names no kernel".into(),
                        span: region.directive,
                    });
                }
            }
        }
    }
    for kernel in &module.kernels {
        let mut checker = Checker {
            unit,
            stage,
            kernel,
            found: &mut found,
        };
        checker.kernel();
    }
    found
}

struct Checker<'a> {
    unit: &'a Unit,
    stage: Stage,
    kernel: &'a Kernel,
    found: &'a mut Vec<Violation>,
}

/// What stands around a statement.
#[derive(Clone, Copy, Default)]
struct Around {
    blocks: [bool; 3],
    threads: [bool; 3],
    /// Some threads may be without an iteration: those of loops that are not
    /// walked a tile at a time.
    split: bool,
    single: bool,
}

impl Checker<'_> {
    fn broken(&mut self, message: impl Into<String>, span: Span) {
        self.found.push(Violation {
            message: message.into(),
            span,
        });
    }

    fn kernel(&mut self) {
        self.symbols();
        if self.stage >= Stage::Mapped && self.kernel.scheme.is_none() {
            self.broken("a kernel has no scheme", self.kernel.span);
        }
        if self.stage >= Stage::Decided && self.kernel.collective.is_none() {
            self.block();
            self.tables();
        }
        self.list(&self.kernel.body, Around::default());
    }

    /// What is in constant memory is only read.
    fn tables(&mut self) {
        let kernel = self.kernel;
        let mut tables = kernel.tables.iter();
        let is_wanted = |table: &ConstantArray| kernel.wanted_tables.contains(table);
        if tables.any(|table| !kernel.read_only.contains(&table.symbol) && !is_wanted(table)) {
            self.broken("a table in constant memory may be written", kernel.span);
        }
    }

    /// Every variable comes from somewhere.
    fn symbols(&mut self) {
        let kernel = self.kernel;
        let mut known: HashSet<SymbolId> = kernel.captures.iter().map(|c| c.symbol).collect();
        known.extend(&kernel.privates);
        known.extend(kernel.reductions.iter().map(|r| r.symbol));
        known.extend(kernel.grid_reductions.iter().map(|r| r.symbol));
        known.extend(kernel.block_reductions.iter().map(|r| r.symbol));
        known.extend(kernel.shared.iter().map(|s| s.symbol));
        known.extend(visit::declared(&kernel.body));
        known.extend(kernel.windows.iter().flat_map(SharedWindow::variables));
        // An array may be used in windows only, and then in none of memory.
        visit::walk(&kernel.body, &mut |statement| {
            if let StatementKind::Windows(region) = &statement.kind {
                known.extend(region.windows.iter().map(|window| window.array));
            }
        });
        visit::loops(&kernel.body, &mut |l| {
            known.insert(l.induction);
            known.extend(&l.privates);
            known.extend(l.reductions.iter().map(|r| r.symbol));
            known.extend(l.tile.iter().flat_map(Tile::variables));
        });
        let mut unknown = Vec::new();
        visit::expressions(&kernel.body, &mut |e| {
            // Variables of statement expressions declare themselves.
            if let ExpressionKind::Statement(_) = &e.kind {
                declared_in(e, &mut known);
            }
            // Functions name globals; kernels get their addresses.
            let is_foreign = |symbol: SymbolId| {
                let variable = self.unit.symbol(symbol);
                variable.is_variable() && (kernel.collective.is_none() || variable.is_automatic())
            };
            if let ExpressionKind::Symbol(symbol) = e.kind
                && is_foreign(symbol)
                && !known.contains(&symbol)
            {
                unknown.push((symbol, e.span));
            }
        });
        for (symbol, span) in unknown {
            let name = &self.unit.symbol(symbol).name;
            let message = format!("`{name}` is neither captured nor declared in its kernel");
            self.broken(message, span);
        }
    }

    fn block(&mut self) {
        let Some(extents) = &self.kernel.block else {
            return self.broken("a kernel has no block", self.kernel.span);
        };
        let threads: u64 = extents
            .iter()
            .map(|extent| match extent {
                BlockExtent::Constant(n) => u64::from(*n),
                BlockExtent::Expression(_) => 1,
            })
            .product();
        if !(1..=u64::from(limits::THREADS)).contains(&threads) {
            self.broken(format!("a block has {threads} threads"), self.kernel.span);
        }
    }

    fn list(&mut self, list: &[Statement], around: Around) {
        self.pairs(list);
        for statement in list {
            let mut inner = around;
            match &statement.kind {
                StatementKind::Loop(l) => inner = self.counted(l, around),
                StatementKind::Atomic(atomic) => {
                    if let Err(problem) = atomic.access() {
                        self.broken(problem.message, problem.span);
                    }
                }
                StatementKind::Barrier(_)
                | StatementKind::OpenWindows(_)
                | StatementKind::WriteBack { .. }
                | StatementKind::WhileAny(..)
                    if self.stage >= Stage::Mapped && (around.single || around.split) =>
                {
                    self.broken("not all threads of a block reach a barrier", statement.span);
                }
                StatementKind::RowBarrier(_) if around.single || around.threads[0] => {
                    self.broken("not all lanes of a row reach a barrier", statement.span);
                }
                StatementKind::CollectiveCall(call) => {
                    let split = match call.collective {
                        Collective::Lanes => around.threads[0],
                        Collective::Block => around.threads != [false; 3],
                    };
                    if around.single || split {
                        let message = "not all threads of a collective reach their call";
                        self.broken(message, statement.span);
                    }
                }
                StatementKind::Single { level, .. } => {
                    let split = match level {
                        Level::Block => around.threads != [false; 3],
                        _ => around.threads[0],
                    };
                    if around.single || split {
                        let message = "a section of one thread inside a loop that threads share";
                        self.broken(message, statement.span);
                    }
                    inner.single = true;
                }
                StatementKind::ReductionEnd(_, distribution) => {
                    let overlap =
                        (0..3).any(|axis| around.threads[axis] && distribution.threads[axis]);
                    if around.single || overlap {
                        self.broken(
                            "not all threads reach the end of a reduction",
                            statement.span,
                        );
                    }
                }
                _ => {}
            }
            visit::blocks(statement, &mut |body| self.list(body, inner));
        }
    }

    /// Reductions begin and end in one list, inner ones inside outer ones or
    /// beside them.
    fn pairs(&mut self, list: &[Statement]) {
        let mut open: Vec<SymbolId> = Vec::new();
        for statement in list {
            match &statement.kind {
                StatementKind::ReductionBegin(r, _) => open.push(r.symbol),
                StatementKind::ReductionEnd(r, _) => {
                    match open.iter().rposition(|&symbol| symbol == r.symbol) {
                        Some(index) => {
                            open.remove(index);
                        }
                        None => self.broken("a reduction ends that never began", statement.span),
                    }
                }
                _ => {}
            }
        }
        if !open.is_empty() {
            let span = list.first().map_or(self.kernel.span, |s| s.span);
            self.broken("a reduction begins and does not end", span);
        }
    }

    fn counted(&mut self, l: &Loop, around: Around) -> Around {
        if self.stage >= Stage::Parallelised && l.parallelism.is_none() {
            self.broken("it is not known whether a loop is parallel", l.header);
        }
        if self.stage < Stage::Mapped {
            return around;
        }
        let Some(distribution) = l.distribution else {
            self.broken("a loop has no spread", l.header);
            return around;
        };
        let parallel = l.is_parallel();
        if !distribution.is_sequential() && !parallel {
            self.broken("a sequential loop is shared between threads", l.header);
        }
        if self.kernel.scheme == Some(Scheme::Single) && !distribution.is_sequential() {
            self.broken("a kernel of one thread shares a loop", l.header);
        }
        let mut inner = self.nested(distribution, around, l.header);
        inner.split |= l.tile.is_none() && distribution.threads != [false; 3];
        inner
    }

    /// No axis serves two nested loops, or work would be lost.
    fn nested(&mut self, distribution: Distribution, around: Around, span: Span) -> Around {
        let mut inner = around;
        if let Some(axis) = distribution.blocks {
            if around.blocks[axis as usize] {
                self.broken("two nested loops share one axis of the grid", span);
            }
            inner.blocks[axis as usize] = true;
        }
        for axis in 0..3 {
            if distribution.threads[axis] && around.threads[axis] {
                self.broken("two nested loops share one axis of the block", span);
            }
            inner.threads[axis] |= distribution.threads[axis];
        }
        inner
    }
}

fn declared_in(e: &crate::typed::Expression, known: &mut HashSet<SymbolId>) {
    fn statement(s: &crate::typed::Statement, known: &mut HashSet<SymbolId>) {
        use crate::typed::StatementKind as S;
        match &s.kind {
            S::Declaration(list) => known.extend(list.iter().map(|d| d.symbol)),
            S::Compound(list) => list.iter().for_each(|s| statement(s, known)),
            S::If(_, then, otherwise) => {
                statement(then, known);
                if let Some(otherwise) = otherwise {
                    statement(otherwise, known);
                }
            }
            S::While(_, body) | S::DoWhile(body, _) | S::Switch(_, body) => {
                statement(body, known);
            }
            S::For(parts) => {
                if let Some(initializer) = &parts.initializer {
                    statement(initializer, known);
                }
                statement(&parts.body, known);
            }
            _ => {}
        }
    }
    if let ExpressionKind::Statement(body) = &e.kind {
        statement(body, known);
    }
}
