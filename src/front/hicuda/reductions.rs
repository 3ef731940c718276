//! `reduction(op:v)` on partitions, which the paper's authors wrote into generated code by hand.
//!
//! ```text
//! loop_partition over_thread reduction(+:s)               each thread has a copy; behind the
//! for (j …) s += a[i][j];                                 loop all threads of the block have s
//!
//! loop_partition over_tblock over_thread reduction(+:s)   s is in device memory, and complete
//! for (i …) s += a[i];                                    when the kernel ends
//! ```

use super::checked;
use super::host::Lowering;
use crate::diagnostic::{Diagnostic, codes};
use crate::front::lowering::reductions::{Nest, nests, uses};
use crate::ir::{Dimension, Reduction, Statement, visit};
use crate::source::Span;
use crate::typed::constant::evaluate;

impl Lowering<'_, '_> {
    /// Checks the reductions of a kernel's partitions. Gives those of all blocks; loops keep
    /// those that threads take part in.
    pub(super) fn reductions(
        &mut self,
        list: &mut [Statement],
        asked: &checked::Kernel,
    ) -> Vec<Reduction> {
        let mut of_grid = Vec::new();
        for nest in nests(list) {
            match self.reduction(list, &nest, asked) {
                Ok(true) => of_grid.push(nest.reduction),
                Ok(false) => {}
                Err(problem) => self.diagnostics.push(*problem),
            }
        }
        visit::loops_mut(list, &mut |l| {
            let shares = &l.schedule.shares;
            if !shares.iter().any(|s| matches!(s.over, Dimension::Block(_))) {
                l.reductions.clear();
            }
        });
        of_grid
    }

    /// Whether all blocks take part.
    fn reduction(
        &self,
        list: &[Statement],
        nest: &Nest,
        asked: &checked::Kernel,
    ) -> Result<bool, Box<Diagnostic>> {
        let symbol = nest.reduction.symbol;
        let name = &self.unit.symbol(symbol).name;
        let wrong = |message: String, span: Span, help: &str| {
            let problem = Diagnostic::error(codes::PARTIAL_REDUCTION, message, span);
            Box::new(problem.help(help))
        };
        let is_long = |size| evaluate(self.unit, size) != Some(1);
        let blocks = asked.grid.iter().map(is_long).enumerate();
        let threads = asked.block.iter().map(is_long).enumerate();
        let covers = |dimensions: &[Dimension]| {
            let lacks = |(d, long): (usize, bool), of: fn(usize) -> Dimension| {
                long && !dimensions.contains(&of(d))
            };
            let all = !blocks.clone().any(|d| lacks(d, Dimension::Grid));
            let all_threads = !threads.clone().any(|d| lacks(d, Dimension::Block));
            (all, all_threads)
        };
        let is_of_block = |d: &Dimension| matches!(d, Dimension::Block(_));
        let has_threads = nest.dimensions.iter().any(is_of_block);
        let has_blocks = !nest.dimensions.iter().all(is_of_block);
        let (all_blocks, all_threads) = covers(&nest.dimensions);
        let span = nest.reduction.span;
        if nest.around.iter().any(is_of_block) || has_blocks && !nest.around.is_empty() {
            let message = format!("the reduction of `{name}` begins inside of a partition");
            let help = "write it on the outer partition as well, or on the inner one alone where that is the only one over threads";
            return Err(wrong(message, span, help));
        }
        if has_threads && !all_threads || has_blocks && !all_blocks {
            let of = if has_threads && !all_threads {
                "thread"
            } else {
                "tblock"
            };
            let message = format!("the reduction of `{name}` is not over all of `{of}`");
            let help = format!("write it on a partition over each dimension of `{of}`");
            return Err(wrong(message, span, &help));
        }
        if let Some(used) = nest.uneven {
            let message = format!("not all threads that reduce `{name}` share this");
            let help = "update it in the innermost of the partitions alone";
            return Err(wrong(message, used, help));
        }
        let is_placed = self.is_in_memory(symbol);
        if has_blocks && !is_placed {
            let message = format!("`{name}` is reduced by all blocks, and is not in device memory");
            let help = format!(
                "put `#pragma hicuda global alloc {name} copyin` before the kernel and `global copyout {name}` behind it"
            );
            return Err(wrong(message, span, &help));
        }
        if !has_blocks && is_placed {
            let message = format!("`{name}` is in device memory, and each block reduces it");
            let help = "reduce a variable of the kernel's own, or reduce over blocks as well";
            return Err(wrong(message, span, help));
        }
        let elsewhere = || uses(list, symbol).find(|u| !nest.span.contains(u.0));
        match has_blocks.then(elsewhere).flatten() {
            Some((used, _)) => {
                let message = format!("`{name}` has its value when the kernel ends");
                let help = "use it in another kernel, or on the host";
                Err(wrong(message, used, help))
            }
            None => Ok(has_blocks),
        }
    }
}
