//! Reductions that a parallel loop does without saying so.
//!
//! Input: the statements of a construct that runs as one kernel. Output: the
//! same, with the reductions on the outermost loops that do them.
//!
//! ```c
//! #pragma acc parallel loop
//! for (int i = 0; i < n; i++)      // after: as with reduction(max: most)
//!     if (a[i] > most)
//!         most = a[i];
//! ```
//!
//! By the standard `most` is firstprivate, its value lost, and in a variable
//! of the region or one in memory the iterations race: no program can mean
//! that. What other compilers make of it is the reduction, and programs rely
//! on that. Where loops become kernels one by one, the proof that a loop is
//! parallel finds them.

use super::usage;
use crate::analysis::flow;
use crate::analysis::recognition::Updates;
use crate::diagnostic::{Diagnostic, Diagnostics, Place, Severity, codes};
use crate::ir::{Loop, Reduction, Statement, StatementKind, visit};
use crate::typed::{SymbolId, Unit};

/// Adds the reductions of all loops of a construct. `has_copies` tells of the
/// variables that the construct itself makes private or reduces; `severity`
/// whether the reductions are told.
pub fn complete(
    unit: &Unit,
    list: &mut [Statement],
    in_memory: Vec<SymbolId>,
    has_copies: &dyn Fn(SymbolId) -> bool,
    severity: Option<Severity>,
    diagnostics: &mut Diagnostics,
) {
    let outside: Vec<SymbolId> = usage::of(unit, list).outside().map(|(s, _)| s).collect();
    let updates = Updates::of(list);
    let candidates = outside.into_iter().filter(|symbol| {
        // Elsewhere in the construct the total is not known yet.
        updates.meant(*symbol, unit).is_some() && !has_copies(*symbol)
    });
    let candidates = candidates.collect();
    let mut finder = Finder {
        unit,
        candidates,
        in_memory,
        found: Vec::new(),
    };
    finder.list(list, &[], false);
    if let Some(severity) = severity {
        let told = finder.found.iter().map(|found| note(unit, found, severity));
        told.for_each(|diagnostic| diagnostics.push(diagnostic));
    }
}

struct Finder<'u> {
    unit: &'u Unit,
    /// Variables from outside the construct that it only updates.
    candidates: Vec<SymbolId>,
    /// Variables that all gangs share.
    in_memory: Vec<SymbolId>,
    found: Vec<Reduction>,
}

impl Finder<'_> {
    /// `own`: what one gang declares around here, inside the loop over gangs
    /// if there is one.
    fn list(&mut self, list: &mut [Statement], own: &[SymbolId], in_gangs: bool) {
        let own = [own, &visit::declared(list)].concat();
        self.inside(list, &own, in_gangs);
    }

    /// The same, where what is declared inside is among its own.
    fn inside(&mut self, list: &mut [Statement], own: &[SymbolId], in_gangs: bool) {
        for statement in list {
            let StatementKind::Loop(l) = &mut statement.kind else {
                visit::blocks_mut(statement, &mut |inner| self.inside(inner, own, in_gangs));
                continue;
            };
            if !is_shared(l) {
                self.inside(belonging(&mut l.body, l.collapsed), own, in_gangs);
                continue;
            }
            let schedule = &l.schedule;
            let over_gangs =
                schedule.levels.block || !in_gangs && !schedule.levels.row && !schedule.levels.lane;
            // Gangs do not share what each of them declares.
            let visible: &[SymbolId] = if over_gangs { &[] } else { own };
            let in_gangs = in_gangs || over_gangs;
            let reductions = self.reductions(l, visible, in_gangs);
            let has_loops = visit::any_loop(&l.body, &mut |_| true);
            let copies = if has_loops {
                self.copies(l)
            } else {
                Vec::new()
            };
            let own_inside = [visible, &copies].concat();
            l.reductions.extend(reductions.iter().cloned());
            self.candidates
                .retain(|s| reductions.iter().all(|r| r.symbol != *s));
            self.found.extend(reductions);
            self.list(belonging(&mut l.body, l.collapsed), &own_inside, in_gangs);
        }
    }

    /// The variables from outside of which each iteration has its own: those
    /// that its clauses say, and scalars that it writes before it reads them.
    fn copies(&self, l: &Loop) -> Vec<SymbolId> {
        let used = usage::of(self.unit, &l.body);
        let written_first = used.outside().filter(|(symbol, place)| {
            let is_written_first = || {
                let flow = flow::of_list(self.unit, &l.body, *symbol);
                flow.is_assigned() && !flow.may_read()
            };
            place.assigned && !self.in_memory.contains(symbol) && is_written_first()
        });
        let mut own = l.privates.clone();
        own.extend(written_first.map(|(symbol, _)| symbol));
        own
    }

    /// The reductions that a loop does and does not name: of variables of the
    /// block that it stands in, and of candidates.
    fn reductions(&self, l: &Loop, own: &[SymbolId], in_gangs: bool) -> Vec<Reduction> {
        let used = usage::of(self.unit, &l.body);
        let updates = Updates::of(&l.body);
        used.outside()
            .filter(|(symbol, place)| {
                let from_outside = in_gangs && self.candidates.contains(symbol);
                place.assigned
                    && (from_outside || own.contains(symbol))
                    && *symbol != l.induction
                    && !l.privates.contains(symbol)
                    && l.reductions.iter().all(|r| r.symbol != *symbol)
                    && !self.unit.symbol(*symbol).ty.qualifiers.is_volatile
            })
            .filter_map(|(symbol, place)| {
                let found = updates.meant(symbol, self.unit)?;
                Some(Reduction {
                    span: place.span,
                    ..found
                })
            })
            .collect()
    }
}

/// The statements inside of a loop and of those that it collapses, which are one
/// loop with it: the clause of the first is that of all.
fn belonging(body: &mut [Statement], collapsed: usize) -> &mut [Statement] {
    if collapsed == 0 {
        return body;
    }
    match body {
        [
            Statement {
                kind: StatementKind::Loop(next),
                ..
            },
        ] => belonging(&mut next.body, collapsed - 1),
        [
            Statement {
                kind: StatementKind::Block(inner),
                ..
            },
        ] => belonging(inner, collapsed),
        other => other,
    }
}

/// Whether threads share the iterations of a loop by the user's word.
fn is_shared(l: &Loop) -> bool {
    let is_region = |s: &Statement| matches!(s.kind, StatementKind::Windows(_));
    let has_windows = visit::any(&l.body, &mut |s| is_region(s));
    l.schedule.directive && !l.schedule.sequential && !l.schedule.auto && !has_windows
}

fn note(unit: &Unit, reduction: &Reduction, severity: Severity) -> Diagnostic {
    let name = &unit.symbol(reduction.symbol).name;
    let clause = format!("reduction({}:{name})", reduction.operator.spelling());
    let message = format!("the loop is taken to have `{clause}`");
    let place = Place::Span(reduction.span);
    Diagnostic::new(severity, codes::IMPLIED_REDUCTION, message, place)
        .note("its iterations only update the variable, and would race for it")
        .help("write the clause on the loop")
}
