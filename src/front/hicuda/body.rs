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

use super::check::Directives;
use super::checked::{Checked, Kernel, Partition};
use super::sections::Reader;
use super::table::Memory;
use crate::ast::{Dialect, Directive};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::lowering::loops::Counted;
use crate::front::lowering::statements::Statements;
use crate::front::lowering::{jumps, outlived};
use crate::ir::{
    self, Barrier, Dimension, Level, Loop, Order, Schedule, Share, StatementKind as Ir,
};
use crate::source::Span;
use crate::typed::{Expression, For, Statement, StatementKind, SymbolId, Unit};

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
    around: Vec<&'l Partition>,
    /// The `singular` around.
    singular: Option<Span>,
    /// What the `remove` ends that the statements at hand go up to.
    pub(super) ended: Vec<SymbolId>,
    /// The copyouts right before those.
    pub(super) last: Vec<Span>,
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
            last: Vec::new(),
        }
    }

    /// A loop that blocks, threads or both share.
    fn partition(
        &mut self,
        directive: &Directive<Expression>,
        partition: &'l Partition,
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
        self.not_alone(directive, "a partition");
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
            reductions: partition.reductions.clone(),
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
        partition: &Partition,
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
        self.not_alone(directive, "`singular`");
        if self.around.iter().any(|partition| partition.threads) {
            let message = "`singular` inside of a loop that threads share";
            let problem = Diagnostic::error(codes::SINGULAR, message, directive.span);
            self.diagnostics.push(problem.help(
                "each iteration is one thread's already: leave `singular` out, or end the loop before it",
            ));
        }
        let construct = jumps::Construct {
            name: "singular",
            directive: directive.span,
        };
        jumps::out_of(body, construct, false, self.diagnostics);
        let around = self.singular.replace(directive.span);
        let list = self.run(body);
        self.singular = around;
        if around.is_some() {
            return out.extend(list);
        }
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
    pub(super) fn not_alone(&mut self, directive: &Directive<Expression>, what: &str) {
        if let Some(singular) = self.singular {
            let message = format!("{what} inside of `singular`, which one thread runs");
            let problem = Diagnostic::error(codes::SINGULAR, message, directive.span);
            let problem = problem.also(singular, "begins here");
            self.diagnostics
                .push(problem.help("end `singular` before it"));
        }
    }

    /// What is declared in a section, which is a block in the output, and used behind it.
    pub(super) fn outlived(&mut self, inside: &[Statement], after: &[Statement], section: Span) {
        for (symbol, used) in outlived::uses(after, &outlived::declared(inside)) {
            let name = &self.unit.symbol(symbol).name;
            let message = format!("`{name}` is used behind the section that declares it");
            let problem = Diagnostic::error(codes::LOST_SCALAR, message, used);
            let problem = problem.also(section, "the section begins here");
            self.diagnostics
                .push(problem.help(format!("declare `{name}` before it")));
        }
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
                if let StatementKind::Directive(written, Some(body)) = &first.kind
                    && let StatementKind::Compound(inside) = &body.kind
                {
                    self.outlived(inside, after, written.span);
                }
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
                return out.extend(self.partition(directive, partition, body));
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
                let has_window = self.ended.contains(&variable.symbol);
                if !has_window || !self.last.contains(&span) {
                    let name = &self.unit.symbol(variable.symbol).name;
                    let message = match has_window {
                        true => format!("`{name}` is copied out before its window ends"),
                        false => format!("`{name}` is copied out where it has no window"),
                    };
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
            Some(Checked::End | Checked::SingularEnd) => {
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
            Ok(counted) => Ir::Loop(Box::new(Loop {
                schedule: Schedule {
                    sequential: true,
                    ..Schedule::default()
                },
                ..counted
            })),
            Err(why) => self.plain(parts, Some(why)),
        };
        out.push(ir::Statement { kind, span });
    }
}

/// The error for something valid that is not built.
pub fn not_yet(what: &str, span: Span) -> Diagnostic {
    let message = format!("{what} is not supported yet");
    Diagnostic::error(codes::NOT_SUPPORTED_YET, message, span)
}
