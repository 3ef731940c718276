//! Conditions that the host tests.
//!
//! It reads the scalars that they depend on. What only the device knows, such
//! as elements of arrays, the device finds out for it.
//!
//! ```c
//! while (left[0] > 0) {             // for (;;) {
//!     for (int i = 0; i < n; i++)   //     launch 0: test = left[0] > 0;
//!         a[i] += 1;                //     if (!test) break;
//!     left[0]--;                    //     launch 1, launch 2
//! }                                 // }
//! ```

use super::{Planner, refusal};
use crate::ir::{
    Execution, HostBranch, HostLoop, HostRead, Module, RegionKind, Statement, StatementKind, Step,
    visit as ir_visit,
};
use crate::passes::kernel_fission::Refusal;
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::{Expression, ExpressionKind, SymbolId, UnaryOperator, Unit, visit};

/// A variable for each construct with conditions of which the host may not know
/// enough. One serves all of them, since the host reads it right after it was
/// written.
pub fn variables(module: &Module, unit: &Unit) -> Vec<Option<SymbolId>> {
    let mut found = Vec::new();
    for region in &module.regions {
        let mut place = None;
        if let RegionKind::Compute { launches, .. } = &region.kind {
            let kernels = launches.iter().map(|l| module.kernel(l.kernel));
            for kernel in kernels.filter(|k| k.execution == Execution::Automatic) {
                place = place.or_else(|| first_condition(&kernel.body));
            }
        }
        found.push(place.map(|span| {
            let int = synthesis::int(unit);
            synthesis::variable(unit, "test", int, span)
        }));
    }
    found
}

/// Where the first condition is that may be the device's.
fn first_condition(body: &[Statement]) -> Option<Span> {
    let mut place = None;
    ir_visit::walk(body, &mut |statement| {
        let condition = match &statement.kind {
            StatementKind::If(e, ..)
            | StatementKind::While(e, _)
            | StatementKind::DoWhile(_, e) => Some(e),
            StatementKind::For(parts) => parts.condition.as_ref(),
            StatementKind::Loop(l) => Some(&l.bound),
            _ => None,
        };
        if condition.is_some_and(is_beyond_names) {
            place = place.or(Some(statement.span));
        }
    });
    place
}

/// Whether an expression has more in it than numbers, names and arithmetic.
pub fn is_beyond_names(e: &Expression) -> bool {
    visit::any(e, &mut |e| {
        matches!(
            e.kind,
            ExpressionKind::Index(..)
                | ExpressionKind::Member { .. }
                | ExpressionKind::Call { .. }
                | ExpressionKind::Unary(UnaryOperator::Indirection, _)
        )
    })
}

/// How the host tests a condition.
pub struct Test {
    /// What has to run right before the test.
    pub before: Vec<Step>,
    /// What the test takes from the device.
    pub reads: Vec<HostRead>,
    /// What the host evaluates.
    pub condition: Expression,
}

impl Test {
    /// A condition on the host's own values.
    pub fn of_host(condition: Expression) -> Self {
        Self {
            before: Vec::new(),
            reads: Vec::new(),
            condition,
        }
    }

    /// A loop that is left before the iteration in which the condition fails.
    pub fn before_each(self, body: Vec<Step>, header: Span) -> Step {
        if self.before.is_empty() {
            return Step::Repeat(Box::new(HostLoop {
                condition: Some(self.condition),
                reads: self.reads,
                ..endless(body, header)
            }));
        }
        let mut steps = self.before;
        let span = self.condition.span;
        steps.push(Step::Choose(Box::new(HostBranch {
            reads: self.reads,
            condition: synthesis::not(self.condition.ty.ty, self.condition),
            then: vec![Step::Break],
            otherwise: Vec::new(),
            span,
        })));
        steps.extend(body);
        Step::Repeat(Box::new(endless(steps, header)))
    }

    /// A loop that is left behind the iteration after which the condition fails.
    pub fn behind_each(self, mut body: Vec<Step>, header: Span) -> Step {
        body.extend(self.before);
        Step::Repeat(Box::new(HostLoop {
            condition: Some(self.condition),
            reads: self.reads,
            tested_last: true,
            ..endless(body, header)
        }))
    }
}

/// A loop whose test, if any, comes before each iteration.
pub fn repeat(test: Option<Test>, body: Vec<Step>, header: Span) -> Step {
    match test {
        Some(test) => test.before_each(body, header),
        None => Step::Repeat(Box::new(endless(body, header))),
    }
}

fn endless(body: Vec<Step>, header: Span) -> HostLoop {
    HostLoop {
        variable: None,
        first: None,
        condition: None,
        reads: Vec::new(),
        advance: None,
        tested_last: false,
        body,
        parallelism: None,
        header,
    }
}

impl Planner<'_, '_> {
    /// How the host tests a condition.
    pub(super) fn test(&mut self, condition: &Expression) -> Result<Test, Refusal> {
        let part = match self.values.reads(condition) {
            Ok(list) => {
                return Ok(Test {
                    reads: list.into_iter().map(unheld).collect(),
                    ..Test::of_host(condition.clone())
                });
            }
            Err(part) => part,
        };
        let serves = self.decides_nest
            && !visit::any(condition, &mut |e| {
                matches!(e.kind, ExpressionKind::Statement(_))
            });
        match self.test.filter(|_| serves) {
            Some(symbol) => Ok(self.test_on_device(symbol, condition)),
            None => Err(refusal(
                format!("{} is known on the device only", self.text(part)),
                part.span,
            )),
        }
    }

    /// One thread evaluates the condition; the host reads what it found.
    fn test_on_device(&mut self, symbol: SymbolId, condition: &Expression) -> Test {
        self.plan.test = Some(symbol);
        let span = condition.span;
        let found = synthesis::symbol(self.unit(), symbol, span);
        let value = synthesis::truth(condition.clone(), found.ty.ty);
        let mut code = vec![Statement::declare(symbol, Some(value), span)];
        let mut before = Vec::new();
        self.launch(&mut code, &mut before);
        Test {
            before,
            reads: vec![unheld(symbol)],
            condition: found,
        }
    }
}

/// A read whose holder is made last.
fn unheld(variable: SymbolId) -> HostRead {
    HostRead {
        variable,
        holder: variable,
    }
}
