//! Counted loops: recognises `for (i = lower; i < bound; i += step)`.
//!
//! Input: a typed `for`. Output: its parts with the variable on the left, or
//! precisely what is not canonical.

use std::collections::{BTreeSet, HashSet};

use crate::analysis::conversions;
use crate::analysis::effects::assigns;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{Relation, TripCount, Wrapping};
use crate::source::Span;
use crate::typed::constant::evaluate;
use crate::typed::{
    BinaryOperator, Conversion, Expression, ExpressionKind, For, Initializer, Statement,
    StatementKind, SymbolId, Type, UnaryOperator, Unit, library, synthesis, visit,
};

/// The header of a counted loop.
#[derive(Clone, Debug)]
pub struct Header {
    /// The induction variable.
    pub induction: SymbolId,
    /// Declared in the `for` itself.
    pub declared_inside: bool,
    /// Its first value.
    pub lower: Expression,
    /// How it is compared.
    pub relation: Relation,
    /// With what.
    pub bound: Expression,
    /// How far it advances, counted in its direction.
    pub step: Expression,
    /// Counts down.
    pub downward: bool,
}

impl Header {
    /// How often it runs the body.
    pub fn trips(&self) -> TripCount {
        TripCount {
            lower: self.lower.clone(),
            relation: self.relation,
            bound: self.bound.clone(),
            step: self.step.clone(),
            downward: self.downward,
        }
    }
}

fn reason<T>(message: impl Into<String>, span: Span, help: &str) -> Result<T, Diagnostic> {
    Err(Diagnostic::error(codes::NOT_CANONICAL, message, span).help(help))
}

const FORM: &str = "write `for (i = first; i < end; i += step)`";

/// Recognises the header of a `for` statement. `header` is its place.
///
/// # Errors
/// The first thing that is not canonical.
pub fn header(unit: &Unit, parts: &For, header: Span) -> Result<Header, Diagnostic> {
    let first = first_value(parts, header)?;
    variable(unit, first.0, first.1)?;
    let header = recognised(unit, parts, first, header)?;
    let variable = unit.symbol(header.induction);
    if let Type::Pointer(_) = unit.types.get(variable.ty.ty) {
        // Others count with integers by now.
        if let Some(span) = modification(unit, &parts.body, header.induction) {
            let message = format!(
                "the loop changes its pointer `{}` in the body",
                variable.name
            );
            return reason(message, span, "follow it with a pointer of its own");
        }
        let message = format!(
            "a collapsed loop over the pointer `{}`, which is declared outside, is not supported yet",
            variable.name
        );
        return Err(
            Diagnostic::error(codes::NOT_SUPPORTED_YET, message, header.bound.span)
                .help("declare it in the loop's header"),
        );
    }
    Ok(header)
}

/// As [`header`], of a loop whose variable is a pointer.
pub fn pointer_header(unit: &Unit, parts: &For, header: Span) -> Option<Header> {
    let first = first_value(parts, header).ok()?;
    let variable = unit.symbol(first.0);
    let is_pointer = unit.types.is_pointer(variable.ty.ty);
    if !is_pointer || variable.ty.qualifiers.is_volatile {
        return None;
    }
    recognised(unit, parts, first, header).ok()
}

fn recognised(
    unit: &Unit,
    parts: &For,
    (induction, lower, declared_inside): (SymbolId, &Expression, bool),
    header: Span,
) -> Result<Header, Diagnostic> {
    let Some(condition) = &parts.condition else {
        return reason("the loop has no condition", header, FORM);
    };
    let (relation, bound) = comparison(unit, condition, induction)?;
    let Some(step) = &parts.step else {
        return reason("the loop has no step", header, FORM);
    };
    let (step, downward) = advance(unit, step, induction, relation)?;
    let (lower, bound) = converted(unit, lower, &bound);
    let header = Header {
        induction,
        declared_inside,
        lower,
        relation,
        bound,
        step,
        downward,
    };
    pure(&header)?;
    if header.trips().wrapping(unit) == Wrapping::Always {
        return reason(
            format!(
                "`{}` goes round by way of the limits of its type before it equals the bound",
                unit.symbol(induction).name
            ),
            condition.span,
            "count with a signed variable, or compare with `<`, `<=`, `>` or `>=`",
        );
    }
    Ok(header)
}

/// A first value as the variable has it and a bound as the comparison has it.
/// Iterations are counted from one to the other: a conversion that changes a
/// value, or makes the two meet in another type, is written down.
fn converted(unit: &Unit, lower: &Expression, bound: &Expression) -> (Expression, Expression) {
    let bound = match implied(bound) {
        Some(inner) if !is_kept(unit, bound, inner) => bound.clone().explicit(),
        _ => bound.clone(),
    };
    let is_narrow = unit.types.size(lower.ty.ty) < Some(4);
    let stays = |inner: &Expression| {
        let is_int = is_signed_operand(unit, inner) && unit.types.size(inner.ty.ty) <= Some(4);
        // `0` meets any type as the variable does, `-1` that of a narrow one.
        let is_number = is_int && evaluate(unit, inner).is_some_and(|v| v >= 0 || is_narrow);
        let meets = |bound| is_signed_operand(unit, inner) == is_signed_operand(unit, bound);
        let is_same = || conversions::holds(unit, lower.ty.ty, inner.ty.ty);
        is_kept(unit, lower, inner) && (is_number || is_same() && implied(&bound).is_none_or(meets))
    };
    let lower = match implied(lower) {
        Some(inner) if !stays(inner) => lower.clone().explicit(),
        _ => lower.clone(),
    };
    (lower, bound)
}

/// What an implicit arithmetic conversion converts.
fn implied(e: &Expression) -> Option<&Expression> {
    match &e.kind {
        ExpressionKind::Convert(Conversion::Arithmetic, inner) => Some(inner),
        _ => None,
    }
}

fn is_kept(unit: &Unit, converted: &Expression, inner: &Expression) -> bool {
    match evaluate(unit, converted) {
        Some(value) => evaluate(unit, inner) == Some(value),
        None => conversions::holds(unit, converted.ty.ty, inner.ty.ty),
    }
}

/// Whether an operand is signed when it meets another (6.3.1.1).
fn is_signed_operand(unit: &Unit, e: &Expression) -> bool {
    unit.types.size(e.ty.ty) < Some(4) || unit.types.is_signed(e.ty.ty)
}

fn first_value(parts: &For, header: Span) -> Result<(SymbolId, &Expression, bool), Diagnostic> {
    let missing = |span| reason("the loop variable gets no first value", span, FORM);
    let Some(initializer) = &parts.initializer else {
        return missing(header);
    };
    match &initializer.kind {
        StatementKind::Expression(Some(e)) => match &e.inner().kind {
            ExpressionKind::Assign(target, value) => match target.as_symbol() {
                Some(symbol) => Ok((symbol, value, false)),
                None => reason("the loop variable is no plain variable", target.span, FORM),
            },
            ExpressionKind::Comma(..) => {
                reason("the loop sets several variables", initializer.span, FORM)
            }
            _ => missing(initializer.span),
        },
        StatementKind::Declaration(list) => match list.as_slice() {
            [one] => match &one.initializer {
                Some(Initializer::Expression(value)) => Ok((one.symbol, value, true)),
                _ => missing(one.span),
            },
            _ => reason(
                "the loop declares several variables",
                initializer.span,
                FORM,
            ),
        },
        _ => missing(header),
    }
}

fn variable(unit: &Unit, induction: SymbolId, lower: &Expression) -> Result<(), Diagnostic> {
    let symbol = unit.symbol(induction);
    match unit.types.get(symbol.ty.ty) {
        Type::Integer(_) | Type::Enum(_) | Type::Pointer(_) if symbol.ty.qualifiers.is_volatile => {
            reason(
                format!("the loop variable `{}` is volatile", symbol.name),
                lower.span,
                "count with a plain variable",
            )
        }
        Type::Integer(_) | Type::Enum(_) | Type::Pointer(_) => Ok(()),
        _ => reason(
            format!("the loop variable `{}` is no integer", symbol.name),
            lower.span,
            "count with an integer and compute the value from it",
        ),
    }
}

/// The relation and bound, with the variable on the left.
fn comparison(
    unit: &Unit,
    condition: &Expression,
    induction: SymbolId,
) -> Result<(Relation, Expression), Diagnostic> {
    let name = &unit.symbol(induction).name;
    let wrong = |how: &str, help| {
        let message = format!("the condition does not compare `{name}`{how} with a bound");
        reason(message, condition.span, help)
    };
    let ExpressionKind::Binary(operator, left, right) = &condition.inner().kind else {
        return wrong("", FORM);
    };
    let Some(relation) = Relation::of(*operator) else {
        return wrong("", "compare with `<`, `<=`, `>`, `>=` or `!=`");
    };
    if left.as_symbol() == Some(induction) && !right.mentions(induction) {
        return Ok((relation, (**right).clone()));
    }
    if right.as_symbol() == Some(induction) && !left.mentions(induction) {
        return Ok((relation.mirrored(), (**left).clone()));
    }
    wrong(" alone", FORM)
}

/// The step as written: what is added, or subtracted where the flag is set.
fn written_step(step: &Expression, induction: SymbolId) -> Option<(Expression, bool)> {
    let step = step.inner();
    let is_variable = |e: &Expression| e.as_symbol() == Some(induction);
    step.assigned().filter(|target| is_variable(target))?;
    let moved = |operator: BinaryOperator, by: &Expression| match operator {
        BinaryOperator::Add => Some((by.clone(), false)),
        BinaryOperator::Subtract => Some((by.clone(), true)),
        _ => None,
    };
    match &step.kind {
        ExpressionKind::Unary(operator, target) => {
            let falls = matches!(
                operator,
                UnaryOperator::PreDecrement | UnaryOperator::PostDecrement
            );
            Some((synthesis::integer(1, target.ty.ty, step.span), falls))
        }
        ExpressionKind::CompoundAssign {
            operator, value, ..
        } => moved(*operator, value),
        ExpressionKind::Assign(_, value) => match &value.inner().kind {
            ExpressionKind::Binary(operator, left, right) if is_variable(left) => {
                moved(*operator, right)
            }
            ExpressionKind::Binary(BinaryOperator::Add, left, right) if is_variable(right) => {
                Some(((**left).clone(), false))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The step, counted in the loop's direction, and whether that is downward.
fn advance(
    unit: &Unit,
    step: &Expression,
    induction: SymbolId,
    relation: Relation,
) -> Result<(Expression, bool), Diagnostic> {
    let name = &unit.symbol(induction).name;
    let Some((by, subtracts)) =
        written_step(step, induction).filter(|(by, _)| !by.mentions(induction))
    else {
        return reason(
            format!("the step does not add a fixed value to `{name}`"),
            step.span,
            "write `i++`, `i--`, `i += step` or `i -= step`",
        );
    };
    // `p++` of a pointer adds a one of the pointer's type.
    let is_number = matches!(by.kind, ExpressionKind::Integer { .. });
    if !is_number && !unit.types.is_integer(by.ty.ty) {
        return reason("the step is no integer", by.span, FORM);
    }
    let upward_relation = match relation {
        Relation::Less | Relation::LessEqual => Some(true),
        Relation::Greater | Relation::GreaterEqual => Some(false),
        Relation::NotEqual => None,
    };
    let value = match by.kind {
        ExpressionKind::Integer { value, .. } => Some(value),
        _ => evaluate(unit, &by),
    };
    if value == Some(0) {
        return reason("the step is zero", step.span, "advance by at least one");
    }
    let upward = match value {
        Some(value) => (value > 0) != subtracts,
        None => match upward_relation {
            Some(upward) => upward,
            None => {
                return reason(
                    "with `!=` the direction of a variable step is not known",
                    step.span,
                    "compare with `<` or `>`",
                );
            }
        },
    };
    if upward_relation.is_some_and(|wanted| wanted != upward) {
        return reason(
            format!(
                "`{name}` counts {} and is compared as if it counted {}",
                if upward { "up" } else { "down" },
                if upward { "down" } else { "up" }
            ),
            step.span,
            "turn the comparison or the step around",
        );
    }
    let negate = upward == subtracts;
    let step = match value {
        Some(value) if negate => synthesis::integer(-value, by.ty.ty, by.span),
        None if negate => Expression {
            ty: by.ty,
            span: by.span,
            kind: ExpressionKind::Unary(UnaryOperator::Minus, Box::new(by)),
        },
        _ => by,
    };
    Ok((step, !upward))
}

/// First value, bound and step are evaluated by each thread, so they must not
/// change anything.
fn pure(header: &Header) -> Result<(), Diagnostic> {
    for part in [&header.lower, &header.bound, &header.step] {
        let mut found = None;
        visit::walk(part, &mut |e| {
            found = found.or(assigns(e).then_some(e.span))
        });
        if let Some(span) = found {
            return reason(
                "the loop's header changes a variable other than its own",
                span,
                "change it before the loop",
            );
        }
    }
    Ok(())
}

/// The place in a body where a variable is assigned, or its address is taken. An address that
/// becomes a pointer to a constant changes nothing, where no cast takes `const` away, in the body or
/// in a function that it may call, and no call could give the pointer back as another.
pub fn modification(unit: &Unit, body: &Statement, symbol: SymbolId) -> Option<Span> {
    let (mut found, mut shown) = (None, None);
    let mut constant = HashSet::new();
    let mut passed = HashSet::new();
    visit::expressions(body, &mut |e| {
        match &e.kind {
            ExpressionKind::Call { arguments, .. } if unit.types.is_pointer(e.ty.ty) => {
                passed.extend(arguments.iter().map(|argument| argument.inner().span));
            }
            ExpressionKind::Convert(Conversion::Pointer, inner) | ExpressionKind::Cast(inner)
                if is_pointer_to_constant(unit, e) =>
            {
                constant.insert(inner.inner().span);
            }
            _ => {}
        }
        if target(e) == Some(symbol) {
            let is_shown =
                e.assigned().is_none() && constant.contains(&e.span) && !passed.contains(&e.span);
            let place = if is_shown { &mut shown } else { &mut found };
            place.get_or_insert(e.span);
        }
    });
    found.or_else(|| {
        let mut bodies = unit.functions.iter().map(|function| &function.body);
        shown.filter(|_| may_lose_const(unit, body) || bodies.any(|f| casts_const_away(unit, f)))
    })
}

/// Whether a pointer to a constant becomes another one in a body, or in a function that is not
/// seen.
fn may_lose_const(unit: &Unit, body: &Statement) -> bool {
    let mut calls_others = false;
    visit::expressions(body, &mut |e| {
        if let ExpressionKind::Call { function, .. } = &e.kind {
            let symbol = function.as_symbol();
            let is_known = symbol.is_some_and(|symbol| {
                unit.function(symbol).is_some() || library::is_on_device(&unit.symbol(symbol).name)
            });
            calls_others |= !is_known;
        }
    });
    calls_others || casts_const_away(unit, body)
}

fn casts_const_away(unit: &Unit, body: &Statement) -> bool {
    let mut found = false;
    visit::expressions(body, &mut |e| {
        if let ExpressionKind::Convert(_, inner) | ExpressionKind::Cast(inner) = &e.kind {
            found |= is_pointer_to_constant(unit, inner)
                && unit.types.is_scalar(e.ty.ty)
                && !is_pointer_to_constant(unit, e);
        }
    });
    found
}

fn is_pointer_to_constant(unit: &Unit, e: &Expression) -> bool {
    let target = unit.types.pointee(e.ty.ty);
    target.is_some_and(|to| unit.types.innermost(to).qualifiers.is_const)
}

/// The variables that are assigned in a body, or have their address taken.
pub fn modified(body: &Statement) -> BTreeSet<SymbolId> {
    let mut found = BTreeSet::new();
    visit::expressions(body, &mut |e| found.extend(target(e)));
    found
}

/// The variable that an expression assigns to, or takes the address of.
fn target(e: &Expression) -> Option<SymbolId> {
    match &e.kind {
        ExpressionKind::Unary(UnaryOperator::AddressOf, target) => target.as_symbol(),
        _ => e.assigned()?.as_symbol(),
    }
}

/// The first variable that the header reads and the body changes.
pub fn variance(unit: &Unit, header: &Header, body: &Statement) -> Option<(String, Span)> {
    let mut found = None;
    for part in [&header.bound, &header.step] {
        visit::walk(part, &mut |e| {
            if let ExpressionKind::Symbol(symbol) = e.kind
                && found.is_none()
                && unit.symbol(symbol).is_variable()
                && let Some(span) = modification(unit, body, symbol)
            {
                found = Some((unit.symbol(symbol).name.clone(), span));
            }
        });
    }
    found
}
