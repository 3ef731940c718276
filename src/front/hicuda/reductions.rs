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
use crate::ir::{Dimension, Loop, Reduction, Statement, StatementKind, visit};
use crate::source::Span;
use crate::typed::SymbolId;
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
        let elsewhere = || uses(list, symbol, &mut Vec::new()).find(|u| !nest.span.contains(u.0));
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

/// The outermost loop of a reduction.
struct Nest {
    reduction: Reduction,
    /// What it and the loops inside that reduce the variable share.
    dimensions: Vec<Dimension>,
    /// What loops around share.
    around: Vec<Dimension>,
    /// A use of the variable that not all of the dimensions share.
    uneven: Option<Span>,
    span: Span,
}

fn shared(l: &Loop) -> impl Iterator<Item = Dimension> {
    l.schedule.shares.iter().map(|share| share.over)
}

fn reduces(l: &Loop, symbol: SymbolId) -> bool {
    l.reductions.iter().any(|r| r.symbol == symbol)
}

fn nests(list: &[Statement]) -> Vec<Nest> {
    let mut found = Vec::new();
    search(list, &mut Vec::new(), &mut Vec::new(), &mut found);
    found
}

fn search(
    list: &[Statement],
    around: &mut Vec<Dimension>,
    open: &mut Vec<SymbolId>,
    found: &mut Vec<Nest>,
) {
    for statement in list {
        let marks = (around.len(), open.len());
        if let StatementKind::Loop(l) = &statement.kind {
            for reduction in l.reductions.iter().filter(|r| !open.contains(&r.symbol)) {
                let alone = std::slice::from_ref(statement);
                let symbol = reduction.symbol;
                let mut dimensions: Vec<Dimension> = Vec::new();
                visit::loops(alone, &mut |inner| {
                    for over in shared(inner).filter(|_| reduces(inner, symbol)) {
                        if !dimensions.contains(&over) {
                            dimensions.push(over);
                        }
                    }
                });
                let mut uses = uses(alone, symbol, &mut Vec::new());
                let uneven = uses.find(|(_, by)| by.len() != dimensions.len());
                found.push(Nest {
                    reduction: reduction.clone(),
                    around: around.clone(),
                    uneven: uneven.map(|(span, _)| span),
                    dimensions,
                    span: statement.span,
                });
            }
            open.extend(l.reductions.iter().map(|r| r.symbol));
            around.extend(shared(l));
        }
        visit::blocks(statement, &mut |inner| search(inner, around, open, found));
        around.truncate(marks.0);
        open.truncate(marks.1);
    }
}

/// The uses of a variable, with what the loops around that reduce it share.
fn uses(
    list: &[Statement],
    symbol: SymbolId,
    by: &mut Vec<Dimension>,
) -> std::vec::IntoIter<(Span, Vec<Dimension>)> {
    let mut found = Vec::new();
    for statement in list {
        visit::own_expressions(statement, &mut |root| {
            crate::typed::visit::walk(root, &mut |e| {
                if e.as_symbol() == Some(symbol) {
                    found.push((e.span, by.clone()));
                }
            });
        });
        let mark = by.len();
        if let StatementKind::Loop(l) = &statement.kind
            && reduces(l, symbol)
        {
            by.extend(shared(l));
        }
        visit::blocks(statement, &mut |inner| {
            found.extend(uses(inner, symbol, by))
        });
        by.truncate(mark);
    }
    found.into_iter()
}
