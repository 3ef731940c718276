//! What callers put on the device of the arguments of a function (the paper's section 5.7.2).
//!
//! A kernel finds the data of callers at run time; what all callers say of a parameter in
//! the same way, in numbers, is known when it is compiled: which memory it is in, and which
//! section of it is there. So is what all directives say of a `static` variable of the file.
//!
//! ```text
//! constant copyin batch[0:99]; add(batch, n);      batch of add: 100 elements in
//! constant copyin other[0:99]; add(other, m);      constant memory
//! ```

use std::collections::BTreeMap;

use super::check::Directives;
use super::host::{Lowering, Placed};
use crate::diagnostic::Diagnostics;
use crate::front::lowering::usage;
use crate::ir::{Extent, Length, Range};
use crate::typed::constant::evaluate;
use crate::typed::{Function, Storage, SymbolId, SymbolKind, Unit};

/// A variable that other files do not name.
const FILE_STATIC: SymbolKind = SymbolKind::Variable(Storage::FileStatic);

/// How often what a caller has of its callers is handed on.
const MOST_LEVELS: usize = 8;

/// What functions have of their callers, by parameter, and of the file's variables.
#[derive(Default)]
pub struct Contexts(BTreeMap<SymbolId, Option<Placed>>);

/// Looks at all calls of a unit.
pub fn of(unit: &Unit, directives: &Directives) -> Contexts {
    let mut contexts = Contexts::default();
    let mentions = usage::mentions(unit);
    for _ in 0..MOST_LEVELS {
        let mut found = Contexts::default();
        let mut calls: BTreeMap<SymbolId, usize> = BTreeMap::new();
        for function in &unit.functions {
            let mut reported_later = Diagnostics::new();
            let mut lowering = Lowering::new(unit, directives, function, &mut reported_later);
            lowering.skips_kernels = true;
            lowering.inherited = contexts.of_function(unit, function);
            lowering.function();
            for placed in &lowering.ever_placed {
                let is_own = unit.symbol(placed.symbol).kind == FILE_STATIC;
                let own = Some(placed).filter(|_| numbers(unit, placed).is_some());
                if is_own {
                    found.merge(unit, placed.symbol, own.cloned());
                }
            }
            for call in lowering.calls {
                *calls.entry(call.callee).or_default() += 1;
                found.add(unit, call.callee, &call.arguments);
            }
        }
        // A function may be called where it is not seen: in conditions, or by its address.
        for function in &unit.functions {
            if calls.get(&function.symbol) != mentions.get(&function.symbol) {
                let all = function.parameters.iter();
                all.for_each(|parameter| drop(found.0.insert(*parameter, None)));
            }
        }
        let known = |contexts: &Contexts| -> Vec<SymbolId> {
            let known = contexts.0.iter().filter(|(_, placed)| placed.is_some());
            known.map(|(parameter, _)| *parameter).collect()
        };
        let is_same = known(&found) == known(&contexts);
        contexts = found;
        if is_same {
            return contexts;
        }
    }
    Contexts::default()
}

impl Contexts {
    /// What all callers of a function say of its parameters, and all functions of variables.
    pub fn of_function(&self, unit: &Unit, function: &Function) -> Vec<Placed> {
        let is_here = |symbol: &SymbolId| {
            function.parameters.contains(symbol) || unit.symbol(*symbol).kind == FILE_STATIC
        };
        let known = self.0.iter().filter(|(symbol, _)| is_here(symbol));
        known.filter_map(|(_, placed)| placed.clone()).collect()
    }

    fn add(&mut self, unit: &Unit, callee: SymbolId, arguments: &[Option<Placed>]) {
        let Some(function) = unit.function(callee) else {
            return;
        };
        // Other files may call any other one.
        let kind = &unit.symbol(callee).kind;
        let is_static = matches!(
            kind,
            SymbolKind::Function {
                is_static: true,
                ..
            }
        );
        for (&parameter, argument) in function.parameters.iter().zip(arguments) {
            let own = argument.as_ref().filter(|_| is_static);
            let own = own.and_then(|placed| of_parameter(unit, parameter, placed));
            self.merge(unit, parameter, own);
        }
    }

    /// One more caller or directive, which says the same or leaves nothing known.
    fn merge(&mut self, unit: &Unit, symbol: SymbolId, own: Option<Placed>) {
        let known = self.0.entry(symbol).or_insert_with(|| own.clone());
        let both = known.as_ref().zip(own.as_ref());
        let agree = both.is_some_and(|(known, own)| {
            known.memory == own.memory && numbers(unit, known) == numbers(unit, own)
        });
        if !agree {
            *known = None;
        }
    }
}

/// What a caller put on the device, as the parameter's own.
fn of_parameter(unit: &Unit, parameter: SymbolId, placed: &Placed) -> Option<Placed> {
    numbers(unit, placed)?;
    let to = |symbol: SymbolId| unit.types.pointee(unit.symbol(symbol).ty.ty);
    if to(parameter)?.ty != to(placed.symbol)?.ty {
        return None;
    }
    let mut own = placed.clone();
    own.symbol = parameter;
    own.item.symbol = Some(parameter);
    Some(own)
}

/// First index, length and extent of each dimension, where all are numbers.
fn numbers(unit: &Unit, placed: &Placed) -> Option<Vec<(i128, u64, Option<u64>)>> {
    let Extent::Section { ranges, .. } = &placed.item.extent else {
        return None;
    };
    let number = |length: &Length| match length {
        Length::Constant(n) => Some(*n),
        _ => None,
    };
    let of = |range: &Range| {
        let lower = range.lower.as_ref();
        let first = lower.map_or(Some(0), |lower| evaluate(unit, lower))?;
        let extent = range.extent.as_ref().map(number);
        Some((first, number(&range.length)?, extent.flatten()))
    };
    ranges.iter().map(of).collect()
}
