//! Values that one thread of a block has, and all read.
//!
//! Input: a kernel's statements. Output: an error for each variable of the threads' own that
//! a section of one thread writes, and that is read behind it by all threads.
//!
//! ```c
//! single { first = a[0]; }       // in one thread of each block
//! b[i] = first;                  // the others have the value from before
//! ```

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::flow;
use crate::diagnostic::{Diagnostic, codes};
use crate::front::lowering::usage::{self, Use};
use crate::ir::{Statement, StatementKind as Ir, visit};
use crate::source::Span;
use crate::typed::{SymbolId, Unit};

/// Looks at each section. `word` is what the user wrote for it; `is_placed` says which variables
/// all threads share.
pub fn check(
    unit: &Unit,
    list: &[Statement],
    word: &str,
    is_placed: &dyn Fn(SymbolId) -> bool,
) -> Vec<Diagnostic> {
    let declared = visit::own_variables(list);
    let is_own = |symbol: SymbolId, place: &Use| {
        let is_array = unit.types.is_array(unit.symbol(symbol).ty.ty);
        !is_placed(symbol)
            && match is_array {
                true => place.written && declared.contains(&symbol),
                false => place.assigned,
            }
    };
    let mut written: BTreeMap<Span, Vec<SymbolId>> = BTreeMap::new();
    visit::walk(list, &mut |statement| {
        if let Ir::Single { body, .. } = &statement.kind {
            let used = usage::of(unit, body);
            let own = used
                .outside()
                .filter(|(symbol, place)| is_own(*symbol, place));
            let own: Vec<SymbolId> = own.map(|(symbol, _)| symbol).collect();
            if !own.is_empty() {
                written.insert(statement.span, own);
            }
        }
    });
    if written.is_empty() {
        return Vec::new();
    }
    // What the sections read and write is that thread's alone.
    let mut common = list.to_vec();
    visit::walk_mut(&mut common, &mut |statement| {
        if let Ir::Single { body, .. } = &mut statement.kind {
            body.clear();
        }
    });
    let mut filled = BTreeSet::new();
    visit::expressions(&common, &mut |e| {
        if let Some(target) = e.assigned() {
            filled.extend(usage::root(target).map(|(symbol, _)| symbol));
        }
    });
    let mut search = Search {
        unit,
        word,
        written,
        filled,
        found: Vec::new(),
    };
    search.list(&common, &mut Vec::new());
    search.found
}

struct Search<'s> {
    unit: &'s Unit,
    word: &'s str,
    /// Of each section, what it writes of the threads' own.
    written: BTreeMap<Span, Vec<SymbolId>>,
    /// Arrays that all threads fill, too.
    filled: BTreeSet<SymbolId>,
    found: Vec<Diagnostic>,
}

/// What is executed later: the rest of a list, or all of a loop's body once more.
#[derive(Clone, Copy)]
struct Later<'s> {
    list: &'s [Statement],
    is_certain: bool,
}

impl Search<'_> {
    /// `later` has what comes behind the list, outermost first.
    fn list<'s>(&mut self, list: &'s [Statement], later: &mut Vec<Later<'s>>) {
        for (at, statement) in list.iter().enumerate() {
            let count = later.len();
            later.push(Later {
                list: &list[at + 1..],
                is_certain: true,
            });
            if let Ir::Single { .. } = &statement.kind {
                for symbol in self
                    .written
                    .get(&statement.span)
                    .cloned()
                    .unwrap_or_default()
                {
                    self.value(statement.span, symbol, later);
                }
            }
            let repeats = matches!(
                statement.kind,
                Ir::Loop(_) | Ir::For(_) | Ir::While(..) | Ir::DoWhile(..)
            );
            if repeats {
                later.push(Later {
                    list: std::slice::from_ref(statement),
                    is_certain: false,
                });
            }
            for inner in visit::lists(statement) {
                self.list(inner, later);
            }
            later.truncate(count);
        }
    }

    fn value(&mut self, section: Span, symbol: SymbolId, later: &[Later<'_>]) {
        let is_array = self.unit.types.is_array(self.unit.symbol(symbol).ty.ty);
        if is_array && self.filled.contains(&symbol) {
            return;
        }
        for next in later.iter().rev() {
            if !visit::mentions(next.list, symbol) {
                continue;
            }
            let flow = flow::of_list(self.unit, next.list, symbol);
            if flow.may_read() {
                return self.report(section, symbol, next.list);
            }
            if next.is_certain && flow.is_assigned() {
                return;
            }
        }
    }

    fn report(&mut self, section: Span, symbol: SymbolId, list: &[Statement]) {
        let mut read = None;
        visit::expressions(list, &mut |e| {
            read = read.or((e.as_symbol() == Some(symbol)).then_some(e.span));
        });
        let (name, word) = (&self.unit.symbol(symbol).name, self.word);
        let message = format!("`{name}` is read by all threads, and one of each block wrote it");
        let place = read.unwrap_or(section);
        let problem = Diagnostic::error(codes::ONE_THREADS_VALUE, message, place);
        let problem = problem.also(section, "here, the others keep what they had");
        self.found.push(problem.help(format!(
            "compute `{name}` in all threads, or let `{word}` write it to an element of an array, and put a `barrier` behind"
        )));
    }
}
