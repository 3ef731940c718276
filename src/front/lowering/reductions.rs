//! What the operators of reductions are called, and what they reduce.

use crate::diagnostic::{Diagnostic, codes};
use crate::ir::ReductionOperator;
use crate::source::Span;
use crate::typed::print::{C, Printer};
use crate::typed::{ArrayLength, QualType, Type, Unit};

/// The operator that a clause spells. `-` is taken as `+`: the partial results of a loop that
/// subtracts are added up.
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

/// Why a variable of a type cannot be reduced.
pub fn type_problem(
    unit: &Unit,
    ty: QualType,
    operator: ReductionOperator,
    span: Span,
) -> Option<Diagnostic> {
    use ReductionOperator as R;
    let text = Printer::new(unit, &C).declaration(ty, "");
    let wrong = |what: String, help: &str| {
        Some(Diagnostic::error(codes::REDUCTION_TYPE, what, span).help(help))
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
        } => type_problem(unit, *element, operator, span),
        Type::Array { .. } => Some(
            Diagnostic::error(
                codes::NOT_SUPPORTED_YET,
                "a reduction of an array of variable length is not supported yet",
                span,
            )
            .help("give the array a constant length"),
        ),
        Type::Record(id) if !unit.types.record(*id).is_union => {
            let members = unit.types.record(*id).members.iter().flatten();
            let mut problems = members.map(|member| match member.bit_field {
                Some(_) => wrong(
                    format!("a reduction of a `{text}`, which has bit-fields"),
                    "reduce a struct of members that have addresses",
                ),
                None => type_problem(unit, member.ty, operator, span),
            });
            problems.find_map(|problem| problem)
        }
        _ => wrong(
            format!(
                "`{}` reduces numbers, and this is a `{text}`",
                operator.spelling()
            ),
            "reduce a variable of an arithmetic type",
        ),
    }
}
