//! Functions that return in several places, as statements with one end.
//!
//! ```c
//! if (x < 0)                    if (x < 0)
//!     return 0;                     f_value = 0;
//! return g[x];          ->      else
//!                                   f_value = g[x];
//! ```
//!
//! A `return` in a loop sets a variable and leaves the loop; what follows is
//! under a test of it.

use crate::analysis::effects::may_change;
use crate::analysis::exits::{Exits, Jump};
use crate::source::Span;
use crate::typed::{
    Expression, ExpressionKind, QualType, Statement, StatementKind, SymbolId, UnaryOperator, Unit,
    synthesis, visit,
};

use super::argument::enclosed;
use super::copy;

/// How a function ends.
pub struct Returns<'u> {
    unit: &'u Unit,
    /// The variable for its value, if anybody wants it.
    result: Option<SymbolId>,
    /// Says that it has ended; used where [`Self::flagged`] says so.
    flag: SymbolId,
    /// The flag is needed.
    pub flagged: bool,
    /// What is returned here is followed by statements that must not run.
    marks: bool,
}

impl<'u> Returns<'u> {
    pub fn new(unit: &'u Unit, result: Option<SymbolId>, flag: SymbolId) -> Self {
        Self {
            unit,
            result,
            flag,
            flagged: false,
            marks: false,
        }
    }

    /// The statements of a function, or of a branch that nothing follows.
    pub fn list(&mut self, items: Vec<Statement>) -> Vec<Statement> {
        let mut out = Vec::with_capacity(items.len());
        let mut rest = items.into_iter();
        for statement in rest.by_ref() {
            if returns(&statement) {
                let tail = rest.collect();
                self.leaving(statement, tail, &mut out);
                break;
            }
            out.push(statement);
        }
        out
    }

    /// A statement that may return, and what comes after it.
    fn leaving(&mut self, statement: Statement, tail: Vec<Statement>, out: &mut Vec<Statement>) {
        let span = statement.span;
        match statement.kind {
            StatementKind::Return(value) => out.extend(self.value(value, span)),
            StatementKind::Compound(mut inner) => {
                inner.extend(tail);
                out.push(Statement::block(self.list(inner), span));
            }
            StatementKind::If(condition, then, otherwise) => {
                let (then_ends, else_ends) =
                    (always(&then), otherwise.as_deref().is_some_and(always));
                if then_ends || else_ends || tail.is_empty() {
                    let mut then = then.into_items();
                    let mut other = otherwise.map(|s| s.into_items()).unwrap_or_default();
                    if then_ends {
                        other.extend(tail);
                    } else {
                        then.extend(tail);
                    }
                    let (then, other) = (self.list(then), self.list(other));
                    out.extend(self.branches(condition, then, other, span));
                } else {
                    let marks = std::mem::replace(&mut self.marks, true);
                    let then = self.list(then.into_items());
                    let other = otherwise
                        .map(|s| self.list(s.into_items()))
                        .unwrap_or_default();
                    self.marks = marks;
                    out.extend(self.branches(condition, then, other, span));
                    self.unless_ended(tail, span, out);
                }
            }
            kind => {
                out.push(self.in_loop(Statement { kind, span }, true));
                self.unless_ended(tail, span, out);
            }
        }
    }

    /// `if (c) then else other`, turned round where there is nothing to do.
    fn branches(
        &self,
        condition: Expression,
        then: Vec<Statement>,
        other: Vec<Statement>,
        span: Span,
    ) -> Option<Statement> {
        let kind = match (then.is_empty(), other.is_empty()) {
            (true, true) => StatementKind::Expression(Some(condition)),
            (true, false) => {
                let condition = self.not(condition);
                StatementKind::If(condition, Box::new(copy::one(other, span)), None)
            }
            (false, no_other) => {
                let other = (!no_other).then(|| Box::new(copy::one(other, span)));
                StatementKind::If(condition, Box::new(copy::one(then, span)), other)
            }
        };
        Some(Statement { kind, span })
    }

    fn unless_ended(&mut self, tail: Vec<Statement>, span: Span, out: &mut Vec<Statement>) {
        if tail.is_empty() {
            return;
        }
        self.flagged = true;
        let condition = self.not(self.flag(span));
        let tail = Box::new(copy::one(self.list(tail), span));
        let kind = StatementKind::If(condition, tail, None);
        out.push(Statement { kind, span });
    }

    /// A statement in a loop or `switch`; `outermost` is the loop itself,
    /// which nothing has to leave any more.
    fn in_loop(&mut self, mut statement: Statement, outermost: bool) -> Statement {
        let span = statement.span;
        if !returns(&statement) {
            return statement;
        }
        let leave = |kind| Statement { kind, span };
        match &mut statement.kind {
            StatementKind::Return(value) => {
                self.marks = true;
                let mut list = self.value(value.take(), span);
                self.marks = false;
                list.push(leave(StatementKind::Break));
                return copy::one(list, span);
            }
            StatementKind::Compound(list) => {
                let lowered = std::mem::take(list).into_iter().flat_map(|s| {
                    let is_block = matches!(s.kind, StatementKind::Compound(_));
                    let lowered = self.in_loop(s, false);
                    if is_block {
                        vec![lowered]
                    } else {
                        lowered.into_items()
                    }
                });
                *list = lowered.collect();
            }
            _ => visit::children_mut(&mut statement, &mut |inner| {
                *inner = self.in_loop(inner.take(), false);
            }),
        }
        let is_loop = matches!(
            statement.kind,
            StatementKind::Switch(..)
                | StatementKind::While(..)
                | StatementKind::DoWhile(..)
                | StatementKind::For(_)
        );
        if outermost || !is_loop {
            return statement;
        }
        self.flagged = true;
        let leave = Box::new(leave(StatementKind::Break));
        let kind = StatementKind::If(self.flag(span), leave, None);
        copy::one(vec![statement, Statement { kind, span }], span)
    }

    /// `f_value = value;`, and that the function has ended.
    fn value(&mut self, value: Option<Expression>, span: Span) -> Vec<Statement> {
        let mut out = Vec::new();
        if let Some(value) = value {
            match self.result {
                Some(symbol) => {
                    let target = synthesis::symbol(self.unit, symbol, span);
                    out.push(synthesis::assignment(target, value));
                }
                None if may_change(&value) => {
                    let kind = StatementKind::Expression(Some(value));
                    out.push(Statement { kind, span });
                }
                None => {}
            }
        }
        if self.marks {
            self.flagged = true;
            let one = synthesis::integer(1, synthesis::int(self.unit), span);
            out.push(synthesis::assignment(self.flag(span), one));
        }
        out
    }

    fn flag(&self, span: Span) -> Expression {
        synthesis::symbol(self.unit, self.flag, span)
    }

    fn not(&self, e: Expression) -> Expression {
        Expression {
            ty: QualType::plain(synthesis::int(self.unit)),
            span: e.span,
            kind: ExpressionKind::Unary(UnaryOperator::LogicalNot, Box::new(enclosed(e))),
        }
    }
}

/// Whether a statement may return.
fn returns(statement: &Statement) -> bool {
    Exits::of_typed(statement).any(|jump| jump == Jump::Return)
}

/// Whether a statement never goes on behind it.
fn always(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Return(_) => true,
        StatementKind::Compound(list) => list.iter().any(always),
        StatementKind::If(_, then, Some(otherwise)) => always(then) && always(otherwise),
        _ => false,
    }
}
