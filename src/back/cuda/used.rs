//! What of the program the kernel file has to have.
//!
//! Input: the IR of its kernels and device functions. Output: the types, enumerators and objects of
//! the file that they mention.

use std::collections::HashSet;

use indexmap::IndexSet;

use super::named_constants::NamedConstants;
use crate::ir::{Module, Statement, visit};
use crate::typed::{
    Expression, ExpressionKind, Storage, SymbolId, SymbolKind, TypeId, Unit, visit as typed_visit,
};

/// What kernels and device functions mention.
#[derive(Default)]
pub struct Used {
    /// Types of what they have and compute.
    pub types: IndexSet<TypeId>,
    /// Enumerators.
    pub constants: IndexSet<SymbolId>,
    /// Objects of the file that are no parameters.
    pub globals: IndexSet<SymbolId>,
}

impl Used {
    /// Of a module's kernels and device functions.
    pub fn collect(module: &Module, unit: &Unit, constants: &NamedConstants) -> Self {
        let mut used = Self::default();
        let device_globals: HashSet<SymbolId> = module.device_globals.iter().copied().collect();
        for import in &module.imports {
            used.types.insert(unit.symbol(import.symbol).ty.ty);
        }
        for &global in &module.device_globals {
            used.types.insert(unit.symbol(global).ty.ty);
        }
        for kernel in &module.kernels {
            for capture in &kernel.captures {
                used.types.insert(unit.symbol(capture.symbol).ty.ty);
            }
            for window in &kernel.windows {
                used.types.insert(unit.symbol(window.storage).ty.ty);
            }
            let captured = kernel.captures.iter().map(|capture| capture.symbol);
            for value in captured
                .clone()
                .filter_map(|symbol| constants.value(symbol))
            {
                used.expression(unit, value, &HashSet::new());
            }
            let captured = captured.filter(|symbol| !constants.is_of_file(unit, *symbol));
            let captured: HashSet<SymbolId> = captured.collect();
            // Functions name globals; kernels get their addresses, or have copies.
            let mut known = match kernel.collective {
                None => captured.clone(),
                Some(_) => device_globals.clone(),
            };
            known.extend(&kernel.privates);
            visit::loops(&kernel.body, &mut |l| {
                known.insert(l.induction);
                known.extend(&l.privates);
            });
            used.statements(unit, &kernel.body, &known);
            for counts in kernel.grid.iter().flatten() {
                for e in [&counts.lower, &counts.bound, &counts.step] {
                    used.expression(unit, e, &captured);
                }
            }
        }
        for device in &module.functions {
            used.types.insert(unit.symbol(device.symbol).ty.ty);
            used.statements(unit, &device.body, &device_globals);
        }
        used
    }

    fn statements(&mut self, unit: &Unit, list: &[Statement], captured: &HashSet<SymbolId>) {
        for symbol in visit::declared(list) {
            self.types.insert(unit.symbol(symbol).ty.ty);
        }
        // Of all expressions, those inside others too.
        visit::expressions(list, &mut |e| self.one(unit, e, captured));
    }

    fn expression(&mut self, unit: &Unit, e: &Expression, captured: &HashSet<SymbolId>) {
        typed_visit::walk(e, &mut |e| self.one(unit, e, captured));
    }

    /// Of an expression alone, without those inside.
    fn one(&mut self, unit: &Unit, e: &Expression, captured: &HashSet<SymbolId>) {
        self.types.insert(e.ty.ty);
        let ExpressionKind::Symbol(id) = e.kind else {
            return;
        };
        match unit.symbol(id).kind {
            SymbolKind::EnumConstant(_) => {
                self.constants.insert(id);
            }
            SymbolKind::Variable(storage)
                if storage != Storage::Automatic && !captured.contains(&id) =>
            {
                self.globals.insert(id);
            }
            _ => {}
        }
    }
}
