//! Names of what C declares in a block and the kernel file at its top: enumerators, constants and
//! constant tables.
//!
//! Input: the symbols that the file has at its top. Establishes: each has a name that no other there
//! has, and that means nothing else in the functions that use it.
//!
//! ```text
//! int f(int i) { static const int t[2] = …; … }     __device__ const int t[2] = …;
//! int g(int i) { static const int t[2] = …; … }     __device__ const int t_2[2] = …;
//! ```

use std::collections::HashSet;

use indexmap::IndexSet;

use super::language::Cuda;
use crate::ir::{Module, Statement, visit};
use crate::source::Span;
use crate::typed::{Storage, SymbolId, SymbolKind, Unit};

/// Names those of the symbols that need another name than their own.
pub fn name<'s>(
    unit: &Unit,
    module: &Module,
    cuda: &mut Cuda,
    symbols: impl Iterator<Item = &'s SymbolId>,
) {
    let is_of_block = |id: &&SymbolId| is_of_block(unit, **id);
    let hoisted: IndexSet<SymbolId> = symbols.filter(is_of_block).copied().collect();
    if hoisted.is_empty() {
        return;
    }
    let hidden = hidden(unit, module, &hoisted);
    let mut taken: HashSet<&str> = HashSet::new();
    for (symbol, id) in unit.symbols.iter().zip(0..) {
        let is_of_file = match symbol.kind {
            SymbolKind::Variable(storage) => {
                matches!(storage, Storage::FileStatic | Storage::External)
            }
            SymbolKind::Function { .. } => true,
            SymbolKind::EnumConstant(_) => !is_of_block_at(unit, symbol.span),
            SymbolKind::Parameter | SymbolKind::Builtin(..) => false,
        };
        if is_of_file && !hoisted.contains(&SymbolId(id)) {
            taken.insert(&symbol.name);
        }
    }
    for id in hoisted {
        let wanted = unit.symbol(id).name.as_str();
        if hidden.contains(&id) || !taken.insert(wanted) {
            let name = cuda.fresh(wanted);
            cuda.names.insert(id, name);
        }
    }
}

fn is_of_block(unit: &Unit, id: SymbolId) -> bool {
    let symbol = unit.symbol(id);
    match symbol.kind {
        SymbolKind::Variable(storage) => storage == Storage::LocalStatic,
        SymbolKind::EnumConstant(_) => is_of_block_at(unit, symbol.span),
        _ => false,
    }
}

fn is_of_block_at(unit: &Unit, span: Span) -> bool {
    let mut functions = unit.functions.iter().map(|function| function.span);
    functions.any(|function| function.start <= span.start && span.end <= function.end)
}

/// Those that are used where a variable has their name.
fn hidden(unit: &Unit, module: &Module, hoisted: &IndexSet<SymbolId>) -> HashSet<SymbolId> {
    let mut hidden = HashSet::new();
    let mut search = |body: &[Statement], mut own: Vec<SymbolId>| {
        own.extend(visit::own_variables(body));
        visit::loops(body, &mut |l| own.extend(&l.privates));
        let names: HashSet<&str> = own
            .iter()
            .map(|id| unit.symbol(*id).name.as_str())
            .collect();
        visit::symbols(body, &mut |id| {
            if hoisted.contains(&id) && names.contains(unit.symbol(id).name.as_str()) {
                hidden.insert(id);
            }
        });
    };
    for kernel in &module.kernels {
        let captured = kernel.captures.iter().map(|capture| capture.symbol);
        let captured = captured.filter(|id| !hoisted.contains(id));
        search(
            &kernel.body,
            captured.chain(kernel.privates.iter().copied()).collect(),
        );
    }
    for device in &module.functions {
        let function = unit.function(device.symbol);
        search(
            &device.body,
            function.map_or(Vec::new(), |f| f.parameters.clone()),
        );
    }
    hidden
}
