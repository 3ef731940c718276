//! Warns of what a construct writes to memory that it frees without a copy back.
//!
//! Input: constructs with data clauses, and `data` constructs. Output: a warning where nothing else can have the data
//! on the device and the construct does not use what it writes, else a note of `--feedback`.
//!
//! ```c
//! double a[100];
//! #pragma acc parallel loop copyin(a)
//! for (int i = 0; i < 100; i++)
//!     a[i] = i;                 // warned of: the host's `a` stays as it was
//! ```
//!
//! Data that is present already stays there (OpenACC 3.3, section 2.7.7): then what is around
//! the construct brings it back.

use crate::analysis::effects::{Oracle, Place};
use crate::analysis::escapes::escaped;
use crate::analysis::scope::Scope;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{DataAction, DataItem, Module, Region, RegionKind, StatementKind, visit};
use crate::source::Span;
use crate::typed::{
    Expression, ExpressionKind, StatementKind as Typed, SymbolId, SymbolKind, Unit,
    visit as typed_visit,
};

/// Looks at every construct.
pub fn run(module: &Module, unit: &Unit, with_notes: bool, diagnostics: &mut Diagnostics) {
    let oracle = Oracle::new(unit, &module.functions);
    let mut lost: Vec<(Vec<&Region>, &DataItem, SymbolId)> = Vec::new();
    for region in &module.regions {
        let constructs = constructs(module, region);
        let items = region.data.iter().filter(|item| !item.implicit);
        let copied = items.filter(|item| item.action == DataAction::CopyIn);
        for item in copied {
            if let Some(symbol) = item.symbol
                && constructs
                    .iter()
                    .any(|one| is_written(module, &oracle, one, symbol))
                && !is_kept(module, unit, region, symbol)
            {
                lost.push((constructs.clone(), item, symbol));
            }
        }
    }
    if lost.is_empty() {
        return;
    }
    let escaped = escaped(unit);
    for (constructs, item, symbol) in lost {
        let variable = unit.symbol(symbol);
        let is_alone = variable.kind != SymbolKind::Parameter && !escaped.contains(&symbol);
        let is_used = constructs.iter().any(|one| is_used(module, one, symbol));
        let doubt = match (is_alone, is_used) {
            (true, false) => None,
            (true, true) => Some("unless the construct alone needs it, which uses it after that"),
            (false, _) => {
                Some("unless it is on the device before: then what put it there may bring it back")
            }
        };
        if doubt.is_none() || with_notes {
            diagnostics.push(problem(item, &variable.name, is_used, doubt));
        }
    }
}

/// Whether a construct uses an array elsewhere than in the assignments that write it: then it
/// may be the construct's own working memory.
fn is_used(module: &Module, region: &Region, symbol: SymbolId) -> bool {
    let RegionKind::Compute { launches, .. } = &region.kind else {
        return true;
    };
    let is_it = |e: &Expression| e.as_symbol() == Some(symbol);
    let count = |e: &Expression| {
        let mut count = 0;
        typed_visit::walk(e, &mut |inner| count += usize::from(is_it(inner)));
        count
    };
    launches.iter().any(|launch| {
        let kernel = module.kernel(launch.kernel);
        let (mut all, mut in_writes) = (0, 0);
        visit::expressions(&kernel.body, &mut |e| all += usize::from(is_it(e)));
        visit::walk(&kernel.body, &mut |statement| match &statement.kind {
            StatementKind::Expression(Some(e)) => {
                let target = match &e.inner().kind {
                    ExpressionKind::Assign(target, _)
                    | ExpressionKind::CompoundAssign { target, .. } => target,
                    ExpressionKind::Unary(_, target) => target,
                    _ => return,
                };
                if count(target) > 0 {
                    in_writes += count(e);
                }
            }
            StatementKind::Atomic(update) => {
                in_writes += update.steps.iter().map(count).sum::<usize>()
            }
            _ => {}
        });
        all > in_writes
    })
}

/// Whether a kernel of a construct writes what a clause copies in: the section itself, and not what
/// pointers in it lead to.
fn is_written(module: &Module, oracle: &Oracle, region: &Region, symbol: SymbolId) -> bool {
    let RegionKind::Compute { launches, .. } = &region.kind else {
        return false;
    };
    let mut kernels = launches.iter().map(|launch| module.kernel(launch.kernel));
    kernels.any(|kernel| {
        let capture = kernel.capture(symbol);
        let scope = Scope::of(kernel, oracle.unit());
        let is_it = |place: &Place| scope.whole(*place).symbol() == Some(symbol);
        capture.is_some_and(|capture| capture.written)
            && oracle.list(&kernel.body).writes.iter().any(is_it)
    })
}

/// A construct, or those in a `data` construct.
pub(super) fn constructs<'m>(module: &'m Module, region: &'m Region) -> Vec<&'m Region> {
    let is_inside = |one: &&Region| {
        let mut around = Some(*one);
        while let Some(at) = around.filter(|at| !std::ptr::eq(*at, region)) {
            around = at.parent.map(|id| module.region(id));
        }
        around.is_some()
    };
    let all = module.regions.iter();
    match region.kind {
        RegionKind::Compute { .. } => vec![region],
        RegionKind::Data => all
            .filter(|one| matches!(one.kind, RegionKind::Compute { .. }))
            .filter(is_inside)
            .collect(),
        _ => Vec::new(),
    }
}

/// Whether other directives that are no constructs may keep it on the device, or update it: a region
/// around, an `update` within, or a lifetime that may be open there.
pub(super) fn is_kept(module: &Module, unit: &Unit, copied: &Region, symbol: SymbolId) -> bool {
    let is_local = unit.symbol(symbol).is_automatic();
    // What begins the program runs once, so that what is behind it there was not before.
    let is_main = unit.symbol(copied.function).name == "main";
    let is_ordered = |one: &Region| is_local || is_main && one.function == copied.function;
    let mut declared = module.program_data.iter();
    if declared.any(|item| item.symbol == Some(symbol)) {
        return true;
    }
    let mut others = module.regions.iter().filter(|region| {
        let mut items = region.data.iter().filter(|i| i.symbol == Some(symbol));
        // A construct brings back what is present where it says so.
        let is_construct = matches!(region.kind, RegionKind::Compute { .. });
        !std::ptr::eq(*region, copied)
            && items.any(|item| !is_construct || item.modifiers.always_out)
    });
    others.any(|region| !is_ordered(region) || may_reach(module, unit, region, copied))
}

/// Whether what a directive does to a variable of its own function may be so where another one is.
fn may_reach(module: &Module, unit: &Unit, region: &Region, copied: &Region) -> bool {
    let at = copied.directive.start;
    let inside = |span: Span, at: u32| span.start <= at && at < span.end;
    match region.kind {
        RegionKind::Data | RegionKind::HostData { .. } => {
            let parent = |one: &Region| one.parent.map(|id| module.region(id));
            let mut around = std::iter::successors(parent(copied), |one| parent(one));
            around.any(|one| std::ptr::eq(one, region))
                || (copied.body).is_some_and(|body| inside(body, region.directive.start))
        }
        RegionKind::Update { .. } | RegionKind::Compute { .. } => copied
            .body
            .is_none_or(|body| inside(body, region.directive.start)),
        RegionKind::EnterData | RegionKind::ExitData { .. } => {
            let other = region.directive.start;
            let mut is_before = other < at;
            if let Some(function) = unit.function(copied.function) {
                typed_visit::statements(&function.body, &mut |statement| {
                    let repeats = matches!(
                        statement.kind,
                        Typed::For(_) | Typed::While(..) | Typed::DoWhile(..) | Typed::Labeled(..)
                    );
                    let is_around = inside(statement.span, at) && inside(statement.span, other);
                    is_before |= repeats && is_around || matches!(statement.kind, Typed::Goto(_));
                });
            }
            is_before || (copied.body).is_some_and(|body| inside(body, other))
        }
        _ => true,
    }
}

fn problem(item: &DataItem, name: &str, is_used: bool, doubt: Option<&str>) -> Diagnostic {
    let message = format!("`{name}` is written here, and `copyin` does not bring it back");
    let problem = match doubt {
        None => Diagnostic::warning(codes::LOST_WRITES, message, item.span),
        Some(doubt) => Diagnostic::remark(codes::LOST_WRITES, message, item.span).note(doubt),
    };
    let text = &item.text;
    // What the construct uses may be what was copied in.
    let unneeded = match is_used {
        true => String::new(),
        false => format!(", `create({text})` if it does not"),
    };
    problem
        .label("what the construct writes is lost with the device memory at its end")
        .help(format!(
            "write `copy({text})` if the host needs it{unneeded}"
        ))
}
