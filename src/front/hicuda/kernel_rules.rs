//! What a kernel must not do, as far as its text shows.

use super::checked::{self, Checked};
use super::host::Lowering;
use crate::diagnostic::{Diagnostic, codes};
use crate::front::lowering::windows::control;
use crate::front::lowering::{jumps, misses, outlived, single_values};
use crate::ir::{Extent, Kernel, Statement, StatementKind, visit as ir_visit};
use crate::source::Span;
use crate::typed::constant::evaluate;
use crate::typed::{self, Expression, SymbolId, visit};

impl Lowering<'_, '_> {
    /// What accesses miss, and values that one thread alone has.
    pub(super) fn reach(&mut self, list: &[Statement]) {
        let sections = self.placed.iter().filter_map(|placed| {
            let Extent::Section { ranges, .. } = &placed.item.extent else {
                return None;
            };
            let item = &placed.item;
            let (text, span) = (item.text.clone(), item.span);
            Some(misses::Section::of(
                self.unit,
                placed.symbol,
                ranges,
                text,
                span,
            ))
        });
        let own = ir_visit::own_variables(list);
        ir_visit::walk(list, &mut |statement| {
            let StatementKind::Windows(region) = &statement.kind else {
                return;
            };
            for window in region.windows.iter().filter(|w| own.contains(&w.array)) {
                let name = &self.unit.symbol(window.array).name;
                let message = format!("`{name}` is each thread's own, and not in device memory");
                let problem = Diagnostic::error(codes::WINDOW_ARRAY, message, window.span);
                self.diagnostics.push(
                    problem.help("declare it before the kernel, and place it with `global alloc`"),
                );
            }
        });
        control::jumps(list, self.diagnostics);
        let missed = misses::check(self.unit, list, sections.collect());
        let placed = |symbol: SymbolId| self.is_in_memory(symbol);
        let alone = single_values::check(self.unit, list, "singular", &placed);
        for problem in missed.into_iter().chain(alone) {
            self.diagnostics.push(problem);
        }
    }

    /// What is copied to shared memory, and used where no barrier is since.
    pub(super) fn unmet(&mut self, list: &[Statement], asked: &checked::Kernel) {
        let is_one = |size: &Expression| evaluate(self.unit, size) == Some(1);
        if asked.block.iter().all(is_one) {
            return;
        }
        for (window, used) in control::unmet(list) {
            let name = &self.unit.symbol(window.array).name;
            let message = format!("`{name}` is used before a barrier");
            let problem = Diagnostic::error(codes::MISSING_BARRIER, message, used);
            let problem = problem.also(window.span, "each thread copies a part of it here");
            self.diagnostics
                .push(problem.help("put `#pragma hicuda barrier` behind the `copyin`"));
        }
    }

    /// Jumps into partitions and singular sections.
    pub(super) fn jumps_into_sections(&mut self, body: &typed::Statement) {
        visit::statements(body, &mut |statement| {
            let typed::StatementKind::Directive(directive, Some(inner)) = &statement.kind else {
                return;
            };
            let name = match self.directives.get(directive) {
                Some(Checked::Partition(_)) => "loop_partition",
                Some(Checked::Singular) => "singular",
                _ => return,
            };
            let construct = jumps::Construct {
                name,
                directive: directive.span,
            };
            jumps::into(body, inner, construct, self.diagnostics);
        });
    }

    /// A block has at most 1024 threads, and a grid 2^31 - 1 blocks along x, where dimensions
    /// beyond CUDA's are.
    pub(super) fn fits(&mut self, asked: &checked::Kernel) {
        let product = |sizes: &[Expression]| {
            let mut sizes = sizes.iter().map(|e| evaluate(self.unit, e));
            sizes.try_fold(1, |all: i128, n| Some(all.saturating_mul(n?)))
        };
        if let Some(blocks) = product(&asked.grid).filter(|&n| n > i128::from(i32::MAX)) {
            let message = format!("`{}` has {blocks} blocks", asked.name.value);
            let span = asked.grid.first().map_or(asked.name.span, |e| e.span);
            let problem = Diagnostic::error(codes::CLAUSE_ARGUMENT, message, span);
            let help = "at most 2147483647 are launched: give each block more iterations";
            self.diagnostics.push(problem.help(help));
        }
        let threads = product(&asked.block);
        let Some(threads) = threads.filter(|&threads| threads > 1024) else {
            return;
        };
        let message = format!("a block of `{}` has {threads} threads", asked.name.value);
        let span = asked.block.first().map_or(asked.name.span, |e| e.span);
        let problem = Diagnostic::error(codes::BLOCK_TOO_LARGE, message, span);
        self.diagnostics
            .push(problem.help("CUDA allows 1024: give the kernel more blocks instead"));
    }

    /// A scalar that a kernel writes and the host reads afterwards.
    pub(super) fn lost(&mut self, symbol: SymbolId, span: Span, counts: bool) {
        let variable = self.unit.symbol(symbol);
        let name = &variable.name;
        let message = format!("`{name}` is written in the kernel, where each thread has its own");
        let problem = Diagnostic::error(codes::LOST_SCALAR, message, span);
        let problem = problem.note("the host would read its old value afterwards");
        let is_pointer = self.unit.types.is_pointer(variable.ty.ty);
        self.diagnostics.push(match counts {
            _ if is_pointer => problem.help("use a pointer of the kernel's own"),
            true => problem.help(format!(
                "declare `{name}` in the loop, or assign it its last value behind the kernel"
            )),
            false => problem.help(format!(
                "put `#pragma hicuda global alloc {name} copyin` before the kernel and `global copyout {name}` behind it, or use a variable of the kernel's own"
            )),
        });
    }

    /// What a kernel declares at its top is gone with it.
    pub(super) fn declared_inside(&mut self, body: &typed::Statement) {
        let typed::StatementKind::Compound(items) = &body.kind else {
            return;
        };
        let own = outlived::declared(items);
        let used = outlived::first_outside(&self.function.body, body, &own);
        if let Some((symbol, span)) = used {
            let variable = self.unit.symbol(symbol);
            let message = format!(
                "`{}` is declared in a kernel, and used after it",
                variable.name
            );
            let problem = Diagnostic::error(codes::LOST_SCALAR, message, span);
            let problem = problem.also(variable.span, "declared here");
            self.diagnostics
                .push(problem.help("declare it before the kernel"));
        }
    }

    /// Names of kernels are those of functions in the output.
    pub(super) fn named_twice(&mut self, asked: &checked::Kernel) {
        let name = asked.name.value.as_str();
        let same = |kernel: &&Kernel| kernel.name.as_deref() == Some(name);
        let first = self.module.kernels.iter().find(same);
        if let Some(first) = first {
            let message = format!("two kernels are called `{name}`");
            let problem = Diagnostic::error(codes::DUPLICATE_CLAUSE, message, asked.name.span);
            let problem = problem.also(first.directive, "the other one");
            self.diagnostics
                .push(problem.help("give each kernel of a file a name of its own"));
        }
    }
}
