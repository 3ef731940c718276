//! The functions that kernels call, and what they need of each other.

use std::collections::BTreeSet;

use super::directives::Dialect;
use super::usage::Usage;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{DeviceFunction, Level, Module, visit};
use crate::source::Span;
use crate::typed::{
    ExpressionKind, Statement, Storage, SymbolId, SymbolKind, Type, Unit, synthesis,
    visit as typed_visit,
};

/// Lowered functions, each once.
#[derive(Debug, Default)]
pub struct Functions {
    /// Callees first where there is no recursion.
    pub list: Vec<DeviceFunction>,
    /// What each of them calls.
    callees: Vec<Vec<SymbolId>>,
}

impl Functions {
    /// Adds one, whose callees are there.
    pub fn add(&mut self, function: DeviceFunction, usage: &Usage) {
        self.callees.push(usage.calls.keys().copied().collect());
        self.list.push(function);
    }

    /// Some functions, and all that call them.
    pub fn callers(&self, called: BTreeSet<SymbolId>) -> BTreeSet<SymbolId> {
        let mut found = called;
        loop {
            let before = found.len();
            for (function, callees) in self.list.iter().zip(&self.callees) {
                if callees.iter().any(|callee| found.contains(callee)) {
                    found.insert(function.symbol);
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// Gives every function the globals of those that it calls, around
    /// recursion as well.
    pub fn spread_globals(&mut self) {
        loop {
            let mut changed = false;
            for index in 0..self.list.len() {
                let mut inherited = Vec::new();
                for callee in &self.callees[index] {
                    let theirs = self.list.iter().find(|f| f.symbol == *callee);
                    inherited.extend(theirs.iter().flat_map(|f| f.globals.iter().copied()));
                }
                let own = &mut self.list[index].globals;
                for global in inherited {
                    if !own.contains(&global) {
                        own.push(global);
                        changed = true;
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }
}

/// Loops of a function are shared within the block that calls it. Several
/// blocks would each run all of a loop that they were to share, so that kernels
/// which call such functions have one.
pub fn one_block(divided: &BTreeSet<SymbolId>, module: &mut Module) {
    for kernel in &mut module.kernels {
        let mut call = None;
        visit::expressions(&kernel.body, &mut |e| {
            if matches!(e.kind, ExpressionKind::Symbol(symbol) if divided.contains(&symbol)) {
                call = Some((e.ty.ty, e.span));
            }
        });
        if let Some((ty, span)) = call {
            kernel.sizes[Level::Block] = Some(synthesis::integer(1, ty, span));
        }
    }
}

/// The functions that kernels call, themselves or through others.
pub fn called_by_kernels(unit: &Unit, dialect: &dyn Dialect) -> BTreeSet<SymbolId> {
    let mut found = BTreeSet::new();
    let mut open = Vec::new();
    let mut note = |body: &Statement, open: &mut Vec<SymbolId>| {
        typed_visit::expressions(body, &mut |e| {
            if let ExpressionKind::Call { function, .. } = &e.kind
                && let Some(symbol) = function.as_symbol()
                && found.insert(symbol)
            {
                open.push(symbol);
            }
        });
    };
    for function in &unit.functions {
        typed_visit::statements(&function.body, &mut |statement| {
            if dialect.role_of(statement).is_construct {
                note(statement, &mut open);
            }
        });
    }
    while let Some(next) = open.pop() {
        if let Some(function) = unit.function(next) {
            note(&function.body, &mut open);
        }
    }
    found
}

/// Why a function cannot be one of a device: it takes a variable number of arguments.
pub fn variadic(unit: &Unit, function: SymbolId, call: Span) -> Option<Diagnostic> {
    let symbol = unit.symbol(function);
    let name = &symbol.name;
    let message = format!("`{name}` takes a variable number of arguments, which no device can");
    matches!(unit.types.get(symbol.ty.ty), Type::Function(ty) if ty.is_variadic).then(|| {
        Diagnostic::error(codes::NOT_ON_DEVICE, message, call)
            .help("pass an array and its length, or write a function with fixed parameters")
    })
}

/// Why a function of a device cannot have a variable: it outlasts the call.
pub fn lasting(unit: &Unit, symbol: SymbolId, place: Span) -> Option<Diagnostic> {
    let variable = unit.symbol(symbol);
    let message = format!(
        "`{}` is `static` in a function on the device",
        variable.name
    );
    (variable.kind == SymbolKind::Variable(Storage::LocalStatic))
        .then(|| Diagnostic::error(codes::DEVICE_GLOBAL, message, place))
}

/// Whether a variable is `const`, with its value in this file.
pub fn is_constant(unit: &Unit, symbol: SymbolId) -> bool {
    let ty = unit.types.innermost(unit.symbol(symbol).ty);
    let global = unit.global(symbol);
    ty.qualifiers.is_const && global.is_some_and(|global| global.initializer.is_some())
}
