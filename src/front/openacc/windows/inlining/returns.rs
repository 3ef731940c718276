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
    Expression, ExpressionKind, QualType, Statement, StatementKind, SymbolId, TypeId, UnaryOperator,
};

use super::copy;

/// How a function ends.
pub struct Returns {
    /// The variable for its value, if anybody wants it.
    pub result: Option<(SymbolId, QualType)>,
    /// Says that it has ended; used where [`Self::flagged`] says so.
    pub flag: SymbolId,
    /// The flag is needed.
    pub flagged: bool,
    /// The type of truth values.
    pub int: TypeId,
    /// What is returned here is followed by statements that must not run.
    marks: bool,
}

impl Returns {
    pub fn new(result: Option<(SymbolId, QualType)>, flag: SymbolId, int: TypeId) -> Self {
        Self {
            result,
            flag,
            flagged: false,
            int,
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
                let kind = StatementKind::Compound(self.list(inner));
                out.push(Statement { kind, span });
            }
            StatementKind::If(condition, then, otherwise) => {
                let (then_ends, else_ends) =
                    (always(&then), otherwise.as_deref().is_some_and(always));
                if then_ends || else_ends || tail.is_empty() {
                    let mut then = items(*then);
                    let mut other = otherwise.map(|s| items(*s)).unwrap_or_default();
                    if then_ends {
                        other.extend(tail);
                    } else {
                        then.extend(tail);
                    }
                    let (then, other) = (self.list(then), self.list(other));
                    out.extend(self.branches(condition, then, other, span));
                } else {
                    let marks = std::mem::replace(&mut self.marks, true);
                    let then = self.list(items(*then));
                    let other = otherwise.map(|s| self.list(items(*s))).unwrap_or_default();
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
    fn in_loop(&mut self, statement: Statement, outermost: bool) -> Statement {
        let span = statement.span;
        if !returns(&statement) {
            return statement;
        }
        let inside = |this: &mut Self, body: Box<Statement>| Box::new(this.in_loop(*body, false));
        let mut is_loop = true;
        let kind = match statement.kind {
            StatementKind::Return(value) => {
                self.marks = true;
                let mut list = self.value(value, span);
                self.marks = false;
                let kind = StatementKind::Break;
                list.push(Statement { kind, span });
                return copy::one(list, span);
            }
            StatementKind::Compound(list) => {
                is_loop = false;
                let list = list.into_iter().flat_map(|s| {
                    let is_block = matches!(s.kind, StatementKind::Compound(_));
                    let lowered = self.in_loop(s, false);
                    if is_block {
                        vec![lowered]
                    } else {
                        items(lowered)
                    }
                });
                StatementKind::Compound(list.collect())
            }
            StatementKind::If(condition, then, otherwise) => {
                is_loop = false;
                let then = inside(self, then);
                let otherwise = otherwise.map(|s| inside(self, s));
                StatementKind::If(condition, then, otherwise)
            }
            StatementKind::Case(first, last, body) => {
                is_loop = false;
                StatementKind::Case(first, last, inside(self, body))
            }
            StatementKind::Default(body) => {
                is_loop = false;
                StatementKind::Default(inside(self, body))
            }
            StatementKind::Labeled(label, body) => {
                is_loop = false;
                StatementKind::Labeled(label, inside(self, body))
            }
            StatementKind::Switch(value, body) => StatementKind::Switch(value, inside(self, body)),
            StatementKind::While(condition, body) => {
                StatementKind::While(condition, inside(self, body))
            }
            StatementKind::DoWhile(body, condition) => {
                StatementKind::DoWhile(inside(self, body), condition)
            }
            StatementKind::For(mut parts) => {
                let empty = StatementKind::Expression(None);
                let body = std::mem::replace(&mut parts.body, Statement { kind: empty, span });
                parts.body = self.in_loop(body, false);
                StatementKind::For(parts)
            }
            other => other,
        };
        let lowered = Statement { kind, span };
        if outermost || !is_loop {
            return lowered;
        }
        self.flagged = true;
        let leave = Statement {
            kind: StatementKind::Break,
            span,
        };
        let kind = StatementKind::If(self.flag(span), Box::new(leave), None);
        copy::one(vec![lowered, Statement { kind, span }], span)
    }

    /// `f_value = value;`, and that the function has ended.
    fn value(&mut self, value: Option<Expression>, span: Span) -> Vec<Statement> {
        let mut out = Vec::new();
        let statement = |e: Expression| Statement {
            kind: StatementKind::Expression(Some(e)),
            span,
        };
        if let Some(value) = value {
            match self.result {
                Some((symbol, ty)) => out.push(statement(assigned(symbol, ty, value, span))),
                None if may_change(&value) => out.push(statement(value)),
                None => {}
            }
        }
        if self.marks {
            self.flagged = true;
            let one = self.integer(1, span);
            let ty = QualType::plain(self.int);
            out.push(statement(assigned(self.flag, ty, one, span)));
        }
        out
    }

    fn flag(&self, span: Span) -> Expression {
        Expression {
            kind: ExpressionKind::Symbol(self.flag),
            ty: QualType::plain(self.int),
            span,
        }
    }

    /// A number of the flag's type.
    pub fn integer(&self, value: i128, span: Span) -> Expression {
        Expression {
            kind: ExpressionKind::Integer {
                value,
                spelling: None,
            },
            ty: QualType::plain(self.int),
            span,
        }
    }

    fn not(&self, e: Expression) -> Expression {
        let span = e.span;
        Expression {
            kind: ExpressionKind::Unary(
                UnaryOperator::LogicalNot,
                Box::new(super::argument::enclosed(e)),
            ),
            ty: QualType::plain(self.int),
            span,
        }
    }
}

fn assigned(symbol: SymbolId, ty: QualType, value: Expression, span: Span) -> Expression {
    let target = Expression {
        kind: ExpressionKind::Symbol(symbol),
        ty,
        span,
    };
    Expression {
        ty: QualType::plain(ty.ty),
        span,
        kind: ExpressionKind::Assign(Box::new(target), Box::new(value)),
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

fn items(statement: Statement) -> Vec<Statement> {
    match statement.kind {
        StatementKind::Compound(list) => list,
        _ => vec![statement],
    }
}
