//! Takes the statements of a kernel apart into launches and what the host does
//! around them.
//!
//! Input: a kernel of whose loops it is known whether they are parallel. Output: a
//! [`Plan`]. Nothing of the kernel is changed.

mod counters;
pub mod host_conditions;
mod profitable;

use std::collections::BTreeSet;

use super::Refusal;
use super::values::{Values, is_number};
use crate::analysis::effects::Oracle;
use crate::ir::{
    HostBranch, Kernel, Loop, Passing, PlainFor, Statement, StatementKind, Step, visit,
};
use crate::source::Span;
use crate::typed::print::spelled;
use crate::typed::{Expression, LocalDeclaration, SymbolId, Unit};
use counters::{assigned, changed};
use host_conditions::Test;
use profitable::{continues, has_parallel_loop, is_control, is_for_host, is_open, leaves};

/// A kernel taken apart.
pub struct Plan {
    /// What the host does; launches are indices of `pieces`.
    pub steps: Vec<Step>,
    /// The statements of each launch.
    pub pieces: Vec<Vec<Statement>>,
    /// Variables that the host declares.
    pub of_host: Vec<SymbolId>,
    /// Variables of which loops of the host have a copy for each iteration.
    pub of_iterations: Vec<SymbolId>,
    /// Variables that only the host changes, in the order of the program.
    pub counters: BTreeSet<SymbolId>,
    /// The variable that holds what the device finds of conditions, if it is
    /// used.
    pub test: Option<SymbolId>,
}

impl Plan {
    /// Whether the host gets a loop or a branch to run.
    pub fn has_control(&self) -> bool {
        let controls = |step: &Step| matches!(step, Step::Repeat(_) | Step::Choose(_));
        self.steps.iter().any(controls)
    }
}

/// Takes a kernel apart. What could not be handed to the host is told in
/// `refusals`. Of the captured variables in device memory, `movable` ones may
/// be the host's; `test` is free to hold what the device finds of conditions.
pub fn of(
    kernel: &Kernel,
    movable: &BTreeSet<SymbolId>,
    test: Option<SymbolId>,
    oracle: &Oracle,
    refusals: &mut Vec<Refusal>,
) -> Option<Plan> {
    let mut counters = counters::possible(kernel, movable, oracle);
    loop {
        let mut planner = Planner {
            oracle,
            test,
            decides_nest: false,
            lost: BTreeSet::new(),
            changed: changed(&kernel.body, oracle),
            values: values(kernel, &counters, oracle.unit()),
            plan: Plan {
                steps: Vec::new(),
                pieces: Vec::new(),
                of_host: Vec::new(),
                of_iterations: Vec::new(),
                counters: counters.clone(),
                test: None,
            },
            refusals: Vec::new(),
        };
        let steps = planner.list(&kernel.body, false);
        let mut plan = planner.plan;
        // What launches change is the device's after all.
        let before = counters.len();
        for piece in &plan.pieces {
            let changed = changed(piece, oracle);
            counters.retain(|symbol| !changed.contains(symbol));
        }
        counters.retain(|symbol| !planner.lost.contains(symbol));
        if counters.len() < before {
            continue;
        }
        refusals.append(&mut planner.refusals);
        plan.steps = steps.ok()?;
        return Some(plan);
    }
}

/// The variables as the host sees them.
fn values<'u>(kernel: &Kernel, counters: &BTreeSet<SymbolId>, unit: &'u Unit) -> Values<'u> {
    let mut values = Values {
        unit,
        known: counters.clone(),
        readable: visit::declared(&kernel.body).into_iter().collect(),
    };
    values.readable.extend(&kernel.privates);
    for capture in &kernel.captures {
        match capture.passing {
            Passing::Value if !capture.written => {
                values.known.insert(capture.symbol);
            }
            Passing::Reference => {
                values.readable.insert(capture.symbol);
            }
            _ => {}
        }
    }
    values
}

struct Planner<'p, 'u> {
    oracle: &'p Oracle<'u>,
    /// May hold what the device finds of conditions.
    test: Option<SymbolId>,
    /// Whether a nest of a size that the host knows depends on what it tests.
    decides_nest: bool,
    /// Variables that turned out to be the device's.
    lost: BTreeSet<SymbolId>,
    /// Changed anywhere in the kernel.
    changed: BTreeSet<SymbolId>,
    values: Values<'u>,
    plan: Plan,
    refusals: Vec<Refusal>,
}

type Steps = Result<Vec<Step>, Refusal>;

impl Planner<'_, '_> {
    fn unit(&self) -> &Unit {
        self.oracle.unit()
    }

    fn text(&self, e: &Expression) -> String {
        format!("`{}`", spelled(self.unit(), e))
    }

    /// The steps of a list. `in_loop`: a loop of the host is around.
    fn list(&mut self, list: &[Statement], in_loop: bool) -> Steps {
        let mut steps = Vec::new();
        // What a single thread runs, up to the next nest.
        let mut code = Vec::new();
        for statement in list {
            match &statement.kind {
                StatementKind::Expression(None) => {}
                StatementKind::Block(inner) if is_open(inner) => {
                    self.launch(&mut code, &mut steps);
                    steps.append(&mut self.list(inner, in_loop)?);
                }
                StatementKind::Expression(Some(e)) if self.counts(e) => {
                    self.launch(&mut code, &mut steps);
                    steps.push(Step::Evaluate(e.clone()));
                }
                StatementKind::Declaration(declarations) => {
                    self.declarations(statement, declarations, &mut code, &mut steps);
                }
                StatementKind::Break | StatementKind::Continue if in_loop => {
                    self.launch(&mut code, &mut steps);
                    steps.push(match statement.kind {
                        StatementKind::Break => Step::Break,
                        _ => Step::Continue,
                    });
                }
                _ if is_control(statement) && is_for_host(statement, self.unit()) => {
                    self.launch(&mut code, &mut steps);
                    steps.append(&mut self.control_or_launch(statement, in_loop)?);
                }
                _ if leaves(std::slice::from_ref(statement)) => {
                    return Err(refusal("it is left by a jump", statement.span));
                }
                _ if has_parallel_loop(std::slice::from_ref(statement)) => {
                    self.launch(&mut code, &mut steps);
                    self.launch(&mut vec![statement.clone()], &mut steps);
                }
                _ => code.push(statement.clone()),
            }
        }
        self.launch(&mut code, &mut steps);
        Ok(steps)
    }

    fn launch(&mut self, code: &mut Vec<Statement>, steps: &mut Vec<Step>) {
        if !code.is_empty() {
            steps.push(Step::Launch(self.plan.pieces.len()));
            self.plan.pieces.push(std::mem::take(code));
        }
    }

    /// What the host computes once it declares; the rest is the device's.
    fn declarations(
        &mut self,
        statement: &Statement,
        list: &[LocalDeclaration],
        code: &mut Vec<Statement>,
        steps: &mut Vec<Step>,
    ) {
        for declaration in list {
            let symbol = declaration.symbol;
            let variable = self.unit().symbol(symbol);
            let is_plain = variable.is_automatic()
                && !variable.ty.qualifiers.is_volatile
                && is_number(self.unit(), variable.ty.ty);
            let value = declaration.value();
            if self.plan.counters.contains(&symbol) {
                if value.is_none_or(|value| self.values.is_known(value)) {
                    self.launch(code, steps);
                    self.plan.of_host.push(symbol);
                    steps.push(Step::Declare {
                        symbol,
                        value: value.cloned(),
                        is_constant: false,
                    });
                    continue;
                }
                self.lost.insert(symbol);
            }
            if let Some(value) = value
                && is_plain
                && !self.changed.contains(&symbol)
                && self.values.is_known(value)
            {
                self.values.known.insert(symbol);
                self.plan.of_host.push(symbol);
                steps.push(Step::Declare {
                    symbol,
                    value: Some(value.clone()),
                    is_constant: true,
                });
            } else {
                let kind = StatementKind::Declaration(vec![declaration.clone()]);
                code.push(kind.at(statement.span));
            }
        }
    }

    /// Whether an expression changes a variable of the host, and the host can
    /// tell how.
    fn counts(&self, e: &Expression) -> bool {
        assigned(e).is_some_and(|(symbol, value)| {
            self.plan.counters.contains(&symbol)
                && value.is_none_or(|value| self.values.is_known(value))
        })
    }

    /// A loop or branch for the host, or else one launch.
    fn control_or_launch(&mut self, statement: &Statement, in_loop: bool) -> Steps {
        let pieces = self.plan.pieces.len();
        let of_host = self.plan.of_host.len();
        let of_iterations = self.plan.of_iterations.len();
        match self.control(statement, in_loop) {
            Ok(step) => Ok(step),
            Err(refusal) if leaves(std::slice::from_ref(statement)) => Err(refusal),
            Err(refusal) => {
                self.refusals.push(Refusal {
                    place: place(statement),
                    ..refusal
                });
                self.plan.pieces.truncate(pieces);
                self.plan.of_iterations.truncate(of_iterations);
                for symbol in self.plan.of_host.split_off(of_host) {
                    self.values.known.remove(&symbol);
                }
                let mut steps = Vec::new();
                self.launch(&mut vec![statement.clone()], &mut steps);
                Ok(steps)
            }
        }
    }

    fn control(&mut self, statement: &Statement, in_loop: bool) -> Steps {
        let around = self.decides_nest;
        let is_jump = matches!(statement.kind, StatementKind::If(..))
            && leaves(std::slice::from_ref(statement));
        self.decides_nest = is_jump && around || profitable::has_nest_of_known_size(statement);
        let steps = self.control_inside(statement, in_loop);
        self.decides_nest = around;
        steps
    }

    fn control_inside(&mut self, statement: &Statement, in_loop: bool) -> Steps {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Loop(l) => self.counted(l),
            StatementKind::For(parts) => self.plain(parts, span),
            StatementKind::While(condition, body) => {
                let test = self.test(condition)?;
                let body = self.list(body, true)?;
                Ok(vec![test.before_each(body, condition.span)])
            }
            StatementKind::DoWhile(body, condition) => {
                let test = self.test(condition)?;
                let body = self.list(body, true)?;
                if !test.reads.is_empty() && continues(&body) {
                    return Err(refusal(
                        "`continue` would skip reading what its condition depends on",
                        span,
                    ));
                }
                Ok(vec![test.behind_each(body, condition.span)])
            }
            StatementKind::If(condition, then, otherwise) => {
                let test = self.test(condition)?;
                let then = self.list(then, in_loop)?;
                let otherwise = self.list(otherwise.as_deref().unwrap_or_default(), in_loop)?;
                let mut steps = test.before;
                steps.push(Step::Choose(Box::new(HostBranch {
                    reads: test.reads,
                    condition: test.condition,
                    then,
                    otherwise,
                    span: condition.span,
                })));
                Ok(steps)
            }
            _ => Err(refusal("it is no loop and no branch", span)),
        }
    }

    /// A counted loop. Its variable is the host's where nothing needs it
    /// afterwards.
    fn counted(&mut self, l: &Loop) -> Steps {
        self.plan.of_iterations.extend(&l.privates);
        self.values.readable.extend(&l.privates);
        let header = l.limits();
        let is_known = header.into_iter().all(|e| self.values.is_known(e));
        if !(l.declared_inside && is_known) {
            self.plan.of_iterations.push(l.induction);
            self.values.readable.insert(l.induction);
        }
        let mut steps = self.plain(&l.as_for(self.unit()), l.header)?;
        if let Some(Step::Repeat(repeat)) = steps.last_mut() {
            repeat.parallelism.clone_from(&l.parallelism);
            repeat.header = l.header;
        }
        Ok(steps)
    }

    /// Any other `for`.
    fn plain(&mut self, parts: &PlainFor, span: Span) -> Steps {
        if let Some(counter) = self.counter(parts) {
            return self.counting(counter, parts, span);
        }
        let mut steps = self.list(parts.initializer.as_slice(), false)?;
        let test = self.test_of(parts)?;
        let mut body = self.list(&parts.body, true)?;
        let mut of_host = None;
        if let Some(advance) = &parts.step {
            if self.counts(advance) {
                of_host = Some(advance.clone());
            } else if continues(&body) {
                return Err(refusal(
                    "`continue` goes to its step, which the device computes",
                    advance.span,
                ));
            } else {
                let statement = Statement::evaluate(advance.clone());
                body.append(&mut self.list(&[statement], true)?);
            }
        }
        let mut step = host_conditions::repeat(test, body, span);
        if let Step::Repeat(repeat) = &mut step {
            repeat.advance = of_host;
            if let Some(Step::Evaluate(first)) = steps.last() {
                repeat.first = Some(first.clone());
                steps.pop();
            }
        }
        steps.push(step);
        Ok(steps)
    }

    fn test_of(&mut self, parts: &PlainFor) -> Result<Option<Test>, Refusal> {
        let condition = parts.condition.as_ref();
        condition.map(|e| self.test(e)).transpose()
    }

    /// A `for` whose variable only its header changes, and the host can tell
    /// how.
    fn counter<'s>(&self, parts: &'s PlainFor) -> Option<(SymbolId, &'s Expression)> {
        let StatementKind::Declaration(list) = &parts.initializer.as_ref()?.kind else {
            return None;
        };
        let [only] = list.as_slice() else { return None };
        let (symbol, first) = (only.symbol, only.value()?);
        let (target, operand) = assigned(parts.step.as_ref()?)?;
        let variable = self.unit().symbol(symbol);
        let serves = target == symbol
            && is_number(self.unit(), variable.ty.ty)
            && !variable.ty.qualifiers.is_volatile
            && operand.is_none_or(|e| self.values.is_known(e))
            && self.values.is_known(first)
            && !(parts.condition.iter()).any(|e| self.oracle.expression(e).impure)
            && !changed(&parts.body, self.oracle).contains(&symbol);
        serves.then_some((symbol, first))
    }

    fn counting(
        &mut self,
        (symbol, first): (SymbolId, &Expression),
        parts: &PlainFor,
        span: Span,
    ) -> Steps {
        self.values.known.insert(symbol);
        self.plan.of_host.push(symbol);
        let test = self.test_of(parts);
        let body = self.list(&parts.body, true);
        self.values.known.remove(&symbol);
        let mut step = host_conditions::repeat(test?, body?, span);
        if let Step::Repeat(repeat) = &mut step {
            repeat.variable = Some((symbol, first.clone()));
            repeat.advance.clone_from(&parts.step);
        }
        Ok(vec![step])
    }
}

fn refusal(reason: impl Into<String>, place: Span) -> Refusal {
    Refusal {
        reason: reason.into(),
        place,
    }
}

/// What a message about a statement points at.
fn place(statement: &Statement) -> Span {
    match &statement.kind {
        StatementKind::Loop(l) => l.header,
        StatementKind::If(e, ..) | StatementKind::While(e, _) | StatementKind::DoWhile(_, e) => {
            e.span
        }
        StatementKind::For(parts) => parts.condition.as_ref().map_or(statement.span, |e| e.span),
        _ => statement.span,
    }
}
