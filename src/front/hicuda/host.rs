//! Directives in host code: what is on the device from where to where (the paper's
//! sections 4.2, 5.1 and 5.2), and the kernels among them.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::check::Directives;
use super::checked::Checked;
use super::sections::{Reader, Shapes};
use super::table::Memory;
use crate::analysis::directives;
use crate::ast::{Dialect, Directive};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::lowering::jumps::Ways;
use crate::front::lowering::usage;
use crate::ir::{DataItem, Module, Region, RegionKind};
use crate::source::Span;
use crate::typed::{
    Expression, ExpressionKind, Function, Statement, StatementKind, SymbolId, Unit, visit,
};

/// The state while the directives of one function are lowered.
pub struct Lowering<'u, 'd> {
    /// What ids refer to.
    pub unit: &'u Unit,
    /// What its directives say.
    pub directives: &'u Directives,
    /// The function.
    pub function: &'u Function,
    /// Where errors go.
    pub diagnostics: &'d mut Diagnostics,
    /// What is built.
    pub module: Module,
    /// Functions that kernels call, with a call.
    pub called: IndexMap<SymbolId, Span>,
    /// What is on the device here by directives of this function.
    pub placed: Vec<Placed>,
    /// The shapes of pointers here.
    pub shapes: Shapes,
    /// Variables of the function whose address is taken.
    pub addresses: BTreeSet<SymbolId>,
    /// What all callers put on the device of the parameters, and all functions of variables.
    pub inherited: Vec<Placed>,
    /// What directives of the function put on the device anywhere.
    pub ever_placed: Vec<Placed>,
    /// The calls, with what is on the device of their arguments.
    pub calls: Vec<Call>,
    /// Kernels are passed over.
    pub skips_kernels: bool,
    /// A kernel calls the function.
    pub is_in_kernels: bool,
    /// The blocks around.
    pub(super) depth: usize,
    /// The loops and `switch`es around that a `break` leaves, by the blocks around them.
    breaks: Vec<usize>,
    /// As `breaks`, for `continue`.
    continues: Vec<usize>,
    pub(super) ways: Ways,
    /// Variables of which a directive was wrong: what follows from that is not reported.
    pub(super) refused: BTreeSet<SymbolId>,
    /// A kernel has no end, or its beginning could not be read, which was reported.
    pub is_open: bool,
    /// What a directive of the function says is not known: it may place a variable.
    pub has_unknown: bool,
}

/// A variable that a directive put on the device.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Where.
    pub memory: Memory,
    /// The variable.
    pub symbol: SymbolId,
    /// Which part of it.
    pub item: DataItem,
    pub(super) depth: usize,
    /// Where else control leaves it on the device, should it be freed at all.
    pub(super) left: Vec<Diagnostic>,
}

/// A call in host code.
pub struct Call {
    /// The function.
    pub callee: SymbolId,
    /// What each argument is on the device.
    pub arguments: Vec<Option<Placed>>,
}

impl<'u, 'd> Lowering<'u, 'd> {
    /// Begins at the top of a function.
    pub fn new(
        unit: &'u Unit,
        directives: &'u Directives,
        function: &'u Function,
        diagnostics: &'d mut Diagnostics,
    ) -> Self {
        Self {
            unit,
            directives,
            function,
            diagnostics,
            module: Module::default(),
            called: IndexMap::new(),
            placed: Vec::new(),
            shapes: Shapes::new(),
            addresses: usage::addresses(&function.body),
            inherited: Vec::new(),
            ever_placed: Vec::new(),
            calls: Vec::new(),
            skips_kernels: false,
            is_in_kernels: false,
            depth: 0,
            breaks: Vec::new(),
            continues: Vec::new(),
            ways: Ways::of(&function.body),
            refused: BTreeSet::new(),
            is_open: false,
            has_unknown: false,
        }
    }

    /// All of the function.
    pub fn function(&mut self) {
        self.statement(&self.function.body);
    }

    pub(super) fn reader(&self) -> Reader<'_> {
        Reader {
            unit: self.unit,
            shapes: &self.shapes,
        }
    }

    fn statement(&mut self, statement: &'u Statement) {
        match &statement.kind {
            StatementKind::Directive(directive, body) if directive.dialect == Dialect::HiCuda => {
                return self.directive(directive, body.as_deref(), statement);
            }
            StatementKind::Compound(items) => return self.block(items),
            StatementKind::Return(_) => self.left(statement.span, 0, "`return`"),
            StatementKind::Break => {
                let outside = self.breaks.last().copied();
                self.left(statement.span, outside.unwrap_or(0), "`break`");
            }
            StatementKind::Continue => {
                let outside = self.continues.last().copied();
                self.left(statement.span, outside.unwrap_or(0), "`continue`");
            }
            _ => {}
        }
        if matches!(
            statement.kind,
            StatementKind::Expression(_) | StatementKind::Declaration(_) | StatementKind::Return(_)
        ) {
            visit::expressions(statement, &mut |e| self.note_call(e));
        }
        let is_loop = matches!(
            statement.kind,
            StatementKind::For(_) | StatementKind::While(..) | StatementKind::DoWhile(..)
        );
        let is_switch = matches!(statement.kind, StatementKind::Switch(..));
        let marks = (self.breaks.len(), self.continues.len());
        if is_loop || is_switch {
            self.breaks.push(self.depth);
        }
        if is_loop {
            self.continues.push(self.depth);
        }
        visit::in_expressions(statement, &mut |inner| self.statement(inner));
        visit::children(statement, &mut |inner| self.statement(inner));
        self.breaks.truncate(marks.0);
        self.continues.truncate(marks.1);
    }

    fn note_call(&mut self, e: &Expression) {
        let ExpressionKind::Call {
            function,
            arguments,
        } = &e.kind
        else {
            return;
        };
        let Some(callee) = function.as_symbol() else {
            return;
        };
        let placed = |argument: &Expression| {
            let symbol = argument.inner().as_symbol()?;
            self.placed(symbol).cloned()
        };
        let arguments = arguments.iter().map(placed).collect();
        self.calls.push(Call { callee, arguments });
    }

    /// A block, at whose end what was put on the device in it is gone, and so are shapes.
    fn block(&mut self, items: &'u [Statement]) {
        self.depth += 1;
        let shapes = self.shapes.clone();
        for item in items {
            self.statement(item);
        }
        self.shapes = shapes;
        let own = self.placed.iter().position(|p| p.depth == self.depth);
        for placed in self.placed.split_off(own.unwrap_or(self.placed.len())) {
            if self.refused.contains(&placed.symbol) {
                continue;
            }
            let name = &self.unit.symbol(placed.symbol).name;
            let end = match placed.memory {
                Memory::Global => "free",
                _ => "remove",
            };
            let message = format!("`{name}` is not freed in the block that allocates it");
            let problem = Diagnostic::error(codes::ALLOCATION, message, placed.item.span);
            let word = placed.memory.word();
            self.diagnostics.push(problem.help(format!(
                "put `#pragma hicuda {word} {end} {name}` at the end of the same block"
            )));
        }
        self.depth -= 1;
    }

    fn directive(
        &mut self,
        directive: &'u Directive<Expression>,
        body: Option<&'u Statement>,
        whole: &'u Statement,
    ) {
        let word = directive.name_text();
        match self.directives.get(directive) {
            Some(Checked::Kernel(kernel)) => match body {
                Some(_) if self.skips_kernels => return,
                Some(body) => return self.kernel(directive, kernel, body, whole),
                None => self.without_end(directive),
            },
            Some(Checked::End | Checked::SingularEnd) if self.is_open => {}
            Some(Checked::SingularEnd) if self.is_in_kernels => self.outside_kernels(directive),
            Some(Checked::End | Checked::SingularEnd) => {
                let begin = word.trim_end_matches("_end");
                self.unpaired(directive, begin, "ends nothing");
            }
            Some(Checked::Singular) if !self.is_in_kernels && body.is_some() => {
                return self.outside_kernels(directive);
            }
            Some(checked) if checked.is_in_kernels() => self.outside_kernels(directive),
            Some(Checked::Shape(list)) => self.shape(directive, list),
            Some(Checked::Alloc(memory, list)) => self.alloc(*memory, directive, list),
            Some(Checked::CopyOut(memory, variable)) => self.copy_out(*memory, directive, variable),
            Some(Checked::Free(memory, list)) => self.free(*memory, directive, list),
            Some(_) => {}
            None => {
                self.refused.extend(directives::all_named(directive));
                // What a wrong kernel has in it is not judged.
                if directive.ended_by().is_some() {
                    return;
                }
            }
        }
        if let Some(body) = body {
            self.statement(body);
        }
    }

    /// A kernel that ends in another block, or not at all.
    fn without_end(&mut self, directive: &Directive<Expression>) {
        let message = "`kernel` has no end in this block";
        let mut problem = Diagnostic::error(codes::UNPAIRED, message, directive.span);
        let mut next = None;
        visit::directives(&self.function.body, &mut |other| {
            let is_behind = other.span.start > directive.span.start;
            let word = other.name.first().map_or("", |word| word.value.as_str());
            if is_behind && next.is_none() && matches!(word, "kernel" | "kernel_end") {
                next = Some((word == "kernel_end", other.span));
            }
        });
        if let Some((true, end)) = next {
            problem = problem.also(end, "this end stands in another block");
        }
        self.is_open = true;
        self.diagnostics.push(problem.help(
            "put `#pragma hicuda kernel_end` into the same block, as a statement of its own",
        ));
    }

    fn unpaired(&mut self, directive: &Directive<Expression>, other: &str, what: &str) {
        let message = format!("`{}` {what}", directive.name_text());
        let problem = Diagnostic::error(codes::UNPAIRED, message, directive.span);
        self.diagnostics.push(problem.help(format!(
            "`{other}` belongs into the same block, as a statement of its own"
        )));
    }

    fn outside_kernels(&mut self, directive: &Directive<Expression>) {
        // Its kernels have it in the place of the call.
        if self.is_in_kernels {
            return self.module.consumed.push(directive.span);
        }
        if self.is_open {
            return;
        }
        let message = format!("`{}` stands outside of kernels", directive.name_text());
        let code = codes::DIRECTIVE_OUT_OF_PLACE;
        let problem = Diagnostic::error(code, message, directive.span);
        self.diagnostics
            .push(problem.help("put it between `kernel` and `kernel_end`"));
    }

    pub(super) fn region(&mut self, directive: &Directive<Expression>, data: Vec<DataItem>) {
        let word = directive.clauses.first().map(|clause| &clause.name.value);
        let title = match word {
            Some(word) => format!("{} {word}", directive.name_text()),
            None => directive.name_text(),
        };
        let (kind, function) = (RegionKind::Placement, self.function.symbol);
        self.module.regions.push(Region {
            data,
            ..Region::empty(kind, title, function, directive.span)
        });
    }

    /// What a variable of a kernel is on the device by a directive of this function.
    pub(super) fn placed(&self, symbol: SymbolId) -> Option<&Placed> {
        let all = self.placed.iter().chain(&self.inherited);
        all.clone().find(|placed| placed.symbol == symbol)
    }
}
