//! Routines with a level as one thread runs them.
//!
//! The standard lets a routine be called only where the threads of its level
//! are free (OpenACC 3.3, section 2.15.1). Where they are not, a version of it
//! whose loops are sequential does the same; such calls are warned of and call
//! that:
//!
//! ```text
//! #pragma acc loop vector
//! for (…)
//!     b[i] = total(n, row[i]);               // before
//!     b[i] = total_sequential(n, row[i]);    // after
//! ```

use std::collections::HashSet;

use indexmap::IndexMap;

use super::functions::Routines;
use crate::ir::{Module, Statement, visit};
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

/// Redirects calls to sequential instances, which are added to the module and
/// to the unit, with the instances of what these call. Bodies of functions are
/// as they were lowered.
pub fn run(unit: &mut Unit, routines: &Routines, module: &mut Module, calls: &SequentialCalls) {
    let mut instances = Instances {
        unit,
        routines,
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
        super::collectives::make_sequential(&mut function.body);
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
    routines: &'i Routines,
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
                && self.routines.level(symbol).is_some()
                && let Some(routine) = self.routines.body_on_device(self.unit, symbol)
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
