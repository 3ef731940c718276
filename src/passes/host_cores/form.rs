//! What OpenMP has a form for.

use crate::analysis::conversions;
use crate::ir::{
    AtomicAction, CoreLoop, CoreShare, Loop, Reduction, ReductionOperator, Relation, Statement,
    StatementKind, TripCount, is_literal, visit,
};
use crate::passes::thread_mapping::only_loop;
use crate::source::Span;
use crate::typed::constant::evaluate;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, QualType, SymbolId, Type, Unit, library,
};

/// So many iterations are enough for the cores of any host: loops inside stay loops, for vector
/// instructions.
const ENOUGH: i128 = 256;

/// Larger steps may lead over the limits of the variable's type.
const LARGEST_STEP: i128 = 1 << 15;

/// How many loops inside are one with this one: those of its directive, where its own iterations
/// are too few.
///
/// # Errors
/// The loop itself has no form that OpenMP knows.
pub fn collapsed(unit: &Unit, l: &Loop, construct: Span) -> Result<usize, String> {
    check_header(unit, l)?;
    if iterations(unit, l).is_none_or(|count| count >= ENOUGH) {
        return Ok(0);
    }
    let mut outer = vec![l.induction];
    let mut nest = vec![l];
    let mut last = l;
    for _ in 0..l.collapsed {
        let Some(next) = only_loop(&last.body) else {
            return Ok(0);
        };
        let depends = |symbol: &SymbolId| next.header_mentions(*symbol);
        let fits = construct.contains(next.header) && check_header(unit, next).is_ok();
        if !fits || outer.iter().any(depends) {
            return Ok(0);
        }
        outer.push(next.induction);
        nest.push(next);
        last = next;
    }
    Ok(if are_counted(unit, &nest) {
        l.collapsed
    } else {
        0
    })
}

/// Whether the type of a variable of the loops holds the number of all their iterations, which
/// compilers count in the largest of these types.
fn are_counted(unit: &Unit, nest: &[&Loop]) -> bool {
    // No program has the iterations that 64 bits do not count.
    let is_wide = |l: &&Loop| unit.types.size(unit.symbol(l.induction).ty.ty) >= Some(8);
    let mut counts = nest.iter().map(|l| iterations(unit, l));
    let all = counts.try_fold(1i128, |all, count| all.checked_mul(count?));
    let is_held = |all| nest.iter().any(|l| holds(unit, l, all));
    nest.iter().any(is_wide) || all.is_some_and(is_held)
}

/// The most iterations that a loop has, where that is written down.
fn iterations(unit: &Unit, l: &Loop) -> Option<i128> {
    let lower = evaluate(unit, &l.lower)?;
    let bound = evaluate(unit, &l.bound)?;
    Some((bound - lower).abs() + 1)
}

/// The innermost of loops that are one.
pub fn innermost(l: &Loop, collapsed: usize) -> &Loop {
    let mut last = l;
    for _ in 0..collapsed {
        last = only_loop(&last.body).unwrap_or(last);
    }
    last
}

/// OpenMP's canonical form (5.1, section 2.11.1) is that of counted loops, but for these.
fn check_header(unit: &Unit, l: &Loop) -> Result<(), String> {
    let variable = unit.symbol(l.induction);
    let is_named = matches!(unit.types.get(variable.ty.ty), Type::Bool | Type::Enum(_));
    if is_named || conversions::kept_by(variable.ty.ty, unit).is_none() {
        let name = &variable.name;
        return Err(format!(
            "its variable `{name}` is no integer of up to 64 bits"
        ));
    }
    if l.relation == Relation::NotEqual && !is_literal(&l.step, 1) {
        return Err("OpenMP has no loop with `!=` that does not count by one".into());
    }
    if TripCount::of(l).wrapping_type(unit).is_some() {
        let name = &variable.name;
        return Err(format!(
            "`{name}` may go round by way of the limits of its type before it is the bound"
        ));
    }
    if !unit.types.is_integer(l.bound.inner().ty.ty) {
        return Err("OpenMP has no loop whose bound is a floating point number".into());
    }
    if is_decided(unit, l) {
        return Err("its condition is the same for all values of its variable".into());
    }
    if !meets_in_its_type(unit, l) {
        let name = &variable.name;
        return Err(format!(
            "OpenMP converts its bound to the type of `{name}`, and C compares them in another one"
        ));
    }
    if !stays_in_its_type(unit, l) {
        let name = &variable.name;
        return Err(format!(
            "it counts up to the limits of the type of `{name}`"
        ));
    }
    Ok(())
}

/// Whether a compiler may fold the condition: the bound is a constant at the end of the values that
/// the variable has, or beyond.
fn is_decided(unit: &Unit, l: &Loop) -> bool {
    let values = conversions::values_of(unit.symbol(l.induction).ty.ty, unit);
    let Some(((low, high), bound)) = values.zip(evaluate(unit, &l.bound)) else {
        return false;
    };
    match l.relation {
        Relation::Less => bound <= low || bound > high,
        Relation::LessEqual => bound < low || bound >= high,
        Relation::Greater => bound >= high || bound < low,
        Relation::GreaterEqual => bound > high || bound <= low,
        Relation::NotEqual => bound < low || bound > high,
    }
}

/// Whether the variable and its bound compare in C as they do in the variable's type, to which
/// OpenMP converts the bound. A bound beyond what the variable can hold is none in C either.
fn meets_in_its_type(unit: &Unit, l: &Loop) -> bool {
    let types = &unit.types;
    let variable = unit.symbol(l.induction).ty.ty;
    let bound = l.bound.inner();
    let (Some(own), Some(other)) = (types.size(variable), types.size(bound.ty.ty)) else {
        return false;
    };
    let is_kept = conversions::holds(unit, variable, bound.ty.ty)
        || evaluate(unit, bound).is_some_and(|value| holds(unit, l, value));
    if own < 4 {
        return is_kept;
    }
    if !types.is_signed(variable) {
        return is_kept || other <= own || !types.is_signed(bound.ty.ty);
    }
    // C compares without a sign, and takes a negative first value for a large one.
    let is_signed = types.is_signed(bound.ty.ty) || other < own;
    let lower = l.lower.inner();
    is_signed
        || !types.is_signed(lower.ty.ty)
        || evaluate(unit, lower).is_some_and(|value| value >= 0)
}

/// Whether the variable, one step behind its last value, and the number of iterations are values
/// of its type, where they are written down.
fn stays_in_its_type(unit: &Unit, l: &Loop) -> bool {
    let step = evaluate(unit, &l.step).unwrap_or(1);
    let (lower, bound) = (evaluate(unit, &l.lower), evaluate(unit, &l.bound));
    let fits = |value| holds(unit, l, value);
    // Downward, `>` stops at the bound, which an unsigned variable may have for its last value.
    let last = bound.map(|bound| match l.downward {
        true => bound,
        false => bound.saturating_add(step.saturating_sub(1)),
    });
    let distance = lower.zip(bound).map(|(lower, bound)| {
        let distance = bound.saturating_sub(lower).saturating_abs();
        distance.saturating_add(step)
    });
    step <= LARGEST_STEP && last.is_none_or(fits) && distance.is_none_or(fits)
}

/// Whether the variable of a loop has values like this one.
fn holds(unit: &Unit, l: &Loop, value: i128) -> bool {
    let values = conversions::kept_by(unit.symbol(l.induction).ty.ty, unit);
    values.is_some_and(|(low, high)| (low..=high).contains(&value))
}

/// Whether an atomic access has a form in OpenMP.
///
/// # Errors
/// Why one has none.
pub fn check_atomics(unit: &Unit, body: &[Statement]) -> Result<(), String> {
    let mut problem = None;
    visit::walk(body, &mut |statement| {
        let StatementKind::Atomic(atomic) = &statement.kind else {
            return;
        };
        let is_wrapped = |e: &Expression| matches!(e.kind, ExpressionKind::Parenthesized(_));
        if atomic.steps.iter().any(is_wrapped) {
            problem = Some("OpenMP has no atomic access in parentheses");
        }
        let Ok(access) = atomic.access() else { return };
        match unit.types.get(access.target.ty.ty) {
            Type::Integer(_) | Type::Floating(_) | Type::Pointer(_) => {}
            _ => problem = Some("OpenMP has no atomic access to an object of this type"),
        }
        if let AtomicAction::Step(step) = access.action
            && step.operator == BinaryOperator::Remainder
        {
            problem = Some("OpenMP has no atomic `%`");
        }
    });
    problem.map_or(Ok(()), |problem| Err(problem.into()))
}

/// Whether vector instructions may share a loop's iterations: plain arithmetic, with no loop, no
/// jump and no call of the program's own inside, which is asked for lanes or for nothing.
pub fn has_lanes(unit: &Unit, l: &Loop) -> bool {
    let levels = l.schedule.levels;
    let is_plain = |statement: &Statement| match &statement.kind {
        StatementKind::Declaration(list) => list
            .iter()
            .all(|d| unit.types.is_scalar(unit.symbol(d.symbol).ty.ty)),
        StatementKind::Expression(_)
        | StatementKind::Block(_)
        | StatementKind::If(..)
        | StatementKind::Continue => true,
        _ => false,
    };
    let mut calls = false;
    visit::expressions(&l.body, &mut |e| {
        calls |= match &e.kind {
            ExpressionKind::Call { function, .. } => !function
                .as_symbol()
                .is_some_and(|s| library::is_pure(&unit.symbol(s).name)),
            ExpressionKind::Statement(_) => true,
            _ => false,
        };
    });
    (levels.lane || !levels.any())
        && !calls
        && !visit::any(&l.body, &mut |statement| !is_plain(statement))
}

/// Whether `simd` takes these clauses, with the results that they have to have.
pub fn suits_lanes(unit: &Unit, core: &CoreLoop) -> bool {
    use ReductionOperator as R;
    let element = |r: &Reduction| unit.types.innermost(QualType::plain(r.ty)).ty;
    let is_declared = |r: &Reduction| match r.operator {
        R::MaxNumber | R::MinNumber => true,
        // A core's copy is no NaN, which a variable may be at first.
        R::Max | R::Min => core.threads && !unit.types.is_integer(element(r)),
        // GCC 12 fails at truth values of floating elements.
        R::LogicalAnd | R::LogicalOr => {
            unit.types.is_array(r.ty) && !unit.types.is_integer(element(r))
        }
        _ => false,
    };
    let mut variables = core.variables.iter();
    variables.all(|(_, share)| *share == CoreShare::Private)
        && !core.reductions.iter().any(is_declared)
}
