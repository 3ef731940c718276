//! What a directive evaluates in the host's code.

use crate::ast::{Argument, ArgumentValue, Directive};
use crate::typed::{Expression, SymbolId};

/// The expressions that a directive evaluates or whose objects it touches:
/// all but those in `private`.
pub fn evaluated(directive: &Directive<Expression>) -> Vec<&Expression> {
    let mut list = Vec::new();
    let clauses = directive
        .clauses
        .iter()
        .filter(|clause| clause.name.value != "private");
    let arguments = directive
        .arguments
        .iter()
        .chain(clauses.filter_map(|clause| clause.arguments.as_ref()));
    for item in arguments.flat_map(|a| &a.items) {
        match &item.value {
            ArgumentValue::Name { symbol, .. } => list.extend(symbol),
            ArgumentValue::Expression(e) => list.push(e),
            ArgumentValue::Section(section) => {
                list.push(&section.base);
                list.extend(
                    section
                        .dimensions
                        .iter()
                        .flat_map(|d| d.parts.iter().flatten()),
                );
            }
            ArgumentValue::Star => {}
        }
    }
    list
}

/// The variables that a directive makes private.
pub fn private_names(directive: &Directive<Expression>) -> Vec<SymbolId> {
    directive
        .clauses
        .iter()
        .filter(|clause| clause.name.value == "private")
        .filter_map(|clause| clause.arguments.as_ref())
        .flat_map(|arguments| &arguments.items)
        .filter_map(named)
        .collect()
}

/// The variable that an item names, sections included.
pub fn named(item: &Argument<Expression>) -> Option<SymbolId> {
    match &item.value {
        ArgumentValue::Name { symbol, .. } => symbol.as_ref()?.as_symbol(),
        ArgumentValue::Expression(e) => e.as_symbol(),
        ArgumentValue::Section(section) => section.base.as_symbol(),
        ArgumentValue::Star => None,
    }
}
