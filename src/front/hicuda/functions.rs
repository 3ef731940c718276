//! Functions that kernels call (the paper's section 5.7.2).
//!
//! One with directives is part of each kernel that calls it, by inlining: which loops its
//! partitions share depends on the caller. Any other is a function on the device.

use std::borrow::Cow;
use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::body::Body;
use super::check::Directives;
use super::checked::Checked;
use super::sections::{Reader, Shapes};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::lowering::functions::{Functions, is_constant, lasting, variadic};
use crate::front::lowering::inlining::Refusals;
use crate::front::lowering::statements::Statements;
use crate::front::lowering::usage;
use crate::ir::{DeviceFunction, Module};
use crate::source::Span;
use crate::typed::{Function, Statement, SymbolId, Unit, library, visit};

/// Lowers the functions that kernels call, callees first.
pub fn lower(
    unit: &Unit,
    directives: &Directives,
    called: IndexMap<SymbolId, Span>,
    refusals: &Refusals,
    module: &mut Module,
    diagnostics: &mut Diagnostics,
) {
    let known: BTreeSet<SymbolId> = module.functions.iter().map(|f| f.symbol).collect();
    let mut collector = Collector {
        unit,
        directives,
        refusals,
        diagnostics,
        done: known,
        functions: Functions::default(),
        globals: Vec::new(),
    };
    for (symbol, span) in called {
        collector.call(symbol, span);
    }
    collector.functions.spread_globals();
    module.functions.extend(collector.functions.list);
    for global in collector.globals {
        if !module.device_globals.contains(&global) {
            module.device_globals.push(global);
        }
    }
}

struct Collector<'c> {
    unit: &'c Unit,
    directives: &'c Directives,
    refusals: &'c Refusals,
    diagnostics: &'c mut Diagnostics,
    done: BTreeSet<SymbolId>,
    functions: Functions,
    /// Variables that functions reach by themselves.
    globals: Vec<SymbolId>,
}

impl Collector<'_> {
    fn is_of_caller(&self, function: &Function) -> bool {
        let is_such = &mut |s: &Statement| {
            let checked = self.directives.of_statement(s);
            checked.is_some_and(Checked::is_in_kernels)
        };
        visit::any_statement(&function.body, is_such)
    }

    fn call(&mut self, symbol: SymbolId, span: Span) {
        if !self.done.insert(symbol) {
            return;
        }
        let name = &self.unit.symbol(symbol).name;
        match self.unit.function(symbol) {
            Some(function) => self.function(function, span),
            None if library::is_on_device(name) => {}
            None => {
                let message = library::refusal(name);
                let problem = Diagnostic::error(codes::NOT_ON_DEVICE, message, span);
                let general =
                    || format!("define `{name}` in this file, or move the call out of the kernel");
                let help = library::instead(name).map_or_else(general, Cow::into_owned);
                self.diagnostics.push(problem.help(help));
            }
        }
    }

    fn function(&mut self, function: &Function, call: Span) {
        if self.is_of_caller(function) {
            let name = &self.unit.symbol(function.symbol).name;
            let message = format!("`{name}` has directives, and cannot be part of the kernel");
            let problem = Diagnostic::error(codes::NOT_ON_DEVICE, message, call);
            // Kept by the whole call, of which the name is the beginning.
            let mut obstacles = self.refusals.iter();
            let obstacle = obstacles.find(|(place, _)| place.start == call.start);
            let problem = match obstacle {
                Some((_, obstacle)) => problem.also(obstacle.span, obstacle.reason.clone()),
                None => problem,
            };
            self.diagnostics.push(problem.help(
                "what its directives share depends on the kernel: write what it does into the kernel",
            ));
            return;
        }
        if let Some(problem) = variadic(self.unit, function.symbol, call) {
            self.diagnostics.push(problem);
        }
        let shapes = Shapes::new();
        let reader = Reader {
            unit: self.unit,
            shapes: &shapes,
        };
        let mut body = Body::new(reader, self.directives, None, self.diagnostics);
        let list = body.list(&function.body);
        let used = usage::of(self.unit, &list);
        used.problems()
            .for_each(|problem| self.diagnostics.push(problem));
        let mut globals = Vec::new();
        for (symbol, place) in used.outside() {
            if function.parameters.contains(&symbol) || self.unit.symbol(symbol).is_automatic() {
                continue;
            }
            globals.push(symbol);
            if is_constant(self.unit, symbol) || self.globals.contains(&symbol) {
                continue;
            }
            if let Some(problem) = lasting(self.unit, symbol, place.span) {
                let help = "make it `const` with a value, or a variable of the file";
                self.diagnostics.push(problem.help(help));
            }
            self.globals.push(symbol);
        }
        for (&callee, &span) in &used.calls {
            self.call(callee, span);
        }
        let lowered = DeviceFunction {
            symbol: function.symbol,
            body: list,
            globals,
            row_lengths: Vec::new(),
            exported: false,
        };
        self.functions.add(lowered, &used);
    }
}
