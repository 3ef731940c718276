//! Statements of kernels and device functions as CUDA C++.
//!
//! Input: decided IR. Output: lines. Nothing is decided here: who runs what
//! is in the loops' distributions and in the statements that passes added.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::initializer::has_no_spelling;
use super::jumps::{Bare, Passed};
use super::language::Cuda;
use super::notes::Notes;
use super::once::Lanes;
use super::origin::Origins;
use super::worker::Rows;
use super::{Input, LineMarks, own_line};
use crate::back::layout::{Lines, Place};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::usage::Usage;
use crate::ir::{
    Barrier, BlockExtent, Level, SharedVariable, SharedWindow, Statement, StatementKind, visit,
};
use crate::source::{Span, TranslationUnit};
use crate::typed::UnaryOperator;
use crate::typed::{
    Conversion, Expression, ExpressionKind, Initializer, LocalDeclaration, QualType, SymbolId,
    Type, Unit,
};

/// The condition that holds in one thread of a block.
const FIRST_THREAD: &str = "threadIdx.x == 0 && threadIdx.y == 0";

/// The condition that holds in one lane of a row, which may be all of the block.
const FIRST_LANE: &str = "threadIdx.x == 0";

/// A line of its own that stands for a `#line` of the user's file.
pub const MARK: &str = "@line ";

/// A line of its own where the kernel file's own numbering resumes.
pub const END_MARK: &str = "@own";

/// Prints the body of one function.
pub struct Body<'a> {
    pub(super) unit: &'a Unit,
    pub(super) cuda: &'a mut Cuda,
    pub(super) lines: Lines,
    pub(super) diagnostics: &'a mut Diagnostics,
    /// What the kernel does with its copies of variables.
    pub(super) usage: Usage,
    /// The user's text, where pragmas of loops stand.
    pub(super) source: Option<&'a TranslationUnit>,
    /// Where `#line` marks are asked for: what knows the lines.
    marks: Option<&'a TranslationUnit>,
    /// Where the origins of lines are recorded instead: the same.
    records: Option<&'a TranslationUnit>,
    /// In kernels: says where code comes from.
    pub(super) origins: Option<Origins>,
    /// The user's comments, where people read the text.
    pub(super) notes: Option<Notes<'a>>,
    /// The last mark.
    marked: String,
    /// What jumps lead past.
    pub(super) passed: Passed,
    /// Variables that have a declaration in the text so far.
    pub(super) declared: HashSet<SymbolId>,
    /// Copies of variables that assignments at these places declare.
    pub(super) first_values: HashMap<Span, SymbolId>,
    /// How many rows a block has at most.
    pub(super) workers: u32,
    /// Threads of a block along x, y and z.
    pub(super) block: [BlockExtent; 3],
    /// Each launch has just these.
    pub(super) is_fixed: bool,
    /// Some blocks along y lie along z.
    pub(super) folds_y: bool,
    /// Each block has iterations of the tiled loop along x.
    pub(super) skips_empty: bool,
    /// What is known of its rows.
    pub(super) rows: Rows,
    /// Variables in shared memory, which are declared elsewhere.
    pub(super) shared: HashSet<SymbolId>,
    /// Private arrays in device memory: what the pointer to the copy begins
    /// with.
    pub(super) private_arrays: HashMap<SymbolId, String>,
    /// The parameters with all copies of these.
    pub(super) copies: HashMap<SymbolId, String>,
    /// The kernel's windows.
    pub(super) windows: Vec<SharedWindow>,
    /// The number of a thread in its block, as text.
    pub(super) thread: String,
    /// The variables of loops over slots, by what they are called where the name is free.
    pub(super) slot_names: Vec<(String, String)>,
    /// The saved values of reduction variables: variable and name, if it has
    /// one, innermost last.
    pub(super) saved: Vec<(SymbolId, Option<String>)>,
    /// What loops over the threads of a block have in common.
    pub(super) lanes: Lanes,
}

impl<'a> Body<'a> {
    /// An empty body, one level deep.
    pub fn new(unit: &'a Unit, cuda: &'a mut Cuda, diagnostics: &'a mut Diagnostics) -> Self {
        Self {
            unit,
            cuda,
            lines: Lines::at(1),
            diagnostics,
            usage: Usage::default(),
            source: None,
            marks: None,
            records: None,
            origins: None,
            notes: None,
            marked: String::new(),
            passed: Passed::default(),
            declared: HashSet::new(),
            first_values: HashMap::new(),
            workers: 32,
            block: [const { BlockExtent::Constant(1) }; 3],
            is_fixed: false,
            folds_y: false,
            skips_empty: false,
            rows: Rows::Unknown,
            shared: HashSet::new(),
            private_arrays: HashMap::new(),
            copies: HashMap::new(),
            windows: Vec::new(),
            thread: String::new(),
            slot_names: Vec::new(),
            saved: Vec::new(),
            lanes: Lanes::default(),
        }
    }

    /// Asks for what tells lines of the user's file.
    pub fn tell_lines(&mut self, input: Input<'a>) {
        self.source = Some(input.source);
        match input.line_marks {
            LineMarks::None => {}
            LineMarks::Printed => self.marks = Some(input.source),
            LineMarks::Recorded => self.records = Some(input.source),
        }
    }

    /// Whether the text is for compilers rather than for people.
    pub(super) fn has_marks(&self) -> bool {
        self.marks.is_some()
    }

    /// Asks for the user's comments between statements, where no marks are asked for;
    /// `code` is where their statements are in the text.
    pub fn tell_notes(&mut self, source: &'a TranslationUnit, code: Range<u32>) {
        let alignment = self.cuda.alignment.clone();
        let alignment = alignment.filter(|_| self.marks.is_none());
        self.notes = alignment.map(|alignment| Notes::new(source, alignment, code));
    }

    /// Asks for comments on what is from other functions than a kernel's own.
    pub fn tell_origins(&mut self, home: SymbolId) {
        self.origins = Origins::of(self.unit, home);
    }

    /// The place that a statement is told to be of.
    fn told_span(&self, statement: &Statement) -> Span {
        match &statement.kind {
            StatementKind::OpenWindows(list) | StatementKind::WriteBack { windows: list, .. }
                if self.records.is_some() =>
            {
                let first = list.first().and_then(|index| self.windows.get(*index));
                first.map_or(statement.span, |window| window.span)
            }
            _ => statement.span,
        }
    }

    /// A mark before a statement of another line than the last.
    pub(super) fn mark(&mut self, span: Span) {
        if let Some(source) = self.records {
            // What passes made without a place goes with what is around it.
            match own_line(source, span) {
                0 => {}
                line => self.lines.origin = line,
            }
        }
        let Some(source) = self.marks else { return };
        if !source.in_main_file(span) {
            return;
        }
        let location = source.location(span);
        let file = location.file.replace('\\', "\\\\").replace('"', "\\\"");
        let mark = format!("{MARK}{} \"{file}\"", location.line);
        if mark != self.marked {
            self.lines.line(&mark);
            self.marked = mark;
        }
    }

    /// Says that a variable needs no declaration: a parameter.
    pub fn declare_parameter(&mut self, symbol: SymbolId) {
        self.declared.insert(symbol);
    }

    /// The text of the body.
    pub fn finish(mut self) -> String {
        if !self.marked.is_empty() {
            self.lines.line(END_MARK);
        }
        self.lines.finish()
    }

    /// Declares a variable without a value.
    pub fn private(&mut self, symbol: SymbolId) {
        if self.private_arrays.contains_key(&symbol) {
            return self.scratch_pointer(symbol);
        }
        let text = self.declarator(symbol);
        let unused = self.unused_copy(symbol);
        self.lines.line(&format!("{unused}{text};"));
    }

    /// What a copy is declared with that is set and not used.
    pub(super) fn unused_copy(&self, symbol: SymbolId) -> &'static str {
        match self.usage.is_only_set(symbol) {
            true => "[[maybe_unused]] ",
            false => "",
        }
    }

    pub(super) fn declarator(&mut self, symbol: SymbolId) -> String {
        self.declared.insert(symbol);
        let mut ty = self.unit.symbol(symbol).ty;
        ty.qualifiers.is_const = false;
        let name = self.name(symbol);
        self.aligned(symbol) + &self.cuda.declare_as(self.unit, symbol, ty, &name)
    }

    /// The alignment that a variable is declared with, where it is more than its type's.
    pub(super) fn aligned(&self, symbol: SymbolId) -> String {
        let symbol = self.unit.symbol(symbol);
        let natural = self.unit.types.alignment(symbol.ty.ty);
        let asked = self.unit.typedefs.alignment(symbol);
        let more = asked.filter(|bytes| *bytes > natural);
        more.map_or_else(String::new, |bytes| format!("alignas({bytes}) "))
    }

    pub(super) fn name(&self, symbol: SymbolId) -> String {
        use crate::typed::print::Language;
        self.cuda.symbol(self.unit, symbol)
    }

    pub(super) fn text(&self, expression: &Expression) -> String {
        self.cuda.text(self.unit, expression)
    }

    pub(super) fn operand(&self, expression: &Expression, least: u8) -> String {
        self.cuda.operand(self.unit, expression, least)
    }

    /// Reports what has no counterpart in CUDA.
    pub(super) fn refuse(&mut self, message: &str, span: Span) {
        self.diagnostics
            .push(Diagnostic::error(codes::NOT_CUDA, message, span));
    }

    /// The statements of a whole function.
    pub fn function_body(&mut self, list: &[Statement]) {
        self.passed = Passed::of(list);
        self.usage = Usage::of(list, self.unit);
        self.find_lanes(list);
        self.statements(list);
    }

    /// Statements in order.
    pub fn statements(&mut self, list: &[Statement]) {
        let lanes = self.lanes.declared.len();
        self.notes_behind_head(list);
        let mut rest = list;
        while let Some((statement, others)) = rest.split_first() {
            rest = match (self.called_statements(rest), others) {
                (0, [next, behind @ ..]) if is_labelled(statement, next) => {
                    let start = self.lines.end();
                    self.statement(statement, false);
                    self.notes_behind(next, start);
                    behind
                }
                (0, [next, ..]) if self.declares_captured(statement, next) => others,
                (0, _) => {
                    self.statement(statement, others.is_empty());
                    others
                }
                (count, _) => &rest[count..],
            };
        }
        self.lanes.declared.truncate(lanes);
    }

    /// A statement, which may be the last one of its list.
    fn statement(&mut self, statement: &Statement, is_last: bool) {
        let around = self.lines.origin;
        let named = self.cuda.measured.enter(statement);
        let start = self.before(statement);
        let text = self.lines.end();
        self.own_text(statement, is_last);
        self.cuda.measured.leave(named);
        if self.lines.end() != text {
            self.notes_within(statement, text);
            self.notes_behind(statement, start);
            if is_last {
                self.notes_after(statement);
            }
        }
        self.lines.origin = around;
    }

    /// What stands before a statement. Gives where its own lines begin, a mark of the user's line
    /// among them.
    pub(super) fn before(&mut self, statement: &Statement) -> Place {
        self.notes_before(statement);
        self.origin(statement);
        let start = self.lines.end();
        self.mark(self.told_span(statement));
        self.name_values(statement);
        start
    }

    /// The statement itself.
    pub(super) fn own_text(&mut self, statement: &Statement, is_last: bool) {
        match &statement.kind {
            StatementKind::Expression(Some(e)) => self.expression_statement(e),
            StatementKind::Expression(None) => self.lines.line(";"),
            StatementKind::Declaration(list) => self.declarations(list),
            StatementKind::Block(body) if self.lines.append_to_label() => {
                self.statements(body);
                self.lines.outdented("}");
            }
            StatementKind::Block(body) => {
                self.lines.open("{");
                self.statements(body);
                self.lines.close("}");
            }
            StatementKind::If(condition, then, otherwise) => {
                let (head, said) = self.if_head(condition, statement.span);
                self.lines.comments(&said);
                self.conditional(&head, then, otherwise.as_deref(), statement.span);
            }
            StatementKind::Loop(l) => self.counted_loop(l, is_last),
            StatementKind::For(l) => self.plain_for(l, statement.span),
            StatementKind::While(condition, body) => {
                let head = format!("while ({})", self.text(condition));
                let head = self.head(statement.span, head);
                self.unroll(statement.span);
                self.headed(&head, body, statement.span);
            }
            StatementKind::DoWhile(body, condition) => {
                self.unroll(statement.span);
                self.lines.open("do {");
                self.statements(body);
                let condition = self.condition_text(condition);
                self.lines.close(&format!("}} while ({condition});"));
            }
            StatementKind::Switch(value, body) => {
                let head = format!("switch ({})", self.switched(value, body));
                let head = self.head(statement.span, head);
                self.lines.open(&format!("{head} {{"));
                self.statements(body);
                self.lines.close("}");
            }
            _ => self.jump_or_synchronisation(statement),
        }
    }

    /// Names what the values of a statement need variables for; those of declarations have their
    /// turn with them.
    fn name_values(&mut self, statement: &Statement) {
        if !matches!(statement.kind, StatementKind::Declaration(_)) {
            visit::own_expressions(statement, &mut |e| self.name_parts(e));
        }
    }

    /// A compound literal whose address is taken is an object of its block in
    /// C, a temporary in C++: it becomes a variable.
    pub(super) fn name_parts(&mut self, value: &Expression) {
        let mut found = Vec::new();
        crate::typed::visit::walk(value, &mut |e| {
            let literal = match &e.kind {
                ExpressionKind::Unary(UnaryOperator::AddressOf, operand) => operand.inner(),
                ExpressionKind::Convert(Conversion::ArrayToPointer, operand) => operand.inner(),
                ExpressionKind::Statement(inner) => return self.name_lengths(inner),
                _ => return,
            };
            if let ExpressionKind::CompoundLiteral(value) = &literal.kind {
                found.push((literal.span, literal.ty, value));
            }
        });
        // Inner ones first: an outer one may hold them.
        for (span, ty, value) in found.into_iter().rev() {
            let name = self.cuda.fresh("literal");
            if self.passed.has_literal(span) {
                self.bare_declaration(&Bare {
                    name: name.clone(),
                    ty,
                    by: None,
                    initializer: value,
                    begin: String::new(),
                    span,
                });
            } else {
                let text = self.cuda.declare(self.unit, ty, &name);
                let value = self.initializer(value, ty, span);
                self.lines.line(&format!("{text} = {value};"));
            }
            self.cuda.literals.insert(span, name);
        }
    }

    /// Names the lengths that declarations in a statement expression evaluate.
    fn name_lengths(&mut self, statement: &crate::typed::Statement) {
        crate::typed::visit::declarations(statement, &mut |declaration| {
            let symbol = self.unit.symbol(declaration.symbol);
            for length in &declaration.lengths {
                let name = self.cuda.fresh(&format!("{}_length", symbol.name));
                self.cuda.lengths.insert(*length, name);
            }
            if self.unit.types.is_variable_length(symbol.ty.ty) {
                let message = "an array of variable length in a statement expression";
                let error = Diagnostic::error(codes::NOT_CUDA, message, declaration.span);
                self.diagnostics
                    .push(error.help("declare it before the statement"));
            }
        });
    }

    fn jump_or_synchronisation(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Case(label) => {
                let value = match &label.written {
                    Some(value) => self.text(value),
                    None => label.first.to_string(),
                };
                let range = label.last.map(|last| format!(" // ... {last}"));
                let range = range.unwrap_or_default();
                self.lines.outdented(&format!("case {value}:{range}"));
            }
            StatementKind::Default => self.lines.outdented("default:"),
            StatementKind::Label(label) => {
                let label = self.cuda.label(label);
                self.lines.outdented(&format!("{label}:;"));
            }
            StatementKind::Goto(label) => {
                let label = self.cuda.label(label);
                self.lines.line(&format!("goto {label};"));
            }
            StatementKind::Break => self.lines.line("break;"),
            StatementKind::Continue => self.lines.line("continue;"),
            StatementKind::Return(None) => self.lines.line("return;"),
            StatementKind::Return(Some(value)) => {
                let value = self.text(value);
                self.lines.line(&format!("return {value};"));
            }
            StatementKind::Atomic(atomic) => self.atomic(atomic, statement.span),
            StatementKind::Barrier(barrier) => self.barrier(barrier),
            StatementKind::WhileAny(live, body) => {
                let live = self.name(*live);
                self.lines
                    .open(&format!("while (__syncthreads_or({live})) {{"));
                self.statements(body);
                self.lines.close("}");
            }
            StatementKind::OpenWindows(windows) => self.open_windows(windows),
            StatementKind::WriteBack { windows, .. } => self.write_back(windows),
            StatementKind::RowBarrier(why) => self.worker_barrier(why),
            StatementKind::CollectiveCall(call) => {
                let text = self.text(&call.call);
                let result = match call.result {
                    Some(result) if self.passed.has(result) => {
                        let declaration = self.declarator(result);
                        self.lines.line(&format!("{declaration};"));
                        format!("{} = ", self.name(result))
                    }
                    Some(result) => format!("{} = ", self.declarator(result)),
                    None => String::new(),
                };
                self.lines.line(&format!("{result}{text};"));
            }
            StatementKind::Single {
                level,
                body,
                broadcast,
            } => {
                self.single(*level, body, broadcast);
            }
            StatementKind::ReductionBegin(reduction, distribution) => {
                self.reduction_begin(reduction, *distribution);
            }
            StatementKind::ReductionEnd(reduction, distribution) => {
                self.reduction_end(reduction, *distribution)
            }
            _ => {}
        }
    }

    /// A barrier, or the comment that says why there is none.
    fn barrier(&mut self, barrier: &Barrier) {
        match &barrier.dropped {
            Some(why) => self.lines.line(&format!("// No __syncthreads(): {why}")),
            None => self.call("__syncthreads()", &barrier.reason),
        }
    }

    /// A call as a statement, with a comment if there is something to say.
    pub(super) fn call(&mut self, call: &str, note: &str) {
        let note = match note {
            "" => String::new(),
            note => format!(" // {note}"),
        };
        self.lines.line(&format!("{call};{note}"));
    }

    pub(super) fn declaration(&mut self, declaration: &LocalDeclaration) {
        declaration.values(&mut |value| self.name_parts(value));
        if self.shared.contains(&declaration.symbol) {
            return self.assign_shared(declaration);
        }
        if self.private_arrays.contains_key(&declaration.symbol) {
            return self.declare_scratch(declaration);
        }
        let symbol = self.unit.symbol(declaration.symbol);
        let ty = symbol.ty;
        if let Some(initializer) = &declaration.initializer
            && self.passed.has(declaration.symbol)
        {
            self.declared.insert(declaration.symbol);
            return self.bare_declaration(&Bare {
                name: self.name(declaration.symbol),
                ty,
                by: self.unit.typedefs.of_symbol(symbol),
                initializer,
                begin: self.unused(declaration.symbol).to_owned()
                    + &self.aligned(declaration.symbol),
                span: declaration.span,
            });
        }
        // Who has a pointer to rows may never go to another row.
        let unused = match self.unit.types.get(ty.ty) {
            Type::Pointer(_) => "[[maybe_unused]] ",
            _ => "",
        };
        for length in &declaration.lengths {
            let wanted = format!("{}_length", self.unit.symbol(declaration.symbol).name);
            let name = self.cuda.fresh(&wanted);
            let value = self.text(self.unit.length(*length));
            self.lines
                .line(&format!("{unused}const long {name} = {value};"));
            self.cuda.lengths.insert(*length, name);
        }
        if matches!(self.unit.types.get(ty.ty), Type::Array { .. })
            && self.unit.types.is_variable_length(ty.ty)
        {
            return self.own_array(declaration);
        }
        let text = self.declaration_text(declaration);
        let unused = self.unused(declaration.symbol);
        self.lines.line(&format!("{unused}{text};"));
    }

    /// What a variable is declared with that no statement uses, which nvcc warns of and C compilers
    /// do not.
    pub(super) fn unused(&self, symbol: SymbolId) -> &'static str {
        match self.usage.is_never_used(symbol) {
            true => "[[maybe_unused]] ",
            false => "",
        }
    }

    /// A variable in shared memory is declared at the kernel's top.
    fn assign_shared(&mut self, declaration: &LocalDeclaration) {
        let Some(initializer) = &declaration.initializer else {
            return;
        };
        let ty = self.unit.symbol(declaration.symbol).ty;
        let name = self.name(declaration.symbol);
        match initializer {
            Initializer::Expression(_) => {
                let value = self.initializer(initializer, ty, declaration.span);
                self.lines.line(&format!("{name} = {value};"));
            }
            Initializer::Aggregate(_) => self.refuse(
                "an array that the threads of a block share cannot have an initialiser",
                declaration.span,
            ),
        }
    }

    /// Whether a variable is in shared memory.
    pub(super) fn is_shared(&self, symbol: SymbolId) -> bool {
        self.shared.contains(&symbol)
    }

    /// Declares a variable of the block, or of each of its rows, in shared
    /// memory.
    pub fn shared_variable(&mut self, variable: SharedVariable) {
        self.declared.insert(variable.symbol);
        self.shared.insert(variable.symbol);
        let mut ty = self.unit.symbol(variable.symbol).ty;
        ty.qualifiers = crate::typed::Qualifiers::default();
        let mut name = self.name(variable.symbol);
        if variable.level == Level::Row {
            name = format!("{name}[{}]", self.workers);
        }
        let text = (self.cuda).declare_as(self.unit, variable.symbol, ty, &name);
        // Constant elements are assigned where the array is declared.
        let mut element = ty;
        while let Type::Array { element: inner, .. } = self.unit.types.get(element.ty) {
            element = *inner;
        }
        let is_number = self.unit.types.is_arithmetic(element.ty);
        let constant = (is_number && element.qualifiers.is_const).then_some("const ");
        let text = text.strip_prefix(constant.unwrap_or_default());
        let unused = match self.usage.is_only_set(variable.symbol) {
            true => "[[maybe_unused]] ",
            false => "",
        };
        let text = text.unwrap_or_default();
        let aligned = self.aligned(variable.symbol);
        self.lines
            .line(&format!("{unused}{aligned}__shared__ {text};"));
        if variable.level == Level::Row {
            self.cuda.row_shared.insert(variable.symbol);
        }
    }

    pub(super) fn declaration_text(&mut self, declaration: &LocalDeclaration) -> String {
        let mut ty = self.unit.symbol(declaration.symbol).ty;
        if declaration.initializer.is_none() {
            ty.qualifiers.is_const = false;
        }
        self.declared.insert(declaration.symbol);
        let name = self.name(declaration.symbol);
        let text = (self.cuda).declare_as(self.unit, declaration.symbol, ty, &name);
        let text = self.aligned(declaration.symbol) + &text;
        match &declaration.initializer {
            None => text,
            Some(initializer) => {
                let value = self.initializer(initializer, ty, declaration.span);
                format!("{text} = {value}")
            }
        }
    }

    /// The initialiser of an object of this type.
    pub fn initializer(&mut self, initializer: &Initializer, ty: QualType, span: Span) -> String {
        if has_no_spelling(self.unit, initializer, ty.ty) {
            self.refuse(
                "this initialiser is of an anonymous struct in a union, which C++ cannot name; \
                 assign its members instead",
                span,
            );
        }
        self.cuda.initializer(self.unit, initializer, ty.ty)
    }

    /// One thread of the block, or one lane of each row, runs the body;
    /// what it writes reaches the others through shared memory.
    fn single(&mut self, level: Level, body: &[Statement], broadcast: &[SymbolId]) {
        let of_row = level == Level::Row;
        let mut shared = Vec::new();
        for &symbol in broadcast {
            let wanted = format!("{}_shared", self.unit.symbol(symbol).name);
            let name = self.cuda.fresh(&wanted);
            let (declarator, slot) = if of_row {
                (
                    format!("{name}[{}]", self.workers),
                    format!("{name}[threadIdx.y]"),
                )
            } else {
                (name.clone(), name)
            };
            let ty = self.unit.symbol(symbol).ty;
            let text = self.cuda.declare_as(self.unit, symbol, ty, &declarator);
            self.lines.line(&format!("__shared__ {text};"));
            shared.push((symbol, slot));
        }
        let is_one_row = matches!(self.rows, Rows::One | Rows::Known { workers: 1, .. });
        let condition = match of_row || is_one_row {
            true => FIRST_LANE,
            false => FIRST_THREAD,
        };
        self.lines.open(&format!("if ({condition}) {{"));
        if let (Some(value), [(_, slot)]) = (only_value(body, broadcast), shared.as_slice()) {
            let value = self.text(value);
            let start = self.lines.end();
            self.lines.line(&format!("{slot} = {value};"));
            self.notes_around(&body[0], start);
        } else {
            self.statements(body);
            for (symbol, slot) in &shared {
                let value = self.name(*symbol);
                self.lines.line(&format!("{slot} = {value};"));
            }
        }
        self.lines.close("}");
        if shared.is_empty() {
            return;
        }
        let to = if of_row { "row" } else { "block" };
        let names = broadcast
            .iter()
            .map(|symbol| format!("`{}`", self.name(*symbol)));
        let names = names.collect::<Vec<_>>().join(", ");
        self.meet(of_row, &format!("{names} visible to the {to}"));
        for (symbol, slot) in &shared {
            let target = self.name(*symbol);
            self.lines.line(&format!("{target} = {slot};"));
        }
        // The slot may be written again before all have read it.
        let again = if broadcast.len() > 1 {
            "they are"
        } else {
            "it is"
        };
        self.meet(of_row, &format!("{names} read before {again} set again"));
    }

    /// A barrier of the row, or of the block.
    fn meet(&mut self, of_row: bool, why: &str) {
        match of_row {
            true => self.worker_barrier(why),
            false => self.call("__syncthreads()", why),
        }
    }
}

/// What one thread computes for a variable of all, if that is all it does.
fn only_value<'s>(body: &'s [Statement], broadcast: &[SymbolId]) -> Option<&'s Expression> {
    let ([one], [symbol]) = (body, broadcast) else {
        return None;
    };
    let StatementKind::Expression(Some(e)) = &one.kind else {
        return None;
    };
    match &e.kind {
        ExpressionKind::Assign(target, value) if target.as_symbol() == Some(*symbol) => Some(value),
        _ => None,
    }
}

/// Whether a label is printed with the empty statement that follows it.
fn is_labelled(label: &Statement, next: &Statement) -> bool {
    let is_empty = matches!(next.kind, StatementKind::Expression(None));
    matches!(label.kind, StatementKind::Label(_)) && is_empty
}
