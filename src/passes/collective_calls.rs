//! Calls of functions that threads enter together, as statements of their own.
//!
//! Input: kernels as a front end made them. Output: [`StatementKind::CollectiveCall`]
//! wherever a kernel, or the body of a collective's function, calls one of
//! [`Module::collectives`].
//!
//! ```c
//! a[i] = 2 * total(n, row[i]);             // before
//!
//! float total_result = total(n, row[i]);   // after: all threads of the collective
//! a[i] = 2 * total_result;
//! ```
//!
//! C leaves the order of operands open, so that the call may come first. Where
//! it may not be made at all (behind `&&`, `||`, `?`), or is made again and
//! again (in the condition of a loop), it is an error: threads would have to
//! agree on a part of an expression.
//!
//! [`fit`] then gives calls of lanes outside of loops over rows, in kernels with
//! several rows, a loop over rows of one iteration.

use indexmap::IndexMap;

use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{
    Collective, CollectiveCall, Distribution, Kernel, Loop, Module, Parallelism, PerLevel,
    Relation, Schedule, Scheme, Statement, StatementKind, visit,
};
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::visit as typed_visit;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, LocalDeclaration, SymbolId, TypeId, Unit,
};

/// Separates the calls of every kernel.
pub fn run(module: &mut Module, unit: &Unit, diagnostics: &mut Diagnostics) {
    if module.collectives.is_empty() {
        return;
    }
    for kernel in &mut module.kernels {
        let mut separation = Separation {
            collectives: &module.collectives,
            words: kernel.words.levels,
            unit,
            diagnostics: &mut *diagnostics,
        };
        let body = std::mem::take(&mut kernel.body);
        kernel.body = separation.list(body);
    }
}

/// Who calls functions together in some code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Callers {
    /// The lanes of a row.
    pub lanes: bool,
    /// Whole blocks.
    pub blocks: bool,
}

impl Callers {
    /// Of a list of statements and all inside.
    pub fn of(list: &[Statement]) -> Self {
        let mut found = Self::default();
        visit::walk(list, &mut |statement| {
            if let StatementKind::CollectiveCall(call) = &statement.kind {
                found.lanes |= call.collective == Collective::Lanes;
                found.blocks |= call.collective == Collective::Block;
            }
        });
        found
    }

    /// Whether there is any such call.
    pub fn any(self) -> bool {
        self.lanes || self.blocks
    }
}

struct Separation<'s> {
    collectives: &'s IndexMap<SymbolId, Collective>,
    words: PerLevel<&'static str>,
    unit: &'s Unit,
    diagnostics: &'s mut Diagnostics,
}

impl Separation<'_> {
    fn list(&mut self, list: Vec<Statement>) -> Vec<Statement> {
        let mut out = Vec::new();
        for statement in list {
            self.statement(statement, &mut out);
        }
        out
    }

    fn statement(&mut self, mut statement: Statement, out: &mut Vec<Statement>) {
        visit::blocks_mut(&mut statement, &mut |inner| {
            *inner = self.list(std::mem::take(inner));
        });
        match &mut statement.kind {
            StatementKind::Expression(Some(e)) => {
                if let Some(collective) = self.called(e) {
                    return self.unused(e, collective, statement.span, out);
                }
                self.operands(e, out);
            }
            StatementKind::Declaration(list) => {
                return self.declarations(std::mem::take(list), statement.span, out);
            }
            StatementKind::If(e, ..)
            | StatementKind::Switch(e, _)
            | StatementKind::Return(Some(e)) => self.value(e, out),
            StatementKind::Loop(l) => {
                for part in [&mut l.lower, &mut l.bound, &mut l.step] {
                    self.value(part, out);
                }
            }
            _ => {
                let mut found = Vec::new();
                visit::own_expressions(&statement, &mut |e| found.extend(self.first_call(e)));
                if let StatementKind::For(parts) = &statement.kind
                    && let Some(first) = &parts.initializer
                {
                    visit::own_expressions(first, &mut |e| found.extend(self.first_call(e)));
                }
                found.into_iter().for_each(|span| self.refuse(span));
            }
        }
        out.push(statement);
    }

    /// A call whose value is not used.
    fn unused(
        &mut self,
        e: &Expression,
        collective: Collective,
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        let mut call = bare(e).clone();
        self.operands(&mut call, out);
        let call = CollectiveCall {
            collective,
            result: None,
            call,
        };
        let kind = StatementKind::CollectiveCall(Box::new(call));
        out.push(kind.at(span));
    }

    fn declarations(&mut self, list: Vec<LocalDeclaration>, span: Span, out: &mut Vec<Statement>) {
        let mut together = Vec::new();
        let declaration = |list: Vec<LocalDeclaration>| StatementKind::Declaration(list).at(span);
        for mut one in list {
            let mut calls = Vec::new();
            if let Some(initializer) = &mut one.initializer {
                typed_visit::change_roots(initializer, &mut |e| self.value(e, &mut calls));
            }
            if !calls.is_empty() {
                if !together.is_empty() {
                    out.push(declaration(std::mem::take(&mut together)));
                }
                out.append(&mut calls);
            }
            together.push(one);
        }
        out.push(declaration(together));
    }

    /// Replaces the calls in an expression that is evaluated once, inner ones
    /// first.
    fn value(&mut self, e: &mut Expression, out: &mut Vec<Statement>) {
        let Some(collective) = self.called(e).filter(|_| is_call(e)) else {
            return self.operands(e, out);
        };
        self.operands(e, out);
        let span = e.span;
        let result = self.result(e);
        let value = synthesis::symbol(self.unit, result, span);
        let call = CollectiveCall {
            collective,
            result: Some(result),
            call: std::mem::replace(e, value),
        };
        let kind = StatementKind::CollectiveCall(Box::new(call));
        out.push(kind.at(span));
    }

    fn operands(&mut self, e: &mut Expression, out: &mut Vec<Statement>) {
        match &mut e.kind {
            ExpressionKind::Conditional(condition, then, otherwise) => {
                self.value(condition, out);
                let branches = then.iter().chain([&*otherwise]);
                let found: Vec<Span> = branches.filter_map(|e| self.first_call(e)).collect();
                found.into_iter().for_each(|span| self.refuse(span));
            }
            ExpressionKind::Binary(
                BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr,
                left,
                right,
            ) => {
                self.value(left, out);
                if let Some(span) = self.first_call(right) {
                    self.refuse(span);
                }
            }
            ExpressionKind::Comma(..) | ExpressionKind::Statement(_) => {
                if let Some(span) = self.first_call(e) {
                    self.refuse(span);
                }
            }
            _ => typed_visit::operands_mut(e, &mut |operand| self.value(operand, out)),
        }
    }

    /// A variable for the value of a call.
    fn result(&mut self, call: &Expression) -> SymbolId {
        let ExpressionKind::Call { function, .. } = &call.kind else {
            return synthesis::variable(self.unit, "result", call.ty.ty, call.span);
        };
        let name = function
            .as_symbol()
            .map(|f| self.unit.symbol(f).name.as_str());
        let wanted = format!("{}_result", name.unwrap_or("call"));
        synthesis::variable(self.unit, &wanted, call.ty.ty, call.span)
    }

    /// The collective of the function that an expression calls.
    fn called(&self, e: &Expression) -> Option<Collective> {
        let ExpressionKind::Call { function, .. } = &bare(e).kind else {
            return None;
        };
        self.collectives.get(&function.as_symbol()?).copied()
    }

    fn first_call(&self, e: &Expression) -> Option<Span> {
        let mut found = None;
        typed_visit::walk(e, &mut |e| {
            if is_call(e) && self.called(e).is_some() {
                found = found.or(Some(e.span));
            }
        });
        found
    }

    fn refuse(&mut self, span: Span) {
        let PerLevel { block, row, .. } = self.words;
        self.diagnostics.push(
            Diagnostic::error(
                codes::IRREGULAR_CONTROL,
                "threads cannot agree on a call within this expression",
                span,
            )
            .label(format!("the lanes or {row}s of a {block} make it together"))
            .help("call the function in a statement of its own, under an `if` where need be"),
        );
    }
}

fn is_call(e: &Expression) -> bool {
    matches!(e.kind, ExpressionKind::Call { .. })
}

/// An expression without parentheses and without the cast that drops its value.
fn bare(e: &Expression) -> &Expression {
    match &e.kind {
        ExpressionKind::Parenthesized(inner) | ExpressionKind::Cast(inner)
            if is_call(inner.inner()) =>
        {
            inner.inner()
        }
        _ => e,
    }
}

/// Gives calls of lanes outside of loops over rows a loop over rows of one
/// iteration, where blocks have several rows: one of them makes the call.
/// Spreads are decided.
///
/// ```c
/// float total_result = total(n, row);       // before, in a loop over blocks
///
/// float total_result;                       // after
/// for (int first = 0; first < 1; first++) { // row
///     float total_result_2 = total(n, row);
///     total_result = total_result_2;
/// }
/// ```
pub fn fit(kernel: &mut Kernel, unit: &Unit) {
    let is_row = |l: &Loop| l.threads()[1];
    let several = kernel.collective == Some(Collective::Block)
        || Callers::of(&kernel.body).blocks
        || visit::any_loop(&kernel.body, &mut |l| is_row(l));
    let has_workers = kernel.scheme == Some(Scheme::Hierarchical) && several;
    if !has_workers || kernel.collective == Some(Collective::Lanes) {
        return;
    }
    let int = synthesis::int(unit);
    let body = std::mem::take(&mut kernel.body);
    kernel.body = wrapped(body, kernel.words.levels.row, int, unit);
}

fn wrapped(list: Vec<Statement>, row: &str, int: TypeId, unit: &Unit) -> Vec<Statement> {
    let mut out = Vec::new();
    for mut statement in list {
        match statement.kind {
            StatementKind::CollectiveCall(call) if call.collective == Collective::Lanes => {
                let declare = |result| Statement::declare(result, None, statement.span);
                out.extend(call.result.map(declare));
                statement.kind = one_row(*call, statement.span, row, int, unit);
            }
            StatementKind::Loop(ref l) if l.threads()[1] => {}
            _ => visit::blocks_mut(&mut statement, &mut |inner| {
                *inner = wrapped(std::mem::take(inner), row, int, unit);
            }),
        }
        out.push(statement);
    }
    out
}

fn one_row(
    mut call: CollectiveCall,
    span: Span,
    row: &str,
    int: TypeId,
    unit: &Unit,
) -> StatementKind {
    let mut after = None;
    if let Some(result) = call.result {
        let wanted = unit.symbol(result).name.clone();
        let inner = synthesis::variable(unit, &wanted, unit.symbol(result).ty.ty, span);
        let value = synthesis::symbol(unit, inner, span);
        let result = synthesis::symbol(unit, result, span);
        after = Some(Statement::assign(result, value, span));
        call.result = Some(inner);
    }
    let mut body = vec![StatementKind::CollectiveCall(Box::new(call)).at(span)];
    body.extend(after);
    let number = |value| synthesis::integer(value, int, span);
    let induction = synthesis::variable(unit, "first", int, span);
    StatementKind::Loop(Box::new(Loop {
        induction,
        declared_inside: true,
        lower: number(0),
        relation: Relation::Less,
        bound: number(1),
        step: number(1),
        downward: false,
        schedule: Schedule::default(),
        privates: Vec::new(),
        reductions: Vec::new(),
        body,
        collapsed: 0,
        distribution: Some(Distribution {
            blocks: None,
            threads: [false, true, false],
        }),
        tile: None,
        has_slack: false,
        strides_by_step: false,
        once: None,
        unrolled: false,
        parallelism: Some(Parallelism::parallel(format!(
            "one {row} calls the function"
        ))),
        directive: None,
        header: span,
    }))
}
