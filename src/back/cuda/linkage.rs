//! Names that objects of one program do not share.
//!
//! The host program calls launchers by names that the whole program sees. Of a
//! function with external linkage there is one in the program, and its
//! launchers are called after it. A `static` or `inline` one may be in many
//! units, as those of headers are, on the same lines, and beside an external
//! one of its name: its launchers carry the name of the first function that the
//! unit defines for others, too, at the end, where launchers of external
//! functions have a number at most. No path and no file name does it: they differ
//! between machines, and repeat. A unit with `main` that names nothing of other
//! units is taken for the whole program, and keeps the plain names.
//!
//! ```text
//! float norm(…) { … }                norm_launch, norm_launch2, …
//! static void fill(…) { … }          fill_launch_norm, fill_launch2_norm, …
//! ```
//!
//! The namespace of what only the kernel file sees is as much the unit's own.

use std::collections::HashSet;

use crate::back::namer::identifier;
use crate::source::TranslationUnit;
use crate::typed::{Storage, Symbol, SymbolId, SymbolKind, Unit};

/// What only one unit of a program defines.
const MAIN: &str = "main";

/// What a unit knows of the program that it is in.
#[derive(Clone, Debug)]
pub struct Linkage {
    /// A name of the unit's that no other unit of a program has: `main`, or the
    /// first that it defines for others. A unit that defines nothing so, which
    /// only what runs by itself before `main` can be in, goes by its file's name.
    pub owner: String,
    /// The name of the file as an identifier.
    stem: String,
    /// Whether there are no other units, as far as it can tell.
    is_program: bool,
}

impl Linkage {
    /// The linkage of a unit.
    pub fn new(unit: &Unit, source: &TranslationUnit) -> Self {
        let stem = stem(source);
        let is_main = defines_main(unit);
        let first = || definitions(unit).find(|symbol| is_shared(symbol));
        Self {
            owner: match is_main {
                true => MAIN.to_string(),
                false => first().map_or(stem.clone(), |symbol| symbol.name.clone()),
            },
            stem,
            is_program: is_main && !names_others(unit, source),
        }
    }

    /// What a launcher of a function is called; `number` tells several apart.
    pub fn launcher(&self, unit: &Unit, function: SymbolId, number: &str) -> String {
        let symbol = unit.symbol(function);
        let name = format!("{}_launch{number}", symbol.name);
        match self.is_alone(symbol) {
            true => name,
            false => format!("{name}_{}", self.owner),
        }
    }

    /// A name that no other unit of the program has: its file's where there is no other.
    pub fn unit(&self) -> &str {
        match self.is_program {
            true => &self.stem,
            false => &self.owner,
        }
    }

    /// Whether no other unit of a program has a function of this name, as far as
    /// a unit can tell.
    pub fn is_alone(&self, symbol: &Symbol) -> bool {
        is_shared(symbol) || self.is_program
    }
}

/// The name of the file as an identifier.
pub fn stem(source: &TranslationUnit) -> String {
    let stem = source.file.path.file_stem();
    identifier(&stem.map(|s| s.to_string_lossy()).unwrap_or_default())
}

/// Whether the unit has the function that a program begins with.
pub fn defines_main(unit: &Unit) -> bool {
    let mut functions = unit.functions.iter().map(|f| unit.symbol(f.symbol));
    functions.any(|function| function.name == MAIN)
}

/// Functions, and globals with a value, in order.
fn definitions(unit: &Unit) -> impl Iterator<Item = &Symbol> {
    let functions = unit.functions.iter().map(|f| f.symbol);
    let globals = unit.globals.iter().filter(|g| g.initializer.is_some());
    let defined = functions.chain(globals.map(|g| g.symbol));
    defined.map(|id| unit.symbol(id))
}

/// Whether a unit declares what another one defines: what it shares, has no
/// definition of, and no header of the system declares.
fn names_others(unit: &Unit, source: &TranslationUnit) -> bool {
    let functions = unit.functions.iter().map(|f| f.symbol);
    let globals = unit.globals.iter().filter(|g| g.is_defined);
    let defined = functions.chain(globals.map(|g| g.symbol));
    // By name: a function that is called undeclared and defined later is two symbols.
    let defined: HashSet<&str> = defined.map(|id| unit.symbol(id).name.as_str()).collect();
    let of_compiler = |symbol: &Symbol| {
        let SymbolKind::Function { is_builtin, .. } = symbol.kind else {
            return false;
        };
        is_builtin
    };
    unit.symbols.iter().any(|symbol| {
        is_shared(symbol)
            && !defined.contains(symbol.name.as_str())
            && !of_compiler(symbol)
            && !source.is_in_system_header(symbol.span)
    })
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
