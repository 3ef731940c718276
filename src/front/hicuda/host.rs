//! Directives in host code: what is on the device from where to where (the paper's
//! sections 4.2, 5.1 and 5.2), and the kernels among them.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use super::check::{Allocation, Checked, Directives, Variable};
use super::sections::{Reader, Shapes};
use super::table::Memory;
use crate::ast::{Dialect, Directive};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::lowering::usage;
use crate::ir::{DataAction, DataItem, Module, Region, RegionId, RegionKind};
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
    pub addresses: std::collections::BTreeSet<SymbolId>,
    /// What all callers put on the device of the parameters.
    pub inherited: Vec<Placed>,
    /// The calls, with what is on the device of their arguments.
    pub calls: Vec<Call>,
    /// Kernels are passed over.
    pub skips_kernels: bool,
    /// A kernel calls the function.
    pub is_in_kernels: bool,
    /// The blocks around.
    depth: usize,
    /// The loops and `switch`es around that a `break` leaves, by the blocks around them.
    breaks: Vec<usize>,
    /// As `breaks`, for `continue`.
    continues: Vec<usize>,
    labels: BTreeMap<String, Span>,
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
    depth: usize,
    /// The `goto`s since.
    jumps: Vec<(String, Span)>,
    /// Where else control leaves it on the device, should it be freed at all.
    left: Vec<Diagnostic>,
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
            calls: Vec::new(),
            skips_kernels: false,
            is_in_kernels: false,
            depth: 0,
            breaks: Vec::new(),
            continues: Vec::new(),
            labels: BTreeMap::new(),
        }
    }

    /// All of the function.
    pub fn function(&mut self) {
        let labels = &mut self.labels;
        visit::statements(&self.function.body, &mut |statement| {
            if let StatementKind::Labeled(name, _) = &statement.kind {
                labels.insert(name.clone(), statement.span);
            }
        });
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
            StatementKind::Goto(label) => {
                for placed in &mut self.placed {
                    placed.jumps.push((label.clone(), statement.span));
                }
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

    /// A jump that leaves all blocks but the outermost `outside`.
    fn left(&mut self, span: Span, outside: usize, what: &str) {
        if let Some(placed) = self.placed.iter_mut().find(|p| p.depth > outside) {
            let name = &self.unit.symbol(placed.symbol).name;
            let message = format!("{what} leaves `{name}` on the device");
            let problem = Diagnostic::error(codes::ALLOCATION, message, span);
            let problem = problem.also(placed.item.span, "allocated here");
            let problem = problem.help("free it first, or jump to where it is freed");
            placed.left.push(problem);
        }
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
                None => self.unpaired(directive, "kernel_end", "has no end in this block"),
            },
            Some(Checked::End) if self.is_in_kernels => self.outside_kernels(directive),
            Some(Checked::End) => {
                let begin = word.trim_end_matches("_end");
                self.unpaired(directive, begin, "ends nothing");
            }
            Some(checked) if checked.is_in_kernels() => self.outside_kernels(directive),
            Some(Checked::Shape(list)) => self.shape(directive, list),
            Some(Checked::Alloc(memory, list)) => self.alloc(*memory, directive, list),
            Some(Checked::CopyOut(memory, variable)) => self.copy_out(*memory, directive, variable),
            Some(Checked::Free(memory, list)) => self.free(*memory, directive, list),
            // What is inside of a kernel means nothing without it.
            None if directive.ended_by().is_some() => return,
            Some(_) | None => {}
        }
        if let Some(body) = body {
            self.statement(body);
        }
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
        let message = format!("`{}` stands outside of kernels", directive.name_text());
        let code = codes::DIRECTIVE_OUT_OF_PLACE;
        let problem = Diagnostic::error(code, message, directive.span);
        self.diagnostics
            .push(problem.help("put it between `kernel` and `kernel_end`"));
    }

    fn shape(&mut self, directive: &Directive<Expression>, list: &[Variable]) {
        for variable in list {
            let name = &self.unit.symbol(variable.symbol).name;
            let is_pointer = self
                .unit
                .types
                .is_pointer(self.unit.symbol(variable.symbol).ty.ty);
            let sizes = variable.dimensions.iter().map(|bounds| match &bounds.ends {
                Some((first, last)) if first.span == last.span => Some(first.clone()),
                _ => None,
            });
            let sizes: Option<Vec<Expression>> = sizes.collect();
            let problem = match &sizes {
                _ if !is_pointer => format!("`{name}` is no pointer"),
                None => "a shape gives the length of each dimension".to_string(),
                Some(sizes) if sizes.is_empty() => format!("`{name}` gets no dimensions"),
                Some(sizes) => {
                    self.shapes.insert(variable.symbol, sizes.clone());
                    continue;
                }
            };
            let problem = Diagnostic::error(codes::NO_SHAPE, problem, variable.span);
            self.diagnostics
                .push(problem.help("write `#pragma hicuda shape p[n][m]` for a pointer `p`"));
        }
        self.module.consumed.push(directive.span);
    }

    fn alloc(&mut self, memory: Memory, directive: &Directive<Expression>, list: &[Allocation]) {
        let mut data = Vec::new();
        for allocation in list {
            let variable = &allocation.variable;
            if let Some(first) = self.placed.iter().find(|p| p.symbol == variable.symbol) {
                let name = &self.unit.symbol(variable.symbol).name;
                let (message, code) = match first.memory == memory {
                    true => (format!("`{name}` is allocated already"), codes::ALLOCATION),
                    false => (
                        format!("`{name}` is in {} memory already", first.memory.word()),
                        codes::ALLOCATION,
                    ),
                };
                let problem = Diagnostic::error(code, message, variable.span);
                let problem = problem.also(first.item.span, "here");
                self.diagnostics.push(problem.help("free it first"));
                continue;
            }
            let items = self.items_of(allocation);
            let [item, copies @ ..] = items.as_slice() else {
                continue;
            };
            self.placed.push(Placed {
                memory,
                symbol: variable.symbol,
                item: item.clone(),
                depth: self.depth,
                jumps: Vec::new(),
                left: Vec::new(),
            });
            data.push(item.clone());
            data.extend(copies.iter().cloned());
        }
        self.region(directive, data);
    }

    /// What an allocation does; nothing if that is wrong.
    fn items_of(&mut self, allocation: &Allocation) -> Vec<DataItem> {
        let reader = self.reader();
        let made = reader.item(DataAction::Create, &allocation.variable);
        let copied = allocation.copyin.as_ref();
        let copied = copied.map(|copied| reader.item(DataAction::CopyIn, copied));
        let result = made.and_then(|mut made| {
            made.modifiers.zero = allocation.clear;
            let copied = copied.transpose()?;
            if let Some(copied) = &copied {
                reader.inside(&made, copied)?;
            }
            Ok(std::iter::once(made).chain(copied).collect())
        });
        result.unwrap_or_else(|problem| {
            self.diagnostics.push(problem);
            Vec::new()
        })
    }

    fn copy_out(&mut self, memory: Memory, directive: &Directive<Expression>, variable: &Variable) {
        let name = &self.unit.symbol(variable.symbol).name;
        let Some(placed) = self.placed.iter().find(|p| p.symbol == variable.symbol) else {
            let message = format!("`{name}` is not on the device here");
            let problem = Diagnostic::error(codes::ALLOCATION, message, variable.span);
            let word = memory.word();
            self.diagnostics.push(problem.help(format!(
                "`#pragma hicuda {word} alloc` of it belongs before, in the same block or around it"
            )));
            return;
        };
        let reader = self.reader();
        let item = reader.item(DataAction::CopyOut, variable);
        match item.and_then(|item| reader.inside(&placed.item, &item).map(|()| item)) {
            Ok(item) => self.region(directive, vec![item]),
            Err(problem) => self.diagnostics.push(problem),
        }
    }

    fn free(&mut self, memory: Memory, directive: &Directive<Expression>, list: &[Variable]) {
        let mut data = Vec::new();
        for variable in list {
            let name = &self.unit.symbol(variable.symbol).name;
            let position = self
                .placed
                .iter()
                .position(|p| p.symbol == variable.symbol && p.memory == memory);
            let problem =
                |message: String| Diagnostic::error(codes::ALLOCATION, message, variable.span);
            let Some(position) = position else {
                let problem = problem(format!("`{name}` is freed and was not allocated"));
                self.diagnostics.push(
                    problem.help("allocation and end stand in one block; each is freed once"),
                );
                continue;
            };
            let placed = self.placed.remove(position);
            if placed.depth != self.depth {
                let problem = problem(format!("`{name}` is freed in a block of its own"));
                let problem = problem.also(placed.item.span, "allocated here");
                self.diagnostics
                    .push(problem.help("free it in the block that allocates it"));
            }
            for (label, span) in &placed.jumps {
                let at = self.labels.get(label);
                let lives = Span::new(placed.item.span.end, directive.span.start);
                if at.is_none_or(|at| !lives.contains(Span::new(at.start, at.start))) {
                    let message = format!("`goto {label}` leaves `{name}` on the device");
                    let problem = Diagnostic::error(codes::ALLOCATION, message, *span);
                    let problem = problem.also(placed.item.span, "allocated here");
                    self.diagnostics.push(problem.help("free it first"));
                }
            }
            for problem in placed.left {
                self.diagnostics.push(problem);
            }
            let mut item = placed.item;
            item.action = DataAction::Delete;
            item.text.clone_from(name);
            data.push(item);
        }
        self.region(directive, data);
    }

    fn region(&mut self, directive: &Directive<Expression>, data: Vec<DataItem>) {
        let region = self.empty_region(directive, RegionKind::Placement, data);
        self.module.regions.push(region);
    }

    pub(super) fn empty_region(
        &self,
        directive: &Directive<Expression>,
        kind: RegionKind,
        data: Vec<DataItem>,
    ) -> Region {
        let clause = directive.clauses.first();
        let title = match (&kind, clause) {
            (RegionKind::Placement, Some(clause)) => {
                format!("{} {}", directive.name_text(), clause.name.value)
            }
            _ => directive.name_text(),
        };
        Region {
            kind,
            title,
            function: self.function.symbol,
            directive: directive.span,
            body: None,
            parent: None::<RegionId>,
            condition: None,
            queue: None,
            waits: Vec::new(),
            data,
            host_copies: Vec::new(),
            locals: Vec::new(),
        }
    }

    /// What a variable of a kernel is on the device by a directive of this function.
    pub(super) fn placed(&self, symbol: SymbolId) -> Option<&Placed> {
        let all = self.placed.iter().chain(&self.inherited);
        all.clone().find(|placed| placed.symbol == symbol)
    }
}
