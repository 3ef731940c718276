//! Values that belong to the largest or smallest one, found together with it.
//!
//! ```c
//! if (x[i] > m) {
//!     m = x[i];
//!     at = i;               // belongs to `m`
//! }
//! ```
//!
//! A reduction finds `m`; of `at`, each thread has that of its own maximum, and no operator combines those.
//! Which iteration has the maximum a second loop finds.

use crate::typed::print::{C, Printer};
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, Statement, StatementKind, SymbolId, Unit, visit,
};

/// How to find a variable that is assigned where another one is found to be the largest or smallest.
pub fn of_extreme(unit: &Unit, body: &Statement, symbol: SymbolId) -> Option<String> {
    let mut found = None;
    visit::statements(body, &mut |statement| {
        if let StatementKind::If(condition, then, None) = &statement.kind
            && assigns(then, symbol).is_some()
            && let Some(extreme) = extreme(condition, then)
            && extreme.symbol != symbol
        {
            found.get_or_insert(extreme);
        }
    });
    let extreme = found?;
    let (name, of) = (&unit.symbol(symbol).name, &unit.symbol(extreme.symbol).name);
    let value = Printer::text(unit, &C, extreme.value.without_conversions());
    Some(format!(
        "find `{of}` first, with `reduction({}:{of})` and without `{name}`; then set `{name}` to what is larger than \
         all it may be, such as `INT_MAX`, and find it in a second loop, with `reduction(min:{name})`, where \
         `{value} == {of}`",
        extreme.operator
    ))
}

/// The operator of the reduction that finds what a variable keeps, if that is the largest or smallest value.
pub fn operator(body: &Statement, symbol: SymbolId) -> Option<&'static str> {
    let mut found = None;
    visit::statements(body, &mut |statement| {
        if let StatementKind::If(condition, then, None) = &statement.kind
            && let Some(extreme) = extreme(condition, then).filter(|one| one.symbol == symbol)
        {
            found.get_or_insert(extreme.operator);
        }
    });
    found
}

/// A variable that keeps the largest or smallest of some values.
struct Extreme<'s> {
    symbol: SymbolId,
    value: &'s Expression,
    operator: &'static str,
}

/// What `if (value > m) m = value;` finds.
fn extreme<'s>(condition: &'s Expression, then: &Statement) -> Option<Extreme<'s>> {
    use BinaryOperator as B;
    let ExpressionKind::Binary(operator, left, right) = &condition.inner().kind else {
        return None;
    };
    let (less, greater) = ("min", "max");
    let (if_left, if_right) = match operator {
        B::Greater | B::GreaterEqual => (less, greater),
        B::Less | B::LessEqual => (greater, less),
        _ => return None,
    };
    [(left, right, if_left), (right, left, if_right)]
        .into_iter()
        .find_map(|(variable, value, operator)| {
            let symbol = variable.without_conversions().as_symbol()?;
            let assigned = assigns(then, symbol)?;
            let is_same = assigned
                .without_conversions()
                .is_same(value.without_conversions());
            is_same.then_some(Extreme {
                symbol,
                value,
                operator,
            })
        })
}

/// What a statement assigns to a variable.
fn assigns(statement: &Statement, symbol: SymbolId) -> Option<&Expression> {
    match &statement.kind {
        StatementKind::Compound(list) => list.iter().find_map(|one| assigns(one, symbol)),
        StatementKind::Expression(Some(e)) => match &e.inner().kind {
            ExpressionKind::Assign(target, value) => {
                let is_it = target.without_conversions().as_symbol() == Some(symbol);
                is_it.then_some(value)
            }
            _ => None,
        },
        _ => None,
    }
}
