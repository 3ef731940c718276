//! What `--feedback` says of loops that could be dimensions of threads.

use super::Exchange;
use crate::analysis::requests::rounded;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{Loop, visit};
use crate::typed::SymbolId;
use crate::typed::print::spelled;

impl Exchange<'_> {
    /// A note on each loop that is taken out, or on the one that would help
    /// most and cannot be.
    pub(super) fn describe(&self) -> Vec<Diagnostic> {
        if self.proved.is_some() {
            let taken = self.wanted.iter();
            return taken.filter_map(|symbol| self.taken(*symbol)).collect();
        }
        let refused = self.refused.iter();
        let along_x = refused.filter(|(symbol, _)| Some(*symbol) == self.along_x);
        let notes = along_x.filter_map(|(symbol, parallelism)| {
            let l = self.find(*symbol)?;
            let message = format!(
                "the loop over `{}` runs within each thread: along threads it would bring {} \
                 transactions to {}",
                self.name(*symbol),
                rounded(self.before.transactions),
                rounded(self.hoped)
            );
            let note = note(l, message)
                .data("loop", self.name(*symbol))
                .data("decided", "sequential")
                .data("transactions", self.before.transactions)
                .data("runner_up", "threads")
                .data("runner_up_transactions", self.hoped)
                .data("why", parallelism.reason.as_str())
                .note(parallelism.reason.clone());
            let note = match parallelism.span {
                Some(span) => note.also(span, ""),
                None => note,
            };
            Some(match &parallelism.remedy {
                Some(remedy) => note.help(remedy.clone()).data("remedy", remedy.as_str()),
                None => note,
            })
        });
        notes.collect()
    }

    fn taken(&self, symbol: SymbolId) -> Option<Diagnostic> {
        let outer: Vec<String> = (self.nest.iter())
            .map(|l| format!("`{}`", self.name(l.induction)))
            .collect();
        let message = format!(
            "the loop over `{}` becomes a dimension of threads: {} transactions for an \
             iteration of {} in a warp",
            self.name(symbol),
            rounded(self.transactions_after()),
            outer.join(", ")
        );
        let mut note = note(self.find(symbol)?, message)
            .data("loop", self.name(symbol))
            .data("decided", "threads")
            .data("transactions", self.transactions_after())
            .data("runner_up", "sequential")
            .data("runner_up_transactions", self.before.transactions)
            .note(format!(
                "within each thread, {}",
                rounded(self.before.transactions)
            ));
        for (a, b) in &self.assumed.disjoint {
            let (a, b) = (self.name(*a), self.name(*b));
            note = note.note(format!("where `{a}` and `{b}` overlap it stays there"));
        }
        for condition in &self.assumed.conditions {
            let text = spelled(self.oracle.unit(), condition);
            note = note.note(format!("it stays there unless `{text}`"));
        }
        Some(note)
    }

    fn name(&self, symbol: SymbolId) -> &str {
        &self.oracle.unit().symbol(symbol).name
    }

    fn find(&self, symbol: SymbolId) -> Option<&Loop> {
        let mut found = None;
        visit::loops(&self.kernel.body, &mut |l| {
            if l.induction == symbol {
                found = Some(l);
            }
        });
        found
    }
}

fn note(l: &Loop, message: String) -> Diagnostic {
    Diagnostic::remark(codes::LOOP_EXCHANGE, message, l.header)
}
