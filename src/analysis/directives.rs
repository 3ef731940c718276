//! What a directive evaluates in the host's code.

use crate::ast::{Argument, ArgumentValue, Directive};
use crate::typed::{Expression, SymbolId};

/// The expressions that a directive evaluates or whose objects it touches.
pub fn evaluated(directive: &Directive<Expression>) -> Vec<&Expression> {
    let clauses = directive
        .clauses
        .iter()
        .filter(|clause| !clause.names_copies);
    let arguments = directive
        .arguments
        .iter()
        .chain(clauses.filter_map(|clause| clause.arguments.as_ref()));
    let items = arguments.flat_map(|arguments| &arguments.items);
    items.flat_map(expressions).collect()
}

/// The variables of which a directive makes copies that begin without a value.
pub fn private_names(directive: &Directive<Expression>) -> Vec<SymbolId> {
    directive
        .clauses
        .iter()
        .filter(|clause| clause.names_copies)
        .filter_map(|clause| clause.arguments.as_ref())
        .flat_map(|arguments| &arguments.items)
        .filter_map(named)
        .collect()
}

/// The variable that an item names, sections included.
pub fn named(item: &Argument<Expression>) -> Option<SymbolId> {
    base(item)?.as_symbol()
}

/// What an item names, or takes a section of.
pub fn base(item: &Argument<Expression>) -> Option<&Expression> {
    match &item.value {
        ArgumentValue::Name { symbol, .. } => symbol.as_ref(),
        ArgumentValue::Expression(e) => Some(e),
        ArgumentValue::Section(section) => Some(&section.base),
        ArgumentValue::Star => None,
    }
}

/// The expressions of an item.
pub fn expressions(item: &Argument<Expression>) -> impl Iterator<Item = &Expression> {
    let dimensions = match &item.value {
        ArgumentValue::Section(section) => section.dimensions.as_slice(),
        _ => &[],
    };
    let bounds = dimensions.iter().flat_map(|d| d.parts.iter().flatten());
    base(item).into_iter().chain(bounds)
}

/// The variables that a directive names.
pub fn all_named(directive: &Directive<Expression>) -> Vec<SymbolId> {
    let clauses = directive
        .clauses
        .iter()
        .filter_map(|c| c.arguments.as_ref());
    let lists = directive.arguments.iter().chain(clauses);
    let items = lists.flat_map(|arguments| &arguments.items);
    items.filter_map(named).collect()
}
