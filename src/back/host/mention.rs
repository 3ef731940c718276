//! What only kernels use.
//!
//! A variable or `static` function that nothing but a compute region uses is
//! unused in the host program, and a compiler would say so. The region
//! mentions it: `(void)temporary;`.

use std::collections::HashSet;

use crate::ir::{Module, Region, RegionKind, visit};
use crate::source::Span;
use crate::typed::visit as typed_visit;
use crate::typed::{ExpressionKind, StatementKind, Storage, SymbolId, SymbolKind, Unit};

/// Which symbols the host program uses outside its compute regions, or in
/// mentions made so far.
pub struct Mentions {
    used: HashSet<SymbolId>,
    /// Variables that the program declares, unlike those that passes make.
    declared: HashSet<SymbolId>,
}

impl Mentions {
    /// Reads all functions of the unit.
    pub fn new(module: &Module, unit: &Unit) -> Self {
        let mut bodies: Vec<Span> = module
            .regions
            .iter()
            .filter(|region| matches!(region.kind, RegionKind::Compute { .. }))
            .filter_map(|region| region.body)
            .collect();
        bodies.sort_unstable();
        let in_region = |span: Span| {
            let after = bodies.partition_point(|body| body.start <= span.start);
            after > 0 && span.end <= bodies[after - 1].end
        };
        let mut used = HashSet::new();
        let globals = unit.globals.iter().map(|global| global.symbol);
        let mut declared: HashSet<SymbolId> = globals.collect();
        for function in &unit.functions {
            declared.extend(&function.parameters);
            typed_visit::statements(&function.body, &mut |statement| {
                if let StatementKind::Declaration(list) = &statement.kind {
                    declared.extend(list.iter().map(|declaration| declaration.symbol));
                }
            });
            typed_visit::statement_roots(&function.body, &mut |root| {
                if in_region(root.span) {
                    return;
                }
                typed_visit::walk(root, &mut |e| {
                    if let ExpressionKind::Symbol(id) = e.kind {
                        used.insert(id);
                    }
                });
            });
        }
        Self { used, declared }
    }

    /// Symbols of one region that need a mention; `passed` are those that the
    /// generated code names anyway.
    pub fn of_region(
        &mut self,
        module: &Module,
        unit: &Unit,
        region: &Region,
        passed: &[SymbolId],
    ) -> Vec<SymbolId> {
        let RegionKind::Compute { launches, .. } = &region.kind else {
            return Vec::new();
        };
        self.used.extend(passed);
        let mut found = Vec::new();
        for launch in launches {
            let kernel = module.kernel(launch.kernel);
            found.extend(kernel.privates.iter().copied());
            found.extend(kernel.windows.iter().map(|window| window.array));
            visit::loops(&kernel.body, &mut |l| {
                found.push(l.induction);
                found.extend(l.privates.iter().copied());
            });
            symbols(&kernel.body, &mut found);
            // An array may be there for its windows alone.
            found.extend(kernel.windows.iter().map(|window| window.array));
        }
        callees(module, &mut found);
        found.retain(|id| {
            let known = !module.instances.contains_key(id);
            let is_own = self.declared.contains(id) || !unit.symbol(*id).is_variable();
            known && is_own && is_visible(unit, region, *id) && self.used.insert(*id)
        });
        found
    }
}

/// Adds what called functions call and use.
fn callees(module: &Module, found: &mut Vec<SymbolId>) {
    let mut seen = HashSet::new();
    let mut at = 0;
    while at < found.len() {
        let id = found[at];
        at += 1;
        found.extend(module.instances.get(&id));
        let function = module
            .functions
            .iter()
            .find(|function| function.symbol == id);
        if let (Some(function), true) = (function, seen.insert(id)) {
            symbols(&function.body, found);
        }
    }
}

/// Symbols in the order of their use.
fn symbols(body: &[crate::ir::Statement], found: &mut Vec<SymbolId>) {
    visit::expressions(body, &mut |root| {
        typed_visit::walk(root, &mut |e| {
            if let ExpressionKind::Symbol(id) = e.kind {
                found.push(id);
            }
        });
    });
}

/// Whether compilers warn of an unused symbol of this kind, and the region can
/// name it: a variable of the function around it, or of the file.
fn is_visible(unit: &Unit, region: &Region, id: SymbolId) -> bool {
    let symbol = unit.symbol(id);
    let contains = |outer: Span| outer.start <= symbol.span.start && symbol.span.end <= outer.end;
    match symbol.kind {
        SymbolKind::Variable(Storage::FileStatic) => true,
        SymbolKind::Variable(Storage::Automatic | Storage::LocalStatic) | SymbolKind::Parameter => {
            let function = unit.function(region.function);
            function.is_some_and(|function| contains(function.span))
                && !region.body.is_some_and(contains)
        }
        SymbolKind::Function { is_static, .. } => is_static,
        _ => false,
    }
}
