//! Routines with a level: `worker` and `vector` ones share out their loops
//! (OpenACC 3.3, section 2.15.1).
//!
//! ```text
//! #pragma acc routine vector        collectives: scale by lanes
//! void scale(int n, float *row)     kernel of scale, captures n and row
//! { … }                             function scale, its loops sequential
//! ```
//!
//! The lanes of the calling worker enter a `vector` routine together, all
//! threads of the calling gang a `worker` routine. A `gang` routine is one of
//! all threads as well, of a kernel with one gang. The body is lowered twice:
//! as [`Kernel`] with a [`Collective`], which the passes treat as they treat code
//! between the loops of a kernel, and as function, which says what a call
//! touches.
//!
//! A call must not stand inside a loop of the routine's level or of one below,
//! nor in a function of a level below (2.15.1, Restrictions). It is warned of
//! and calls a [sequential instance](collectives::make_instances).

use std::collections::HashSet;

use super::LoweringOptions;
use super::check::not_yet;
use super::functions::Routines;
use super::levels;
use super::levels::spelling;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::lowering::collectives::{self, SequentialCalls};
use crate::ir::{Collective, Kernel, Level, Module, Statement, StatementKind, visit};
use crate::source::Span;
use crate::typed::visit as typed_visit;
use crate::typed::{ExpressionKind, SymbolId, Unit};

/// Gives functions with levels their kernels, and checks where they are
/// called.
pub fn lower(
    unit: &mut Unit,
    routines: &Routines,
    options: LoweringOptions,
    module: &mut Module,
    diagnostics: &mut Diagnostics,
) {
    let calls = check_calls(unit, routines, options, module, diagnostics);
    let routine = |unit: &Unit, function| {
        routines.level(function)?;
        routines.body_on_device(unit, function)
    };
    collectives::make_instances(unit, module, &calls, &routine);
    check_recursion(unit, routines, module, diagnostics);
    module.collectives = routines
        .with_levels()
        .map(|(function, level)| (function, collective(level)))
        .collect();
    for function in &mut module.functions {
        if let Some(&collective) = module.collectives.get(&function.symbol) {
            module.kernels.push(Kernel {
                words: levels::WORDS,
                ..collectives::kernel(unit, function, collective)
            });
            collectives::make_sequential(&mut function.body);
        }
    }
}

/// Who enters a routine of a level.
fn collective(level: Level) -> Collective {
    match level {
        Level::Lane => Collective::Lanes,
        Level::Row | Level::Block => Collective::Block,
    }
}

/// Functions of a collective have variables in shared memory, once for all calls of
/// them that are under way.
fn check_recursion(
    unit: &Unit,
    routines: &Routines,
    module: &Module,
    diagnostics: &mut Diagnostics,
) {
    let with_levels = |function| routines.level(function).is_some();
    for (function, span) in collectives::recursive(unit, module, &with_levels) {
        let name = &unit.symbol(function).name;
        let message = format!("`{name}`, which shares out its loops and calls itself,");
        diagnostics.push(not_yet(message, span).help(format!(
            "put `routine seq` before `{name}`, or write the recursion as a loop"
        )));
    }
}

/// The calls that one thread makes.
fn check_calls(
    unit: &Unit,
    routines: &Routines,
    options: LoweringOptions,
    module: &Module,
    diagnostics: &mut Diagnostics,
) -> SequentialCalls {
    let mut check = Check {
        unit,
        routines,
        options,
        diagnostics,
        home: None,
        around: Vec::new(),
        alone: HashSet::new(),
    };
    let mut calls = SequentialCalls::default();
    for kernel in &module.kernels {
        check.list(&kernel.body);
        calls.kernels.push(std::mem::take(&mut check.alone));
    }
    for function in &module.functions {
        check.home = Some(function.symbol);
        check.list(&function.body);
        calls.functions.push(std::mem::take(&mut check.alone));
    }
    calls
}

struct Check<'c> {
    unit: &'c Unit,
    routines: &'c Routines,
    options: LoweringOptions,
    diagnostics: &'c mut Diagnostics,
    /// The function that calls, if it is no kernel.
    home: Option<SymbolId>,
    /// What stands around, outermost first.
    around: Vec<(Around, Span)>,
    /// The calls found that one thread makes.
    alone: HashSet<Span>,
}

/// What stands around a call and says who runs it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Loop(Level),
    Windows,
}

impl Check<'_> {
    fn list(&mut self, list: &[Statement]) {
        for statement in list {
            let depth = self.around.len();
            visit::own_expressions(statement, &mut |root| {
                typed_visit::walk(root, &mut |e| {
                    if let ExpressionKind::Call { function, .. } = &e.kind
                        && let Some(function) = function.as_symbol()
                        && let Some(level) = self.routines.level(function)
                    {
                        self.call(function, level, e.span);
                    }
                });
            });
            match &statement.kind {
                StatementKind::Loop(l) => {
                    let place = l.directive.unwrap_or(l.header);
                    let asked = Level::ALL
                        .into_iter()
                        .filter(|level| l.schedule.levels[*level]);
                    self.around
                        .extend(asked.map(|level| (Around::Loop(level), place)));
                }
                StatementKind::Windows(region) => {
                    self.around.push((Around::Windows, region.directive));
                }
                _ => {}
            }
            visit::blocks(statement, &mut |inner| self.list(inner));
            self.around.truncate(depth);
        }
    }

    fn call(&mut self, function: SymbolId, level: Level, span: Span) {
        let name = &self.unit.symbol(function).name;
        let called = format!("`{name}` is a `{}` routine", spelling(level));
        if let Some(home) = self.home {
            let own = self.routines.level(home);
            if own.is_none_or(|own| own > level) {
                let caller = &self.unit.symbol(home).name;
                let owner = match own {
                    Some(own) => format!("a `{}` routine", spelling(own)),
                    None => "a sequential function".to_owned(),
                };
                let message = format!("{called}, called in {owner}");
                let found = self.outside(function, message, span);
                self.diagnostics.push(found.help(format!(
                    "put `#pragma acc routine {}` before `{caller}`, or `routine seq` before `{name}`",
                    spelling(level)
                )));
                return;
            }
        }
        let wrong = self.around.iter().find(|(around, _)| match around {
            Around::Loop(outer) => *outer >= level,
            Around::Windows => true,
        });
        let Some(&(around, place)) = wrong else {
            return;
        };
        let found = match around {
            Around::Loop(outer) => {
                let message = format!("{called}, called inside a `{}` loop", spelling(outer));
                let found = self.outside(function, message, span);
                found.also(place, "the loop around it")
            }
            Around::Windows => {
                let message = format!("{called}, called where threads share windows");
                let found = Diagnostic::error(codes::LEVEL_NESTING, message, span);
                found.also(place, "the windows are opened here")
            }
        };
        self.diagnostics.push(found.help(format!(
            "its loops need threads that the code around does not have; put `routine seq` before `{name}`, or give the loop another level"
        )));
    }

    /// A call where the routine's threads are not free. One thread makes it if
    /// the file has the routine's body.
    fn outside(&mut self, function: SymbolId, message: String, span: Span) -> Diagnostic {
        let body = self.routines.body_on_device(self.unit, function);
        if self.options.strict || body.is_none() {
            return Diagnostic::error(codes::LEVEL_NESTING, message, span);
        }
        self.alone.insert(span);
        Diagnostic::warning(codes::LEVEL_NESTING, message, span)
            .label("each thread runs it from end to end, its loops sequentially")
    }
}
