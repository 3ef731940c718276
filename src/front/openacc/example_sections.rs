//! Sections in messages, such as can be written as they stand.
//!
//! Input: a place in a function. Output: the length that a section there may have: as far as loops go
//! ([`reached`]), or else `n`, which programs mostly call it, if that is an integer variable in scope.

mod reached;

use super::clauses::dimensions_text;
use crate::ast::Section;
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::constant::evaluate;
use crate::typed::print::{C, Printer, without_suffixes};
use crate::typed::{
    ArrayLength, Expression, ExpressionKind, SymbolId, Type, UnaryOperator, Unit, visit,
};

const LENGTH: &str = "n";

/// A problem of an item of a clause, with how the section is to be written that stands in its place,
/// or what one is.
pub(super) fn helped(
    problem: Diagnostic,
    unit: &Unit,
    clause: Option<&str>,
    name: &str,
    at: Span,
) -> Diagnostic {
    if let Some(is_seen) = leads_to_one(unit, name, at) {
        let section = format!("{name}[0:1]");
        if !is_seen {
            return problem.help(format!(
                "say how many structures it leads to: `{section}` is one, `{name}[0:n]` are `n`"
            ));
        }
        let help = match clause {
            Some(clause) => format!("it leads to one structure: write `{clause}({section})`"),
            None => format!("it leads to one structure: write `{section}`"),
        };
        return problem.help(help).replacement(section);
    }
    let Some(length) = reached::length(unit, name, at) else {
        return problem.help(format!(
            "say how many elements it has: a section is `{name}[first:length]`"
        ));
    };
    let section = format!("{name}[0:{length}]");
    problem
        .help(match clause {
            Some(clause) => format!("write `{clause}({section})`"),
            None => format!("write `{section}`"),
        })
        .replacement(section)
}

/// A problem of the brackets of a section, with how those are to be written.
pub(super) fn brackets(problem: Diagnostic, unit: &Unit, name: &str, at: Span) -> Diagnostic {
    let Some(length) = reached::length(unit, name, at) else {
        return problem.help(format!(
            "say how many elements it has: a section is `{name}[first:length]`"
        ));
    };
    let section = format!("[0:{length}]");
    problem
        .help(format!("write `{section}`"))
        .replacement(section)
}

/// `&a[0]` and `*a` stand for the elements of `a`, of which a section says how many.
pub(super) fn no_address(unit: &Unit, item: &Expression, at: Span) -> Result<(), Diagnostic> {
    let ExpressionKind::Unary(operator, operand) = &item.inner().kind else {
        return Ok(());
    };
    let message = match operator {
        UnaryOperator::AddressOf => "a data clause takes variables and sections, not addresses",
        UnaryOperator::Indirection => "a data clause takes variables and sections, no `*`",
        _ => return Ok(()),
    };
    let problem = Diagnostic::error(codes::NOT_A_VARIABLE, message, at);
    let text = |e: &Expression| Printer::text(unit, &C, e.inner());
    let array = match (&operand.inner().kind, operator) {
        (ExpressionKind::Index(array, first), UnaryOperator::AddressOf) => {
            if evaluate(unit, first) != Some(0) {
                let (array, first) = (text(array), text(first));
                return Err(problem.help(format!("write `{array}[{first}:length]`")));
            }
            array
        }
        (_, UnaryOperator::AddressOf) => {
            let name = text(operand);
            let problem = problem.help(format!("write `{name}`"));
            return Err(problem.replacement(name));
        }
        _ => operand,
    };
    Err(helped(problem, unit, None, &text(array), at))
}

/// Whether a pointer leads to one structure for all that is seen in the function that a place is in: it is
/// used for members alone, or, without any use but in directives, of such a type (`false`).
fn leads_to_one(unit: &Unit, name: &str, at: Span) -> Option<bool> {
    let mut functions = unit.functions.iter();
    let around = functions.find(|one| one.span.start <= at.start && at.end <= one.span.end);
    let is_it = |e: &Expression| {
        let symbol = e.without_conversions().as_symbol();
        symbol.is_some_and(|symbol| unit.symbol(symbol).name == name)
    };
    let (mut arrows, mut others) = (0, 0);
    let mut is_record = false;
    if let Some(function) = around {
        let declared = visit::declared(&function.body);
        let own = function.parameters.iter().chain(&declared);
        let mut types = own
            .map(|symbol| unit.symbol(*symbol))
            .filter(|one| one.name == name);
        is_record = types.any(|one| {
            let target = unit.types.pointee(one.ty.ty);
            target.is_some_and(|target| matches!(unit.types.get(target.ty), Type::Record(_)))
        });
        visit::expressions(&function.body, &mut |e| match &e.kind {
            ExpressionKind::Member {
                base, arrow: true, ..
            } if is_it(base) => arrows += 1,
            ExpressionKind::Index(base, _) if is_it(base) => others += 1,
            ExpressionKind::Binary(_, left, right) if is_it(left) || is_it(right) => others += 1,
            _ => {}
        });
    }
    let is_one = others == 0 && (arrows > 0 || is_record);
    is_one.then_some(arrows > 0)
}

/// Whether an integer variable of that name is in scope at a place.
fn has_length(unit: &Unit, at: Span) -> bool {
    let found = visible(unit, LENGTH, at);
    found.is_some_and(|length| unit.types.is_integer(unit.symbol(length).ty.ty))
}

/// The variable of a name that is declared before a place, in its function or outside of all.
pub(super) fn visible(unit: &Unit, name: &str, at: Span) -> Option<SymbolId> {
    let is_it = |symbol: &SymbolId| {
        let variable = unit.symbol(*symbol);
        variable.name == name && variable.span.start < at.start
    };
    let mut functions = unit.functions.iter();
    let around = functions.find(|one| one.span.start <= at.start && at.end <= one.span.end);
    let own = around.and_then(|function| {
        let declared = visit::declared(&function.body);
        let all = declared.iter().chain(&function.parameters).copied();
        all.filter(is_it)
            .max_by_key(|symbol| unit.symbol(*symbol).span.start)
    });
    own.or_else(|| {
        let mut globals = unit.globals.iter().map(|global| global.symbol);
        globals.find(is_it)
    })
}

/// How a data clause names a variable, and whether it is that for certain: of a pointer, a section
/// stands for what it leads to.
pub(super) fn item_of(unit: &Unit, name: &str, at: Span) -> (String, bool) {
    let variable = visible(unit, name, at).map(|symbol| unit.symbol(symbol));
    let is_pointer =
        variable.is_some_and(|one| matches!(unit.types.get(one.ty.ty), Type::Pointer(_)));
    match variable {
        Some(_) if !is_pointer => (name.to_owned(), true),
        Some(_) if has_length(unit, at) => (format!("{name}[0:{LENGTH}]"), false),
        Some(_) => (format!("{name}[first:length]"), false),
        None => (name.to_owned(), false),
    }
}

/// A section with as many brackets as there are dimensions: the first ones, or, of rows one behind the
/// other in what a pointer leads to, all of them in one.
pub fn with_dimensions(
    unit: &Unit,
    base: &Expression,
    depth: usize,
    section: &Section<Expression>,
) -> String {
    let first = Section {
        dimensions: section.dimensions.iter().take(depth).cloned().collect(),
        ..section.clone()
    };
    let name = Printer::text(unit, &C, base);
    let mut brackets = without_suffixes(&dimensions_text(unit, &first));
    if first
        .dimensions
        .iter()
        .any(|d| matches!(d.parts.as_slice(), [None]))
    {
        match unit.types.get(base.ty.ty) {
            Type::Array {
                length: ArrayLength::Constant(n),
                ..
            } if depth == 1 => brackets = format!("[0:{n}]"),
            _ => return "a section is `name[first:length]`".to_owned(),
        }
    }
    let help = format!("write `{name}{brackets}`");
    let is_pointer = matches!(unit.types.get(base.ty.ty), Type::Pointer(_));
    let lengths = section.dimensions.iter().map(|d| match d.parts.as_slice() {
        [Some(first), Some(length)] if evaluate(unit, first) == Some(0) => {
            let text = Printer::text(unit, &C, length);
            let is_simple = !text.contains(' ');
            Some(if is_simple { text } else { format!("({text})") })
        }
        _ => None,
    });
    match lengths.collect::<Option<Vec<String>>>() {
        Some(lengths) if is_pointer && depth == 1 => {
            let all = without_suffixes(&lengths.join(" * "));
            format!("{help}, or `{name}[0:{all}]` for rows one behind the other")
        }
        _ => help,
    }
}
