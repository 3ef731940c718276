//! What may be done in a region with windows: the limits of `fcw` that the
//! text shows. Pivots and sizes are for the pass that places the windows.
//!
//! Input: the lowered statements of a construct. Output: diagnostics.

use std::collections::BTreeSet;

use super::{accesses, control};
use crate::diagnostic::{Diagnostic, Diagnostics, Place, Severity, codes};
use crate::front::lowering::inlining::Refusals;
use crate::ir::{
    Loop, Statement, StatementKind, Window, WindowDimension, WindowProof, WindowRegion, visit,
};
use crate::typed::constant::evaluate;
use crate::typed::{QualType, SymbolId, Type, Unit};

/// Checks all regions of a construct; `refusals` say why calls stay calls,
/// `strictness` how grave it is that a pointer may have another name.
pub fn construct(
    unit: &Unit,
    list: &[Statement],
    refusals: &Refusals,
    strictness: Severity,
    diagnostics: &mut Diagnostics,
) {
    let mut checker = Checker {
        unit,
        strictness,
        refusals,
        diagnostics,
        pointers: accesses::based_pointers(unit, list),
        loops: Vec::new(),
        open: Vec::new(),
        warned: BTreeSet::new(),
    };
    checker.list(list);
}

struct Checker<'c> {
    unit: &'c Unit,
    strictness: Severity,
    refusals: &'c Refusals,
    diagnostics: &'c mut Diagnostics,
    pointers: accesses::Based,
    /// The variables of the parallel loops around.
    loops: Vec<SymbolId>,
    /// The windows of the `fcw` regions around.
    open: Vec<Window>,
    /// Pointers without `restrict` that were reported.
    warned: BTreeSet<SymbolId>,
}

impl Checker<'_> {
    fn list(&mut self, list: &[Statement]) {
        for statement in list {
            match &statement.kind {
                StatementKind::Loop(inner) if is_parallel(inner) => self.parallel(inner),
                StatementKind::Windows(region) => self.region(region),
                _ => visit::blocks(statement, &mut |inner| self.list(inner)),
            }
        }
    }

    fn parallel(&mut self, inner: &Loop) {
        if let (Some(window), Some(directive)) = (self.open.first(), inner.directive) {
            let message = "a parallel loop stands inside an `fcw` region";
            self.diagnostics.push(
                Diagnostic::error(codes::LOOP_IN_WINDOWS, message, directive)
                    .also(window.span, "the block already shares this window here")
                    .help("write `loop seq`, or move `fcw` into this loop"),
            );
        }
        if self.loops.is_empty() && has_regions(&inner.body) {
            control::jumps(&inner.body, self.diagnostics);
        }
        let depth = self.loops.len();
        self.loops.push(inner.induction);
        // Loops that `collapse` puts together have one body.
        let mut body = &inner.body;
        for _ in 0..inner.collapsed {
            let [
                Statement {
                    kind: StatementKind::Loop(next),
                    ..
                },
            ] = body.as_slice()
            else {
                break;
            };
            self.loops.push(next.induction);
            body = &next.body;
        }
        self.list(body);
        self.loops.truncate(depth);
    }

    fn region(&mut self, region: &WindowRegion) {
        let depth = self.open.len();
        for window in region.windows.iter().filter(|w| is_trusted(w)) {
            self.qualifiers(window);
            self.restrict(window);
            for dimension in &window.dimensions {
                self.counts(window, dimension);
            }
            self.twice(window, depth);
            self.open.push(window.clone());
        }
        let own = &self.open[depth..];
        if !own.is_empty() {
            let inside = accesses::Region {
                unit: self.unit,
                windows: own,
                pointers: &self.pointers,
                directive: region.directive,
                refusals: self.refusals,
            };
            inside.check(&region.body, self.diagnostics);
            if !region.explicit {
                control::channels(own, &region.body, self.diagnostics);
            }
        }
        self.list(&region.body);
        self.open.truncate(depth);
    }

    /// A block's copy of memory that others change, or that cannot be copied.
    fn qualifiers(&mut self, window: &Window) {
        let variable = self.unit.symbol(window.array);
        let mut ty: QualType = variable.ty;
        let found = loop {
            if ty.qualifiers.is_volatile {
                break "volatile";
            }
            if ty.qualifiers.is_atomic {
                break "_Atomic";
            }
            ty = match self.unit.types.get(ty.ty) {
                Type::Array { element, .. } => *element,
                Type::Pointer(to) => *to,
                _ => return,
            };
        };
        let message = format!("`{}` is `{found}` and cannot have a window", variable.name);
        self.diagnostics.push(
            Diagnostic::error(codes::WINDOW_QUALIFIER, message, window.span)
            .also(variable.span, "declared here")
            .help("a block's copy would hide what others write: leave the array out of the list, or drop the qualifier"),
        );
    }

    /// What iterations write into a window reaches memory later or never:
    /// an access through another name would not see it.
    fn restrict(&mut self, window: &Window) {
        let variable = self.unit.symbol(window.array);
        let writes = window.policy.channel || window.policy.write_back;
        let is_pointer = self.unit.types.is_pointer(variable.ty.ty);
        if !writes
            || !is_pointer
            || variable.ty.qualifiers.is_restrict
            || !self.warned.insert(window.array)
        {
            return;
        }
        let name = &variable.name;
        self.diagnostics.push(
            Diagnostic::new(
                self.strictness,
                codes::NOT_RESTRICT,
                format!("`{name}` is written in its window, and may have another name"),
                Place::Span(window.span),
            )
            .also(variable.span, "not declared `restrict`")
            .help(format!(
                "declare it `restrict` (`*restrict {name}`), which promises that nothing else reaches its elements"
            )),
        );
    }

    /// The counts around a pivot: the same in all iterations, not negative.
    fn counts(&mut self, window: &Window, dimension: &WindowDimension) {
        for (count, what) in [(&dimension.before, "before"), (&dimension.after, "after")] {
            if evaluate(self.unit, count).is_some_and(|n| n < 0) {
                let message = format!("a negative number of elements {what} the pivot");
                self.diagnostics.push(
                    Diagnostic::error(codes::WINDOW_COUNT, message, count.span).help(
                        "move the pivot instead: `[i + 2:0:1]` begins two elements after `i`",
                    ),
                );
            }
            let Some(induction) = self.loops.iter().find(|i| count.mentions(**i)) else {
                continue;
            };
            let name = &self.unit.symbol(*induction).name;
            let swapped = !dimension.pivot.mentions(*induction);
            let message = format!("the number of elements {what} the pivot depends on `{name}`");
            self.diagnostics.push(
                Diagnostic::error(codes::WINDOW_COUNT, message, count.span)
                    .also(window.span, "one window for all iterations of a block")
                    .help(if swapped {
                        format!("the pivot comes first: `[{name}:before:after]`")
                    } else {
                        "give the largest number that any iteration needs".to_string()
                    }),
            );
        }
    }

    /// A second window of one array, in this directive or one around; the
    /// windows of this region begin at `depth`.
    fn twice(&mut self, window: &Window, depth: usize) {
        let is_read = |w: &Window| w.policy.fetch && !w.policy.channel && !w.policy.write_back;
        let first = self.open.iter().enumerate().find(|(position, other)| {
            let both_read = *position >= depth && is_read(other) && is_read(window);
            other.array == window.array && !both_read
        });
        let Some((position, first)) = first else {
            return;
        };
        let name = &self.unit.symbol(window.array).name;
        let help = if position < depth {
            "give the outer region the window that both need"
        } else {
            "write one window that holds all elements; only arrays that are just read (`FETCH_ONLY`) may have several"
        };
        let message = format!("`{name}` has two windows here");
        self.diagnostics.push(
            Diagnostic::error(codes::TWO_WINDOWS, message, window.span)
                .also(first.span, "the first")
                .help(help),
        );
    }
}

/// Whether a user vouches for the window, as with `fcw`.
fn is_trusted(window: &Window) -> bool {
    window.proof == WindowProof::Trusted
}

fn is_parallel(inner: &Loop) -> bool {
    inner.directive.is_some() && !inner.schedule.sequential
}

fn has_regions(list: &[Statement]) -> bool {
    let mut found = false;
    visit::walk(list, &mut |statement| {
        if let StatementKind::Windows(region) = &statement.kind {
            found |= region.windows.iter().any(is_trusted);
        }
    });
    found
}
