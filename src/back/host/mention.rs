//! What only kernels use.
//!
//! A variable or `static` function that nothing but a compute region uses is
//! unused in the host program, and a compiler would say so. The region
//! mentions it: `(void)temporary;`.

use std::collections::HashSet;

use crate::ir::{Module, Region, RegionKind, visit};
use crate::source::Span;
use crate::typed::visit as typed_visit;
use crate::typed::{ExpressionKind, Storage, SymbolId, SymbolKind, Unit};

/// Which symbols the host program uses outside its compute regions, or in
/// mentions made so far.
pub struct Mentions {
    used: HashSet<SymbolId>,
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
        for function in &unit.functions {
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
        Self { used }
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
        let RegionKind::Compute { launches } = &region.kind else {
            return Vec::new();
        };
        self.used.extend(passed);
        let mut found = Vec::new();
        let mut declared = HashSet::new();
        for launch in launches {
            let kernel = module.kernel(launch.kernel);
            declared.extend(visit::declared(&kernel.body));
            found.extend(kernel.privates.iter().copied());
            visit::loops(&kernel.body, &mut |l| {
                if l.declared_inside {
                    declared.insert(l.induction);
                } else {
                    found.push(l.induction);
                }
                found.extend(l.privates.iter().copied());
            });
            symbols(&kernel.body, &mut found);
        }
        self.callees(module, &mut found);
        found.retain(|id| {
            !declared.contains(id) && warns_if_unused(unit, *id) && self.used.insert(*id)
        });
        found
    }

    /// Adds what called functions call and use.
    fn callees(&self, module: &Module, found: &mut Vec<SymbolId>) {
        let mut seen = HashSet::new();
        let mut at = 0;
        while at < found.len() {
            let id = found[at];
            at += 1;
            let function = module
                .functions
                .iter()
                .find(|function| function.symbol == id);
            if let (Some(function), true) = (function, seen.insert(id)) {
                let mut inner = Vec::new();
                symbols(&function.body, &mut inner);
                let own: HashSet<SymbolId> = visit::declared(&function.body).into_iter().collect();
                found.extend(inner.into_iter().filter(|id| !own.contains(id)));
            }
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

/// Whether compilers warn of an unused symbol of this kind. A parameter of a
/// device function is none of the host's.
fn warns_if_unused(unit: &Unit, id: SymbolId) -> bool {
    match unit.symbol(id).kind {
        SymbolKind::Variable(storage) => {
            !matches!(storage, Storage::External | Storage::ThreadLocal)
        }
        SymbolKind::Function { is_static, .. } => is_static,
        SymbolKind::Parameter | SymbolKind::EnumConstant(_) => false,
    }
}
