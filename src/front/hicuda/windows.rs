//! Windows in shared memory, from `shared alloc` to `shared remove` (the paper's section 5.4).
//!
//! ```text
//! shared alloc A[i-1:i+1] copyin
//! …                                   ->   with windows A: …
//! shared copyout A[i-1:i+1]
//! shared remove A
//! ```

use super::body::{Body, not_yet};
use super::checked::{Allocation, Checked, Variable};
use super::table::Memory;
use crate::diagnostic::{Diagnostic, codes};
use crate::front::lowering::lengths;
use crate::front::lowering::statements::Statements;
use crate::ir::{
    self, Extent, Length, StatementKind as Ir, Window, WindowDimension, WindowPolicy, WindowProof,
    WindowRegion,
};
use crate::source::Span;
use crate::typed::{self, BinaryOperator as Op, Statement, SymbolId, synthesis};

impl<'l> Body<'l> {
    /// The statements from a `shared alloc` on: those up to its `remove` are with windows.
    /// Gives those after it.
    pub(super) fn shared<'s>(
        &mut self,
        items: &'s [Statement],
        out: &mut Vec<ir::Statement>,
    ) -> &'s [Statement] {
        let begin = items.iter().take_while(|s| self.allocated(s).is_some());
        let (begin, rest) = items.split_at(begin.count());
        let all = begin.iter().flat_map(|s| self.allocated(s).unwrap_or(&[]));
        let all: Vec<&Allocation> = all.collect();
        let own: Vec<SymbolId> = all.iter().map(|a| a.variable.symbol).collect();
        let directive = begin.first().map_or_else(Span::default, |s| s.span);
        for statement in begin {
            if let typed::StatementKind::Directive(written, _) = &statement.kind {
                self.not_alone(written, "shared memory");
            }
        }
        let is_end = |s: &Statement| self.removed(s).iter().any(|v| own.contains(&v.symbol));
        let at = rest.iter().position(is_end);
        let (body, after) = rest.split_at(at.unwrap_or(rest.len()));
        let ends = self.ends(after, &own);
        let removed = after[..ends].iter().flat_map(|s| self.removed(s));
        let mut removed: Vec<SymbolId> = removed.map(|v| v.symbol).collect();
        // A window that is removed first may as well end with the others.
        let between = after[..ends].iter().filter(|s| self.is_at_end(s));
        let body: Vec<Statement> = body.iter().chain(between).cloned().collect();
        let after = &after[ends..];
        if at.is_none() {
            removed.clone_from(&self.ended);
        }
        for allocation in &all {
            if !removed.contains(&allocation.variable.symbol) {
                let name = &self.unit.symbol(allocation.variable.symbol).name;
                let message = format!("`{name}` is not removed where its window may end");
                let span = allocation.variable.span;
                let problem = Diagnostic::error(codes::ALLOCATION, message, span);
                self.diagnostics.push(problem.help(format!(
                    "put `#pragma hicuda shared remove {name}` into the same block; what is allocated last is removed first"
                )));
            }
        }
        let written = body.iter().rev().take_while(|s| self.is_at_end(s));
        let written = written.filter_map(|s| match self.directives.of_statement(s)? {
            Checked::CopyOut(_, variable) => Some((s.span, variable)),
            _ => None,
        });
        let written: Vec<(Span, &Variable)> = written.collect();
        self.last.extend(written.iter().map(|(span, _)| *span));
        for (_, copied) in &written {
            let mut windows = all.iter().map(|a| &a.variable);
            let of = windows.clone().find(|v| v.symbol == copied.symbol);
            if !windows.any(|v| v.symbol == copied.symbol && v.text == copied.text)
                && let Some(window) = of
            {
                self.in_part(copied, window);
            }
        }
        let around = std::mem::replace(&mut self.ended, removed);
        let list = self.items(&body);
        self.ended = around;
        let windows = all.iter().filter_map(|a| self.window(a, &written, &list));
        let windows: Vec<Window> = windows.collect();
        let titles = all.iter().map(|a| a.variable.text.as_str());
        let region = WindowRegion {
            windows,
            body: list,
            explicit: true,
            is_scope: false,
            title: format!("shared {}", titles.collect::<Vec<_>>().join(", ")),
            directive,
        };
        out.push(ir::Statement {
            kind: Ir::Windows(Box::new(region)),
            span: directive,
        });
        after
    }

    /// How many statements end windows of `own`: removes, and copies out of windows that
    /// are removed later.
    fn ends(&self, after: &[Statement], own: &[SymbolId]) -> usize {
        let is_remove = |s: &&Statement| !self.removed(s).is_empty();
        let mut ends = 0;
        loop {
            ends += after[ends..].iter().take_while(is_remove).count();
            let removed = after[..ends].iter().flat_map(|s| self.removed(s));
            let removed: Vec<SymbolId> = removed.map(|v| v.symbol).collect();
            let is_open = |s: &SymbolId| own.contains(s) && !removed.contains(s);
            let rest = &after[ends..];
            let copies = rest.iter().take_while(|s| self.is_at_end(s)).count();
            let next = rest.get(copies).map_or(&[][..], |s| self.removed(s));
            if copies == 0 || !next.iter().any(|v| is_open(&v.symbol)) {
                return ends;
            }
            ends += copies;
        }
    }

    /// Whether a statement is a copy out of shared memory, or a barrier.
    fn is_at_end(&self, statement: &Statement) -> bool {
        let checked = self.directives.of_statement(statement);
        let is_copy = matches!(checked, Some(Checked::CopyOut(Memory::Shared, _)));
        is_copy || matches!(checked, Some(Checked::Barrier))
    }

    /// What a statement allocates in shared memory, if it is such a directive.
    pub(super) fn allocated(&self, statement: &Statement) -> Option<&'l [Allocation]> {
        match self.directives.of_statement(statement)? {
            Checked::Alloc(Memory::Shared, list) => Some(list),
            _ => None,
        }
    }

    pub(super) fn removed(&self, statement: &Statement) -> &'l [Variable] {
        match self.directives.of_statement(statement) {
            Some(Checked::Free(Memory::Shared, list)) => list,
            _ => &[],
        }
    }

    /// The window of an allocation over `body`.
    pub(super) fn window(
        &mut self,
        allocation: &Allocation,
        copied_out: &[(Span, &Variable)],
        body: &[ir::Statement],
    ) -> Option<Window> {
        let variable = &allocation.variable;
        let is_own = |(_, copied): &(Span, &Variable)| {
            copied.symbol == variable.symbol && copied.text == variable.text
        };
        let item = self.reader.item(ir::DataAction::Create, variable);
        let item = item
            .map_err(|problem| self.diagnostics.push(problem))
            .ok()?;
        let Extent::Section { ranges, .. } = &item.extent else {
            let name = &self.unit.symbol(variable.symbol).name;
            let message = format!("`{name}` is no array, so that it has no section");
            let problem = Diagnostic::error(codes::WINDOW_ARRAY, message, variable.span);
            self.diagnostics
                .push(problem.help("shared memory takes sections of arrays"));
            return None;
        };
        // All of the window is filled, as far as the array goes: nobody reads the rest.
        let in_part = allocation
            .copyin
            .as_ref()
            .filter(|c| c.text != variable.text);
        if let Some(copied) = in_part {
            let part = self.reader.item(ir::DataAction::CopyIn, copied);
            let problem = part.and_then(|part| self.reader.inside(&item, &part)).err();
            problem.into_iter().for_each(|p| self.diagnostics.push(p));
        }
        let int = synthesis::int(self.unit);
        let number = |n: i128| synthesis::integer(n, int, variable.span);
        let dimensions = ranges.iter().enumerate().map(|(at, range)| {
            let ends = variable.dimensions.get(at).and_then(|b| b.ends.as_ref());
            let (pivot, after) = match (ends, &range.length) {
                (Some((first, last)), _) => {
                    let after = lengths::difference(self.unit, first, last);
                    let after = after.map(number).unwrap_or_else(|| {
                        let first = synthesis::parenthesized(first.clone());
                        let ty = last.ty.ty;
                        synthesis::binary(Op::Subtract, last.clone(), first, ty)
                    });
                    (first.clone(), after)
                }
                (None, Length::Constant(n)) => (number(0), number(i128::from(*n) - 1)),
                (None, Length::Expression(e)) => {
                    let one = number(1);
                    let e = e.clone();
                    (number(0), synthesis::binary(Op::Subtract, e, one, int))
                }
                (None, Length::Variable { .. }) => return None,
            };
            Some(WindowDimension {
                pivot,
                before: number(0),
                after,
            })
        });
        let Some(dimensions) = dimensions.collect::<Option<Vec<_>>>() else {
            let message = format!("all of `{}`, whose length is computed,", variable.text);
            let name = &self.unit.symbol(variable.symbol).name;
            let problem = not_yet(&message, variable.span);
            self.diagnostics
                .push(problem.help(format!("write its bounds: `{name}[0:n - 1]`")));
            return None;
        };
        let used = crate::front::lowering::usage::of(self.unit, body);
        let used = used.variables.get(&variable.symbol);
        Some(Window {
            array: variable.symbol,
            dimensions,
            policy: WindowPolicy {
                fetch: allocation.copyin.is_some(),
                channel: used.is_some_and(|place| place.written),
                write_back: copied_out.iter().any(is_own),
            },
            proof: WindowProof::Trusted,
            bounds: (allocation.is_unchecked && in_part.is_none())
                .then(|| vec![None; variable.dimensions.len()]),
            has_sections: false,
            text: variable.text.clone(),
            span: variable.span,
        })
    }

    /// A copy that is not of all of its window.
    fn in_part(&mut self, copied: &Variable, window: &Variable) {
        let message = format!("a copy of `{}`, less than the window,", copied.text);
        let problem = not_yet(&message, copied.span).also(window.span, "the window");
        self.diagnostics
            .push(problem.help(format!("copy `{}`", window.text)));
    }
}
