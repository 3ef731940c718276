//! Tests of the analysis over parsed text.

mod errors;
mod headers;
mod initializers;
mod layout;
mod limits;
mod scopes;
mod typing;

use super::analyse;
use crate::diagnostic::{Diagnostics, Place};
use crate::syntax::{STACK_BYTES, parse};
use crate::typed::print::{C, Printer};
use crate::typed::{
    Expression, ExpressionKind, Initializer, QualType, StatementKind, Symbol, Unit, constant,
};

/// Runs something on a thread with the stack that the driver gives.
fn on_big_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work)
            .unwrap()
            .join()
            .unwrap()
    })
}

/// The unit of a text, and its diagnostics as ``CODE `text`: message``.
fn analysed(text: &str) -> (Unit, Vec<String>) {
    on_big_stack(|| {
        let mut diagnostics = Diagnostics::new();
        let tree = parse(text, &mut diagnostics);
        let unit = tree.map(|tree| analyse(&tree, &mut diagnostics));
        let errors = diagnostics
            .iter()
            .map(|d| {
                let place = match d.labels.first().map(|label| &label.place) {
                    Some(Place::Span(span)) => &text[span.start as usize..span.end as usize],
                    _ => "?",
                };
                let help = d.help.as_ref().map(|help| format!(" ({help})"));
                format!(
                    "{} `{place}`: {}{}",
                    d.code.0,
                    d.message,
                    help.unwrap_or_default()
                )
            })
            .collect();
        (unit.unwrap_or_default(), errors)
    })
}

/// The unit of a text that must have no diagnostic.
fn accepted(text: &str) -> Unit {
    let (unit, errors) = analysed(text);
    assert_eq!(errors, Vec::<String>::new(), "in {text}");
    unit
}

/// The diagnostics of a text.
fn errors(text: &str) -> Vec<String> {
    analysed(text).1
}

/// The expressions that stand as statements in the first function.
fn expressions(unit: &Unit) -> Vec<&Expression> {
    let StatementKind::Compound(list) = &unit.functions.last().unwrap().body.kind else {
        panic!("a body is a block");
    };
    list.iter()
        .filter_map(|statement| match &statement.kind {
            StatementKind::Expression(e) => e.as_ref(),
            _ => None,
        })
        .collect()
}

fn show(unit: &Unit, ty: QualType) -> String {
    Printer::new(unit, &C).declaration(ty, "")
}

/// The symbol of a name; the last of several.
fn symbol<'u>(unit: &'u Unit, name: &str) -> &'u Symbol {
    let all = unit.symbols.iter();
    all.filter(|symbol| symbol.name == name)
        .last()
        .unwrap_or_else(|| panic!("{name} is a symbol"))
}

/// The value of the constant initialiser of a global.
fn value_of(unit: &Unit, name: &str) -> Option<i128> {
    let global = unit
        .globals
        .iter()
        .find(|global| unit.symbol(global.symbol).name == name)?;
    match global.initializer.as_ref()? {
        Initializer::Expression(e) => constant::evaluate(unit, e),
        Initializer::Aggregate(_) => None,
    }
}

/// An expression with its conversions: `Convert` as `<T>e`.
fn with_conversions(unit: &Unit, e: &Expression) -> String {
    match &e.kind {
        ExpressionKind::Convert(_, inner) => {
            format!("<{}>{}", show(unit, e.ty), with_conversions(unit, inner))
        }
        ExpressionKind::Binary(operator, a, b) => format!(
            "({} {} {})",
            with_conversions(unit, a),
            operator.spelling(),
            with_conversions(unit, b)
        ),
        ExpressionKind::Assign(a, b) => {
            format!(
                "{} = {}",
                with_conversions(unit, a),
                with_conversions(unit, b)
            )
        }
        ExpressionKind::Call {
            function,
            arguments,
        } => {
            let arguments: Vec<String> = arguments
                .iter()
                .map(|e| with_conversions(unit, e))
                .collect();
            format!(
                "{}({})",
                with_conversions(unit, function),
                arguments.join(", ")
            )
        }
        ExpressionKind::Conditional(c, Some(a), b) => format!(
            "{} ? {} : {}",
            with_conversions(unit, c),
            with_conversions(unit, a),
            with_conversions(unit, b)
        ),
        ExpressionKind::CompoundAssign {
            operator,
            target,
            value,
            computation,
        } => format!(
            "{} {}=[{}] {}",
            with_conversions(unit, target),
            operator.spelling(),
            show(unit, QualType::plain(*computation)),
            with_conversions(unit, value)
        ),
        _ => Printer::text(unit, &C, e),
    }
}
