//! Whether code reads a variable's value from before, and whether it always
//! gives it a new one.
//!
//! Used for scalars: one that every iteration writes before it reads needs no
//! value from the iteration before, so that each iteration can have its own
//! copy.

use crate::ir::{Loop, Statement, StatementKind, visit};
use crate::typed::{self, Expression, ExpressionKind, Initializer, SymbolId, UnaryOperator};

/// What code does with one variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// May read the value from before.
    pub exposed: bool,
    /// Has assigned it when it ends normally.
    pub assigned: bool,
}

impl Flow {
    fn read(&mut self) {
        self.exposed |= !self.assigned;
    }

    /// Code that runs on some paths only.
    fn maybe(&mut self, part: Flow) {
        self.exposed |= part.exposed;
    }
}

/// What a list of statements does with a variable.
pub fn of_list(list: &[Statement], symbol: SymbolId) -> Flow {
    let mut flow = Flow::default();
    add_list(list, symbol, &mut flow);
    flow
}

/// What an expression does with a variable.
pub fn of_expression(e: &Expression, symbol: SymbolId) -> Flow {
    let mut flow = Flow::default();
    add_expression(e, symbol, &mut flow);
    flow
}

/// Whether some path from behind the loop to the end of the code reads the
/// value that a variable has after it. `None` if the loop is not there, else
/// whether it is read and whether every path assigns it.
pub fn after_loop(list: &[Statement], header: &Loop, symbol: SymbolId) -> Option<Flow> {
    for (index, statement) in list.iter().enumerate() {
        let mut found = match &statement.kind {
            StatementKind::Loop(l) if std::ptr::eq(&raw const **l, header) => Some(Flow::default()),
            _ => None,
        };
        if found.is_none() {
            visit::blocks(statement, &mut |inner| {
                found = found.or_else(|| after_loop(inner, header, symbol));
            });
            if let Some(flow) = &mut found
                && !flow.assigned
                && is_loop(statement)
            {
                // The next round begins with the loop's own code.
                flow.exposed |= of_list(std::slice::from_ref(statement), symbol).exposed;
            }
        }
        if let Some(mut flow) = found {
            add_list(&list[index + 1..], symbol, &mut flow);
            return Some(flow);
        }
    }
    None
}

fn is_loop(statement: &Statement) -> bool {
    matches!(
        statement.kind,
        StatementKind::Loop(_)
            | StatementKind::For(_)
            | StatementKind::While(..)
            | StatementKind::DoWhile(..)
    )
}

fn add_list(list: &[Statement], symbol: SymbolId, flow: &mut Flow) {
    for statement in list {
        add_statement(statement, symbol, flow);
    }
}

fn add_statement(statement: &Statement, symbol: SymbolId, flow: &mut Flow) {
    match &statement.kind {
        StatementKind::Expression(Some(e)) | StatementKind::Return(Some(e)) => {
            add_expression(e, symbol, flow);
        }
        StatementKind::Atomic(atomic) => {
            for step in &atomic.steps {
                add_expression(step, symbol, flow);
            }
        }
        StatementKind::Declaration(list) => {
            for declaration in list {
                if let Some(initializer) = &declaration.initializer {
                    add_initializer(initializer, symbol, flow);
                }
            }
        }
        StatementKind::Block(body) | StatementKind::Single { body, .. } => {
            add_list(body, symbol, flow);
        }
        StatementKind::If(condition, then, otherwise) => {
            add_expression(condition, symbol, flow);
            let (mut yes, mut no) = (*flow, *flow);
            add_list(then, symbol, &mut yes);
            add_list(otherwise.as_deref().unwrap_or_default(), symbol, &mut no);
            flow.exposed = yes.exposed || no.exposed;
            flow.assigned = yes.assigned && no.assigned;
        }
        StatementKind::Loop(l) => add_loop(l, symbol, flow),
        StatementKind::While(condition, body) => {
            add_expression(condition, symbol, flow);
            add_maybe(body, symbol, flow);
        }
        StatementKind::DoWhile(body, condition) => {
            let assigned = flow.assigned;
            add_list(body, symbol, flow);
            // A jump in the body may skip the assignment.
            flow.assigned = if has_jump(body) {
                assigned
            } else {
                flow.assigned
            };
            add_expression(condition, symbol, flow);
        }
        StatementKind::For(parts) => {
            if let Some(initializer) = &parts.initializer {
                add_statement(initializer, symbol, flow);
            }
            if let Some(condition) = &parts.condition {
                add_expression(condition, symbol, flow);
            }
            let mut inner = *flow;
            add_list(&parts.body, symbol, &mut inner);
            if has_jump(&parts.body) {
                inner.assigned = flow.assigned;
            }
            if let Some(step) = &parts.step {
                add_expression(step, symbol, &mut inner);
            }
            flow.maybe(inner);
        }
        StatementKind::Switch(value, body) => {
            add_expression(value, symbol, flow);
            add_switch(body, symbol, flow);
        }
        StatementKind::CollectiveCall(call) => {
            add_expression(&call.call, symbol, flow);
            flow.assigned |= call.result == Some(symbol);
        }
        // Where it comes from is not followed.
        StatementKind::Label(_) | StatementKind::Goto(_) => flow.exposed = true,
        // Inside blocks of a `switch`: the head may have led here.
        StatementKind::Case(..) | StatementKind::Default => flow.assigned = false,
        _ => {
            visit::own_expressions(statement, &mut |e| add_expression(e, symbol, flow));
            visit::blocks(statement, &mut |body| add_maybe(body, symbol, flow));
        }
    }
}

fn add_loop(l: &Loop, symbol: SymbolId, flow: &mut Flow) {
    for e in [&l.lower, &l.bound, &l.step] {
        add_expression(e, symbol, flow);
    }
    if l.induction == symbol {
        if l.declared_inside {
            return;
        }
        flow.assigned = true;
    }
    if !l.privates.contains(&symbol) {
        add_maybe(&l.body, symbol, flow);
    }
}

fn add_maybe(body: &[Statement], symbol: SymbolId, flow: &mut Flow) {
    let mut inner = *flow;
    add_list(body, symbol, &mut inner);
    flow.maybe(inner);
}

/// Every case may be entered from the head.
fn add_switch(body: &[Statement], symbol: SymbolId, flow: &mut Flow) {
    let entry = *flow;
    let mut current = entry;
    for statement in body {
        if matches!(
            statement.kind,
            StatementKind::Case(..) | StatementKind::Default
        ) {
            flow.maybe(current);
            current = entry;
            continue;
        }
        add_statement(statement, symbol, &mut current);
    }
    flow.maybe(current);
}

fn has_jump(body: &[Statement]) -> bool {
    let mut found = false;
    visit::walk(body, &mut |s| {
        found |= matches!(
            s.kind,
            StatementKind::Break | StatementKind::Continue | StatementKind::Goto(_)
        );
    });
    found
}

/// Whether a jump may end a round of this body before its last statement.
pub fn may_end_early(body: &[Statement]) -> bool {
    has_jump(body)
}

fn add_initializer(initializer: &Initializer, symbol: SymbolId, flow: &mut Flow) {
    match initializer {
        Initializer::Expression(e) => add_expression(e, symbol, flow),
        Initializer::Aggregate(items) => {
            for (_, item) in items {
                add_initializer(item, symbol, flow);
            }
        }
    }
}

fn add_expression(e: &Expression, symbol: SymbolId, flow: &mut Flow) {
    use crate::typed::BinaryOperator::{LogicalAnd, LogicalOr};
    match &e.kind {
        ExpressionKind::Symbol(s) => {
            if *s == symbol {
                flow.read();
            }
        }
        ExpressionKind::Assign(target, value) => {
            add_expression(value, symbol, flow);
            if target.as_symbol() == Some(symbol) {
                flow.assigned = true;
            } else {
                add_expression(target, symbol, flow);
            }
        }
        // A pointer to it may be followed anywhere.
        ExpressionKind::Unary(UnaryOperator::AddressOf, inner)
            if inner.as_symbol() == Some(symbol) =>
        {
            flow.exposed = true;
        }
        ExpressionKind::Binary(LogicalAnd | LogicalOr, a, b) => {
            add_expression(a, symbol, flow);
            let mut second = *flow;
            add_expression(b, symbol, &mut second);
            flow.maybe(second);
        }
        ExpressionKind::Conditional(condition, then, otherwise) => {
            add_expression(condition, symbol, flow);
            let (mut yes, mut no) = (*flow, *flow);
            if let Some(then) = then {
                add_expression(then, symbol, &mut yes);
            }
            add_expression(otherwise, symbol, &mut no);
            flow.exposed = yes.exposed || no.exposed;
            flow.assigned = yes.assigned && no.assigned;
        }
        ExpressionKind::Statement(_) => {
            typed::visit::operands(e, &mut |inner| {
                let mut part = *flow;
                add_expression(inner, symbol, &mut part);
                flow.maybe(part);
            });
        }
        ExpressionKind::CompoundAssign { target, value, .. } => {
            add_expression(value, symbol, flow);
            add_expression(target, symbol, flow);
            flow.assigned |= target.as_symbol() == Some(symbol);
        }
        _ => typed::visit::operands(e, &mut |operand| add_expression(operand, symbol, flow)),
    }
}
