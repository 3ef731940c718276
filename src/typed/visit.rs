//! Walks over expressions and typed statements.
//!
//! All walks are in order of evaluation as written, parents before children;
//! statement expressions and compound literals are entered.

use super::{
    CaseLabel, Expression, ExpressionKind, For, Initializer, LocalDeclaration, Statement,
    StatementKind, SymbolId, Unit,
};
use crate::ast::Directive;

/// The direct operands of an expression's kind but for those in a statement
/// expression, whether to look at them or to change them.
macro_rules! each_operand {
    ($kind:expr, $visit:ident, $values:ident) => {
        match $kind {
            ExpressionKind::Integer { .. }
            | ExpressionKind::Floating { .. }
            | ExpressionKind::String { .. }
            | ExpressionKind::Symbol(_)
            | ExpressionKind::SizeofVariable(_)
            | ExpressionKind::LabelAddress(_)
            | ExpressionKind::Statement(_)
            | ExpressionKind::Error => {}
            ExpressionKind::Parenthesized(e)
            | ExpressionKind::Member { base: e, .. }
            | ExpressionKind::Unary(_, e)
            | ExpressionKind::Cast(e)
            | ExpressionKind::Convert(_, e)
            | ExpressionKind::VaArg(e) => $visit(e),
            ExpressionKind::Index(a, b)
            | ExpressionKind::Binary(_, a, b)
            | ExpressionKind::Assign(a, b)
            | ExpressionKind::Comma(a, b)
            | ExpressionKind::CompoundAssign {
                target: a,
                value: b,
                ..
            } => {
                $visit(a);
                $visit(b);
            }
            ExpressionKind::Call {
                function,
                arguments,
            } => {
                $visit(function);
                arguments.into_iter().for_each($visit);
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                $visit(condition);
                if let Some(then) = then {
                    $visit(then);
                }
                $visit(otherwise);
            }
            ExpressionKind::CompoundLiteral(initializer) => $values(initializer, $visit),
        }
    };
}

/// The outermost expressions that a kind of statement evaluates itself, but for
/// the first statement of a `for`; to look at them or to change them.
macro_rules! each_own_root {
    ($kind:expr, $visit:ident, $values:ident, $as:ident) => {
        match $kind {
            StatementKind::Expression(Some(e))
            | StatementKind::Return(Some(e))
            | StatementKind::If(e, ..)
            | StatementKind::Switch(e, _)
            | StatementKind::While(e, _)
            | StatementKind::DoWhile(_, e)
            | StatementKind::ComputedGoto(e) => $visit(e),
            StatementKind::Case(label, _) => {
                let CaseLabel { written, .. } = label;
                written.into_iter().for_each(|e| $visit(e));
            }
            StatementKind::Declaration(list) => {
                for LocalDeclaration { initializer, .. } in list {
                    if let Some(value) = initializer {
                        $values(value, $visit);
                    }
                }
            }
            StatementKind::For(parts) => {
                let For {
                    condition, step, ..
                } = parts.$as();
                condition.into_iter().chain(step).for_each(&mut *$visit);
            }
            _ => {}
        }
    };
}

/// The statements directly inside a kind of statement, but for the first statement
/// of a `for`; to look at them or to change them.
macro_rules! each_child {
    ($kind:expr, $visit:ident, $as:ident) => {
        match $kind {
            StatementKind::Compound(list) => list.into_iter().for_each($visit),
            StatementKind::If(_, then, otherwise) => {
                $visit(then);
                if let Some(otherwise) = otherwise {
                    $visit(otherwise);
                }
            }
            StatementKind::Switch(_, body)
            | StatementKind::While(_, body)
            | StatementKind::DoWhile(body, _)
            | StatementKind::Case(_, body)
            | StatementKind::Default(body)
            | StatementKind::Labeled(_, body)
            | StatementKind::Directive(_, Some(body)) => $visit(body),
            StatementKind::For(parts) => {
                let For { body, .. } = parts.$as();
                $visit(body);
            }
            _ => {}
        }
    };
}

/// Calls `visit` on each direct operand of an expression.
pub fn operands<'a>(expression: &'a Expression, visit: &mut dyn FnMut(&'a Expression)) {
    if let ExpressionKind::Statement(statement) = &expression.kind {
        return statement_roots(statement, visit);
    }
    each_operand!(&expression.kind, visit, initializer_values);
}

/// Calls `visit` on an expression and everything inside it.
pub fn walk<'a>(expression: &'a Expression, visit: &mut dyn FnMut(&'a Expression)) {
    visit(expression);
    operands(expression, &mut |operand| walk(operand, visit));
}

/// Whether an expression is made of more than so many; looks at no more of it.
pub fn is_larger(expression: &Expression, most: usize) -> bool {
    fn count(expression: &Expression, left: &mut usize) {
        if *left > 0 {
            *left -= 1;
            operands(expression, &mut |operand| count(operand, left));
        }
    }
    let mut left = most + 1;
    count(expression, &mut left);
    left == 0
}

/// Calls `visit` on the variables that an expression names, as often as it does.
pub fn symbols(expression: &Expression, visit: &mut dyn FnMut(SymbolId)) {
    walk(expression, &mut |e| {
        if let ExpressionKind::Symbol(symbol) = e.kind {
            visit(symbol);
        }
    });
}

/// Whether an expression or anything inside it satisfies `test`.
pub fn any(expression: &Expression, test: &mut dyn FnMut(&Expression) -> bool) -> bool {
    let mut found = false;
    walk(expression, &mut |e| found = found || test(e));
    found
}

/// Whether an expression and all inside it satisfy `test`.
pub fn all(expression: &Expression, test: &mut dyn FnMut(&Expression) -> bool) -> bool {
    !any(expression, &mut |e| !test(e))
}

/// Calls `visit` on the values of an initialiser.
pub fn initializer_values<'a>(initializer: &'a Initializer, visit: &mut dyn FnMut(&'a Expression)) {
    match initializer {
        Initializer::Expression(e) => visit(e),
        Initializer::Aggregate(items) => {
            for (_, item) in items {
                initializer_values(item, visit);
            }
        }
    }
}

/// Calls `visit` on the statements directly inside a statement.
pub fn children<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a Statement)) {
    if let StatementKind::For(parts) = &statement.kind
        && let Some(initializer) = &parts.initializer
    {
        visit(initializer);
    }
    each_child!(&statement.kind, visit, as_ref);
}

/// Calls `visit` on a statement and all inside, those of `for` headers and of
/// statement expressions included.
pub fn statements<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a Statement)) {
    without_expressions(statement, visit);
    expressions(statement, &mut |e| {
        if let ExpressionKind::Statement(inner) = &e.kind {
            without_expressions(inner, visit);
        }
    });
}

/// Whether the first statement that begins at `at` or behind it, in the function around, is a `for`.
pub fn is_before_loop(unit: &Unit, at: u32) -> bool {
    let mut around = unit.functions.iter();
    let around = around.find(|function| function.span.start <= at && at < function.span.end);
    let mut first = None;
    if let Some(function) = around {
        statements(&function.body, &mut |statement| {
            let start = statement.span.start;
            if start >= at && first.is_none_or(|(known, _)| start < known) {
                first = Some((start, matches!(statement.kind, StatementKind::For(_))));
            }
        });
    }
    first.is_some_and(|(_, is_loop)| is_loop)
}

fn without_expressions<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a Statement)) {
    visit(statement);
    children(statement, &mut |inner| without_expressions(inner, visit));
}

/// Calls `visit` on the outermost expressions of a typed statement and of the
/// statements inside it; expressions of directives are left out.
pub fn statement_roots<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a Expression)) {
    match &statement.kind {
        StatementKind::DoWhile(body, condition) => {
            statement_roots(body, visit);
            visit(condition);
        }
        StatementKind::For(parts) => for_roots(parts, visit),
        kind => {
            each_own_root!(kind, visit, initializer_values, as_ref);
            children(statement, &mut |inner| statement_roots(inner, visit));
        }
    }
}

/// Calls `visit` on every expression in a typed statement, the operands of each
/// included; those of directives are left out.
pub fn expressions<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a Expression)) {
    statement_roots(statement, &mut |root| walk(root, visit));
}

/// The variables that statement expressions in an expression declare.
pub fn declared_inside(e: &Expression) -> Vec<SymbolId> {
    let mut found = Vec::new();
    walk(e, &mut |e| {
        if let ExpressionKind::Statement(statement) = &e.kind {
            declarations(statement, &mut |declaration| found.push(declaration.symbol));
        }
    });
    found
}

/// Calls `visit` on the directives in a statement, that which it is or stands
/// under included.
pub fn directives<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a Directive<Expression>)) {
    statements(statement, &mut |inner| {
        if let StatementKind::Directive(directive, _) = &inner.kind {
            visit(directive);
        }
    });
}

/// The variables that a statement declares, in it or inside, in statement
/// expressions as well.
pub fn declared(statement: &Statement) -> Vec<SymbolId> {
    let mut found = Vec::new();
    statements(statement, &mut |inner| {
        if let StatementKind::Declaration(list) = &inner.kind {
            found.extend(list.iter().map(|declaration| declaration.symbol));
        }
    });
    found
}

/// Calls `visit` on the declarations of a typed statement and of those inside.
pub fn declarations<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a LocalDeclaration)) {
    if let StatementKind::Declaration(list) = &statement.kind {
        list.iter().for_each(&mut *visit);
    }
    children(statement, &mut |inner| declarations(inner, visit));
}

fn for_roots<'a>(parts: &'a For, visit: &mut dyn FnMut(&'a Expression)) {
    if let Some(initializer) = &parts.initializer {
        statement_roots(initializer, visit);
    }
    if let Some(condition) = &parts.condition {
        visit(condition);
    }
    statement_roots(&parts.body, visit);
    if let Some(step) = &parts.step {
        visit(step);
    }
}

/// Calls `change` on an expression and everything inside it, parents first.
pub fn walk_mut(expression: &mut Expression, change: &mut dyn FnMut(&mut Expression)) {
    change(expression);
    operands_mut(expression, &mut |operand| walk_mut(operand, change));
}

/// As [`operands`], to change them.
pub fn operands_mut(expression: &mut Expression, change: &mut dyn FnMut(&mut Expression)) {
    if let ExpressionKind::Statement(statement) = &mut expression.kind {
        return all_roots_mut(statement, change);
    }
    each_operand!(&mut expression.kind, change, change_roots);
}

/// Calls `change` on the values of an initialiser.
pub fn change_roots(initializer: &mut Initializer, change: &mut dyn FnMut(&mut Expression)) {
    match initializer {
        Initializer::Expression(e) => change(e),
        Initializer::Aggregate(items) => {
            for (_, item) in items {
                change_roots(item, change);
            }
        }
    }
}

/// Calls `visit` on the statements of the statement expressions in what a
/// statement evaluates itself, outermost ones alone.
pub fn in_expressions<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a Statement)) {
    let mut search = |e: &'a Expression| in_expression(e, visit);
    let search: &mut dyn FnMut(&'a Expression) = &mut search;
    each_own_root!(&statement.kind, search, initializer_values, as_ref);
}

/// Calls `visit` on the statements of the statement expressions in an expression,
/// outermost ones alone.
pub fn in_expression<'a>(e: &'a Expression, visit: &mut dyn FnMut(&'a Statement)) {
    match &e.kind {
        ExpressionKind::Statement(inner) => visit(inner),
        _ => operands(e, &mut |operand| in_expression(operand, visit)),
    }
}

/// Whether a statement has directives, those in statement expressions
/// included.
pub fn has_directives(statement: &Statement) -> bool {
    let is_directive = |s: &Statement| matches!(s.kind, StatementKind::Directive(..));
    any_statement(statement, &mut |s| is_directive(s))
}

/// Whether some statement in one, itself and those in statement expressions
/// included, is of a kind.
pub fn any_statement(statement: &Statement, is: &mut dyn FnMut(&Statement) -> bool) -> bool {
    if is(statement) {
        return true;
    }
    let mut found = false;
    in_expressions(statement, &mut |inner| {
        found = found || any_statement(inner, is)
    });
    children(statement, &mut |inner| {
        found = found || any_statement(inner, is)
    });
    found
}

/// As [`children`], to change them; the first statement of a `for` is left out.
pub fn children_mut(statement: &mut Statement, change: &mut dyn FnMut(&mut Statement)) {
    each_child!(&mut statement.kind, change, as_mut);
}

/// Calls `change` on the outermost expressions of a statement and of those inside it.
fn all_roots_mut(statement: &mut Statement, change: &mut dyn FnMut(&mut Expression)) {
    if let StatementKind::For(parts) = &mut statement.kind
        && let Some(first) = &mut parts.initializer
    {
        all_roots_mut(first, change);
    }
    own_roots_mut(statement, change);
    children_mut(statement, &mut |inner| all_roots_mut(inner, change));
}

/// Calls `change` on the expressions of a statement and everything inside
/// them, parents first; those of directives are left out.
pub fn expressions_mut(statement: &mut Statement, change: &mut dyn FnMut(&mut Expression)) {
    own_expressions_mut(statement, change);
    children_mut(statement, &mut |inner| expressions_mut(inner, change));
}

/// Calls `change` on the outermost expressions that a statement evaluates itself,
/// but for the first statement of a `for`.
pub fn own_roots_mut(statement: &mut Statement, change: &mut dyn FnMut(&mut Expression)) {
    each_own_root!(&mut statement.kind, change, change_roots, as_mut);
}

/// As [`expressions_mut`], without those of the statements directly inside.
pub fn own_expressions_mut(statement: &mut Statement, change: &mut dyn FnMut(&mut Expression)) {
    if let StatementKind::For(parts) = &mut statement.kind
        && let Some(first) = &mut parts.initializer
    {
        expressions_mut(first, change);
    }
    own_roots_mut(statement, &mut |e| walk_mut(e, change));
}
