//! Variables whose value is known wherever they are named.
//!
//! Input: a file. Output: the integers that are `const` and begin with a constant ([`constants`]), and those of
//! functions that begin with one and that nothing changes ([`kept`]).
//!
//! ```c
//! static const int K = 3;            // 3
//! const int half = 32;               // 32
//! const int m = n / 2;               // only the program knows
//! int width = 640;                   // 640, if nothing assigns it or takes its address
//! ```

use std::collections::HashMap;

use super::definitions::Definitions;
use crate::typed::constant::evaluate;
use crate::typed::{Expression, Initializer, SymbolId, Unit, visit};

/// Those of a file, each with its value.
pub fn constants(unit: &Unit) -> HashMap<SymbolId, i128> {
    let mut found = HashMap::new();
    let mut add = |symbol: SymbolId, value: Option<&Expression>| {
        let ty = unit.symbol(symbol).ty;
        let is_fixed = ty.qualifiers.is_const && !ty.qualifiers.is_volatile;
        if is_fixed && unit.types.is_integer(ty.ty) {
            let number = value.and_then(|value| evaluate(unit, value));
            found.extend(number.map(|number| (symbol, number)));
        }
    };
    for global in &unit.globals {
        let value = match &global.initializer {
            Some(Initializer::Expression(value)) => Some(value),
            _ => None,
        };
        add(global.symbol, value);
    }
    for function in &unit.functions {
        visit::declarations(&function.body, &mut |one| add(one.symbol, one.value()));
    }
    found
}

/// Variables of a file's functions that begin with a constant and are never changed, each with its value.
pub fn kept(unit: &Unit) -> HashMap<SymbolId, i128> {
    let definitions = Definitions::of(unit);
    let numbers = definitions.values().filter_map(|(symbol, value)| {
        let number = evaluate(unit, value)?;
        Some((symbol, number))
    });
    numbers.collect()
}
