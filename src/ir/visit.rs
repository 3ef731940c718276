//! Walks over the statements of kernels.
//!
//! Parents come before children and statements in textual order. Expressions
//! inside statement expressions are reached through
//! [`crate::typed::visit::walk`].

use super::{Loop, Statement, StatementKind};
use crate::typed::{Expression, ExpressionKind, SymbolId, visit};

/// Whether an expression of a list of statements names a variable.
pub fn mentions(list: &[Statement], symbol: SymbolId) -> bool {
    let mut found = false;
    expressions(list, &mut |e| {
        found = found || matches!(e.kind, ExpressionKind::Symbol(s) if s == symbol);
    });
    found
}

/// Calls `visit` on each list of statements directly inside a statement.
pub fn blocks<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a [Statement])) {
    match &statement.kind {
        StatementKind::Block(body)
        | StatementKind::While(_, body)
        | StatementKind::DoWhile(body, _)
        | StatementKind::Switch(_, body)
        | StatementKind::WhileAny(_, body)
        | StatementKind::Single { body, .. } => visit(body),
        StatementKind::Windows(region) => visit(&region.body),
        StatementKind::If(_, then, otherwise) => {
            visit(then);
            if let Some(otherwise) = otherwise {
                visit(otherwise);
            }
        }
        StatementKind::Loop(inner) => visit(&inner.body),
        StatementKind::For(parts) => {
            if let Some(initializer) = &parts.initializer {
                visit(std::slice::from_ref(initializer));
            }
            visit(&parts.body);
        }
        _ => {}
    }
}

/// As [`blocks`], to change them. The initialiser of a plain `for` is left
/// out, since it is one statement and must stay one.
pub fn blocks_mut(statement: &mut Statement, change: &mut dyn FnMut(&mut Vec<Statement>)) {
    match &mut statement.kind {
        StatementKind::Block(body)
        | StatementKind::While(_, body)
        | StatementKind::DoWhile(body, _)
        | StatementKind::Switch(_, body)
        | StatementKind::WhileAny(_, body)
        | StatementKind::Single { body, .. } => change(body),
        StatementKind::Windows(region) => change(&mut region.body),
        StatementKind::If(_, then, otherwise) => {
            change(then);
            if let Some(otherwise) = otherwise {
                change(otherwise);
            }
        }
        StatementKind::Loop(inner) => change(&mut inner.body),
        StatementKind::For(parts) => change(&mut parts.body),
        _ => {}
    }
}

/// Calls `visit` on the statements of a list and all statements inside them.
pub fn walk<'a>(list: &'a [Statement], visit: &mut dyn FnMut(&'a Statement)) {
    for statement in list {
        visit(statement);
        blocks(statement, &mut |inner| walk(inner, visit));
    }
}

/// Whether a statement of a list or inside it satisfies `test`.
pub fn any(list: &[Statement], test: &mut dyn FnMut(&Statement) -> bool) -> bool {
    let mut found = false;
    walk(list, &mut |statement| found = found || test(statement));
    found
}

/// Whether a [`Loop`] of a list or inside it satisfies `test`.
pub fn any_loop(list: &[Statement], test: &mut dyn FnMut(&Loop) -> bool) -> bool {
    any(list, &mut |statement| match &statement.kind {
        StatementKind::Loop(inner) => test(inner),
        _ => false,
    })
}

/// Calls `visit` on each [`Loop`] of a list and inside it, outer ones first.
pub fn loops<'a>(list: &'a [Statement], visit: &mut dyn FnMut(&'a Loop)) {
    walk(list, &mut |statement| {
        if let StatementKind::Loop(inner) = &statement.kind {
            visit(inner);
        }
    });
}

/// As [`loops`], to change them.
pub fn loops_mut(list: &mut [Statement], change: &mut dyn FnMut(&mut Loop)) {
    for statement in list {
        if let StatementKind::Loop(inner) = &mut statement.kind {
            change(inner);
        }
        blocks_mut(statement, &mut |inner| loops_mut(inner, change));
    }
}

/// Calls `visit` on the outermost expressions that a statement evaluates
/// itself, statements inside it apart. Of a [`Loop`] these are its first
/// value, bound and step; of a [`super::WindowRegion`] pivots and bounds.
pub fn own_expressions<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a Expression)) {
    match &statement.kind {
        StatementKind::Expression(Some(e))
        | StatementKind::If(e, ..)
        | StatementKind::While(e, _)
        | StatementKind::DoWhile(_, e)
        | StatementKind::Switch(e, _)
        | StatementKind::Return(Some(e))
        | StatementKind::WriteBack { mask: Some(e), .. } => visit(e),
        StatementKind::Atomic(atomic) => atomic.steps.iter().for_each(visit),
        StatementKind::CollectiveCall(call) => visit(&call.call),
        StatementKind::Declaration(list) => {
            for declaration in list {
                if let Some(initializer) = &declaration.initializer {
                    visit::initializer_values(initializer, visit);
                }
            }
        }
        StatementKind::Loop(inner) => {
            visit(&inner.lower);
            visit(&inner.bound);
            visit(&inner.step);
        }
        StatementKind::For(parts) => {
            parts.condition.iter().for_each(&mut *visit);
            parts.step.iter().for_each(visit);
        }
        StatementKind::Windows(region) => {
            for dimension in region.windows.iter().flat_map(|window| &window.dimensions) {
                visit(&dimension.pivot);
                visit(&dimension.before);
                visit(&dimension.after);
            }
        }
        _ => {}
    }
}

/// Calls `visit` on every expression in a list of statements, the operands of
/// each included.
pub fn expressions<'a>(list: &'a [Statement], visit: &mut dyn FnMut(&'a Expression)) {
    walk(list, &mut |statement| {
        own_expressions(statement, &mut |e| visit::walk(e, visit));
    });
}

/// Calls `change` on every expression in a list of statements, the operands
/// of each included; statement expressions are not entered.
pub fn expressions_mut(list: &mut [Statement], change: &mut dyn FnMut(&mut Expression)) {
    for statement in list {
        own_expressions_mut(statement, &mut |e| visit::walk_mut(e, change));
        if let StatementKind::For(parts) = &mut statement.kind
            && let Some(initializer) = &mut parts.initializer
        {
            expressions_mut(std::slice::from_mut(initializer), change);
        }
        blocks_mut(statement, &mut |inner| expressions_mut(inner, change));
    }
}

/// As [`own_expressions`], to change them.
pub fn own_expressions_mut(statement: &mut Statement, change: &mut dyn FnMut(&mut Expression)) {
    match &mut statement.kind {
        StatementKind::Expression(Some(e))
        | StatementKind::If(e, ..)
        | StatementKind::While(e, _)
        | StatementKind::DoWhile(_, e)
        | StatementKind::Switch(e, _)
        | StatementKind::Return(Some(e))
        | StatementKind::WriteBack { mask: Some(e), .. } => change(e),
        StatementKind::Atomic(atomic) => atomic.steps.iter_mut().for_each(change),
        StatementKind::CollectiveCall(call) => change(&mut call.call),
        StatementKind::Declaration(list) => {
            for declaration in list {
                if let Some(initializer) = &mut declaration.initializer {
                    visit::change_roots(initializer, change);
                }
            }
        }
        StatementKind::Loop(inner) => {
            change(&mut inner.lower);
            change(&mut inner.bound);
            change(&mut inner.step);
        }
        StatementKind::For(parts) => {
            parts
                .condition
                .iter_mut()
                .chain(&mut parts.step)
                .for_each(change);
        }
        StatementKind::Windows(region) => {
            let windows = &mut region.windows;
            for dimension in windows.iter_mut().flat_map(|w| &mut w.dimensions) {
                change(&mut dimension.pivot);
                change(&mut dimension.before);
                change(&mut dimension.after);
            }
        }
        _ => {}
    }
}

/// The variables declared by declarations in a list of statements, and those
/// that take the results of [`StatementKind::CollectiveCall`]s.
pub fn declared(list: &[Statement]) -> Vec<SymbolId> {
    let mut symbols = Vec::new();
    walk(list, &mut |statement| match &statement.kind {
        StatementKind::Declaration(declarations) => {
            symbols.extend(declarations.iter().map(|d| d.symbol));
        }
        StatementKind::CollectiveCall(call) => symbols.extend(call.result),
        _ => {}
    });
    symbols
}
