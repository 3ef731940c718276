//! Functions that several threads enter together ([`Collective`]), and such as
//! one thread runs them.
//!
//! The body of such a function is lowered once and used twice: as [`kernel`],
//! which the passes treat as they treat code between the loops of a kernel, and
//! as function whose loops are sequential, which says what a call touches. Where
//! the threads of a function are not free, a version of it whose loops are
//! sequential does the same:
//!
//! ```text
//! b[i] = total(n, row[i]);               // before, in a loop over all threads
//! b[i] = total_sequential(n, row[i]);    // after
//! ```

use std::collections::HashSet;

use indexmap::IndexMap;

use super::usage;
use crate::ir::{
    Capture, Collective, DeviceFunction, Execution, Kernel, Module, Passing, Schedule, Statement,
    visit,
};
use crate::source::Span;
use crate::typed::{Expression, ExpressionKind, Function, SymbolId, Unit};

/// The calls that one thread makes: in each kernel and in each function of a
/// module, by their places.
#[derive(Debug, Default)]
pub struct SequentialCalls {
    /// By kernel.
    pub kernels: Vec<HashSet<Span>>,
    /// By function.
    pub functions: Vec<HashSet<Span>>,
}

/// The body of a function as one that a collective enters.
pub fn kernel(unit: &Unit, function: &DeviceFunction, collective: Collective) -> Kernel {
    let definition = unit.function(function.symbol);
    let parameters = definition.map_or(&[][..], |f| &f.parameters);
    let span = unit.symbol(function.symbol).span;
    let captures = parameters.iter().map(|&symbol| Capture {
        symbol,
        passing: match unit.types.is_pointer(unit.symbol(symbol).ty.ty) {
            true => Passing::DevicePointer,
            false => Passing::Value,
        },
        written: true,
        known: true,
        section_of: None,
    });
    Kernel {
        title: format!("routine {}", unit.symbol(function.symbol).name),
        directive: span,
        span,
        collective: Some(collective),
        captures: captures.collect(),
        body: function.body.clone(),
        ..Kernel::empty(Execution::Redundant, function.symbol)
    }
}

/// Takes from loops what they asked for.
pub fn make_sequential(body: &mut [Statement]) {
    visit::loops_mut(body, &mut |l| {
        l.schedule = Schedule {
            directive: l.schedule.directive,
            sequential: true,
            ..Schedule::default()
        };
        l.reductions.clear();
    });
}

/// The functions among some that call themselves, be it through others, with the
/// call that leads back.
pub fn recursive(
    unit: &Unit,
    module: &Module,
    is_meant: &dyn Fn(SymbolId) -> bool,
) -> Vec<(SymbolId, Span)> {
    let functions = module.functions.iter();
    let calls: IndexMap<SymbolId, IndexMap<SymbolId, Span>> = functions
        .map(|f| (f.symbol, usage::of(unit, &f.body).calls))
        .collect();
    let mut found = Vec::new();
    for function in calls.keys().filter(|f| is_meant(**f)) {
        let mut reached = IndexMap::new();
        let mut next = vec![function];
        while let Some(caller) = next.pop() {
            for (callee, &span) in calls.get(caller).into_iter().flatten() {
                if reached.insert(callee, span).is_none() {
                    next.push(callee);
                }
            }
        }
        found.extend(reached.get(function).map(|&span| (*function, span)));
    }
    found
}

/// Redirects calls to sequential instances, which are added to the module and
/// to the unit, with the instances of what these call. Bodies of functions are
/// as they were lowered. `routine` gives the function of this kind whose body
/// runs where one is called.
pub fn make_instances(
    unit: &mut Unit,
    module: &mut Module,
    calls: &SequentialCalls,
    routine: &dyn Fn(&Unit, SymbolId) -> Option<SymbolId>,
) {
    let mut instances = Instances {
        unit,
        routine,
        made: IndexMap::new(),
    };
    for (kernel, calls) in module.kernels.iter_mut().zip(&calls.kernels) {
        instances.redirect(&mut kernel.body, &|e| calls.contains(&e.span));
    }
    for (function, calls) in module.functions.iter_mut().zip(&calls.functions) {
        instances.redirect(&mut function.body, &|e| calls.contains(&e.span));
    }
    let mut next = 0;
    while let Some((&routine, &instance)) = instances.made.get_index(next) {
        next += 1;
        let mut functions = module.functions.iter();
        let Some(mut function) = functions.find(|f| f.symbol == routine).cloned() else {
            continue;
        };
        function.symbol = instance;
        function.exported = false;
        make_sequential(&mut function.body);
        instances.redirect(&mut function.body, &|_| true);
        module.functions.push(function);
    }
    let made = instances.made.into_iter();
    module.instances = made
        .map(|(routine, instance)| (instance, routine))
        .collect();
}

struct Instances<'i> {
    unit: &'i mut Unit,
    routine: &'i dyn Fn(&Unit, SymbolId) -> Option<SymbolId>,
    /// The instance of each routine that has one.
    made: IndexMap<SymbolId, SymbolId>,
}

impl Instances<'_> {
    fn redirect(&mut self, list: &mut [Statement], chosen: &dyn Fn(&Expression) -> bool) {
        visit::expressions_mut(list, &mut |e| {
            let wanted = chosen(e);
            if let ExpressionKind::Call { function, .. } = &mut e.kind
                && wanted
                && let Some(symbol) = function.as_symbol()
                && let Some(routine) = (self.routine)(self.unit, symbol)
                && let Some(instance) = self.instance(routine)
            {
                function.kind = ExpressionKind::Symbol(instance);
            }
        });
    }

    /// The instance of a routine of the unit.
    fn instance(&mut self, routine: SymbolId) -> Option<SymbolId> {
        if let Some(&instance) = self.made.get(&routine) {
            return Some(instance);
        }
        let definition = self.unit.function(routine)?.clone();
        let mut symbol = self.unit.symbol(routine).clone();
        symbol.name = format!("{}_sequential", symbol.name);
        let instance = self.unit.add_symbol(symbol);
        self.unit.add_function(Function {
            symbol: instance,
            ..definition
        });
        self.made.insert(routine, instance);
        Some(instance)
    }
}
