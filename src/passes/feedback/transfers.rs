//! Allocations and transfers that nothing needs, of data that the program places by itself.
//!
//! Input: regions with placements, and kernels as they were written. Output: a note for each section
//! that no kernel uses, for each copy back of what no kernel writes, and for each window that is
//! filled and not read; only where all that could use them is seen.

use std::collections::BTreeSet;

use crate::analysis::effects::{Oracle, Place};
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{Capture, DataAction, Module, RegionKind, StatementKind, visit};
use crate::typed::{
    Expression, ExpressionKind, Function, Storage, SymbolId, SymbolKind, UnaryOperator, Unit,
    visit as typed_visit,
};

/// The notes of a module.
pub fn of_module(module: &Module, unit: &Unit) -> Vec<Diagnostic> {
    let mut notes = Vec::new();
    let placements = || {
        let regions = module.regions.iter();
        regions.filter(|region| matches!(region.kind, RegionKind::Placement))
    };
    if placements().next().is_some() {
        let escaped = escaped(unit);
        let captured = |symbol: SymbolId| {
            let all = module.kernels.iter().flat_map(|kernel| &kernel.captures);
            let array = |c: &Capture| c.section_of.as_ref().map_or(c.symbol, |s| s.array);
            all.filter(move |c| array(c) == symbol)
        };
        for item in placements().flat_map(|region| &region.data) {
            let Some(symbol) = item.symbol.filter(|s| !escaped.contains(s)) else {
                continue;
            };
            let what = match item.action {
                DataAction::Create if captured(symbol).next().is_none() => "no kernel uses it",
                DataAction::CopyOut if !captured(symbol).any(|c| c.written) => {
                    "no kernel writes it: what comes back is what was copied in"
                }
                _ => continue,
            };
            let message = match item.action {
                DataAction::Create => format!("`{}` is in device memory for nothing", item.text),
                _ => format!("`{}` is copied back for nothing", item.text),
            };
            notes.push(needless(message, what, item.span));
        }
    }
    let oracle = Oracle::new(unit, &module.functions);
    for kernel in module.kernels.iter().filter(|k| k.shape.is_some()) {
        visit::walk(&kernel.body, &mut |statement| {
            let StatementKind::Windows(region) = &statement.kind else {
                return;
            };
            let effects = oracle.list(&region.body);
            for window in region.windows.iter().filter(|w| w.policy.fetch) {
                let array = window.array;
                let is_read = |place: &Place| place.symbol().is_none_or(|s| s == array);
                if !effects.reads.iter().any(is_read) && !effects.escapes.contains(&array) {
                    let message =
                        format!("`{}` is copied to shared memory for nothing", window.text);
                    notes.push(needless(message, "nothing reads it there", window.span));
                }
            }
        });
    }
    notes
}

fn needless(message: String, why: &str, span: crate::source::Span) -> Diagnostic {
    let note = Diagnostic::remark(codes::NEEDLESS_TRANSFER, message, span);
    note.note(why)
}

/// Arrays and pointers that code which is not seen may use, or that other names may stand for.
pub fn escaped(unit: &Unit) -> BTreeSet<SymbolId> {
    let mut found = BTreeSet::new();
    for symbol in (0..).map(SymbolId).take(unit.symbols.len()) {
        let variable = unit.symbol(symbol);
        let is_shared = variable.kind == SymbolKind::Variable(Storage::External);
        let is_alias = variable.kind == SymbolKind::Parameter
            && !variable.ty.qualifiers.is_restrict
            && unit.types.is_pointer(variable.ty.ty);
        if is_shared || is_alias {
            found.insert(symbol);
        }
    }
    for function in &unit.functions {
        of_function(unit, function, &mut found);
    }
    found
}

fn of_function(unit: &Unit, function: &Function, found: &mut BTreeSet<SymbolId>) {
    typed_visit::statements(&function.body, &mut |statement| {
        if let crate::typed::StatementKind::Declaration(list) = &statement.kind {
            for one in list {
                if let Some(value) = one.value()
                    && unit.types.is_pointer(unit.symbol(one.symbol).ty.ty)
                    && !is_fresh(value)
                {
                    found.insert(one.symbol);
                }
            }
        }
    });
    let mut roots = Vec::new();
    typed_visit::statement_roots(&function.body, &mut |root| roots.push(root));
    roots
        .into_iter()
        .for_each(|root| of_value(unit, root, found));
}

/// Memory that nothing else points to.
fn is_fresh(value: &Expression) -> bool {
    matches!(value.inner().kind, ExpressionKind::Call { .. })
}

/// The variables whose addresses an expression hands on.
fn of_value(unit: &Unit, e: &Expression, found: &mut BTreeSet<SymbolId>) {
    let mut inside = |e: &Expression| of_value(unit, e, found);
    match &e.kind {
        ExpressionKind::Index(base, index) => {
            if base.inner().as_symbol().is_none() {
                inside(base);
            }
            inside(index);
        }
        ExpressionKind::Unary(UnaryOperator::Indirection, base)
            if base.inner().as_symbol().is_some() => {}
        ExpressionKind::Unary(UnaryOperator::AddressOf, _) => {
            typed_visit::symbols(e, &mut |symbol| {
                found.insert(symbol);
            });
        }
        ExpressionKind::Assign(target, value) => {
            match target.as_symbol() {
                Some(symbol) if unit.types.is_pointer(target.ty.ty) && !is_fresh(value) => {
                    found.insert(symbol);
                }
                Some(_) => {}
                None => inside(target),
            }
            of_value(unit, value, found);
        }
        ExpressionKind::Call {
            function,
            arguments,
        } => {
            let name = function.as_symbol().map(|f| unit.symbol(f).name.as_str());
            let frees = name == Some("free");
            let all = arguments
                .iter()
                .filter(|a| !frees || a.inner().as_symbol().is_none());
            all.for_each(inside);
        }
        ExpressionKind::Symbol(symbol) => {
            found.insert(*symbol);
        }
        _ => typed_visit::operands(e, &mut |operand| inside(operand)),
    }
}
