//! What `--feedback` says of each access to device memory.
//!
//! Input: kernels whose loops are spread and whose blocks have a shape.
//! Output: a note per access with what a request of a whole warp comes to,
//! such as `reads b[k][j] in 1 transaction and 4 sectors`. Accesses to arrays
//! with windows are left out: their windows' fetches stand for them
//! ([`super::windows`]).

use crate::analysis::effects::{Oracle, Touch};
use crate::analysis::requests::{self, Nest, Prediction, Reference, Threads, Values};
use crate::diagnostic::{Diagnostic, Diagnostics, Place, Severity, codes};
use crate::ir::Module;
use crate::passes::Options;
use crate::source::Span;
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
    let kind = match reference.touch {
        Touch::Read => Kind::Read,
        Touch::Write => Kind::Write,
    };
    let text = Printer::text(unit, &C, reference.expression);
    let prediction = requests::predict(reference, nest, threads, values);
    tell(kind, text, prediction, reference.expression.span)
}

/// What a warp does with memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    /// Its block fills a window.
    Fetch,
}

impl Kind {
    /// As data, and in sentences: of one, of several.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Read => ("reads", "read"),
            Self::Write => ("writes", "write"),
            Self::Fetch => ("fetches", "fetch"),
        }
    }
}

/// The note on an access.
pub(super) fn tell(
    kind: Kind,
    text: String,
    prediction: Option<Prediction>,
    span: Span,
) -> Diagnostic {
    let (reads, read) = kind.words();
    let full = prediction.and_then(|p| p.full.of_a_request());
    let partial = prediction.and_then(|p| p.partial.of_a_request());
    let message = match (full, partial) {
        (Some(full), _) => format!("a warp {reads} `{text}` in {}", figures(full)),
        (None, Some(partial)) => {
            format!("parts of warps {read} `{text}` in {}", figures(partial))
        }
        (None, None) => format!("how a warp {reads} `{text}` is not known"),
    };
    let complete = prediction.filter(|p| p.is_complete);
    let mut note = Diagnostic::new(
        Severity::Note,
        codes::MEMORY_REQUESTS,
        message,
        Place::Span(span),
    )
    .data("access", text)
    .data("kind", read)
    .data("requests", complete.map(|p| p.full.requests))
    .data("transactions", full.map(|(transactions, _)| transactions))
    .data("sectors", full.map(|(_, sectors)| sectors))
    .data("partial_requests", complete.map(|p| p.partial.requests))
    .data(
        "partial_transactions",
        partial.map(|(transactions, _)| transactions),
    )
    .data("partial_sectors", partial.map(|(_, sectors)| sectors))
    .data("assumes_rows", prediction.map(|p| p.assumed));
    if let (Some(_), Some(partial)) = (full, partial) {
        let which = match complete {
            Some(p) => format!(
                "{} of {} requests of a launch are of partial or masked warps",
                rounded(p.partial.requests),
                rounded(p.full.requests + p.partial.requests)
            ),
            None => "requests of partial or masked warps".to_owned(),
        };
        note = note.note(format!("{which}: in {}", figures(partial)));
    }
    match prediction {
        Some(prediction) if prediction.assumed => note.note(
            "distances between rows, where they are not known, are taken to be multiples of 128 bytes",
        ),
        _ => note,
    }
}

/// `1 transaction and 4 sectors`.
fn figures((transactions, sectors): (f64, f64)) -> String {
    format!(
        "{} and {}",
        counted(transactions, "transaction"),
        counted(sectors, "sector")
    )
}

/// `1 transaction`, `1.97 transactions`.
fn counted(number: f64, unit: &str) -> String {
    let text = rounded(number);
    let plural = if text == "1" { "" } else { "s" };
    format!("{text} {unit}{plural}")
}

/// With two digits, less where they are zeros.
fn rounded(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
