//! Recognises reductions: `s += e`, `s = s * e`, `s = fmax(s, e)`,
//! `if (e > s) s = e;`, `s = e > s ? e : s`.
//!
//! What is recognised has the serial result for every value, NaN, the order of
//! floating sums and the sign of a zero that is a maximum apart from it:
//!
//! - A sum, product or bits of an integer come from its low bits alone, so
//!   that each conversion of it has to be as wide. One of floating point has
//!   to be as precise.
//! - A maximum is chosen by an order, which conversions of the variable and of
//!   what it is compared with have to keep, the sign included. Of a NaN, the
//!   form says what becomes: `if (e > s) s = e` never takes one, `fmax` lets a
//!   number take its place, and `s = s > e ? s : e` takes any, which depends on
//!   the order of the iterations.
//! - `&&` and `||` give 0 or 1 from the first update on: the variable has to be
//!   0 or 1 before. What stands right of them is evaluated by all threads.

mod truth;

use std::collections::HashMap;

use super::{conversions, effects};
use crate::ir::{Reduction, ReductionOperator, Statement, StatementKind, visit};
use crate::typed::{BinaryOperator, Expression, ExpressionKind, SymbolId, Type, TypeId, Unit};

/// What a loop's body does with its variables: looked at once for all of them.
#[derive(Debug)]
pub struct Updates<'b> {
    /// How often each is mentioned.
    mentions: HashMap<SymbolId, usize>,
    /// The statements that assign to each.
    assigned: HashMap<SymbolId, Vec<&'b Statement>>,
}

impl<'b> Updates<'b> {
    /// Looks at a body.
    pub fn of(body: &'b [Statement]) -> Self {
        let mut mentions = HashMap::new();
        visit::expressions(body, &mut |e| {
            if let ExpressionKind::Symbol(symbol) = e.kind {
                *mentions.entry(symbol).or_default() += 1;
            }
        });
        let mut assigned: HashMap<_, Vec<_>> = HashMap::new();
        visit::walk(body, &mut |statement| {
            if let Some(symbol) = target(statement) {
                assigned.entry(symbol).or_default().push(statement);
            }
        });
        Self { mentions, assigned }
    }

    /// The reduction that the body in a function does with a scalar, if it does nothing else with
    /// it and any order gives what the serial one gives.
    pub fn reduction(
        &self,
        symbol: SymbolId,
        unit: &Unit,
        function: SymbolId,
    ) -> Option<Reduction> {
        self.find(symbol, unit, Some(function))
    }

    /// The reduction that the body is meant to do whose iterations are said to be parallel: without
    /// it they would race. Its clause would take a variable of `&&` to be a truth value and numbers
    /// not to be NaN.
    pub fn meant(&self, symbol: SymbolId, unit: &Unit) -> Option<Reduction> {
        self.find(symbol, unit, None)
    }

    /// The maximum or minimum that the body is meant to do, where `s = s > e ? s : e` takes a NaN, so
    /// that the order of the iterations matters; with `e`.
    pub fn but_for_nan(
        &self,
        symbol: SymbolId,
        unit: &Unit,
    ) -> Option<(ReductionOperator, &'b Expression)> {
        let operator = self.meant(symbol, unit)?.operator;
        let is_floating = matches!(unit.types.get(unit.symbol(symbol).ty.ty), Type::Floating(_));
        let values = self.assigned.get(&symbol)?.iter().filter_map(|statement| {
            let StatementKind::Expression(Some(e)) = &statement.kind else {
                return None;
            };
            let ExpressionKind::Assign(_, value) = &e.inner().kind else {
                return None;
            };
            match &value.inner().kind {
                ExpressionKind::Conditional(_, Some(then), otherwise) if then.mentions(symbol) => {
                    Some(otherwise.inner())
                }
                _ => None,
            }
        });
        let mut values = values.filter(|_| is_floating);
        values.next().map(|value| (operator, value))
    }

    fn find(&self, symbol: SymbolId, unit: &Unit, function: Option<SymbolId>) -> Option<Reduction> {
        let statements = self.assigned.get(&symbol)?;
        let ty = unit.symbol(symbol).ty.ty;
        if !unit.types.is_arithmetic(ty) {
            return None;
        }
        let variable = Variable {
            symbol,
            ty,
            unit,
            exact: function.is_some(),
            is_truth_value: function.is_none_or(|f| truth::is_truth_value(unit, f, symbol)),
        };
        let mut recognised = 0;
        let mut operator = None;
        let mut mixed = false;
        for statement in statements {
            if let Some((found, mentions)) = variable.update(statement) {
                mixed |= operator.is_some_and(|known| known != found);
                operator = Some(found);
                recognised += mentions;
            }
        }
        let all = self.mentions.get(&symbol).copied().unwrap_or_default();
        let operator = operator.filter(|_| !mixed && recognised == all)?;
        variable.fits(operator).then_some(Reduction {
            operator,
            symbol,
            ty,
            part: None,
            keeps_value: false,
            span: unit.symbol(symbol).span,
        })
    }
}

/// The variable that a statement assigns to, or the only one inside of its `if`.
fn target(statement: &Statement) -> Option<SymbolId> {
    let of_expression = |e: &Expression| match &e.inner().kind {
        ExpressionKind::CompoundAssign { target, .. } | ExpressionKind::Assign(target, _) => {
            target.as_symbol()
        }
        ExpressionKind::Unary(operator, target) if operator.is_step() => target.as_symbol(),
        _ => None,
    };
    match &statement.kind {
        StatementKind::Expression(Some(e)) => of_expression(e),
        StatementKind::If(_, then, None) => match single(then) {
            [
                Statement {
                    kind: StatementKind::Expression(Some(e)),
                    ..
                },
            ] => of_expression(e),
            _ => None,
        },
        _ => None,
    }
}

/// The variable in question.
struct Variable<'u> {
    symbol: SymbolId,
    ty: TypeId,
    unit: &'u Unit,
    /// The result has to be the serial one whatever the values are.
    exact: bool,
    /// It is 0 or 1, or taken to be.
    is_truth_value: bool,
}

impl Variable<'_> {
    /// Whether an operator makes sense for the variable's type.
    fn fits(&self, operator: ReductionOperator) -> bool {
        use ReductionOperator as R;
        match self.unit.types.get(self.ty) {
            Type::Bool => matches!(
                operator,
                R::LogicalAnd | R::LogicalOr | R::BitAnd | R::BitOr
            ),
            Type::Complex(_) => matches!(operator, R::Sum | R::Product),
            Type::Floating(_) => !matches!(operator, R::BitAnd | R::BitOr | R::BitXor),
            _ => true,
        }
    }

    fn is_floating(&self) -> bool {
        matches!(self.unit.types.get(self.ty), Type::Floating(_))
    }

    fn mentioned_in(&self, e: &Expression) -> bool {
        e.mentions(self.symbol)
    }

    /// Whether an expression is the variable, its value kept by conversions.
    fn is_value(&self, e: &Expression) -> bool {
        let holds = |to| conversions::holds(self.unit, to, self.ty);
        conversions::is_variable(e, self.symbol, &holds)
    }

    /// The operator of a statement that updates the variable, and how often it
    /// mentions it.
    fn update(&self, statement: &Statement) -> Option<(ReductionOperator, usize)> {
        match &statement.kind {
            StatementKind::Expression(Some(e)) => self.expression(e),
            StatementKind::If(condition, then, None) => {
                let [
                    Statement {
                        kind: StatementKind::Expression(Some(e)),
                        ..
                    },
                ] = single(then)
                else {
                    return None;
                };
                let ExpressionKind::Assign(target, value) = &e.inner().kind else {
                    return None;
                };
                if target.as_symbol() != Some(self.symbol) {
                    return None;
                }
                Some((self.comparison(condition, value)?, 2))
            }
            _ => None,
        }
    }

    fn expression(&self, e: &Expression) -> Option<(ReductionOperator, usize)> {
        match &e.inner().kind {
            ExpressionKind::CompoundAssign {
                operator,
                target,
                value,
                computation,
            } if target.as_symbol() == Some(self.symbol)
                && !self.mentioned_in(value)
                && conversions::keeps(self.unit, *computation, self.ty) =>
            {
                let found = match operator {
                    BinaryOperator::Subtract => ReductionOperator::Sum,
                    _ => of_binary(*operator)?,
                };
                Some((found, 1))
            }
            ExpressionKind::Unary(operator, target)
                if operator.is_step() && target.as_symbol() == Some(self.symbol) =>
            {
                Some((ReductionOperator::Sum, 1))
            }
            ExpressionKind::Assign(target, value) if target.as_symbol() == Some(self.symbol) => {
                let own = self.computed(value).or_else(|| self.logical(value));
                let own = own.or_else(|| self.called(value)).map(|found| (found, 2));
                own.or_else(|| self.chosen(value).map(|found| (found, 3)))
            }
            _ => None,
        }
    }

    /// `s op e`, `e op s`, computed in a type that keeps what the result
    /// depends on.
    fn computed(&self, value: &Expression) -> Option<ReductionOperator> {
        let keeps = |to| conversions::keeps(self.unit, to, self.ty);
        let value = conversions::unwrapped(value, &keeps)?;
        let ExpressionKind::Binary(operator, a, b) = &value.kind else {
            return None;
        };
        if !keeps(value.ty.ty) {
            return None;
        }
        let is_variable = |e| conversions::is_variable(e, self.symbol, &keeps);
        let left = is_variable(a) && !self.mentioned_in(b);
        let right = is_variable(b) && !self.mentioned_in(a);
        match operator {
            BinaryOperator::Subtract => left.then_some(ReductionOperator::Sum),
            _ => (left || right).then(|| of_binary(*operator)).flatten(),
        }
    }

    /// `s && e`, `e || s` of a truth value, which all conversions keep.
    fn logical(&self, value: &Expression) -> Option<ReductionOperator> {
        let value = conversions::unwrapped(value, &|_| true)?;
        let ExpressionKind::Binary(operator, a, b) = &value.kind else {
            return None;
        };
        let operator = match operator {
            BinaryOperator::LogicalAnd => ReductionOperator::LogicalAnd,
            BinaryOperator::LogicalOr => ReductionOperator::LogicalOr,
            _ => return None,
        };
        let keeps = |to| {
            let is_bool = matches!(self.unit.types.get(to), Type::Bool);
            is_bool || conversions::holds(self.unit, to, self.ty)
        };
        let is_variable = |e| conversions::is_variable(e, self.symbol, &keeps);
        let may_be_evaluated = |e| !self.exact || effects::may_be_evaluated(self.unit, e);
        let left = is_variable(a) && !self.mentioned_in(b) && may_be_evaluated(b);
        let right = is_variable(b) && !self.mentioned_in(a);
        (self.is_truth_value && (left || right)).then_some(operator)
    }

    /// `fmax(s, e)` and the like.
    fn called(&self, value: &Expression) -> Option<ReductionOperator> {
        let holds = |to| conversions::holds(self.unit, to, self.ty);
        let value = conversions::unwrapped(value, &holds)?;
        let ExpressionKind::Call {
            function,
            arguments,
        } = &value.kind
        else {
            return None;
        };
        let [a, b] = arguments.as_slice() else {
            return None;
        };
        let other = if self.is_value(a) {
            b
        } else if self.is_value(b) {
            a
        } else {
            return None;
        };
        let function = function.as_symbol()?;
        let fits = holds(value.ty.ty)
            && !self.mentioned_in(other)
            && conversions::keeps_order(self.unit, other, self.ty)
            && self.unit.function(function).is_none();
        let name = &self.unit.symbol(function).name;
        let operator = match name.strip_prefix("__builtin_").unwrap_or(name) {
            "fmax" | "fmaxf" | "fmaxl" => ReductionOperator::Max,
            "fmin" | "fminf" | "fminl" => ReductionOperator::Min,
            _ => return None,
        };
        fits.then(|| self.taking_numbers(operator))
    }

    /// `e > s ? e : s`: the variable and the value have one type on the way
    /// out of it.
    fn chosen(&self, value: &Expression) -> Option<ReductionOperator> {
        let holds = |to| conversions::holds(self.unit, to, self.ty);
        let value = conversions::unwrapped(value, &holds)?;
        let ExpressionKind::Conditional(condition, Some(then), otherwise) = &value.kind else {
            return None;
        };
        if !holds(value.ty.ty) {
            return None;
        }
        if self.is_value(otherwise) {
            return self.comparison(condition, then);
        }
        let found = self.comparison(condition, otherwise);
        let found = opposite(found.filter(|_| self.is_value(then))?)?;
        // The value is taken where it, or the variable, is a NaN.
        let is_number = self.unit.types.is_integer(otherwise.inner().ty.ty);
        if !self.is_floating() || !self.exact {
            Some(found)
        } else {
            is_number.then(|| self.taking_numbers(found))
        }
    }

    /// Max or min, of which a variable that is a NaN takes any number.
    fn taking_numbers(&self, operator: ReductionOperator) -> ReductionOperator {
        use ReductionOperator as R;
        match operator {
            R::Max if self.is_floating() => R::MaxNumber,
            R::Min if self.is_floating() => R::MinNumber,
            other => other,
        }
    }

    /// Max or min, if the condition says that `value` is beyond the variable,
    /// in the order of the values that the variable has.
    fn comparison(&self, condition: &Expression, value: &Expression) -> Option<ReductionOperator> {
        use BinaryOperator::{Greater, GreaterEqual, Less, LessEqual};
        let ExpressionKind::Binary(operator, a, b) = &condition.inner().kind else {
            return None;
        };
        let value_left = a.is_same(value) && self.is_value(b);
        let value_right = b.is_same(value) && self.is_value(a);
        let compared = if value_left { a } else { b };
        let in_order = |e| conversions::keeps_order(self.unit, e, self.ty);
        if self.mentioned_in(value) || !in_order(value) || !in_order(compared) {
            return None;
        }
        match operator {
            Greater | GreaterEqual if value_left => Some(ReductionOperator::Max),
            Less | LessEqual if value_left => Some(ReductionOperator::Min),
            Greater | GreaterEqual if value_right => Some(ReductionOperator::Min),
            Less | LessEqual if value_right => Some(ReductionOperator::Max),
            _ => None,
        }
    }
}

/// A block's only statement.
fn single(list: &[Statement]) -> &[Statement] {
    match list {
        [
            Statement {
                kind: StatementKind::Block(inner),
                ..
            },
        ] => single(inner),
        _ => list,
    }
}

fn opposite(operator: ReductionOperator) -> Option<ReductionOperator> {
    match operator {
        ReductionOperator::Max => Some(ReductionOperator::Min),
        ReductionOperator::Min => Some(ReductionOperator::Max),
        _ => None,
    }
}

/// The reduction by an operator on numbers.
pub fn of_binary(operator: BinaryOperator) -> Option<ReductionOperator> {
    Some(match operator {
        BinaryOperator::Add => ReductionOperator::Sum,
        BinaryOperator::Multiply => ReductionOperator::Product,
        BinaryOperator::BitAnd => ReductionOperator::BitAnd,
        BinaryOperator::BitOr => ReductionOperator::BitOr,
        BinaryOperator::BitXor => ReductionOperator::BitXor,
        _ => return None,
    })
}
