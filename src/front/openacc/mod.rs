//! OpenACC 3.3 for C: directives become regions, kernels and loops.
//!
//! Input: a [`Unit`] whose directives are as parsed, names resolved. Output:
//! an [`ir::Module`], or errors, each at its exact place. A construct of the
//! standard that is not built is the error
//! [`NOT_SUPPORTED_YET`](crate::diagnostic::codes::NOT_SUPPORTED_YET); none is
//! ignored. `docs/conformance.md` lists them; that all else is here, a test
//! holds against a list of the standard.
//!
//! All directives of a unit are checked first ([`check`]: allowed by the
//! [`table`]?). Then C and they are rewritten, before anything is lowered:
//!
//! ```text
//! static_constants     static const variables of constructs    -> of their blocks
//! own_names            variables that hide those of clauses    -> ones of other names
//! pointer_loops        loops that count with pointers          -> with integers
//! partial_reductions   elements and sections that gangs reduce -> variables of gangs
//!   members            members that a construct reduces        -> its variables
//!   elements           elements of arrays that it uses besides -> its variables
//! moved_pointers       host pointers that a construct moves    -> its own
//! inlining             calls that use arrays with windows      -> what they do
//! ```
//!
//! The way of a construct then: `clauses` and `data` (what they mean), [`body`] (statements,
//! loops), `launches` (the steps of `kernels`), `attributes` (data implied),
//! `compute` (regions and kernels). Host statements are searched by `host`;
//! `functions` collects what kernels call.

mod allowed;
mod atomic;
mod attributes;
mod body;
mod check;
mod clauses;
mod collectives;
mod compute;
mod data;
mod device_types;
mod example_sections;
mod functions;
mod habits;
mod host;
mod levels;
mod long_double;
mod lost_scalars;
mod merged_items;
mod moved_pointers;
mod nests;
mod openmp;
mod own_names;
mod partial_reductions;
mod privates;
mod problems;
mod program;
mod queues;
mod reductions;
mod repeated_levels;
mod table;
mod windows;

pub use allowed::takes_in;
pub use long_double::LongDouble;

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};

use indexmap::IndexMap;

use check::Directives;
pub use openmp::Kept;

use crate::diagnostic::words::{Near, did_you_mean};
use crate::diagnostic::{Diagnostic, Diagnostics, Place, Severity, codes};
use crate::front::lowering::inlining::{self, Refusals};
use crate::front::lowering::{launches, pointer_loops, static_constants, usage};
use crate::ir::{DataItem, Module, Region, RegionId};
use crate::source::Span;
use crate::typed::{
    Function, IntegerKind, SymbolId, SymbolKind, Type, TypeId, Unit, library, visit,
};

/// What the user chose.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoweringOptions {
    /// What the standard forbids, or what cannot be proved safe, and is taken
    /// with or without a warning: a warning where there was none, an error
    /// where there was one.
    pub strict: bool,
    /// Notes of what has no effect.
    pub feedback: bool,
    /// What becomes of constructs with `long double`.
    pub long_double: LongDouble,
    /// All of the host's memory is present, and nothing is copied.
    pub unified_memory: bool,
}

impl LoweringOptions {
    /// How grave something is that the standard or good sense forbids and
    /// accrs takes.
    fn strictness(self) -> Severity {
        if self.strict {
            Severity::Error
        } else {
            Severity::Warning
        }
    }
}

/// What a directive of another model is called, from its words, and what else serves.
pub fn renamed(words: &[&str], is_before_loop: bool) -> Option<(&'static str, &'static str)> {
    let place = match is_before_loop {
        true => habits::Place::BeforeLoop,
        false => habits::Place::OnHost,
    };
    let others = match habits::runs_in_order(words, place) {
        true => habits::IN_ORDER,
        false => "",
    };
    habits::renamed(words, place).map(|name| (name, others))
}

/// What the clauses of a pragma of OpenMP are on the directive that takes its place.
pub fn kept_clauses(pragma: &str, on: &str) -> Kept {
    openmp::kept(pragma, on)
}

/// What stands in place of OpenMP's `declare target` with a list.
pub fn declared(pragma: &str, unit: &Unit) -> Option<String> {
    let is_function = |name: &str| {
        let mut symbols = unit.symbols.iter();
        symbols.any(|one| one.name == name && matches!(one.kind, SymbolKind::Function { .. }))
    };
    openmp::declared(pragma, &is_function)
}

/// Whether the name of a directive begins with a word.
pub fn is_directive(word: &str) -> bool {
    let mut rows = table::DIRECTIVES.iter();
    rows.any(|row| row.name.split(' ').next() == Some(word))
}

/// Lowers all directives of a unit. `None` if any has an error; all errors are
/// in `diagnostics`.
///
/// The unit changes: the type of computed lengths is interned, calls in regions
/// with windows are replaced ([`inlining`]), routines that one thread
/// runs are functions of their own ([`collectives`]), and variables
/// that launches hand on lose their `const` ([`launches`]).
pub fn lower(
    unit: &mut Unit,
    options: LoweringOptions,
    diagnostics: &mut Diagnostics,
) -> Option<Module> {
    let size = unit.types.intern(Type::Integer(IntegerKind::UnsignedLong));
    let errors_before = diagnostics.has_errors();
    let unreadable = [codes::DIRECTIVE_SYNTAX, codes::UNBALANCED_DIRECTIVE];
    let is_unreadable = diagnostics.iter().any(|one| unreadable.contains(&one.code));
    let mut own = Diagnostics::new();
    let mut module = Module::default();
    check::mark_copies(unit);
    let mut directives = Directives::of(unit, &mut own);
    let routines = functions::routines(unit, &directives, size, &mut module, &mut own);
    static_constants::run(unit, &mut directives);
    own_names::run(unit, &mut directives);
    pointer_loops::run(unit, &directives);
    partial_reductions::run(unit, &mut directives, &routines, &mut own);
    let reduced = partial_reductions::members::run(unit, &mut directives, &mut own);
    let moved = moved_pointers::run(unit, &mut directives);
    let refusals = inlining::run(unit, &directives, &|function| routines.is_bound(function));
    let given = Prepared {
        unit,
        options,
        directives: &directives,
        size,
        routines: &routines,
        refusals: &refusals,
        moved: &moved,
        reduced: &reduced,
        changed: &OnceCell::new(),
        has_unknown: is_unreadable || own.iter().any(|d| d.code == codes::UNKNOWN_DIRECTIVE),
    };
    let mut module = lower_items(given, module, &mut own);
    collectives::lower(unit, &routines, options, &mut module, &mut own);
    launches::make_writable(unit, &module);
    let failed = own.has_errors();
    for diagnostic in own.iter() {
        let diagnostic = with_similar(unit, diagnostic.clone());
        let diagnostic = of_undeclared(diagnostic, diagnostics);
        diagnostics.push(diagnostic);
    }
    (!failed && !errors_before).then_some(module)
}

/// What is said of a call that a device does not have, with what was said of a function that nothing
/// declares.
fn of_undeclared(error: Diagnostic, diagnostics: &mut Diagnostics) -> Diagnostic {
    let place = error.labels.first().map(|label| label.place.clone());
    let warning = place
        .filter(|_| error.code == codes::NOT_ON_DEVICE)
        .and_then(|place| diagnostics.take_warning(codes::UNDECLARED, &place));
    let Some(warning) = warning else {
        return error;
    };
    let error = error.label("nothing declares it");
    // What is similar and the host's alone is no way out.
    let of_device = |name: &str, help: &str| {
        let names = help.split('`').skip(1).step_by(2);
        let is_question = help.starts_with("did you mean");
        let names = names.filter(|name| is_question && library::instead(name).is_none());
        let names: Vec<&str> = names.collect();
        match Near::names(name, names.iter().copied()).nearest() {
            Some(nearest) => did_you_mean(std::iter::once(nearest)),
            None => did_you_mean(names.into_iter()),
        }
    };
    // Of a function of the host's libraries it is known what serves.
    let name = warning.message.split('`').nth(1);
    let is_known = name.is_some_and(|name| library::instead(name).is_some());
    let help = warning.help.filter(|_| !is_known);
    let similar = help.and_then(|help| of_device(name.unwrap_or_default(), &help));
    match similar {
        Some(help) => error.question(help),
        None => error,
    }
}

/// What is said of a name that nothing declares, with the names that may be meant.
fn with_similar(unit: &Unit, diagnostic: Diagnostic) -> Diagnostic {
    let is_at =
        |span: &Span| diagnostic.labels.first().map(|l| &l.place) == Some(&Place::Span(*span));
    let mut similar = unit.similar.iter();
    match similar.find(|(span, _)| diagnostic.code == codes::UNDECLARED && is_at(span)) {
        Some((_, help)) => diagnostic.question(help.as_str()),
        None => diagnostic,
    }
}

/// A unit whose functions are as they are lowered.
#[derive(Clone, Copy)]
struct Prepared<'u> {
    unit: &'u Unit,
    options: LoweringOptions,
    /// What its directives say.
    directives: &'u Directives,
    /// The type of computed lengths.
    size: TypeId,
    routines: &'u functions::Routines,
    /// Why calls stay in regions with windows.
    refusals: &'u Refusals,
    /// The pointers of which constructs have copies.
    moved: &'u moved_pointers::Moved,
    /// The variables that constructs have for members.
    reduced: &'u partial_reductions::members::ReducedMembers,
    /// The variables that may change after they were declared, once that has been asked.
    changed: &'u OnceCell<HashSet<SymbolId>>,
    /// A directive is unknown or cannot be read, and may be the construct around others.
    has_unknown: bool,
}

fn lower_items(given: Prepared<'_>, mut module: Module, diagnostics: &mut Diagnostics) -> Module {
    let mut called = IndexMap::new();
    let mut orphans = Vec::new();
    for function in &given.unit.functions {
        if !visit::has_directives(&function.body) {
            continue;
        }
        let mut lowering = Lowering {
            given,
            diagnostics,
            module,
            function,
            regions: Vec::new(),
            visible: given.routines.declared.visible.clone(),
            declared: &given.routines.declared.reachable,
            defaults: Vec::new(),
            addresses: usage::addresses(&function.body),
            called,
            orphans,
        };
        lowering.statement(&function.body);
        (module, called, orphans) = (lowering.module, lowering.called, lowering.orphans);
    }
    functions::lower(given, called, &orphans, &mut module, diagnostics);
    module
}

/// The state while the directives of one function are lowered.
struct Lowering<'u, 'd> {
    given: Prepared<'u>,
    diagnostics: &'d mut Diagnostics,
    module: Module,
    function: &'u Function,
    /// The regions around, outermost first.
    regions: Vec<RegionId>,
    /// The data clauses of the `data` constructs around, outermost first.
    visible: Vec<DataItem>,
    /// The variables that `declare` brings to the device.
    declared: &'u [SymbolId],
    /// `default` of the `data` constructs around, outermost first; each
    /// inherits that of the one around it.
    defaults: Vec<Option<clauses::DefaultClause>>,
    /// Variables of the function whose address is taken.
    addresses: BTreeSet<SymbolId>,
    /// Functions that kernels call, with a call.
    called: IndexMap<SymbolId, Span>,
    /// Directives of device functions, which stand outside compute constructs.
    orphans: Vec<Orphan>,
}

/// A `loop`, `atomic` or `cache` directive outside compute constructs.
#[derive(Clone, Copy, Debug)]
struct Orphan {
    /// The function that it stands in.
    function: SymbolId,
    /// Which one.
    kind: table::DirectiveKind,
    /// Its place.
    directive: Span,
}

impl Lowering<'_, '_> {
    fn add_region(&mut self, region: Region) -> RegionId {
        let id = RegionId(u32::try_from(self.module.regions.len()).unwrap_or(u32::MAX));
        self.module.regions.push(region);
        id
    }
}

#[cfg(test)]
mod tests;
