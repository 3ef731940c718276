//! What the operators of reductions are called, what they reduce, and in which loops.

use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{Dimension, Loop, Reduction, ReductionOperator, Statement, StatementKind, visit};
use crate::source::Span;
use crate::typed::print::{C, Printer};
use crate::typed::{ArrayLength, QualType, SymbolId, Type, Unit};

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

/// The outermost loop of a reduction.
pub struct Nest {
    /// What it reduces.
    pub reduction: Reduction,
    /// What it and the loops inside that reduce the variable share.
    pub dimensions: Vec<Dimension>,
    /// What loops around share.
    pub around: Vec<Dimension>,
    /// A use of the variable that not all of the dimensions share.
    pub uneven: Option<Span>,
    /// Its place.
    pub span: Span,
}

fn shared(l: &Loop) -> impl Iterator<Item = Dimension> {
    l.schedule.shares.iter().map(|share| share.over)
}

fn reduces(l: &Loop, symbol: SymbolId) -> bool {
    l.reductions.iter().any(|r| r.symbol == symbol)
}

/// The reductions of a list.
pub fn nests(list: &[Statement]) -> Vec<Nest> {
    let mut found = Vec::new();
    search(list, &mut Vec::new(), &mut Vec::new(), &mut found);
    found
}

fn search(
    list: &[Statement],
    around: &mut Vec<Dimension>,
    open: &mut Vec<SymbolId>,
    found: &mut Vec<Nest>,
) {
    for statement in list {
        let marks = (around.len(), open.len());
        if let StatementKind::Loop(l) = &statement.kind {
            for reduction in l.reductions.iter().filter(|r| !open.contains(&r.symbol)) {
                let alone = std::slice::from_ref(statement);
                let symbol = reduction.symbol;
                let mut dimensions: Vec<Dimension> = Vec::new();
                visit::loops(alone, &mut |inner| {
                    for over in shared(inner).filter(|_| reduces(inner, symbol)) {
                        if !dimensions.contains(&over) {
                            dimensions.push(over);
                        }
                    }
                });
                let mut uses = uses(alone, symbol);
                let uneven = uses.find(|(_, by)| by.len() != dimensions.len());
                found.push(Nest {
                    reduction: reduction.clone(),
                    around: around.clone(),
                    uneven: uneven.map(|(span, _)| span),
                    dimensions,
                    span: statement.span,
                });
            }
            open.extend(l.reductions.iter().map(|r| r.symbol));
            around.extend(shared(l));
        }
        visit::blocks(statement, &mut |inner| search(inner, around, open, found));
        around.truncate(marks.0);
        open.truncate(marks.1);
    }
}

/// The uses of a variable, with what the loops around that reduce it share.
pub fn uses(
    list: &[Statement],
    symbol: SymbolId,
) -> impl Iterator<Item = (Span, Vec<Dimension>)> + use<> {
    let mut found = Vec::new();
    add_uses(list, symbol, &mut Vec::new(), &mut found);
    found.into_iter()
}

fn add_uses(
    list: &[Statement],
    symbol: SymbolId,
    by: &mut Vec<Dimension>,
    found: &mut Vec<(Span, Vec<Dimension>)>,
) {
    for statement in list {
        visit::own_expressions(statement, &mut |root| {
            crate::typed::visit::walk(root, &mut |e| {
                if e.as_symbol() == Some(symbol) {
                    found.push((e.span, by.clone()));
                }
            });
        });
        let mark = by.len();
        if let StatementKind::Loop(l) = &statement.kind
            && reduces(l, symbol)
        {
            by.extend(shared(l));
        }
        visit::blocks(statement, &mut |inner| add_uses(inner, symbol, by, found));
        by.truncate(mark);
    }
}
