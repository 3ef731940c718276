//! What `--feedback` says of each access to device memory.
//!
//! Input: kernels whose loops are spread and whose blocks have a shape.
//! Output: a note per access with what a request of a whole warp comes to,
//! such as `reads b[k][j] in 1 transaction and 4 sectors`. Accesses to arrays
//! with windows are left out: their windows' fetches stand for them.

use crate::analysis::effects::{Oracle, Touch};
use crate::analysis::requests::{self, Nest, Prediction, Reference, Threads, Values};
use crate::diagnostic::{Diagnostic, Diagnostics, Place, Severity, codes};
use crate::ir::Module;
use crate::passes::Options;
use crate::typed::Unit;
use crate::typed::print::{C, Printer};

/// Adds the notes of all kernels.
pub fn run(module: &Module, unit: &Unit, options: &Options, diagnostics: &mut Diagnostics) {
    let oracle = Oracle::new(unit, &module.functions);
    let values = |symbol| options.assumed(unit, symbol);
    for (number, kernel) in module.kernels.iter().enumerate() {
        let Some(block) = requests::block_shape(kernel) else {
            continue;
        };
        for nest in requests::of_kernel(kernel, &oracle) {
            for note in describe_all(&nest, block, unit, &values) {
                diagnostics.push(note.data("kernel", number));
            }
        }
    }
}

fn describe_all(nest: &Nest, block: [u32; 3], unit: &Unit, values: &Values) -> Vec<Diagnostic> {
    let spreads = requests::spreads(nest);
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
