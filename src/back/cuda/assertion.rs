//! Calls of `assert`, which the C library's headers make different things of.
//!
//! ```text
//! ((void)sizeof(int), ({ if (e) ; else __assert_fail(…); }))     assert(e)
//! ((e) ? (void)0 : __assert_fail(…))                             assert(e)
//! ```

use super::language::Cuda;
use crate::typed::print::{Printer, precedence};
use crate::typed::{Expression, ExpressionKind, Statement, StatementKind, Unit};

/// The condition of an assertion, if an expression is one.
pub fn asserted<'e>(unit: &Unit, e: &'e Expression) -> Option<&'e Expression> {
    let ExpressionKind::Parenthesized(inner) = &e.kind else {
        return None;
    };
    match &inner.kind {
        ExpressionKind::Comma(_, checked) => {
            let ExpressionKind::Statement(statement) = &checked.inner().kind else {
                return None;
            };
            let StatementKind::If(condition, then, Some(otherwise)) = &only(statement)?.kind else {
                return None;
            };
            let StatementKind::Expression(Some(failure)) = &otherwise.kind else {
                return None;
            };
            let is_empty = matches!(then.kind, StatementKind::Expression(None));
            (is_empty && fails(unit, failure)).then_some(condition)
        }
        ExpressionKind::Conditional(condition, Some(_), failure) => {
            fails(unit, failure).then_some(condition.inner())
        }
        _ => None,
    }
}

/// Writes an assertion. Commas in braces or brackets would divide the macro's argument.
pub fn write(printer: &mut Printer<'_, Cuda>, condition: &Expression) {
    let start = printer.out.len();
    printer.expression(condition, precedence::ASSIGNMENT);
    let mut depth = 0usize;
    let divides = printer.out[start..].chars().any(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    let (open, close) = if divides { ("(", "))") } else { ("", ")") };
    printer.out.insert_str(start, &format!("assert({open}"));
    printer.push(close);
}

/// The one statement of a block.
fn only(statement: &Statement) -> Option<&Statement> {
    match &statement.kind {
        StatementKind::Compound(items) => match items.as_slice() {
            [one] => only(one),
            _ => None,
        },
        _ => Some(statement),
    }
}

/// Whether an expression is what the header calls where a condition does not hold.
fn fails(unit: &Unit, e: &Expression) -> bool {
    let ExpressionKind::Call { function, .. } = &e.inner().kind else {
        return false;
    };
    let function = function.without_conversions().as_symbol();
    function.is_some_and(|function| unit.symbol(function).name == "__assert_fail")
}
