//! Names that objects of one program do not share.
//!
//! The host program calls launchers by names that the whole program sees. Of a
//! function with external linkage there is one in the program, and its
//! launchers are called after it. A `static` or `inline` one may be in many
//! units, as those of headers are, on the same lines: its launchers carry the
//! name of the first function that the unit defines for others, too. No path
//! and no file name does it: they differ between machines, and repeat. The unit
//! with `main` is the only one of its program, and keeps the plain names.
//!
//! ```text
//! float norm(…) { … }                norm_line12
//! static void fill(…) { … }          norm_fill_line30
//! ```
//!
//! The namespace of what only the kernel file sees is as much the unit's own.

use crate::typed::{Storage, Symbol, SymbolId, SymbolKind, Unit};

/// What only one unit of a program defines.
const MAIN: &str = "main";

/// What the names of launchers in a function begin with.
pub fn launcher(unit: &Unit, function: SymbolId, stem: &str) -> String {
    let symbol = unit.symbol(function);
    match is_alone(unit, symbol) {
        true => symbol.name.clone(),
        false => format!("{}_{}", owner(unit, stem), symbol.name),
    }
}

/// A name for the unit: its file's, and what it defines if that does not tell.
pub fn unit(unit: &Unit, stem: &str) -> String {
    match owner(unit, stem) {
        MAIN => stem.to_string(),
        owner if owner == stem => stem.to_string(),
        owner => format!("{stem}_{owner}"),
    }
}

/// A name of the unit's that no other unit of a program has: `main`, or the
/// first that it defines for others. A unit that defines nothing so, which only
/// what runs by itself before `main` can be in, goes by its file's name.
pub fn owner<'a>(unit: &'a Unit, stem: &'a str) -> &'a str {
    let functions = unit.functions.iter().map(|f| f.symbol);
    let globals = unit.globals.iter().filter(|g| g.initializer.is_some());
    let defined = functions.chain(globals.map(|g| g.symbol));
    let mut symbols = defined.map(|id| unit.symbol(id));
    if defines_main(unit) {
        return MAIN;
    }
    symbols
        .find(|symbol| is_shared(symbol))
        .map_or(stem, |symbol| &symbol.name)
}

/// Whether the unit has the function that a program begins with.
pub fn defines_main(unit: &Unit) -> bool {
    let mut functions = unit.functions.iter().map(|f| unit.symbol(f.symbol));
    functions.any(|function| function.name == MAIN)
}

/// Whether no other unit of a program has a function of this name, as far as a
/// unit can tell.
pub fn is_alone(unit: &Unit, symbol: &Symbol) -> bool {
    is_shared(symbol) || defines_main(unit)
}

/// Whether a program has it once.
fn is_shared(symbol: &Symbol) -> bool {
    match symbol.kind {
        SymbolKind::Function {
            is_static,
            is_inline,
            ..
        } => !is_static && !is_inline,
        SymbolKind::Variable(storage) => storage == Storage::External,
        _ => false,
    }
}
