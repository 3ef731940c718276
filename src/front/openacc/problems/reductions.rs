//! What is said of the lists of `reduction` clauses.
//!
//! ```text
//! reduction(sum:s)         reduction(+:s)
//! reduction(+:s, max:t)    reduction(+:s) reduction(max:t)
//! ```

use super::{habits, malformed};
use crate::ast::{Argument, ArgumentValue, Arguments};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::typed::{Expression, ExpressionKind, UnaryOperator, Unit};

/// What is wrong with the parentheses of a `reduction`.
pub(super) fn problem(unit: &Unit, arguments: &Arguments<Expression>) -> Option<Diagnostic> {
    let names = || {
        let names = arguments.items.iter().filter_map(|item| match &item.value {
            ArgumentValue::Name { name, .. } => Some(name.value.as_str()),
            _ => None,
        });
        names.collect::<Vec<&str>>()
    };
    if let Some(problem) = second_operator(arguments) {
        return Some(problem);
    }
    let error = |message: &str, span: Span, operator: Option<&str>, names: &[&str]| {
        let operators = "the operators are `+ * max min & | ^ && ||`";
        let list = if names.is_empty() {
            "sum".to_owned()
        } else {
            names.join(", ")
        };
        let example = format!("`reduction({}:{list})`", operator.unwrap_or("+"));
        let problem = malformed(message, span);
        Some(match operator {
            Some(operator) => {
                let right = match span == arguments.span {
                    true => format!("({operator}:{list})"),
                    false => operator.to_owned(),
                };
                problem.help(format!("write {example}")).replacement(right)
            }
            None => problem.help(format!("{operators}: {example}")),
        })
    };
    match arguments.modifiers.as_slice() {
        [] => {
            if let Some(name) = signed(unit, arguments) {
                let message = "the operator stands before a colon, and the variables behind it";
                return error(message, arguments.span, Some("+"), &[name]);
            }
            let names = names();
            // `reduction(max, s)`
            let is_unknown = matches!(
                arguments.items.first().map(|item| &item.value),
                Some(ArgumentValue::Name { symbol: None, .. })
            );
            let first = names.first().and_then(|first| match is_unknown {
                true => habits::operator_near(first),
                false => habits::operator(first),
            });
            let operator = first.filter(|_| names.len() > 1);
            let variables = &names[usize::from(operator.is_some())..];
            let (message, span) = ("a reduction needs an operator", arguments.span);
            error(message, span, operator, variables)
        }
        [_, second, ..] => error("a reduction has one operator", second.span, None, &names()),
        [one] if crate::front::lowering::reductions::operator(&one.value).is_none() => error(
            &format!("`{}` is no reduction operator", one.value),
            one.span,
            habits::operator_near(&one.value),
            &names(),
        ),
        [_] if arguments.items.is_empty() => {
            error("a reduction needs a variable", arguments.span, None, &[])
        }
        [_] => None,
    }
}

/// `reduction(+:s, max:t)`, whose second operator reads as a variable.
fn second_operator(arguments: &Arguments<Expression>) -> Option<Diagnostic> {
    let [first] = arguments.modifiers.as_slice() else {
        return None;
    };
    let name = |item: &Argument<Expression>| match &item.value {
        ArgumentValue::Name { name, symbol } => Some((name.value.clone(), symbol.is_none())),
        // `*:t` has a `*` for itself.
        ArgumentValue::Star => Some(("*".to_owned(), true)),
        _ => None,
    };
    let names: Vec<(String, bool)> = arguments.items.iter().map(name).collect::<Option<_>>()?;
    let mut clauses = vec![(first.value.clone(), Vec::new())];
    for (word, is_unknown) in names {
        let operator = match word.as_str() {
            "*" => Some("*"),
            word => habits::operator(word).filter(|_| is_unknown),
        };
        match operator {
            Some(operator) => clauses.push((operator.to_owned(), Vec::new())),
            None => clauses.last_mut()?.1.push(word),
        }
    }
    if clauses.len() < 2 || clauses.iter().any(|(_, names)| names.is_empty()) {
        return None;
    }
    let clauses = clauses.iter();
    let texts = clauses.map(|(operator, names)| format!("({operator}:{})", names.join(", ")));
    let right = texts.collect::<Vec<_>>().join(" reduction");
    let problem = malformed("a reduction has one operator", arguments.span);
    Some(
        problem
            .help(format!(
                "each has a clause of its own: write `reduction{right}`"
            ))
            .replacement(right),
    )
}

/// The variable of `reduction(+ s)`, which is an expression with a sign.
fn signed<'u>(unit: &'u Unit, arguments: &Arguments<Expression>) -> Option<&'u str> {
    let [only] = arguments.items.as_slice() else {
        return None;
    };
    let ArgumentValue::Expression(e) = &only.value else {
        return None;
    };
    let ExpressionKind::Unary(UnaryOperator::Plus, operand) = &e.without_conversions().kind else {
        return None;
    };
    match operand.without_conversions().kind {
        ExpressionKind::Symbol(symbol) => Some(&unit.symbol(symbol).name),
        _ => None,
    }
}
