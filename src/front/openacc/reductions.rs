//! `reduction` clauses (OpenACC 3.3, section 2.9.11).

use super::check::{Checked, CheckedClause, base, has_error, malformed, not_yet};
use super::data;
use super::example_sections;
use super::privates::{self, is_whole};
use super::table::ClauseKind;
use crate::analysis::directives;
use crate::ast::{Argument, ArgumentValue, Section, SectionDimension};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::lowering::reductions::{operator, type_problem};
use crate::ir::{DataAction, DataItem, Reduction, ReductionOperator};
use crate::source::Spanned;
use crate::typed::print::{C, Printer};
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, QualType, SymbolId, Type, TypeId, UnaryOperator,
    Unit, synthesis,
};

/// The operator of a clause, and as it is written.
fn spelled(clause: &CheckedClause) -> Option<(&Spanned<String>, ReductionOperator)> {
    let word = clause.arguments.as_ref()?.modifiers.first()?;
    Some((word, operator(&word.value)?))
}

/// A reduction of an element or member. Its updates in the loop are made
/// atomic, which for integers gives what private copies would.
#[derive(Clone, Debug)]
pub struct Element {
    /// What the loop combines it with.
    pub operator: ReductionOperator,
    /// The object as C writes it, by which updates of it are known.
    pub text: String,
}

/// The elements and members in the clause of a loop, those that [`lower`]
/// leaves out for it.
pub fn elements(unit: &Unit, clause: &CheckedClause) -> Vec<Element> {
    let Some((_, operator)) = spelled(clause) else {
        return Vec::new();
    };
    let found = clause.items().iter();
    found
        .filter_map(|item| element(unit, item, operator))
        .map(|e| Element {
            operator,
            text: object_text(unit, e),
        })
        .collect()
}

/// An object as C writes it, what a pointer leads to as one of its elements.
pub fn object_text(unit: &Unit, e: &Expression) -> String {
    let text = |e: &Expression| Printer::text(unit, &C, e);
    let pointer = match &e.inner().kind {
        ExpressionKind::Unary(UnaryOperator::Indirection, pointer) => pointer.inner(),
        _ => return text(e.inner()),
    };
    match &pointer.without_conversions().inner().kind {
        ExpressionKind::Binary(BinaryOperator::Add, array, index)
            if unit.types.is_pointer(array.ty.ty) =>
        {
            format!("{}[{}]", text(array.inner()), text(index.inner()))
        }
        ExpressionKind::Symbol(_) => format!("{}[0]", text(pointer)),
        _ => text(e.inner()),
    }
}

/// Whether updates of what a loop reduces are made atomic.
pub fn is_atomic(unit: &Unit, item: &Argument<Expression>, operator: ReductionOperator) -> bool {
    element(unit, item, operator).is_some()
}

fn element<'e>(
    unit: &Unit,
    item: &'e Argument<Expression>,
    operator: ReductionOperator,
) -> Option<&'e Expression> {
    use ReductionOperator as R;
    let ArgumentValue::Expression(e) = &item.value else {
        return None;
    };
    let is_part = matches!(
        e.inner().kind,
        ExpressionKind::Index(..) | ExpressionKind::Member { .. }
    );
    let fits = matches!(operator, R::Sum | R::BitAnd | R::BitOr | R::BitXor);
    (is_part && fits && unit.types.is_integer(e.ty.ty)).then_some(e)
}

/// The reductions of a clause; wrong ones are reported and left out, and on a
/// loop (`on_loop`) its [`elements`].
pub fn lower(
    unit: &Unit,
    clause: &CheckedClause,
    on_loop: bool,
    diagnostics: &mut Diagnostics,
) -> Vec<Reduction> {
    let Some((spelled, operator)) = spelled(clause) else {
        return Vec::new();
    };
    if spelled.value == "-" {
        let message = "OpenACC has no reduction with `-`";
        diagnostics.push(
            Diagnostic::warning(codes::CLAUSE_ARGUMENT, message, spelled.span)
                .help("it is taken as `+`, which adds up what each thread subtracted; write that"),
        );
    }
    let mut reductions = Vec::new();
    for item in clause.items().iter().filter(|item| !has_error(item)) {
        if on_loop && element(unit, item, operator).is_some() {
            continue;
        }
        let item = &as_section(unit, item);
        let found = match part(unit, item, operator) {
            Some(part) => part.map(|(symbol, ty, part)| (symbol, ty, Some(part))),
            None => variable(unit, item, operator).map(|(symbol, ty)| (symbol, ty.ty, None)),
        };
        match found {
            Ok((symbol, ty, part)) => reductions.push(Reduction {
                operator,
                symbol,
                ty: unit.types.unqualified(ty),
                part,
                keeps_value: false,
                span: item.span,
            }),
            Err(problem) => diagnostics.push(problem),
        }
    }
    reductions
}

/// Warns of reductions whose variable the construct itself creates on the
/// device: they begin with the value there, which nothing has written. `around`
/// has the items of data constructs around, which may have.
pub fn check_first_values(
    unit: &Unit,
    checked: &Checked,
    data: &[DataItem],
    around: &[DataItem],
    diagnostics: &mut Diagnostics,
) {
    let reductions = checked.clauses.iter();
    let reductions = reductions.filter(|clause| clause.kind == ClauseKind::Reduction);
    for item in reductions.flat_map(|clause| clause.items()) {
        let ArgumentValue::Name {
            symbol: Some(e), ..
        } = &item.value
        else {
            continue;
        };
        let Some(symbol) = e.as_symbol() else {
            continue;
        };
        // No reduction is of a pointer.
        if is_pointer(unit, symbol) {
            continue;
        }
        let is_of = |data: &&DataItem| data.symbol == Some(symbol);
        let clause = match data.iter().find(is_of) {
            Some(created) if created.action == DataAction::CopyOut => ("copyout", created.span),
            Some(created) if created.action == DataAction::Create => ("create", created.span),
            _ => continue,
        };
        if around.iter().any(|data| is_of(&data)) {
            continue;
        }
        let name = &unit.symbol(symbol).name;
        let message = format!("the reduction of `{name}` begins with memory that is never written");
        diagnostics.push(
            Diagnostic::warning(codes::UNWRITTEN_REDUCTION, message, item.span)
                .also(clause.1, format!("`{}` gives it no value", clause.0))
                .help(format!(
                    "write `copy({name})`, which takes the host's value to the device"
                )),
        );
    }
}

fn is_pointer(unit: &Unit, symbol: SymbolId) -> bool {
    let ty = unit.symbol(symbol).ty.ty;
    matches!(unit.types.get(ty), Type::Pointer(_))
}

/// An element as the section that it is: `a[i:1]`.
fn as_section(unit: &Unit, item: &Argument<Expression>) -> Argument<Expression> {
    let ArgumentValue::Expression(e) = &item.value else {
        return item.clone();
    };
    let ExpressionKind::Index(base, index) = &e.inner().kind else {
        return item.clone();
    };
    let is_plain = base.as_symbol().is_some() && unit.types.is_arithmetic(e.ty.ty);
    if !is_plain {
        return item.clone();
    }
    let one = synthesis::integer(1, index.ty.ty, index.span);
    let dimension = SectionDimension {
        parts: vec![Some((**index).clone()), Some(one)],
        span: index.span,
    };
    Argument {
        value: ArgumentValue::Section(Section {
            base: base.inner().clone(),
            dimensions: vec![dimension],
            span: item.span,
        }),
        ..item.clone()
    }
}

type Part = (SymbolId, TypeId, Box<DataItem>);

/// The elements that an item names of what is behind a pointer, or of an array
/// whose length is known at the launch, with their type.
fn part(
    unit: &Unit,
    item: &Argument<Expression>,
    operator: ReductionOperator,
) -> Option<Result<Part, Diagnostic>> {
    let symbol = directives::named(item).filter(|&s| unit.symbol(s).is_variable())?;
    let variable = unit.symbol(symbol).ty;
    let is_section = matches!(item.value, ArgumentValue::Section(_));
    let is_part = match unit.types.get(variable.ty) {
        Type::Pointer(_) => is_section,
        Type::Array { .. } if unit.types.is_variable_length(variable.ty) => true,
        // Outside of the part of an array of known length there is nothing but
        // the identity, which leaves elements as they are.
        Type::Array { .. } => match &item.value {
            ArgumentValue::Section(s) => !keeps_others(operator) && !is_whole(unit, symbol, s),
            _ => false,
        },
        _ => false,
    };
    if !is_part {
        return None;
    }
    let element = unit.types.pointee(variable.ty).unwrap_or(variable);
    let element = unit.types.innermost(element);
    if is_section && unit.types.is_pointer(element.ty) {
        let problem = not_yet("a reduction of rows behind pointers".into(), item.span);
        return Some(Err(problem.help("reduce one row, or an array")));
    }
    if let Some(problem) = type_problem(unit, element, operator, item.span) {
        return Some(Err(problem));
    }
    let found = if is_section {
        data::private_part(unit, item, "reduction")
    } else {
        Ok(privates::whole(unit, item, symbol))
    };
    Some(found.map(|part| (symbol, element.ty, Box::new(part))))
}

/// The scalar variable that an item names, if the operator fits it.
fn variable(
    unit: &Unit,
    item: &Argument<Expression>,
    operator: ReductionOperator,
) -> Result<(SymbolId, QualType), Diagnostic> {
    let expression = base(item)?;
    if let ArgumentValue::Section(section) = &item.value {
        let stands_for_all = |symbol| {
            is_whole(unit, symbol, section)
                || keeps_others(operator) && is_fixed_array(unit, symbol)
        };
        if !expression.as_symbol().is_some_and(stands_for_all) {
            return Err(not_yet("a reduction of part of an array".into(), item.span)
                .help("reduce an array of known length, or a scalar"));
        }
    }
    let symbol = match expression.as_symbol() {
        Some(symbol) if unit.symbol(symbol).is_variable() => symbol,
        Some(symbol) => {
            let message = format!("`{}` is not a variable", unit.symbol(symbol).name);
            let problem = Diagnostic::error(codes::NOT_A_VARIABLE, message, item.span);
            return Err(problem);
        }
        None if !is_object(expression) => {
            let message = "a reduction is of a variable, not of a value";
            let problem = Diagnostic::error(codes::NOT_A_VARIABLE, message, item.span);
            return Err(match addressed(expression) {
                Some(e) => {
                    let name = Printer::text(unit, &C, e);
                    problem.help(format!("write `{name}`")).replacement(name)
                }
                None => problem.help("name the variable alone: `reduction(+:sum)`"),
            });
        }
        None => {
            if let Some(pointer) = pointer_of(expression) {
                let message = "a reduction is of a variable or its elements";
                let right = format!("{}[0]", Printer::text(unit, &C, pointer));
                let problem = malformed(message, item.span);
                return Err(problem.help(format!("write `{right}`")).replacement(right));
            }
            let message =
                "a reduction of an element of a member, or of a member of what is used as a whole,"
                    .into();
            return Err(not_yet(message, item.span)
                .help("reduce a scalar, and add it to the member behind the construct"));
        }
    };
    let ty = unit.symbol(symbol).ty;
    match type_problem(unit, ty, operator, item.span) {
        Some(problem) if is_pointer(unit, symbol) => {
            let name = &unit.symbol(symbol).name;
            Err(example_sections::helped(
                problem, unit, None, name, item.span,
            ))
        }
        Some(problem) => Err(problem),
        None => Ok((symbol, ty)),
    }
}

/// Whether an expression names an object: a variable, an element or a member.
fn is_object(e: &Expression) -> bool {
    matches!(
        e.without_conversions().inner().kind,
        ExpressionKind::Symbol(_)
            | ExpressionKind::Index(..)
            | ExpressionKind::Member { .. }
            | ExpressionKind::Unary(UnaryOperator::Indirection, _)
    )
}

/// The pointer of `*p`.
fn pointer_of(e: &Expression) -> Option<&Expression> {
    match &e.without_conversions().inner().kind {
        ExpressionKind::Unary(UnaryOperator::Indirection, pointer) => {
            let pointer = pointer.without_conversions().inner();
            pointer.as_symbol().is_some().then_some(pointer)
        }
        _ => None,
    }
}

/// The variable of `&sum`.
fn addressed(e: &Expression) -> Option<&Expression> {
    match &e.without_conversions().inner().kind {
        ExpressionKind::Unary(UnaryOperator::AddressOf, operand) => {
            Some(operand.inner()).filter(|operand| operand.as_symbol().is_some())
        }
        _ => None,
    }
}

/// Whether a value combined with the identity is the value. `&&` and `||` make
/// it 0 or 1.
fn keeps_others(operator: ReductionOperator) -> bool {
    use ReductionOperator as R;
    !matches!(operator, R::LogicalAnd | R::LogicalOr)
}

fn is_fixed_array(unit: &Unit, symbol: SymbolId) -> bool {
    let ty = unit.symbol(symbol).ty.ty;
    unit.types.is_array(ty) && unit.types.size(ty).is_some()
}
