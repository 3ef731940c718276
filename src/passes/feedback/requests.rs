//! What `--feedback` says of each access to device memory.
//!
//! Input: kernels whose loops are spread and whose blocks have a shape.
//! Output: a note per access with what a request of a whole warp comes to,
//! such as `reads b[k][j] in 1 transaction and 4 sectors`. Accesses to arrays
//! with windows are left out: their windows' fetches stand for them.

use indexmap::IndexSet;

use crate::analysis::effects::{Oracle, Touch};
use crate::analysis::requests::{self, Nest, Prediction, Reference, Threads, Values};
use crate::diagnostic::{Diagnostic, Diagnostics, Place, Severity, codes};
use crate::ir::{BlockExtent, Kernel, Loop, Module, Spread, Statement, StatementKind, visit};
use crate::typed::print::{C, Printer};
use crate::typed::{SymbolId, Unit};

/// Adds the notes of all kernels.
pub fn run(
    module: &Module,
    unit: &Unit,
    assumptions: &[(String, i128)],
    diagnostics: &mut Diagnostics,
) {
    let oracle = Oracle::new(unit, &module.functions);
    let values = |symbol: SymbolId| {
        let name = &unit.symbol(symbol).name;
        let assumed = assumptions.iter().find(|(assumed, _)| assumed == name);
        assumed.map(|(_, value)| *value)
    };
    for (number, kernel) in module.kernels.iter().enumerate() {
        let Some(block) = shape(kernel) else { continue };
        let private = private(kernel);
        for outermost in outermost_loops(&kernel.body) {
            let nest = requests::collect(outermost, &private, &oracle);
            for note in describe_all(&nest, block, unit, &values) {
                diagnostics.push(note.data("kernel", number));
            }
        }
    }
}

/// Threads along x, y, z, if that is known.
fn shape(kernel: &Kernel) -> Option<[u32; 3]> {
    let mut shape = [1; 3];
    for (threads, extent) in shape.iter_mut().zip(kernel.block.as_ref()?) {
        let BlockExtent::Constant(n) = extent else {
            return None;
        };
        *threads = *n;
    }
    Some(shape)
}

/// Variables that are not in device memory, and arrays that have windows.
fn private(kernel: &Kernel) -> IndexSet<SymbolId> {
    let mut private: IndexSet<SymbolId> = visit::declared(&kernel.body).into_iter().collect();
    private.extend(&kernel.privates);
    visit::loops(&kernel.body, &mut |l| private.extend(&l.privates));
    visit::walk(&kernel.body, &mut |statement| {
        if let StatementKind::Windows(region) = &statement.kind {
            private.extend(region.windows.iter().map(|window| window.array));
        }
    });
    private
}

/// The loops that are in no other.
fn outermost_loops(body: &[Statement]) -> Vec<&Loop> {
    let mut loops = Vec::new();
    for statement in body {
        match &statement.kind {
            StatementKind::Loop(l) => loops.push(&**l),
            _ => visit::blocks(statement, &mut |inner| loops.extend(outermost_loops(inner))),
        }
    }
    loops
}

fn describe_all(nest: &Nest, block: [u32; 3], unit: &Unit, values: &Values) -> Vec<Diagnostic> {
    let spreads = spreads(nest);
    let threads = Threads {
        spreads: &spreads,
        block,
    };
    let is_shared = |number: &usize| spreads[*number].threads.contains(&true);
    let references = nest.references.iter();
    references
        .filter(|reference| reference.within.iter().any(is_shared))
        .map(|reference| describe(reference, nest, &threads, unit, values))
        .collect()
}

/// How the loops of a nest are spread. Of those that are numbered together, the
/// threads next to each other have the innermost one's iterations.
fn spreads(nest: &Nest) -> Vec<Spread> {
    let own = nest.loops.iter().map(|l| l.spread.unwrap_or_default());
    let mut spreads: Vec<Spread> = own.collect();
    for (number, l) in nest.loops.iter().enumerate() {
        let innermost = l.numbered_together().pop();
        let found = innermost.and_then(|last| {
            nest.loops
                .iter()
                .position(|l| l.induction == last.induction)
        });
        if let Some(last) = found {
            spreads.swap(number, last);
        }
    }
    spreads
}

fn describe(
    reference: &Reference,
    nest: &Nest,
    threads: &Threads,
    unit: &Unit,
    values: &Values,
) -> Diagnostic {
    let verb = match reference.touch {
        Touch::Read => "reads",
        Touch::Write => "writes",
    };
    let text = Printer::text(unit, &C, reference.expression);
    let access = format!("{verb} `{text}`");
    let prediction = requests::predict(reference, nest, threads, values);
    let message = match &prediction {
        Some(prediction) => format!(
            "a warp {access} in {} and {}",
            counted(prediction.transactions, "transaction"),
            counted(prediction.sectors, "sector")
        ),
        None => format!("how a warp {access} is not known"),
    };
    let place = Place::Span(reference.expression.span);
    let figure = |of: fn(&Prediction) -> f64| prediction.as_ref().map(of);
    let note = Diagnostic::new(Severity::Note, codes::MEMORY_REQUESTS, message, place)
        .data("access", text)
        .data("kind", verb.trim_end_matches('s'))
        .data("transactions", figure(|p| p.transactions))
        .data("sectors", figure(|p| p.sectors))
        .data("assumes_rows", prediction.as_ref().map(|p| p.assumed));
    match prediction {
        Some(prediction) if prediction.assumed => note.note(
            "distances between rows, where they are not known, are taken to be multiples of 128 bytes",
        ),
        _ => note,
    }
}

/// `1 transaction`, `1.97 transactions`.
fn counted(number: f64, unit: &str) -> String {
    let text = format!("{number:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let plural = if text == "1" { "" } else { "s" };
    format!("{text} {unit}{plural}")
}
