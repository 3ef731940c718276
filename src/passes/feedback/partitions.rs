//! What is said of loops that a program shares out by itself: whether that is right.
//!
//! Input: kernels with a shape, their loops as they were written. Output: a note for each loop that
//! has shares, with the proof that its iterations are independent, or what stands against it.

use crate::analysis::effects::Oracle;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{Dimension, Kernel, Loop, Module, StatementKind, visit};
use crate::passes::parallelisation::{self, Proof};
use crate::typed::Unit;

/// The notes of a module.
pub fn of_loops(module: &Module, unit: &Unit) -> Vec<Diagnostic> {
    let oracle = Oracle::new(unit, &module.functions);
    let mut notes = Vec::new();
    for kernel in module.kernels.iter().filter(|k| k.shape.is_some()) {
        visit::loops(&kernel.body, &mut |l| {
            if !l.schedule.shares.is_empty() {
                let proof = parallelisation::prove(kernel, l, &oracle, true);
                notes.push(of_loop(kernel, l, &proof, unit));
            }
        });
    }
    notes
}

fn of_loop(kernel: &Kernel, l: &Loop, proof: &Proof, unit: &Unit) -> Diagnostic {
    let levels = kernel.words.levels;
    let words = l.schedule.shares.iter().map(|share| match share.over {
        Dimension::Grid(_) => levels.block,
        Dimension::Block(_) => levels.lane,
    });
    let words: Vec<&str> = words.collect();
    let variable = &unit.symbol(l.induction).name;
    let message = format!(
        "loop over `{variable}` is shared by {}",
        words.join(" and ")
    );
    let reason = proof.parallelism.reason.as_str();
    let mut asked = l.reductions.iter().chain(&kernel.reductions);
    let mut is_known = |symbol| asked.any(|r| r.symbol == symbol);
    let own = proof.reductions.iter().find(|r| !is_known(r.symbol));
    let is_independent = proof.parallelism.parallel && own.is_none();
    let note = Diagnostic::remark(codes::LOOP_MAPPING, message, l.header)
        .data("loop", variable.as_str())
        .data("decided", words.join(" "))
        .data("independent", is_independent)
        .data("why", reason);
    match own.filter(|_| proof.parallelism.parallel) {
        Some(reduction) => {
            let name = &unit.symbol(reduction.symbol).name;
            let operator = reduction.operator.spelling();
            note.note(format!(
                "all iterations change `{name}`, of which each thread has its own"
            ))
            .help(format!("`reduction({operator}:{name})` puts them together"))
        }
        None if is_independent => note.note(reason),
        None => {
            let note = note.note(format!("not proved to be independent: {reason}"));
            let waits = visit::any(&l.body, &mut |s| {
                matches!(s.kind, StatementKind::Barrier(_))
            });
            let note = match waits {
                true => note.note("a barrier inside orders the threads of a block, and no blocks"),
                false => note,
            };
            match proof.parallelism.span {
                Some(span) => note.also(span, ""),
                None => note,
            }
        }
    }
}
