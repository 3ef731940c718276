//! Functions on the device: `routine` directives, and what kernels call
//! (OpenACC 3.3, section 2.15).
//!
//! A function of the file needs no `routine` to be called; its `loop`
//! directives run sequentially. Functions with a level above `seq` are called
//! by several threads together ([`super::collectives`]).

use std::borrow::Cow;
use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::body::Body;
use super::check::{self, Checked, CheckedClause, Directives, malformed, not_yet};
use super::table::{ClauseKind, DirectiveKind};
use super::{Orphan, Prepared, levels, program};
use crate::ast::{ArgumentValue, Directive};
use crate::diagnostic::words::Near;
use crate::diagnostic::{Diagnostic, Diagnostics, Label, Place, Severity, codes};
use crate::front::lowering::functions::{self, Functions};
use crate::front::lowering::statements::Statements;
use crate::front::lowering::usage;
use crate::ir::{DeviceFunction, Import, Level, Module};
use crate::source::Span;
use crate::typed::{
    Expression, ExpressionKind, Function, Item, Statement, Symbol, SymbolId, SymbolKind, TypeId,
    Unit,
};
use crate::typed::{library, visit as typed_visit};

/// What the macros of `openacc.h` call before a routine.
const ANNOUNCEMENT: &str = "accrs_call";

/// The functions that a `routine` directive marks.
#[derive(Debug, Default)]
pub struct Routines {
    /// With the level above `seq`, if one is given.
    marked: IndexMap<SymbolId, Option<Level>>,
    /// The functions that stand for others on the device.
    bound: IndexMap<SymbolId, SymbolId>,
    /// The functions that another file has for the device, under this name.
    renamed: IndexMap<SymbolId, String>,
    /// Whether a directive marks one, and is refused without saying which.
    has_unknown: bool,
    /// What `declare` outside of functions says.
    pub declared: program::Declared,
}

/// Reads all directives outside of functions, and `routine` in functions;
/// their lines are consumed. `size` is the type of computed lengths.
pub fn routines(
    unit: &Unit,
    directives: &Directives,
    size: TypeId,
    module: &mut Module,
    diagnostics: &mut Diagnostics,
) -> Routines {
    let consumed = &mut module.consumed;
    let mut found = Routines::default();
    for (position, item) in unit.items.iter().enumerate() {
        let Item::Directive(directive) = item else {
            continue;
        };
        let Some(checked) = directives.get(directive) else {
            continue;
        };
        match checked.kind {
            DirectiveKind::Declare => {
                let declared = &mut found.declared;
                let items = program::declare(unit, checked, size, declared, diagnostics);
                module.program_data.extend(items);
            }
            DirectiveKind::Cache => {
                diagnostics.push(check::idle_cache("outside of any function", directive.span));
            }
            DirectiveKind::Routine => {
                let next = unit.items.get(position + 1).and_then(|next| match next {
                    Item::Function(index) => Some(unit.functions[*index].symbol),
                    Item::Prototype(symbol) => Some(*symbol),
                    Item::Global(_) | Item::Directive(_) => None,
                });
                found.add(unit, checked, directives, next, diagnostics);
            }
            _ => {
                diagnostics.push(outside_functions(checked));
                continue;
            }
        }
        consumed.push(directive.span);
    }
    for function in &unit.functions {
        typed_visit::directives(&function.body, &mut |directive| {
            if let Some(checked) = directives.get(directive)
                && checked.kind == DirectiveKind::Routine
            {
                consumed.push(directive.span);
                found.add(unit, checked, directives, None, diagnostics);
            }
        });
    }
    found
}

/// Whether an error was told of in a directive.
fn is_refused(diagnostics: &Diagnostics, directive: Span) -> bool {
    diagnostics.iter().any(|one| {
        let place = one.labels.first().map(|label| &label.place);
        let is_inside = matches!(place, Some(Place::Span(span))
            if directive.start <= span.start && span.end <= directive.end);
        is_inside && one.severity == Severity::Error
    })
}

/// Whether a function has directives that only the host's have.
fn is_of_host(function: &Function, directives: &Directives) -> bool {
    let mut found = false;
    typed_visit::directives(&function.body, &mut |directive| {
        let kind = directives.get(directive).map(|checked| checked.kind);
        found |= kind.is_some_and(|kind| {
            !matches!(
                kind,
                DirectiveKind::Loop
                    | DirectiveKind::Atomic
                    | DirectiveKind::Cache
                    | DirectiveKind::Routine
            )
        });
    });
    found
}

fn outside_functions(checked: &Checked) -> Diagnostic {
    Diagnostic::error(
        codes::DIRECTIVE_OUT_OF_PLACE,
        format!("`{}` stands outside of any function", checked.kind.name()),
        check::name_span(&checked.directive),
    )
    .help("move it into the function that it concerns")
}

impl Routines {
    /// Whether a function is another one on the device.
    pub fn is_bound(&self, function: SymbolId) -> bool {
        self.bound.contains_key(&function)
    }

    /// The function that runs on the device where this one is called.
    fn on_device(&self, function: SymbolId) -> SymbolId {
        self.bound.get(&function).copied().unwrap_or(function)
    }

    /// The function whose body runs on the device where this one is called, if
    /// the unit has it.
    pub fn body_on_device(&self, unit: &Unit, function: SymbolId) -> Option<SymbolId> {
        let function = self.on_device(function);
        let is_here = unit.function(function).is_some() && !self.renamed.contains_key(&function);
        is_here.then_some(function)
    }

    /// The level above `seq` of a function, or of the one that stands for it.
    pub fn level(&self, function: SymbolId) -> Option<Level> {
        *self.marked.get(&self.on_device(function))?
    }

    /// The functions that a directive gives a level above `seq`, those among
    /// them that others stand for included.
    pub fn with_levels(&self) -> impl Iterator<Item = (SymbolId, Level)> {
        let functions = self.marked.keys().chain(self.bound.keys());
        functions.filter_map(|&f| Some((f, self.level(f)?)))
    }

    fn add(
        &mut self,
        unit: &Unit,
        checked: &Checked,
        directives: &Directives,
        next: Option<SymbolId>,
        diagnostics: &mut Diagnostics,
    ) {
        let levels = [
            ClauseKind::Gang,
            ClauseKind::Worker,
            ClauseKind::Vector,
            ClauseKind::Sequential,
        ];
        let given = levels.into_iter().filter_map(|kind| checked.clause(kind));
        let given: Vec<&CheckedClause> = given.collect();
        match given.as_slice() {
            [first, second, ..] => diagnostics.push(
                Diagnostic::error(
                    codes::CLAUSE_CONFLICT,
                    "a routine has one level",
                    second.span,
                )
                .also(first.span, "first here"),
            ),
            [] if checked.directive.clauses.is_empty()
                && level_of_list(&checked.directive).is_none() =>
            {
                let name = check::name_span(&checked.directive);
                diagnostics.push(
                    malformed("`routine` needs a level", name)
                        .help("add `seq`, or `gang`, `worker` or `vector`"),
                );
            }
            _ => {}
        }
        // `routine g seq`.
        self.has_unknown |= checked.has_errors && checked.directive.arguments.is_none();
        // What is refused makes no function of the host one of the device, whose directives would all
        // be out of place.
        let of = target(unit, &checked.directive, next).ok();
        let of = of.and_then(|symbol| unit.function(symbol));
        let is_of_host = |function: &Function| is_of_host(function, directives);
        if is_refused(diagnostics, checked.directive.span) && of.is_some_and(is_of_host) {
            return;
        }
        let first = given.first();
        let above = first.and_then(|clause| levels::of(clause.kind));
        if let Err(problem) = self.mark(unit, checked, next, above) {
            self.has_unknown = true;
            // What is no clause may be the function.
            if !checked.has_errors || checked.directive.arguments.is_some() {
                diagnostics.push(problem);
            }
        }
    }

    fn mark(
        &mut self,
        unit: &Unit,
        checked: &Checked,
        next: Option<SymbolId>,
        above: Option<Level>,
    ) -> Result<(), Diagnostic> {
        let symbol = target(unit, &checked.directive, next)?;
        self.marked.insert(symbol, above);
        let Some(clause) = checked.clause(ClauseKind::Bind) else {
            return Ok(());
        };
        match bound(unit, clause)? {
            Bound::Function(target) => {
                self.bound.insert(symbol, target);
                // It is there for the device, as its caller says.
                self.marked.entry(target).or_insert(above);
            }
            Bound::Name(name) => {
                self.renamed.insert(symbol, name);
            }
        }
        Ok(())
    }

    /// The functions with a body that other files may call on the device:
    /// those of external linkage, and no other one in their place.
    fn exported(&self, unit: &Unit) -> Vec<(SymbolId, Span)> {
        let marked = self.marked.keys().chain(self.bound.values()).copied();
        marked
            .filter(|&symbol| {
                let is_external = matches!(
                    unit.symbol(symbol).kind,
                    SymbolKind::Function {
                        is_static: false,
                        is_inline: false,
                        ..
                    }
                );
                let is_here = self.body_on_device(unit, symbol).is_some();
                is_external && is_here && !self.is_bound(symbol)
            })
            .map(|symbol| (symbol, unit.symbol(symbol).span))
            .collect()
    }
}

/// The level that `routine(seq)` has in place of a function's name.
fn level_of_list(directive: &Directive<Expression>) -> Option<&str> {
    let [item] = directive.arguments.as_ref()?.items.as_slice() else {
        return None;
    };
    match &item.value {
        ArgumentValue::Name { name, symbol: None } => {
            let levels = ["seq", "gang", "worker", "vector"];
            levels.contains(&&*name.value).then_some(&name.value)
        }
        _ => None,
    }
}

/// The function that a directive names, or that follows it.
fn target(
    unit: &Unit,
    directive: &Directive<Expression>,
    next: Option<SymbolId>,
) -> Result<SymbolId, Diagnostic> {
    let Some(arguments) = &directive.arguments else {
        let message = "`routine` must be followed by a function";
        return next.ok_or_else(|| {
            Diagnostic::error(
                codes::EXPECTED_STATEMENT,
                message,
                check::name_span(directive),
            )
            .help("put it right before the function, or name the function: `routine(f) seq`")
        });
    };
    let wrong = |span| malformed("`routine` takes the name of one function", span);
    let [item] = arguments.items.as_slice() else {
        let help = "write a directive for each function";
        return Err(wrong(arguments.span).help(help));
    };
    if let ArgumentValue::Name { name, symbol: None } = &item.value {
        if let Some(level) = level_of_list(directive) {
            let message = format!("`{level}` is no function but a clause");
            let problem = malformed(message, arguments.span);
            let help = format!("write `routine {level}` right before the function");
            return Err(problem.help(help).replacement(format!(" {level}")));
        }
        let symbols = unit.symbols.iter();
        let functions = symbols.filter(|one| matches!(one.kind, SymbolKind::Function { .. }));
        let functions: Vec<&str> = functions.map(|one| one.name.as_str()).collect();
        let is_later = functions.contains(&name.value.as_str());
        let message = match is_later {
            true => format!(
                "the function `{}` is declared behind the directive",
                name.value
            ),
            false => format!("no function is called `{}` here", name.value),
        };
        let problem = Diagnostic::error(codes::UNDECLARED, message, name.span);
        if is_later {
            let help = "declare it before, or put the directive without the name right before it";
            return Err(problem.help(help));
        }
        let near = Near::names(&name.value, functions.iter().copied());
        return Err(match (near.question(), near.nearest()) {
            (Some(help), Some(name)) => problem.help(help).replacement(name),
            (Some(help), None) => problem.help(help),
            (None, _) => problem.help("declare the function before the directive"),
        });
    }
    let symbol = check::value(item).and_then(Expression::as_symbol);
    symbol
        .filter(|&s| matches!(unit.symbol(s).kind, SymbolKind::Function { .. }))
        .ok_or_else(|| wrong(item.span))
}

/// What a `bind` clause names.
enum Bound {
    /// A function that this file declares.
    Function(SymbolId),
    /// One of another file, with the signature of the function it stands for.
    Name(String),
}

/// The function that a `bind` clause names.
fn bound(unit: &Unit, clause: &CheckedClause) -> Result<Bound, Diagnostic> {
    let wrong = |message: String| {
        malformed(message, clause.span).help("declare the function before the directive")
    };
    let is_function =
        |symbol: &SymbolId| matches!(unit.symbol(*symbol).kind, SymbolKind::Function { .. });
    let name = match clause.items().first().map(|item| &item.value) {
        Some(ArgumentValue::Name {
            symbol: Some(e), ..
        }) => {
            let found = e.as_symbol().filter(is_function).map(Bound::Function);
            return found.ok_or_else(|| wrong("`bind` takes a function".into()));
        }
        // One that is declared further down in the file.
        Some(ArgumentValue::Name { name, .. }) => {
            let message = format!("no function is called `{}` here", name.value);
            let found = function_called(unit, &name.value).map(Bound::Function);
            return found.ok_or_else(|| wrong(message));
        }
        Some(ArgumentValue::Expression(e)) => match &e.inner().kind {
            ExpressionKind::String { spelling } => spelling.concat().trim_matches('"').to_string(),
            _ => return Err(wrong("`bind` takes a function or its name".into())),
        },
        _ => return Err(wrong("`bind` takes a function or its name".into())),
    };
    let is_identifier = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if name.is_empty() || !is_identifier {
        return Err(wrong(format!("`{name}` is no name of a function")));
    }
    Ok(function_called(unit, &name).map_or(Bound::Name(name), Bound::Function))
}

/// The function of the file with that name, wherever it is declared.
fn function_called(unit: &Unit, name: &str) -> Option<SymbolId> {
    let mut symbols = (0u32..).map(SymbolId).zip(&unit.symbols);
    let is_it =
        |symbol: &Symbol| symbol.name == name && matches!(symbol.kind, SymbolKind::Function { .. });
    symbols.find(|(_, symbol)| is_it(symbol)).map(|(id, _)| id)
}

/// Lowers the functions that kernels call, callees first, and decides about
/// `loop` directives outside compute constructs.
pub fn lower(
    given: Prepared<'_>,
    called: IndexMap<SymbolId, Span>,
    orphans: &[Orphan],
    module: &mut Module,
    diagnostics: &mut Diagnostics,
) {
    let (unit, routines) = (given.unit, given.routines);
    let mut collector = Collector {
        given,
        unit,
        routines,
        diagnostics,
        done: BTreeSet::new(),
        functions: Functions::default(),
        gang_routines: BTreeSet::new(),
        imports: Vec::new(),
        device_globals: Vec::new(),
    };
    for (symbol, span) in called {
        collector.call(symbol, span);
    }
    for (symbol, span) in routines.exported(unit) {
        collector.call(symbol, span);
        collector.export(symbol);
    }
    collector.functions.spread_globals();
    for &orphan in orphans {
        collector.orphan(orphan, &mut module.consumed);
    }
    let divided = collector.functions.callers(collector.gang_routines);
    functions::one_block(&divided, module);
    module.functions = collector.functions.list;
    module.imports = collector.imports;
    module.device_globals = collector.device_globals;
    module.bindings = routines.bound.iter().map(|(f, g)| (*f, *g)).collect();
}

struct Collector<'c> {
    given: Prepared<'c>,
    unit: &'c Unit,
    routines: &'c Routines,
    diagnostics: &'c mut Diagnostics,
    done: BTreeSet<SymbolId>,
    functions: Functions,
    /// `gang` routines with loops, and those of other files.
    gang_routines: BTreeSet<SymbolId>,
    /// Routines of other files.
    imports: Vec<Import>,
    /// Variables of `declare` that functions use.
    device_globals: Vec<SymbolId>,
}

impl Collector<'_> {
    fn call(&mut self, symbol: SymbolId, span: Span) {
        let symbol = self.routines.on_device(symbol);
        if !self.done.insert(symbol) {
            return;
        }
        let replaced = self.routines.renamed.contains_key(&symbol);
        match self.unit.function(symbol).filter(|_| !replaced) {
            Some(function) => {
                let before = self.diagnostics.len();
                self.function(function, span);
                let is_inside = function.span.start <= span.start && span.end <= function.span.end;
                if !is_inside && !self.routines.marked.contains_key(&symbol) {
                    self.say_who_calls(symbol, span, before);
                }
            }
            None => self.without_body(symbol, span),
        }
    }

    /// What is wrong in a function that is on the device for a call of it shows that, too.
    fn say_who_calls(&mut self, symbol: SymbolId, call: Span, before: usize) {
        let name = &self.unit.symbol(symbol).name;
        let of_call = Place::Span(call);
        for problem in self.diagnostics.iter_mut().skip(before) {
            let is_there = problem
                .labels
                .first()
                .is_none_or(|label| label.place == of_call);
            if problem.severity == Severity::Error && !is_there {
                let (place, text) = (of_call.clone(), format!("calls `{name}`"));
                problem.labels.push(Label { place, text });
            }
        }
    }

    fn without_body(&mut self, symbol: SymbolId, span: Span) {
        let name = &self.unit.symbol(symbol).name;
        // The other one goes before calls of the host's library, which says more.
        if library::is_on_device(name) || name == ANNOUNCEMENT {
            return;
        }
        if let Some(level) = self.routines.marked.get(&symbol) {
            // Whether it has loops is known to its own file.
            if *level == Some(Level::Block) {
                self.gang_routines.insert(symbol);
            }
            if let Some(problem) = self.not_importable(symbol, span) {
                self.diagnostics.push(problem);
            }
            let renamed = self.routines.renamed.get(&symbol);
            self.imports.push(Import {
                symbol,
                name: renamed.unwrap_or(name).clone(),
            });
            return;
        }
        // Which one a directive with an error is for is not known.
        let is_known = name.starts_with("acc_") || library::instead(name).is_some();
        if self.routines.has_unknown && !is_known {
            return;
        }
        let diagnostic = if name.starts_with("acc_") {
            not_yet(format!("`{name}` in a region"), span)
        } else {
            Diagnostic::error(codes::NOT_ON_DEVICE, library::refusal(name), span)
            .help(library::instead(name).map_or_else(|| format!(
                "define `{name}` in this file, put `#pragma acc routine seq` before its declaration if another file has it, or move the call out of the region"
            ), Cow::into_owned))
        };
        self.diagnostics.push(diagnostic);
    }

    /// Why no other file can have a function.
    fn not_importable(&self, symbol: SymbolId, span: Span) -> Option<Diagnostic> {
        let declared = self.unit.symbol(symbol);
        let name = &declared.name;
        let SymbolKind::Function { is_static, .. } = declared.kind else {
            return None;
        };
        if is_static {
            let message = format!("`{name}` is `static` and has no body in this file");
            let diagnostic = Diagnostic::error(codes::NOT_ON_DEVICE, message, span);
            return Some(diagnostic.help("define it in this file, or remove `static`"));
        }
        functions::variadic(self.unit, symbol, span)
    }

    /// Other files may call a function.
    fn export(&mut self, symbol: SymbolId) {
        let mut functions = self.functions.list.iter_mut();
        if let Some(function) = functions.find(|f| f.symbol == symbol) {
            function.exported = true;
        }
    }

    fn function(&mut self, function: &Function, call: Span) {
        let level = self.routines.marked.get(&function.symbol).copied();
        let level = level.flatten();
        let is_loop = |s: &Statement| self.given.directives.kind(s) == Some(DirectiveKind::Loop);
        if level == Some(Level::Block)
            && typed_visit::any_statement(&function.body, &mut |s| is_loop(s))
        {
            self.gang_routines.insert(function.symbol);
        }
        if let Some(problem) = functions::variadic(self.unit, function.symbol, call) {
            // What it does with its arguments is no news then.
            self.diagnostics.push(problem);
            return;
        }
        let mut body = Body::new(self.unit, self.given.directives, None, self.diagnostics);
        body.options = self.given.options;
        body.routine = level;
        let list = body.top(&function.body);
        let used = usage::of(self.unit, &list);
        let globals = self.globals(function, &used);
        used.problems()
            .for_each(|problem| self.diagnostics.push(problem));
        for (&callee, &span) in &used.calls {
            self.call(callee, span);
        }
        let function = DeviceFunction {
            symbol: function.symbol,
            body: list,
            globals,
            row_lengths: Vec::new(),
            exported: false,
        };
        self.functions.add(function, &used);
    }

    /// The global constants and variables of `declare` that a function uses;
    /// other globals are errors.
    fn globals(&mut self, function: &Function, used: &usage::Usage) -> Vec<SymbolId> {
        let mut globals = Vec::new();
        for (symbol, place) in used.outside() {
            if function.parameters.contains(&symbol) || self.unit.symbol(symbol).is_automatic() {
                continue;
            }
            if self.is_constant(symbol) {
                globals.push(symbol);
                continue;
            }
            if self.routines.declared.reachable.contains(&symbol) {
                globals.push(symbol);
                if !self.device_globals.contains(&symbol) {
                    self.device_globals.push(symbol);
                }
                continue;
            }
            self.diagnostics
                .push(unreachable_global(self.unit, symbol, place.span));
        }
        globals
    }

    /// `const`, with its value in this file.
    fn is_constant(&self, symbol: SymbolId) -> bool {
        !self.routines.declared.reachable.contains(&symbol)
            && functions::is_constant(self.unit, symbol)
    }

    /// A directive of compute constructs outside of them belongs to a
    /// function that runs on the device.
    fn orphan(&mut self, orphan: Orphan, consumed: &mut Vec<Span>) {
        let on_device = self.routines.marked.contains_key(&orphan.function)
            || self
                .functions
                .list
                .iter()
                .any(|f| f.symbol == orphan.function);
        if on_device {
            consumed.push(orphan.directive);
            return;
        }
        if orphan.kind == DirectiveKind::Cache {
            consumed.push(orphan.directive);
            self.diagnostics.push(check::idle_cache(
                "outside of a compute construct",
                orphan.directive,
            ));
            return;
        }
        // The construct around it may be one that cannot be read.
        if self.given.has_unknown {
            return;
        }
        let help = match orphan.kind {
            DirectiveKind::Atomic => {
                "remove it, or put `routine seq` before the function, if the device calls it"
            }
            _ => "write `parallel loop`, or put the loop into a `parallel` or `kernels` construct",
        };
        let message = format!(
            "`{}` stands outside of a compute construct",
            orphan.kind.name()
        );
        self.diagnostics.push(
            Diagnostic::error(codes::DIRECTIVE_OUT_OF_PLACE, message, orphan.directive).help(help),
        );
    }
}

/// A variable of the host program that a function on the device uses.
/// `static` ones in routines are not OpenACC's (2.15.1).
fn unreachable_global(unit: &Unit, symbol: SymbolId, place: Span) -> Diagnostic {
    let name = &unit.symbol(symbol).name;
    if let Some(problem) = functions::lasting(unit, symbol, place) {
        return problem
            .note("OpenACC has no such variables in routines (section 2.15.1)")
            .help(format!(
                "make it `const` with a value, or put it and `#pragma acc declare create({name})` before the function"
            ));
    }
    let message = format!("the global `{name}` is used in a function on the device");
    Diagnostic::error(codes::DEVICE_GLOBAL, message, place).help(format!(
        "put `#pragma acc declare create({name})` after its declaration, pass it as a parameter, or make it `const` with a value"
    ))
}
