//! Constant expressions (C11 6.6).
//!
//! [`evaluate`] computes integer constant expressions as the compiler would:
//! in the type of each operator, with two's complement wrap. More than the
//! standard asks for is accepted (casts of floating constants anywhere, and
//! the address arithmetic of hand-written `offsetof`), since compilers do.

use super::{
    BinaryOperator, Conversion, Expression, ExpressionKind, FloatingKind, IntegerKind, SymbolId,
    SymbolKind, Type, TypeId, Types, UnaryOperator, Unit,
};

/// The value of an integer constant expression, `None` if it is none.
/// Division by zero and shifts by more than the width have no value.
///
/// Of a pointer, the value is its address where that is a constant, as in
/// `&((struct s *)0)->m`.
pub fn evaluate(unit: &Unit, expression: &Expression) -> Option<i128> {
    use ExpressionKind as E;
    let ty = expression.ty.ty;
    match &expression.kind {
        E::Integer { value, .. } => Some(*value),
        E::Symbol(id) => match unit.symbol(*id).kind {
            SymbolKind::EnumConstant(value) => Some(value),
            _ => None,
        },
        E::Parenthesized(inner) => evaluate(unit, inner),
        E::Convert(Conversion::ArrayToPointer, inner) => address(unit, inner),
        E::Convert(_, inner) | E::Cast(inner) => converted(unit, inner, ty),
        E::Unary(UnaryOperator::AddressOf, inner) => address(unit, inner),
        E::Unary(operator, inner) => unary(unit, *operator, inner, ty),
        E::Binary(operator, left, right) => binary(unit, *operator, left, right, ty),
        E::Conditional(condition, Some(middle), last) => match truth(unit, condition)? {
            true => evaluate(unit, middle),
            false => evaluate(unit, last),
        },
        E::Conditional(condition, None, last) => match evaluate(unit, condition)? {
            0 => evaluate(unit, last),
            value => Some(value),
        },
        _ => None,
    }
}

/// The value of a constant expression that is the same in every type and language: of literals and
/// such enumerators as are asked for, and no step of it is negative or exceeds 2^31 - 1.
pub fn plain(
    unit: &Unit,
    expression: &Expression,
    takes: &dyn Fn(SymbolId) -> bool,
) -> Option<i128> {
    use BinaryOperator as B;
    use ExpressionKind as E;
    let value = match &expression.kind {
        E::Integer {
            value,
            spelling: Some(_),
        } => *value,
        E::Symbol(id) if takes(*id) => match unit.symbol(*id).kind {
            SymbolKind::EnumConstant(value) => value,
            _ => return None,
        },
        E::Parenthesized(inner) | E::Convert(_, inner) => plain(unit, inner, takes)?,
        E::Binary(operator, left, right) => {
            let right = plain(unit, right, takes)?;
            let left = plain(unit, left, takes)?;
            match operator {
                B::Add => left + right,
                B::Subtract => left - right,
                B::Multiply => left * right,
                B::Divide => left.checked_div(right)?,
                B::Remainder => left.checked_rem(right)?,
                B::ShiftLeft if right < 31 => left << right,
                B::ShiftRight if right < 31 => left >> right,
                B::BitAnd => left & right,
                B::BitOr => left | right,
                B::BitXor => left ^ right,
                _ => return None,
            }
        }
        _ => return None,
    };
    (0..=i128::from(i32::MAX)).contains(&value).then_some(value)
}

/// The value of an arithmetic constant expression of real type, rounded to
/// the precision of its type (of `long double`, to that of `double`).
pub fn floating(unit: &Unit, expression: &Expression) -> Option<f64> {
    use ExpressionKind as E;
    if unit.types.is_integer(expression.ty.ty) {
        return Some(evaluate(unit, expression)? as f64);
    }
    let Type::Floating(kind) = unit.types.get(expression.ty.ty) else {
        return None;
    };
    let value = match &expression.kind {
        E::Floating { value, .. } => *value,
        E::Parenthesized(inner) | E::Convert(_, inner) | E::Cast(inner) => floating(unit, inner)?,
        E::Unary(UnaryOperator::Minus, inner) => -floating(unit, inner)?,
        E::Unary(UnaryOperator::Plus, inner) => floating(unit, inner)?,
        E::Binary(operator, left, right) => {
            let right = floating(unit, right)?;
            let left = floating(unit, left)?;
            match operator {
                BinaryOperator::Add => left + right,
                BinaryOperator::Subtract => left - right,
                BinaryOperator::Multiply => left * right,
                BinaryOperator::Divide => left / right,
                _ => return None,
            }
        }
        E::Conditional(condition, Some(middle), last) => floating(
            unit,
            if truth(unit, condition)? {
                middle
            } else {
                last
            },
        )?,
        _ => return None,
    };
    Some(if *kind == FloatingKind::Float {
        f64::from(value as f32)
    } else {
        value
    })
}

/// A value as an integer type holds it: modulo its range, signed or not;
/// `_Bool` holds 0 or 1. Of other types, the value itself.
pub fn wrap(types: &Types, ty: TypeId, value: i128) -> i128 {
    let (bits, signed) = match types.get(ty) {
        Type::Bool => return i128::from(value != 0),
        Type::Integer(kind) => (kind.size() * 8, kind.is_signed()),
        Type::Enum(id) => {
            let kind = types.enumeration(*id).underlying;
            (kind.size() * 8, kind.is_signed())
        }
        Type::Pointer(_) => (64, false),
        _ => return value,
    };
    if bits >= 128 {
        return value;
    }
    let unused = 128 - bits as u32;
    let shifted = value << unused;
    if signed {
        shifted >> unused
    } else {
        ((shifted as u128) >> unused) as i128
    }
}

/// Whether a condition is known to hold or not to hold.
fn truth(unit: &Unit, condition: &Expression) -> Option<bool> {
    match unit.types.get(condition.ty.ty) {
        Type::Floating(_) => floating(unit, condition).map(|value| value != 0.0),
        _ => evaluate(unit, condition).map(|value| value != 0),
    }
}

/// The value of `inner` in another type (6.3.1.3, 6.3.1.4).
fn converted(unit: &Unit, inner: &Expression, to: TypeId) -> Option<i128> {
    let to_integer = unit.types.is_integer(to);
    if !to_integer && !matches!(unit.types.get(to), Type::Pointer(_)) {
        return None;
    }
    if let Type::Floating(_) = unit.types.get(inner.ty.ty) {
        let value = floating(unit, inner)?;
        if matches!(unit.types.get(to), Type::Bool) {
            return Some(i128::from(value != 0.0));
        }
        return value
            .is_finite()
            .then(|| held(&unit.types, to, value as i128))?;
    }
    held(&unit.types, to, evaluate(unit, inner)?)
}

fn unary(unit: &Unit, operator: UnaryOperator, inner: &Expression, ty: TypeId) -> Option<i128> {
    let value = match operator {
        UnaryOperator::LogicalNot => return truth(unit, inner).map(|holds| i128::from(!holds)),
        UnaryOperator::Plus => evaluate(unit, inner)?,
        UnaryOperator::Minus => evaluate(unit, inner)?.wrapping_neg(),
        UnaryOperator::BitNot => !evaluate(unit, inner)?,
        _ => return None,
    };
    let is_integer = unit.types.is_integer(ty);
    is_integer.then(|| held(&unit.types, ty, value))?
}

fn binary(
    unit: &Unit,
    operator: BinaryOperator,
    left: &Expression,
    right: &Expression,
    ty: TypeId,
) -> Option<i128> {
    use BinaryOperator as B;
    match operator {
        // The right side does not count where the left one decides.
        B::LogicalAnd if !truth(unit, left)? => return Some(0),
        B::LogicalOr if truth(unit, left)? => return Some(1),
        B::LogicalAnd | B::LogicalOr => return truth(unit, right).map(i128::from),
        _ => {}
    }
    if operator.is_logical() && matches!(unit.types.get(left.ty.ty), Type::Floating(_)) {
        let right = floating(unit, right)?;
        let order = floating(unit, left)?.partial_cmp(&right);
        return Some(i128::from(ordered(operator, order)));
    }
    // The right side first: of a long sum it is short, and mostly tells that there is no value.
    let b = evaluate(unit, right)?;
    let a = evaluate(unit, left)?;
    if let Type::Pointer(_) = unit.types.get(left.ty.ty) {
        return pointer_arithmetic(unit, operator, left, right, a, b);
    }
    let bits = i128::from(unit.types.size(ty)? * 8);
    let value = match operator {
        B::Multiply => a.wrapping_mul(b),
        B::Divide => a.checked_div(b)?,
        B::Remainder => a.checked_rem(b)?,
        B::Add => a.wrapping_add(b),
        B::Subtract => a.wrapping_sub(b),
        B::ShiftLeft if (0..bits).contains(&b) => a.wrapping_shl(b as u32),
        B::ShiftRight if (0..bits).contains(&b) => a >> b,
        B::ShiftLeft | B::ShiftRight => return None,
        B::BitAnd => a & b,
        B::BitXor => a ^ b,
        B::BitOr => a | b,
        _ => return Some(i128::from(ordered(operator, Some(a.cmp(&b))))),
    };
    held(&unit.types, ty, value)
}

/// A value as a type holds it, where that is a number here: of `unsigned
/// __int128` the upper half is none.
fn held(types: &Types, ty: TypeId, value: i128) -> Option<i128> {
    let is_upper = value < 0 && matches!(types.get(ty), Type::Integer(IntegerKind::UnsignedInt128));
    (!is_upper).then(|| wrap(types, ty, value))
}

/// The result of a comparison of values in this order; unordered ones (NaN)
/// are only unequal.
fn ordered(operator: BinaryOperator, order: Option<std::cmp::Ordering>) -> bool {
    let Some(order) = order else {
        return operator == BinaryOperator::NotEqual;
    };
    match operator {
        BinaryOperator::Less => order.is_lt(),
        BinaryOperator::Greater => order.is_gt(),
        BinaryOperator::LessEqual => order.is_le(),
        BinaryOperator::GreaterEqual => order.is_ge(),
        BinaryOperator::Equal => order.is_eq(),
        _ => order.is_ne(),
    }
}

/// Arithmetic on constant addresses, in elements (6.5.6).
fn pointer_arithmetic(
    unit: &Unit,
    operator: BinaryOperator,
    left: &Expression,
    right: &Expression,
    a: i128,
    b: i128,
) -> Option<i128> {
    if operator.is_logical() {
        return Some(i128::from(ordered(operator, Some(a.cmp(&b)))));
    }
    let element = unit.types.pointee(left.ty.ty)?;
    let size = i128::from(unit.types.size(element.ty)?);
    match operator {
        BinaryOperator::Add => a.checked_add(b.checked_mul(size)?),
        BinaryOperator::Subtract if unit.types.is_integer(right.ty.ty) => {
            a.checked_sub(b.checked_mul(size)?)
        }
        BinaryOperator::Subtract => a.checked_sub(b)?.checked_div(size),
        _ => None,
    }
}

/// The address of an lvalue where constants alone make it up.
fn address(unit: &Unit, lvalue: &Expression) -> Option<i128> {
    match &lvalue.kind {
        ExpressionKind::Parenthesized(inner) => address(unit, inner),
        ExpressionKind::Unary(UnaryOperator::Indirection, pointer) => evaluate(unit, pointer),
        ExpressionKind::Member {
            base,
            record,
            member,
            arrow,
        } => {
            let start = if *arrow {
                evaluate(unit, base)?
            } else {
                address(unit, base)?
            };
            let members = unit.types.record(*record).members.as_ref()?;
            start.checked_add(i128::from(members.get(*member)?.offset))
        }
        ExpressionKind::Index(base, index) => {
            let size = i128::from(unit.types.size(lvalue.ty.ty)?);
            let steps = evaluate(unit, index)?.checked_mul(size)?;
            evaluate(unit, base)?.checked_add(steps)
        }
        _ => None,
    }
}
