//! Whether the host program may read a variable after a kernel.
//!
//! A backward walk over the typed function around the kernel, for one
//! variable at a time. Functions with `goto`, variables whose address is
//! taken and those that outlive the function are taken to be read.

use crate::ast::{ArgumentValue, Directive};
use crate::source::Span;
use crate::typed::{
    Expression, ExpressionKind, Statement, StatementKind, SymbolId, UnaryOperator, Unit, visit,
};

/// Whether the value that a variable has at the end of some code of a
/// function (statements that fill `span`) may be read later.
pub fn is_read_after(unit: &Unit, function: SymbolId, span: Span, symbol: SymbolId) -> bool {
    let Some(function) = unit.function(function) else {
        return true;
    };
    if !unit.symbol(symbol).is_automatic()
        || has_goto(&function.body)
        || has_address_of(&function.body, symbol)
    {
        return true;
    }
    let mut query = Query {
        symbol,
        span,
        seen: false,
        inside: false,
        read: false,
        exits: Vec::new(),
    };
    query.statement(&function.body, false);
    query.read || !query.seen
}

fn has_goto(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Goto(_) | StatementKind::ComputedGoto(_) => true,
        _ => {
            let mut found = false;
            visit::children(statement, &mut |inner| found = found || has_goto(inner));
            found
        }
    }
}

/// Whether a function takes the address of one of its variables.
pub fn is_address_taken(unit: &Unit, function: SymbolId, symbol: SymbolId) -> bool {
    let function = unit.function(function);
    function.is_none_or(|function| has_address_of(&function.body, symbol))
}

/// Whether any function of the unit takes the address of a variable.
pub fn is_address_taken_anywhere(unit: &Unit, symbol: SymbolId) -> bool {
    let mut functions = unit.functions.iter();
    functions.any(|function| has_address_of(&function.body, symbol))
}

fn has_address_of(body: &Statement, symbol: SymbolId) -> bool {
    let mut taken = false;
    visit::statement_roots(body, &mut |e| {
        visit::walk(e, &mut |e| {
            if let ExpressionKind::Unary(UnaryOperator::AddressOf, inner) = &e.kind {
                taken |= object(inner).as_symbol() == Some(symbol);
            }
        });
    });
    taken
}

/// The variable that a member is part of.
fn object(lvalue: &Expression) -> &Expression {
    match &lvalue.inner().kind {
        ExpressionKind::Member {
            base, arrow: false, ..
        } => object(base),
        _ => lvalue.inner(),
    }
}

/// Whether a directive in some code evaluates or transfers a variable.
pub fn is_in_directive(body: &Statement, symbol: SymbolId) -> bool {
    let mut found = match &body.kind {
        StatementKind::Directive(directive, _) => mentioned(directive, symbol),
        _ => false,
    };
    visit::children(body, &mut |inner| {
        found = found || is_in_directive(inner, symbol)
    });
    found
}

struct Query {
    symbol: SymbolId,
    span: Span,
    /// The code in question was found.
    seen: bool,
    /// The walk is inside it.
    inside: bool,
    /// The variable was live behind it.
    read: bool,
    /// Per loop or `switch` around: liveness after it, and at its next round.
    exits: Vec<(bool, bool)>,
}

impl Query {
    fn covers(&self, span: Span) -> bool {
        span.start >= self.span.start && span.end <= self.span.end
    }

    /// Liveness before a statement, given that after it.
    fn statement(&mut self, statement: &Statement, after: bool) -> bool {
        if self.inside || !self.covers(statement.span) {
            return self.transfer(statement, after);
        }
        if statement.span.end == self.span.end {
            self.seen = true;
            self.read |= after;
        }
        self.inside = true;
        let before = self.transfer(statement, after);
        self.inside = false;
        before
    }

    fn transfer(&mut self, statement: &Statement, after: bool) -> bool {
        match &statement.kind {
            StatementKind::Compound(list) => list
                .iter()
                .rev()
                .fold(after, |live, inner| self.statement(inner, live)),
            StatementKind::Expression(e) => e.as_ref().map_or(after, |e| self.expression(e, after)),
            StatementKind::Return(e) => e.as_ref().is_some_and(|e| self.expression(e, false)),
            StatementKind::Declaration(list) => {
                let mut live = after;
                for declaration in list.iter().rev() {
                    if let Some(initializer) = &declaration.initializer {
                        visit::initializer_values(initializer, &mut |e| {
                            live = self.expression(e, live);
                        });
                    }
                }
                live
            }
            StatementKind::If(condition, then, otherwise) => {
                let yes = self.statement(then, after);
                let no = otherwise
                    .as_ref()
                    .map_or(after, |s| self.statement(s, after));
                self.expression(condition, yes || no)
            }
            StatementKind::Switch(value, body) => {
                let next = self.exits.last().is_some_and(|exit| exit.1);
                self.exits.push((after, next));
                let live = self.statement(body, after);
                self.exits.pop();
                self.expression(value, live || after || mentions_in(body, self.symbol))
            }
            StatementKind::While(condition, body) => {
                self.rounds(Some(condition), None, body, after, false)
            }
            StatementKind::DoWhile(body, condition) => {
                self.rounds(Some(condition), None, body, after, true)
            }
            StatementKind::For(parts) => {
                let live = self.rounds(
                    parts.condition.as_ref(),
                    parts.step.as_ref(),
                    &parts.body,
                    after,
                    false,
                );
                parts
                    .initializer
                    .as_ref()
                    .map_or(live, |s| self.statement(s, live))
            }
            StatementKind::Case(_, _, body)
            | StatementKind::Default(body)
            | StatementKind::Labeled(_, body) => self.statement(body, after),
            StatementKind::Break => self.exits.last().is_some_and(|exit| exit.0),
            StatementKind::Continue => self.exits.last().is_some_and(|exit| exit.1),
            StatementKind::Directive(directive, body) => {
                let live = body.as_ref().map_or(after, |s| self.statement(s, after));
                live || mentioned(directive, self.symbol)
            }
            _ => after,
        }
    }

    /// A loop: two passes reach the fixed point of one variable.
    fn rounds(
        &mut self,
        condition: Option<&Expression>,
        step: Option<&Expression>,
        body: &Statement,
        after: bool,
        body_first: bool,
    ) -> bool {
        let mut head = condition.map_or(after, |e| self.expression(e, after)) || after;
        let mut start = head;
        for _ in 0..3 {
            let next = step.map_or(head, |e| self.expression(e, head));
            self.exits.push((after, next));
            start = self.statement(body, next);
            self.exits.pop();
            head |= condition.map_or(start, |e| self.expression(e, start || after));
        }
        if body_first { start } else { head }
    }

    /// Liveness before an expression.
    fn expression(&self, e: &Expression, after: bool) -> bool {
        let flow = super::assignment::of_expression(e, self.symbol);
        flow.exposed || (after && !flow.assigned)
    }
}

fn mentions_in(statement: &Statement, symbol: SymbolId) -> bool {
    let mut found = false;
    visit::statement_roots(statement, &mut |e| {
        found |= e.mentions(symbol);
    });
    found
}

/// Whether a directive evaluates or transfers a variable.
fn mentioned(directive: &Directive<Expression>, symbol: SymbolId) -> bool {
    let uses = |e: &Expression| e.mentions(symbol);
    directive
        .clauses
        .iter()
        .filter(|clause| clause.name.value != "private")
        .filter_map(|clause| clause.arguments.as_ref())
        .chain(&directive.arguments)
        .flat_map(|arguments| &arguments.items)
        .any(|item| match &item.value {
            ArgumentValue::Name { symbol, .. } => symbol.as_ref().is_some_and(uses),
            ArgumentValue::Expression(e) => uses(e),
            ArgumentValue::Section(section) => {
                uses(&section.base)
                    || section
                        .dimensions
                        .iter()
                        .flat_map(|dimension| &dimension.parts)
                        .flatten()
                        .any(uses)
            }
            ArgumentValue::Star => false,
        })
}
