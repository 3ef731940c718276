//! `reduction` clauses (OpenACC 3.3, section 2.9.11).

use super::check::{CheckedClause, has_error, not_yet, undeclared};
use super::clauses::is_whole;
use crate::ast::{Argument, ArgumentValue};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{Reduction, ReductionOperator};
use crate::typed::print::{C, Printer};
use crate::typed::{ArrayLength, Expression, QualType, SymbolId, Type, Unit};

/// The operator that a clause spells. `-` is none of OpenACC, and taken as `+`
/// with a warning: the partial results of a loop that subtracts are added up.
pub fn operator(spelling: &str) -> Option<ReductionOperator> {
    use ReductionOperator as R;
    let spelling = if spelling == "-" { "+" } else { spelling };
    [
        R::Sum,
        R::Product,
        R::Max,
        R::Min,
        R::BitAnd,
        R::BitOr,
        R::BitXor,
        R::LogicalAnd,
        R::LogicalOr,
    ]
    .into_iter()
    .find(|operator| operator.spelling() == spelling)
}

/// The reductions of a clause; wrong ones are reported and left out.
pub fn lower(
    unit: &Unit,
    clause: &CheckedClause<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<Reduction> {
    let spelled = clause.arguments.and_then(|a| a.modifiers.first());
    let Some(operator) = spelled.and_then(|word| operator(&word.value)) else {
        return Vec::new();
    };
    if let Some(minus) = spelled.filter(|word| word.value == "-") {
        diagnostics.push(
            Diagnostic::warning(
                codes::CLAUSE_ARGUMENT,
                "OpenACC has no reduction with `-`",
                minus.span,
            )
            .help("it is taken as `+`, which adds up what each thread subtracted; write that"),
        );
    }
    let mut reductions = Vec::new();
    for item in clause.items().iter().filter(|item| !has_error(item)) {
        match variable(unit, item, operator) {
            Ok((symbol, ty)) => reductions.push(Reduction {
                operator,
                symbol,
                ty: ty.ty,
                span: item.span,
            }),
            Err(problem) => diagnostics.push(*problem),
        }
    }
    reductions
}

/// The scalar variable that an item names, if the operator fits it.
fn variable(
    unit: &Unit,
    item: &Argument<Expression>,
    operator: ReductionOperator,
) -> Result<(SymbolId, QualType), Box<Diagnostic>> {
    let expression = match &item.value {
        ArgumentValue::Name { name, symbol: None } => return Err(Box::new(undeclared(name))),
        ArgumentValue::Name {
            symbol: Some(e), ..
        }
        | ArgumentValue::Expression(e) => e,
        ArgumentValue::Section(section) => match section.base.as_symbol() {
            Some(symbol) if is_whole(unit, symbol, section) => &section.base,
            _ => {
                return Err(Box::new(
                    not_yet("a reduction of part of an array".into(), item.span)
                        .help("reduce an array of known length, or a scalar"),
                ));
            }
        },
        ArgumentValue::Star => {
            let problem =
                Diagnostic::error(codes::CLAUSE_ARGUMENT, "a variable is expected", item.span);
            return Err(Box::new(problem));
        }
    };
    let symbol = match expression.as_symbol() {
        Some(symbol) if unit.symbol(symbol).is_variable() => symbol,
        Some(symbol) => {
            let problem = Diagnostic::error(
                codes::NOT_A_VARIABLE,
                format!("`{}` is not a variable", unit.symbol(symbol).name),
                item.span,
            );
            return Err(Box::new(problem));
        }
        None => {
            return Err(Box::new(not_yet(
                "a reduction of an array element or a member".into(),
                item.span,
            )));
        }
    };
    let ty = unit.symbol(symbol).ty;
    match type_problem(unit, ty, operator, item) {
        Some(problem) => Err(Box::new(problem)),
        None => Ok((symbol, ty)),
    }
}

fn type_problem(
    unit: &Unit,
    ty: QualType,
    operator: ReductionOperator,
    item: &Argument<Expression>,
) -> Option<Diagnostic> {
    use ReductionOperator as R;
    let text = Printer::new(unit, &C).declaration(ty, "");
    let wrong = |what: String, help: &str| {
        Some(Diagnostic::error(codes::REDUCTION_TYPE, what, item.span).help(help))
    };
    if ty.qualifiers.is_const {
        return wrong(
            "a reduction writes its variable, and this one is `const`".into(),
            "declare it without `const`",
        );
    }
    match unit.types.get(ty.ty) {
        Type::Bool | Type::Integer(_) | Type::Enum(_) => None,
        Type::Floating(_) if matches!(operator, R::BitAnd | R::BitOr | R::BitXor) => wrong(
            format!(
                "`{}` reduces integers, and this is a `{text}`",
                operator.spelling()
            ),
            "use an integer variable or another operator",
        ),
        Type::Floating(_) => None,
        Type::Complex(_) if matches!(operator, R::Sum | R::Product) => None,
        Type::Array {
            element,
            length: ArrayLength::Constant(_),
        } => type_problem(unit, *element, operator, item),
        Type::Array { .. } => Some(
            not_yet(
                "a reduction of an array of variable length".into(),
                item.span,
            )
            .help("give the array a constant length"),
        ),
        _ => wrong(
            format!(
                "`{}` reduces numbers, and this is a `{text}`",
                operator.spelling()
            ),
            "reduce a variable of an arithmetic type",
        ),
    }
}
