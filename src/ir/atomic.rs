//! Accesses that no other thread comes between.
//!
//! An [`Atomic`] holds the expressions as the user wrote them, so that every
//! analysis sees what it reads and writes. [`Atomic::access`] finds the one
//! access in them that is atomic:
//!
//! ```c
//! v = x[i]++;              // target x[i], step + 1, captures the old value
//! { x *= e; v = x; }       // target x, step * e, captures the new value
//! ```

use crate::source::Span;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, Type, TypeId, Types, UnaryOperator,
};

/// An atomic access (OpenACC 3.3, section 2.12).
#[derive(Clone, Debug)]
pub struct Atomic {
    /// What was asked for.
    pub form: AtomicForm,
    /// One expression statement, or the two of a captured block.
    pub steps: Vec<Expression>,
}

/// What an atomic construct asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicForm {
    /// `v = x;`
    Read,
    /// `x = e;`
    Write,
    /// `x op= e;` and what means the same.
    Update,
    /// An update or write, and the value before or after it.
    Capture,
}

/// The atomic part of an [`Atomic`].
#[derive(Clone, Copy, Debug)]
pub struct AtomicAccess<'a> {
    /// The object; what finds it is evaluated once.
    pub target: &'a Expression,
    /// What happens to it.
    pub action: AtomicAction<'a>,
    /// Where a value of it goes, and which.
    pub capture: Option<(&'a Expression, Moment)>,
}

/// What happens to the target of an atomic access.
#[derive(Clone, Copy, Debug)]
pub enum AtomicAction<'a> {
    /// It is read.
    Load,
    /// It gets a value.
    Store(&'a Expression),
    /// It is combined with a value.
    Step(AtomicStep<'a>),
}

/// `x op e`, or `e op x` where `reversed`.
#[derive(Clone, Copy, Debug)]
pub struct AtomicStep<'a> {
    /// The operator.
    pub operator: BinaryOperator,
    /// The other operand; 1 if `None`.
    pub value: Option<&'a Expression>,
    /// The target is the right operand.
    pub reversed: bool,
    /// The type of the operation; `None` is the target's own, promoted.
    pub computation: Option<TypeId>,
}

/// Which value is captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// That from before.
    Before,
    /// That from after.
    After,
}

/// Why expressions form no atomic access.
#[derive(Clone, Debug)]
pub struct Malformed {
    /// What stands there, as a sentence.
    pub message: &'static str,
    /// Where.
    pub span: Span,
}

impl AtomicForm {
    /// The clause that names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Update => "update",
            Self::Capture => "capture",
        }
    }
}

impl Atomic {
    /// The access that is atomic.
    ///
    /// # Errors
    /// Expressions that are not of the form that the construct asks for.
    pub fn access(&self) -> Result<AtomicAccess<'_>, Malformed> {
        match (self.form, self.steps.as_slice()) {
            (AtomicForm::Read, [only]) => read(only),
            (AtomicForm::Write, [only]) => write(only),
            (AtomicForm::Update, [only]) => update(only),
            (AtomicForm::Capture, [only]) => capture(only),
            (AtomicForm::Capture, [first, second]) => captured_block(first, second),
            (_, list) => Err(Malformed {
                message: "one expression statement is expected",
                span: list.last().map_or_else(Span::default, |e| e.span),
            }),
        }
    }

    /// The group of operators whose updates may come in any order with the
    /// same result: [`BinaryOperator::Add`] stands for `-` as well. `None` if
    /// the order shows. Integers of fewer bits than the operation keep its lowest ones, whatever
    /// the order is.
    pub fn commutes(&self, types: &Types) -> Option<BinaryOperator> {
        let access = self.access().ok()?;
        let AtomicAction::Step(step) = access.action else {
            return None;
        };
        let target = access.target.ty.ty;
        let is_plain = |ty| matches!(types.get(ty), Type::Integer(_) | Type::Enum(_));
        let own = step
            .computation
            .is_none_or(|ty| ty == target || is_plain(ty) && is_plain(target));
        if access.capture.is_some() || !own {
            return None;
        }
        match step.operator {
            BinaryOperator::Add => Some(BinaryOperator::Add),
            BinaryOperator::Subtract if !step.reversed => Some(BinaryOperator::Add),
            BinaryOperator::Multiply
            | BinaryOperator::BitAnd
            | BinaryOperator::BitOr
            | BinaryOperator::BitXor => Some(step.operator),
            _ => None,
        }
    }
}

/// An assignment's two sides.
fn assignment(e: &Expression) -> Option<(&Expression, &Expression)> {
    match &e.inner().kind {
        ExpressionKind::Assign(target, value) => Some((target, value)),
        _ => None,
    }
}

fn read(e: &Expression) -> Result<AtomicAccess<'_>, Malformed> {
    let (result, target) = assignment(e).ok_or(Malformed {
        message: "this is no `v = x;`",
        span: e.span,
    })?;
    Ok(AtomicAccess {
        target: target.inner(),
        action: AtomicAction::Load,
        capture: Some((result, Moment::Before)),
    })
}

fn write(e: &Expression) -> Result<AtomicAccess<'_>, Malformed> {
    let (target, value) = assignment(e).ok_or(Malformed {
        message: "this is no `x = expression;`",
        span: e.span,
    })?;
    Ok(AtomicAccess {
        target,
        action: AtomicAction::Store(value),
        capture: None,
    })
}

/// `x++`, `x op= e`, `x = x op e`, `x = e op x`.
fn update(e: &Expression) -> Result<AtomicAccess<'_>, Malformed> {
    let (target, step) = step(e).ok_or(Malformed {
        message: "this updates no object by one operator",
        span: e.span,
    })?;
    Ok(AtomicAccess {
        target,
        action: AtomicAction::Step(step),
        capture: None,
    })
}

/// `v = x++`, `v = x op= e`, `v = x = x op e`.
fn capture(e: &Expression) -> Result<AtomicAccess<'_>, Malformed> {
    let malformed = Malformed {
        message: "this does not capture the value of an update",
        span: e.span,
    };
    let (result, value) = assignment(e).ok_or_else(|| malformed.clone())?;
    let (target, step) = step(value).ok_or(malformed)?;
    let before = matches!(
        value.inner().kind,
        ExpressionKind::Unary(
            UnaryOperator::PostIncrement | UnaryOperator::PostDecrement,
            _
        )
    );
    let moment = if before {
        Moment::Before
    } else {
        Moment::After
    };
    Ok(AtomicAccess {
        target,
        action: AtomicAction::Step(step),
        capture: Some((result, moment)),
    })
}

/// `{ v = x; update }`, `{ update v = x; }`, `{ v = x; x = e; }`.
fn captured_block<'a>(
    first: &'a Expression,
    second: &'a Expression,
) -> Result<AtomicAccess<'a>, Malformed> {
    if let Some((result, source)) = assignment(first) {
        let with = |target, action| AtomicAccess {
            target,
            action,
            capture: Some((result, Moment::Before)),
        };
        if let Some((target, step)) = step(second)
            && target.is_same(source)
        {
            return Ok(with(target, AtomicAction::Step(step)));
        }
        if let Some((target, value)) = assignment(second)
            && target.is_same(source)
        {
            return Ok(with(target, AtomicAction::Store(value)));
        }
    }
    if let Some((target, step)) = step(first)
        && let Some((result, source)) = assignment(second)
        && target.is_same(source)
    {
        return Ok(AtomicAccess {
            target,
            action: AtomicAction::Step(step),
            capture: Some((result, Moment::After)),
        });
    }
    Err(Malformed {
        message: "these two statements do not capture the value of an update",
        span: first.span.to(second.span),
    })
}

/// The update that an expression makes.
fn step(e: &Expression) -> Option<(&Expression, AtomicStep<'_>)> {
    match &e.inner().kind {
        ExpressionKind::Unary(operator, target) => {
            let operator = match operator {
                UnaryOperator::PreIncrement | UnaryOperator::PostIncrement => BinaryOperator::Add,
                UnaryOperator::PreDecrement | UnaryOperator::PostDecrement => {
                    BinaryOperator::Subtract
                }
                _ => return None,
            };
            let step = AtomicStep {
                operator,
                value: None,
                reversed: false,
                computation: None,
            };
            Some((target, step))
        }
        ExpressionKind::CompoundAssign {
            operator,
            target,
            value,
            computation,
        } => {
            let step = AtomicStep {
                operator: *operator,
                value: Some(value),
                reversed: false,
                computation: Some(*computation),
            };
            is_allowed(*operator).then_some((target, step))
        }
        ExpressionKind::Assign(target, value) => assigned_step(target, value),
        _ => None,
    }
}

/// `x = x op e` and `x = e op x`.
fn assigned_step<'a>(
    target: &'a Expression,
    value: &'a Expression,
) -> Option<(&'a Expression, AtomicStep<'a>)> {
    let operation = value.inner();
    let ExpressionKind::Binary(operator, left, right) = &operation.kind else {
        return None;
    };
    let reversed = !target.is_same(left);
    if !is_allowed(*operator) || reversed && !target.is_same(right) {
        return None;
    }
    let step = AtomicStep {
        operator: *operator,
        value: Some(if reversed { left } else { right }),
        reversed,
        computation: Some(operation.ty.ty),
    };
    Some((target, step))
}

/// The operators of section 2.12; `%` is one more that costs nothing.
fn is_allowed(operator: BinaryOperator) -> bool {
    use BinaryOperator as B;
    matches!(
        operator,
        B::Add
            | B::Subtract
            | B::Multiply
            | B::Divide
            | B::Remainder
            | B::BitAnd
            | B::BitOr
            | B::BitXor
            | B::ShiftLeft
            | B::ShiftRight
    )
}
