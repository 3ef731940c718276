//! Lengths of rows that are the values of variables.
//!
//! ```c
//! void f(int n, float (*a)[n])        // `n` is never assigned: rows have `n` elements everywhere
//! ```

use std::collections::HashSet;

use super::definitions::changed_anywhere;
use super::launch_value::is_exact;
use crate::ir::{DeviceFunction, Kernel, Module, RowLength};
use crate::source::Span;
use crate::typed::{ArrayLength, Expression, ExpressionKind, SymbolId, Type, Unit, VlaId, visit};

/// The variables that may have changed since they were declared; empty where no kernel or function
/// has rows of run-time length.
pub fn changed(module: &Module, unit: &Unit) -> HashSet<SymbolId> {
    let mut kernels = module.kernels.iter();
    let mut functions = module.functions.iter();
    let has_none = kernels.all(|kernel| lengths(kernel, unit).is_empty())
        && functions.all(|function| of_parameters(function, unit).is_empty());
    match has_none {
        true => HashSet::new(),
        false => changed_anywhere(unit),
    }
}

/// What is known of the lengths in a kernel's parameters that are made of variables which do not
/// change.
pub fn of_variables(
    kernel: &Kernel,
    unit: &Unit,
    changed: &HashSet<SymbolId>,
) -> Vec<(VlaId, RowLength)> {
    let mut known: Vec<(VlaId, RowLength)> = Vec::new();
    let of_parameters = of_rows(parameters(kernel.function, unit), unit);
    let is_entered = |length: &VlaId| of_parameters.contains(length);
    for length in lengths(kernel, unit) {
        let value = unit.length(length);
        if !is_constant(value, unit, changed) {
            // Computed one after the other, where the function begins.
            if is_entered(&length) && is_read(value) {
                let is_same = |(first, _): &&(VlaId, RowLength)| {
                    is_entered(first) && unit.length(*first).is_same(value)
                };
                let first = known
                    .iter()
                    .find(is_same)
                    .map_or(length, |(first, _)| *first);
                known.push((length, RowLength::Same(first)));
            }
            continue;
        }
        let is_same = |(first, _): &&(VlaId, RowLength)| unit.length(*first).is_same(value);
        let is = match value.as_symbol() {
            Some(variable)
                if kernel.capture(variable).is_some() && is_exact(value, kernel, unit) =>
            {
                RowLength::Variable(variable)
            }
            None if is_exact(value, kernel, unit) => RowLength::Computed,
            variable => match (known.iter().find(is_same), variable) {
                (Some((first, _)), _) => RowLength::Same(*first),
                (None, Some(variable)) => RowLength::Elsewhere(variable),
                (None, None) => RowLength::Same(length),
            },
        };
        known.push((length, is));
    }
    known
}

/// The variables besides a kernel's own of which it could compute lengths that are more than a
/// variable: `[columns + 1]`. The host has them at the launch by their names.
pub fn missing(kernel: &Kernel, unit: &Unit, changed: &HashSet<SymbolId>) -> Vec<SymbolId> {
    let mut found: Vec<SymbolId> = Vec::new();
    let of_launch = kernel.captures.iter().filter(|c| c.section_of.is_none());
    let lengths = of_rows(of_launch.map(|capture| capture.symbol), unit);
    for length in lengths.into_iter().map(|length| unit.length(length)) {
        let mut variables = Vec::new();
        let is_computed = kernel.collective.is_none()
            && length.as_symbol().is_none()
            && is_constant(length, unit, changed)
            && visit::all(length, &mut |e| {
                let variable = e.as_symbol().filter(|id| unit.symbol(*id).is_variable());
                variables.extend(variable);
                unit.types.is_integer(e.ty.ty)
            });
        variables.retain(|id| kernel.capture(*id).is_none() && !found.contains(id));
        if is_computed && variables.iter().all(|id| is_named(kernel, unit, *id)) {
            found.extend(variables);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether a variable is one of a kernel's function, which has nothing else of its name.
fn is_named(kernel: &Kernel, unit: &Unit, variable: SymbolId) -> bool {
    let Some(function) = unit.function(kernel.function).map(|f| f.span) else {
        return false;
    };
    let name = &unit.symbol(variable).name;
    let is_within = |span: Span| function.start <= span.start && span.end <= function.end;
    let symbols = unit
        .symbols
        .iter()
        .zip(0..)
        .filter(|(symbol, _)| symbol.name == *name);
    let mut symbols = symbols.filter(|(symbol, _)| is_within(symbol.span));
    let mut types = unit.typedefs.all().map(|(_, typedef)| typedef);
    symbols
        .next()
        .is_some_and(|(_, number)| SymbolId(number) == variable)
        && symbols.next().is_none()
        && !types.any(|typedef| typedef.name.as_ref() == Some(name))
}

/// The lengths in the types of a function's parameters that are the values of parameters which do
/// not change.
pub fn of_function(
    function: &DeviceFunction,
    unit: &Unit,
    changed: &HashSet<SymbolId>,
) -> Vec<(VlaId, SymbolId)> {
    let parameters = unit.function(function.symbol).map(|f| &f.parameters);
    let is_kept = |id: &SymbolId| {
        !changed.contains(id) && parameters.is_some_and(|parameters| parameters.contains(id))
    };
    let lengths = of_parameters(function, unit).into_iter();
    let of_variable = lengths.filter_map(|length| {
        let variable = unit.length(length).as_symbol().filter(is_kept)?;
        Some((length, variable))
    });
    of_variable.collect()
}

/// Whether a length has one value wherever it is computed: it is made of integers, and variables of
/// the function, or members of such, that are not `changed`.
fn is_constant(length: &Expression, unit: &Unit, changed: &HashSet<SymbolId>) -> bool {
    visit::all(length, &mut |e| match &e.kind {
        ExpressionKind::Symbol(id) => {
            let symbol = unit.symbol(*id);
            !symbol.is_variable() || symbol.is_automatic() && !changed.contains(id)
        }
        ExpressionKind::Integer { .. }
        | ExpressionKind::Parenthesized(_)
        | ExpressionKind::Convert(..)
        | ExpressionKind::Binary(..)
        | ExpressionKind::Member { arrow: false, .. } => !e.ty.qualifiers.is_volatile,
        _ => false,
    })
}

/// Whether a length has one value as long as nothing is assigned.
fn is_read(length: &Expression) -> bool {
    visit::all(length, &mut |e| {
        let is_plain = matches!(
            e.kind,
            ExpressionKind::Symbol(_)
                | ExpressionKind::Integer { .. }
                | ExpressionKind::Parenthesized(_)
                | ExpressionKind::Convert(..)
                | ExpressionKind::Binary(..)
                | ExpressionKind::Member { .. }
        );
        is_plain && !e.ty.qualifiers.is_volatile
    })
}

/// The run-time lengths of rows in the types of captured variables.
fn lengths(kernel: &Kernel, unit: &Unit) -> Vec<VlaId> {
    let captures = kernel.captures.iter().map(|capture| capture.symbol);
    of_rows(captures, unit)
}

/// Those in the types of a function's parameters.
fn of_parameters(function: &DeviceFunction, unit: &Unit) -> Vec<VlaId> {
    of_rows(parameters(function.symbol, unit), unit)
}

fn parameters(function: SymbolId, unit: &Unit) -> impl Iterator<Item = SymbolId> {
    let own = unit.function(function).into_iter();
    own.flat_map(|own| own.parameters.iter().copied())
}

/// Those behind pointers.
fn of_rows(pointers: impl Iterator<Item = SymbolId>, unit: &Unit) -> Vec<VlaId> {
    let mut found = Vec::new();
    for pointer in pointers {
        let mut row = unit.types.pointee(unit.symbol(pointer).ty.ty);
        while let Some(Type::Array { element, length }) = row.map(|row| unit.types.get(row.ty)) {
            if let ArrayLength::Variable(id) = length {
                found.push(*id);
            }
            row = Some(*element);
        }
    }
    found
}
