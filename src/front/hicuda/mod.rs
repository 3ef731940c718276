//! hiCUDA for C: directives become regions, kernels with shapes and shared loops
//! (T. D. Han, T. S. Abdelrahman: hiCUDA: High-Level GPGPU Programming, 2011).
//!
//! Input: a [`Unit`] whose directives are as parsed, names resolved. Output: regions,
//! kernels and functions added to an [`ir::Module`](Module), or errors, each at its exact
//! place. `docs/hicuda.md` says what is taken, and what the paper leaves open.
//!
//! All directives are read first ([`check`], by the [`table`]). Host code is searched for
//! data and kernels ([`host`]); a kernel's statements are lowered by [`body`], what
//! it uses of the host's variables is decided by [`kernel`], what it calls is collected by
//! [`functions`], what a kernel's callers say in numbers by [`contexts`]. Which data a kernel finds on the device is known at run time: the device
//! copy of an array is that of the directive which any caller executed last.

mod body;
mod check;
mod checked;
mod contexts;
mod functions;
mod host;
mod kernel;
mod kernel_rules;
mod lifetimes;
mod problems;
mod reductions;
mod sections;
mod table;
mod windows;

use indexmap::IndexMap;

use check::Directives;

use crate::analysis::directives::all_named;
use crate::ast::Dialect;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Place, REPLACEMENT, Severity, codes};
use crate::front::lowering::functions::called_by_kernels;
use crate::front::lowering::inlining;
use crate::ir::Module;
use crate::source::Span;
use crate::typed::{Function, Item, SymbolId, Unit, visit};

/// Whether a directive has such a name.
pub fn is_directive(word: &str) -> bool {
    table::directive(word).is_some()
}

/// Lowers all directives of a unit. `None` if any has an error; all errors are in
/// `diagnostics`.
pub fn lower(unit: &mut Unit, module: Module, diagnostics: &mut Diagnostics) -> Option<Module> {
    let mut own = Diagnostics::new();
    let unread = [codes::DIRECTIVE_SYNTAX, codes::MISPLACED_DIRECTIVE];
    let is_unread = diagnostics.iter().any(|d| unread.contains(&d.code));
    let directives = Directives::of(unit, &mut own);
    let is_unknown =
        |d: &&Diagnostic| unread.contains(&d.code) || d.code == codes::UNKNOWN_DIRECTIVE;
    let unknown = diagnostics.iter().chain(own.iter()).filter(is_unknown);
    let unknown: Vec<Span> = unknown.filter_map(place).collect();
    let is_unclear = |d: &&Diagnostic| d.code == codes::UNKNOWN_CLAUSE;
    let unclear = own.iter().filter(is_unclear).filter_map(place);
    let unclear: Vec<Span> = unclear.chain(unknown.iter().copied()).collect();
    let prefixes: Vec<(Span, String)> = diagnostics.iter().filter_map(passed_by).collect();
    let mut missed = Vec::new();
    let mut module = module;
    for item in &unit.items {
        if let Item::Directive(written) = item
            && written.dialect == Dialect::HiCuda
        {
            let message = format!("`{}` stands outside of any function", written.name_text());
            let code = codes::DIRECTIVE_OUT_OF_PLACE;
            let problem = Diagnostic::error(code, message, written.span);
            own.push(problem.help("move it into the function that it concerns"));
        }
    }
    for function in &unit.functions {
        super::one_dialect(unit, function, &mut own);
    }
    let in_kernels = called_by_kernels(unit, &directives);
    let refusals = inlining::run(unit, &directives, &|_| false);
    // Copies of directives name what the caller has; what is wrong was reported.
    let directives = Directives::of(unit, &mut Diagnostics::new());
    let unit = &*unit;
    let mut called: IndexMap<SymbolId, Span> = IndexMap::new();
    let contexts = contexts::of(unit, &directives);
    for function in &unit.functions {
        if !has_directives(function) {
            continue;
        }
        let is_inside = |at: &Span| function.span.start <= at.start && at.end <= function.span.end;
        let is_known = !unknown.iter().any(is_inside);
        let prefixes = prefixes.iter().filter(|(at, _)| is_inside(at));
        let is_whole = is_known && prefixes.clone().next().is_none();
        let mut unclear = named_by(unit, function, &unclear);
        unclear.extend(prefixes.clone().flat_map(|(_, text)| names(text)));
        let mut said = Diagnostics::new();
        let mut lowering = host::Lowering::new(unit, &directives, function, &mut said);
        lowering.inherited = contexts.of_function(unit, function);
        lowering.module = module;
        lowering.is_in_kernels = in_kernels.contains(&function.symbol);
        lowering.called = called;
        lowering.is_open = is_unread;
        lowering.has_unknown = !is_known;
        lowering.function();
        (module, called) = (lowering.module, lowering.called);
        let follows = |one: &Diagnostic| match one.code {
            codes::ALLOCATION => {
                let mut names = unclear.iter();
                names.any(|name| one.message.contains(&format!("`{name}`")))
            }
            code => !is_whole && OF_PAIRS.contains(&code),
        };
        let (left_out, told): (Vec<_>, Vec<_>) = said.iter().partition(|one| follows(one));
        told.into_iter().for_each(|one| own.push(one.clone()));
        if is_known && !left_out.is_empty() {
            missed.extend(prefixes.map(|(at, _)| *at));
        }
    }
    functions::lower(unit, &directives, called, &refusals, &mut module, &mut own);
    let failed = own.has_errors() || !missed.is_empty();
    for warning in diagnostics.iter_mut() {
        // Others need the directive.
        if passed_by(warning).is_some_and(|(at, _)| missed.contains(&at)) {
            warning.severity = Severity::Error;
        }
    }
    for diagnostic in own.iter() {
        diagnostics.push(diagnostic.clone());
    }
    (!failed).then_some(module)
}

/// What is wrong with a function of which a directive is unknown, since that may begin or end, or place,
/// what these say is not there.
const OF_PAIRS: [Code; 4] = [
    codes::UNPAIRED,
    codes::NOT_PLACED,
    codes::DIRECTIVE_OUT_OF_PLACE,
    codes::MISSING_BARRIER,
];

/// Where a directive stands whose prefix is misspelt, and how it is written, if a warning is of one.
fn passed_by(warning: &Diagnostic) -> Option<(Span, String)> {
    let right = warning.data.get(REPLACEMENT).and_then(|text| text.as_str());
    let text = right?.strip_prefix(&format!("pragma {} ", Dialect::HiCuda.prefix()))?;
    let at = place(warning).filter(|_| warning.code == codes::MISSPELT_PREFIX)?;
    Some((at, text.to_owned()))
}

/// The names in a text.
fn names(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|word| !word.is_empty()).map(str::to_owned)
}

/// The variables that directives of a function name in which something is wrong.
fn named_by(unit: &Unit, function: &Function, wrong: &[Span]) -> Vec<String> {
    let mut found = Vec::new();
    visit::directives(&function.body, &mut |written| {
        let has = |at: &Span| written.span.start <= at.start && at.end <= written.span.end;
        if wrong.iter().any(has) {
            let symbols = all_named(written).into_iter();
            found.extend(symbols.map(|symbol| unit.symbol(symbol).name.clone()));
        }
    });
    found
}

fn place(diagnostic: &Diagnostic) -> Option<Span> {
    match diagnostic.labels.first()?.place {
        Place::Span(span) => Some(span),
        Place::Source(_) => None,
    }
}

fn has_directives(function: &Function) -> bool {
    let mut found = false;
    visit::directives(&function.body, &mut |written| {
        found |= written.dialect == Dialect::HiCuda;
    });
    found
}
