//! Statements of kernels and of the functions that they call (the paper's sections 4.1 and
//! 5.3 to 5.5).
//!
//! ```text
//! #pragma hicuda loop_partition over_tblock over_thread     Loop i = 0 .. < n
//! for (i = 0; i < n; i++)                               ->       over grid 1 in runs, block 1
//! #pragma hicuda shared alloc A[i-1:i+1] copyin             with windows A …
//! ```
//!
//! A partition shares its loop over the dimension of blocks, and that of threads, that its
//! nesting level has; each kind is counted by itself.

use super::check::{Allocation, Checked, Directives, Kernel, Partition, Variable};
use super::sections::Reader;
use super::table::Memory;
use crate::ast::{Dialect, Directive};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::lowering::jumps;
use crate::front::lowering::loops::Counted;
use crate::front::lowering::statements::Statements;
use crate::ir::{
    self, Barrier, Dimension, Extent, Length, Level, Loop, Order, Schedule, Share,
    StatementKind as Ir, Window, WindowDimension, WindowPolicy, WindowProof, WindowRegion,
};
use crate::source::Span;
use crate::typed::{Expression, For, Statement, StatementKind, SymbolId, Unit, synthesis};

/// Lowers the statements of one kernel or function.
pub struct Body<'l> {
    /// What ids refer to.
    pub unit: &'l Unit,
    /// What its directives say.
    pub directives: &'l Directives,
    /// Where errors go.
    pub diagnostics: &'l mut Diagnostics,
    /// Takes sections apart.
    pub reader: Reader<'l>,
    /// The kernel, or none in a function that kernels call.
    pub kernel: Option<&'l Kernel>,
    /// The partitions around, outermost first.
    around: Vec<Partition>,
    /// The `singular` around.
    singular: Option<Span>,
    /// What the `remove` ends that the statements at hand go up to.
    ended: Vec<SymbolId>,
}

impl<'l> Body<'l> {
    /// Begins at the top of a kernel or function.
    pub fn new(
        reader: Reader<'l>,
        directives: &'l Directives,
        kernel: Option<&'l Kernel>,
        diagnostics: &'l mut Diagnostics,
    ) -> Self {
        Self {
            unit: reader.unit,
            directives,
            diagnostics,
            reader,
            kernel,
            around: Vec::new(),
            singular: None,
            ended: Vec::new(),
        }
    }

    /// A loop that blocks, threads or both share.
    fn partition(
        &mut self,
        directive: &Directive<Expression>,
        partition: Partition,
        body: Option<&Statement>,
    ) -> Option<ir::Statement> {
        let statement = body?;
        let StatementKind::For(parts) = &statement.kind else {
            let message = "`loop_partition` is followed by a `for` loop";
            let problem = Diagnostic::error(codes::EXPECTED_LOOP, message, directive.span);
            let problem = problem.also(statement.span, "this is none");
            self.diagnostics
                .push(problem.help("put the directive right before the loop"));
            self.list(statement);
            return None;
        };
        if let Some(singular) = self.singular {
            let message = "a partition inside of `singular`, which one thread runs";
            let problem = Diagnostic::error(codes::SINGULAR, message, directive.span);
            let problem = problem.also(singular, "begins here");
            self.diagnostics
                .push(problem.help("end `singular` before the loop"));
        }
        let shares = self.shares(directive, partition);
        let counted = match Counted::of(self.unit, statement, parts) {
            Ok(counted) => counted,
            Err(problem) => {
                let what = "`loop_partition` needs a counted loop";
                self.diagnostics.push(problem.also(directive.span, what));
                self.list(&parts.body);
                return None;
            }
        };
        let construct = jumps::Construct {
            name: "loop_partition",
            directive: directive.span,
        };
        jumps::out_of(&parts.body, construct, true, self.diagnostics);
        self.around.push(partition);
        let list = self.list(&parts.body);
        self.around.pop();
        let lowered = Loop {
            schedule: Schedule {
                directive: true,
                shares: shares?,
                ..Schedule::default()
            },
            directive: Some(directive.span),
            ..counted.lowered(list)
        };
        Some(ir::Statement {
            kind: Ir::Loop(Box::new(lowered)),
            span: statement.span,
        })
    }

    /// The dimensions of the partition's nesting levels.
    fn shares(
        &mut self,
        directive: &Directive<Expression>,
        partition: Partition,
    ) -> Option<Vec<Share>> {
        let kernel = self.kernel?;
        let level = |is_it: fn(&Partition) -> bool| self.around.iter().filter(|p| is_it(p)).count();
        let blocks = level(|p| p.blocks.is_some());
        let threads = level(|p| p.threads);
        let mut shares = Vec::new();
        if let Some(order) = partition.blocks {
            let over = Dimension::Grid(blocks);
            shares.push(Share { over, order });
        }
        if partition.threads {
            let over = Dimension::Block(threads);
            let order = Order::Cyclic;
            shares.push(Share { over, order });
        }
        for share in &shares {
            let (clause, sizes, level, of) = match share.over {
                Dimension::Grid(at) => ("over_tblock", &kernel.grid, at, "tblock"),
                Dimension::Block(at) => ("over_thread", &kernel.block, at, "thread"),
            };
            if level >= sizes.len() {
                let message = format!(
                    "this is level {} of `{clause}`, and the kernel's `{of}` has {} dimension{}",
                    level + 1,
                    sizes.len(),
                    if sizes.len() == 1 { "" } else { "s" }
                );
                let problem = Diagnostic::error(codes::PARTITION_LEVEL, message, directive.span);
                let problem = problem.also(kernel.name.span, "the kernel");
                self.diagnostics.push(problem.help(format!(
                    "give `{of}` a size for each of its nested partitions"
                )));
                return None;
            }
        }
        Some(shares)
    }

    /// The statements up to the directive that ends them.
    pub fn run(&mut self, body: &Statement) -> Vec<ir::Statement> {
        match &body.kind {
            StatementKind::Compound(items) => match items.split_last() {
                Some((_, items)) => self.items(items),
                None => Vec::new(),
            },
            _ => self.list(body),
        }
    }

    fn singular(
        &mut self,
        directive: &Directive<Expression>,
        body: Option<&Statement>,
        out: &mut Vec<ir::Statement>,
    ) {
        let Some(body) = body else {
            let message = "`singular` has no end in this block";
            let problem = Diagnostic::error(codes::UNPAIRED, message, directive.span);
            let help = "`singular_end` belongs into the same block, as a statement of its own";
            return self.diagnostics.push(problem.help(help));
        };
        let around = self.singular.replace(directive.span);
        let list = self.run(body);
        self.singular = around;
        let kind = Ir::Single {
            level: Level::Block,
            body: list,
            broadcast: Vec::new(),
        };
        out.push(ir::Statement {
            kind,
            span: body.span,
        });
    }

    /// A barrier, or the beginning of a window, where one thread is alone.
    fn not_alone(&mut self, directive: &Directive<Expression>, what: &str) {
        if let Some(singular) = self.singular {
            let message = format!("{what} inside of `singular`, which one thread runs");
            let problem = Diagnostic::error(codes::SINGULAR, message, directive.span);
            let problem = problem.also(singular, "begins here");
            self.diagnostics
                .push(problem.help("end `singular` before it"));
        }
    }

    /// The statements from a `shared alloc` on: those up to its `remove` are with windows.
    /// Gives those after it.
    fn shared<'s>(
        &mut self,
        items: &'s [Statement],
        out: &mut Vec<ir::Statement>,
    ) -> &'s [Statement] {
        let begin = items.iter().take_while(|s| self.allocated(s).is_some());
        let (begin, rest) = items.split_at(begin.count());
        let all = begin.iter().flat_map(|s| self.allocated(s).unwrap_or(&[]));
        let all: Vec<&Allocation> = all.collect();
        let own: Vec<SymbolId> = all.iter().map(|a| a.variable.symbol).collect();
        let directive = begin.first().map_or_else(Span::default, |s| s.span);
        let is_end = |s: &Statement| self.removed(s).iter().any(|v| own.contains(&v.symbol));
        let at = rest.iter().position(is_end);
        let (body, after) = rest.split_at(at.unwrap_or(rest.len()));
        let ends = after.iter().take_while(|s| !self.removed(s).is_empty());
        let ends = ends.count();
        let removed = after[..ends].iter().flat_map(|s| self.removed(s));
        let mut removed: Vec<SymbolId> = removed.map(|v| v.symbol).collect();
        let after = &after[ends..];
        if at.is_none() {
            removed.clone_from(&self.ended);
        }
        for allocation in &all {
            if !removed.contains(&allocation.variable.symbol) {
                let name = &self.unit.symbol(allocation.variable.symbol).name;
                let message = format!("`{name}` is not removed where its window may end");
                let span = allocation.variable.span;
                let problem = Diagnostic::error(codes::ALLOCATION, message, span);
                self.diagnostics.push(problem.help(format!(
                    "put `#pragma hicuda shared remove {name}` into the same block; what is allocated last is removed first"
                )));
            }
        }
        let tail = |s: &Statement| {
            let checked = self.directives.of_statement(s);
            let is_copy = matches!(checked, Some(Checked::CopyOut(Memory::Shared, _)));
            is_copy || matches!(checked, Some(Checked::Barrier))
        };
        let written = body.iter().rev().take_while(|s| tail(s));
        let written: Vec<&Variable> = written
            .filter_map(|s| match self.directives.of_statement(s)? {
                Checked::CopyOut(_, variable) => Some(variable),
                _ => None,
            })
            .collect();
        for copied in &written {
            let mut windows = all.iter().map(|a| &a.variable);
            let of = windows.clone().find(|v| v.symbol == copied.symbol);
            let is_whole = windows.any(|v| v.symbol == copied.symbol && v.text == copied.text);
            if let Some(window) = of.filter(|_| !is_whole) {
                self.in_part(copied, window);
            }
        }
        let around = std::mem::replace(&mut self.ended, removed);
        let list = self.items(body);
        self.ended = around;
        let windows = all.iter().filter_map(|a| self.window(a, &written, &list));
        let windows: Vec<Window> = windows.collect();
        let titles = all.iter().map(|a| a.variable.text.as_str());
        let region = WindowRegion {
            windows,
            body: list,
            explicit: true,
            title: format!("shared {}", titles.collect::<Vec<_>>().join(", ")),
            directive,
        };
        out.push(ir::Statement {
            kind: Ir::Windows(Box::new(region)),
            span: directive,
        });
        after
    }

    /// What a statement allocates in shared memory, if it is such a directive.
    fn allocated(&self, statement: &Statement) -> Option<&'l [Allocation]> {
        match self.directives.of_statement(statement)? {
            Checked::Alloc(Memory::Shared, list) => Some(list),
            _ => None,
        }
    }

    fn removed(&self, statement: &Statement) -> &'l [Variable] {
        match self.directives.of_statement(statement) {
            Some(Checked::Free(Memory::Shared, list)) => list,
            _ => &[],
        }
    }

    /// The window of an allocation over `body`.
    fn window(
        &mut self,
        allocation: &Allocation,
        copied_out: &[&Variable],
        body: &[ir::Statement],
    ) -> Option<Window> {
        let variable = &allocation.variable;
        let item = self.reader.item(ir::DataAction::Create, variable);
        let item = item
            .map_err(|problem| self.diagnostics.push(problem))
            .ok()?;
        let Extent::Section { ranges, .. } = item.extent else {
            let name = &self.unit.symbol(variable.symbol).name;
            let message = format!("`{name}` is no array, so that it has no section");
            let problem = Diagnostic::error(codes::WINDOW_ARRAY, message, variable.span);
            self.diagnostics
                .push(problem.help("shared memory takes sections of arrays"));
            return None;
        };
        if let Some(copied) = &allocation.copyin
            && copied.text != variable.text
        {
            self.in_part(copied, variable);
        }
        let int = synthesis::int(self.unit);
        let number = |n: i128| synthesis::integer(n, int, variable.span);
        let dimensions = ranges.iter().enumerate().map(|(at, range)| {
            let ends = variable.dimensions.get(at).and_then(|b| b.ends.as_ref());
            let (pivot, after) = match (ends, &range.length) {
                (Some((first, last)), _) => {
                    let after = self.reader.difference(first, last);
                    let after = after.map(number).unwrap_or_else(|| {
                        let first = synthesis::parenthesized(first.clone());
                        let ty = last.ty.ty;
                        synthesis::binary(
                            crate::typed::BinaryOperator::Subtract,
                            last.clone(),
                            first,
                            ty,
                        )
                    });
                    (first.clone(), after)
                }
                (None, Length::Constant(n)) => (number(0), number(i128::from(*n) - 1)),
                (None, Length::Expression(e)) => {
                    let one = number(1);
                    let e = e.clone();
                    (
                        number(0),
                        synthesis::binary(crate::typed::BinaryOperator::Subtract, e, one, int),
                    )
                }
                (None, Length::Variable { .. }) => return None,
            };
            Some(WindowDimension {
                pivot,
                before: number(0),
                after,
            })
        });
        let Some(dimensions) = dimensions.collect::<Option<Vec<_>>>() else {
            let message = format!("all of `{}`, whose length is computed,", variable.text);
            self.diagnostics.push(not_yet(&message, variable.span));
            return None;
        };
        let used = crate::front::lowering::usage::of(self.unit, body);
        let used = used.variables.get(&variable.symbol);
        Some(Window {
            array: variable.symbol,
            dimensions,
            policy: WindowPolicy {
                fetch: allocation.copyin.is_some(),
                channel: used.is_some_and(|place| place.written),
                write_back: copied_out
                    .iter()
                    .any(|c| c.symbol == variable.symbol && c.text == variable.text),
            },
            proof: WindowProof::Trusted,
            bounds: allocation
                .is_unchecked
                .then(|| vec![None; variable.dimensions.len()]),
            has_sections: false,
            text: variable.text.clone(),
            span: variable.span,
        })
    }

    fn misplaced(&mut self, directive: &Directive<Expression>, help: &str) {
        let message = format!("`{}` stands inside of a kernel", directive.name_text());
        let code = codes::DIRECTIVE_OUT_OF_PLACE;
        let problem = Diagnostic::error(code, message, directive.span);
        let kernel = self.kernel.map(|kernel| kernel.name.span);
        let problem = match kernel {
            Some(kernel) => problem.also(kernel, "the kernel"),
            None => problem,
        };
        self.diagnostics.push(problem.help(help));
    }

    /// A copy that is not of all of its window.
    fn in_part(&mut self, copied: &Variable, window: &Variable) {
        let message = format!("a copy of `{}`, less than the window,", copied.text);
        let problem = not_yet(&message, copied.span).also(window.span, "the window");
        let help = format!("copy `{}`", window.text);
        self.diagnostics.push(problem.help(help));
    }
}

impl Statements for Body<'_> {
    fn unit(&self) -> &Unit {
        self.unit
    }

    fn diagnostics(&mut self) -> &mut Diagnostics {
        self.diagnostics
    }

    fn items(&mut self, items: &[Statement]) -> Vec<ir::Statement> {
        let mut out = Vec::new();
        let mut rest = items;
        while let Some((first, after)) = rest.split_first() {
            if self.allocated(first).is_some() {
                rest = self.shared(rest, &mut out);
            } else {
                self.statement(first, &mut out);
                rest = after;
            }
        }
        out
    }

    fn directive(
        &mut self,
        directive: &Directive<Expression>,
        body: Option<&Statement>,
        out: &mut Vec<ir::Statement>,
    ) {
        let span = directive.span;
        match self.directives.get(directive) {
            Some(Checked::Partition(partition)) => {
                return out.extend(self.partition(directive, *partition, body));
            }
            Some(Checked::Singular) => return self.singular(directive, body, out),
            Some(Checked::Barrier) => {
                self.not_alone(directive, "a barrier");
                let barrier = Barrier {
                    written: true,
                    ..Barrier::default()
                };
                let kind = Ir::Barrier(barrier);
                return out.push(ir::Statement { kind, span });
            }
            Some(Checked::CopyOut(Memory::Shared, variable)) => {
                let is_last = self.ended.contains(&variable.symbol);
                if !is_last {
                    let name = &self.unit.symbol(variable.symbol).name;
                    let message = format!("`{name}` is copied out where it has no window");
                    let problem = Diagnostic::error(codes::ALLOCATION, message, variable.span);
                    self.diagnostics.push(
                        problem.help("put it right before the `remove` that ends the window"),
                    );
                }
                return;
            }
            Some(Checked::Free(Memory::Shared, list)) => {
                for variable in list {
                    let name = &self.unit.symbol(variable.symbol).name;
                    let message = format!("`{name}` is removed and has no window here");
                    let problem = Diagnostic::error(codes::ALLOCATION, message, variable.span);
                    self.diagnostics.push(
                        problem
                            .help("`alloc` and `remove` stand in one block; each is removed once"),
                    );
                }
                return;
            }
            Some(Checked::Kernel(_)) => {
                self.misplaced(directive, "kernels do not nest");
            }
            Some(Checked::End) => {
                self.misplaced(directive, "it ends nothing that begins in this block");
            }
            Some(Checked::Shape(_)) => {
                self.misplaced(directive, "put it before the kernel");
            }
            Some(Checked::Alloc(..) | Checked::CopyOut(..) | Checked::Free(..)) => {
                self.misplaced(directive, "the host does it: move it out of the kernel");
            }
            None if directive.dialect != Dialect::HiCuda => {
                self.misplaced(directive, "a function has directives of one dialect");
            }
            None => {}
        }
        if let Some(body) = body {
            self.statement(body, out);
        }
    }

    fn undirected(&mut self, statement: &Statement, parts: &For, out: &mut Vec<ir::Statement>) {
        let span = statement.span;
        let kind = match self.counted(statement, parts) {
            Some(counted) => Ir::Loop(Box::new(Loop {
                schedule: Schedule {
                    sequential: true,
                    ..Schedule::default()
                },
                ..counted
            })),
            None => self.plain(parts),
        };
        out.push(ir::Statement { kind, span });
    }
}

/// The error for something valid that is not built.
pub fn not_yet(what: &str, span: Span) -> Diagnostic {
    let message = format!("{what} is not supported yet");
    Diagnostic::error(codes::NOT_SUPPORTED_YET, message, span)
}
