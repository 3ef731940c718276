//! What `--feedback` says of each access to device memory.
//!
//! Input: kernels whose loops are spread and whose blocks have a shape.
//! Output: a note per access with what a request of a whole warp comes to,
//! such as `reads b[k][j] in 1 transaction and 4 sectors`. Accesses to arrays
//! with windows are left out: their windows' fetches stand for them
//! ([`super::windows`]).

use crate::analysis::effects::{Oracle, Touch};
use crate::analysis::requests::{
    self, Doubt, Nest, Prediction, Reference, Rehearsal, Rehearsed, Threads, Values,
};
use crate::diagnostic::{Diagnostic, Diagnostics, Place, Severity, codes};
use crate::ir::{Kernel, Module, Passing, Scheme, SharedWindow};
use crate::passes::Options;
use crate::source::Span;
use crate::typed::print::{C, Printer};
use crate::typed::{ExpressionKind, Unit};

/// What is said of an access.
#[derive(Clone, Debug)]
pub struct Told {
    kernel: usize,
    kind: Kind,
    text: String,
    span: Span,
    prediction: Option<Prediction>,
    /// Why nothing better is known.
    why: Option<&'static str>,
    /// A call, which stands for what the function accesses.
    is_call: bool,
    /// The window that it belongs to.
    window: Option<usize>,
}

/// What polynomials say of the accesses of all kernels.
pub fn of_accesses(module: &Module, unit: &Unit, options: &Options) -> Vec<Told> {
    let oracle = Oracle::new(unit, &module.functions);
    let values = |symbol| options.assumed(unit, symbol);
    let mut told = Vec::new();
    for (number, kernel) in module.kernels.iter().enumerate() {
        let Some(block) = requests::block_shape(kernel) else {
            continue;
        };
        for nest in requests::of_kernel(kernel, &oracle) {
            let own = describe_all(&nest, block, unit, &values).into_iter();
            told.extend(own.map(|told| Told {
                kernel: number,
                ..told
            }));
        }
    }
    told
}

fn describe_all(nest: &Nest, block: [u32; 3], unit: &Unit, values: &Values) -> Vec<Told> {
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
) -> Told {
    Told {
        is_call: matches!(reference.expression.kind, ExpressionKind::Call { .. }),
        ..Told::new(
            Kind::of(reference.touch),
            Printer::text(unit, &C, reference.expression),
            reference.expression.span,
            requests::predict(reference, nest, threads, values),
        )
    }
}

impl Told {
    pub(super) fn new(
        kind: Kind,
        text: String,
        span: Span,
        prediction: Option<Prediction>,
    ) -> Self {
        Self {
            kernel: 0,
            kind,
            text,
            span,
            prediction,
            why: None,
            is_call: false,
            window: None,
        }
    }

    /// Of a window of a kernel.
    pub(super) fn of_window(self, kernel: usize, window: usize) -> Self {
        Self {
            kernel,
            window: Some(window),
            ..self
        }
    }

    fn is_settled(&self) -> bool {
        self.prediction.is_some_and(|p| p.is_complete) && !self.is_call
    }

    /// Takes what a rehearsal found.
    fn learn(&mut self, found: &Result<Prediction, Doubt>, has_sizes: bool) {
        match found {
            _ if self.is_settled() => {}
            Ok(prediction) => self.prediction = Some(*prediction),
            Err(_) if !has_sizes => {
                self.why = Some("not all sizes are known: `--assume` gives them");
            }
            Err(Doubt::Index) => self.why = Some("data decides where it goes"),
            Err(Doubt::Condition) => self.why = Some("data decides which threads take part"),
        }
    }
}

/// Adds the notes. Where polynomials do not say all, launches are followed.
pub fn run(
    mut told: Vec<Told>,
    module: &Module,
    unit: &Unit,
    options: &Options,
    diagnostics: &mut Diagnostics,
) {
    let oracle = Oracle::new(unit, &module.functions);
    let values = |symbol| options.assumed(unit, symbol);
    for (number, kernel) in module.kernels.iter().enumerate() {
        let mut own: Vec<Told> = told.extract_if(.., |told| told.kernel == number).collect();
        // Gangs have code of their own outside the loops that threads share,
        // and regions with windows accesses that these did not replace.
        let is_open = kernel.scheme == Some(Scheme::Hierarchical) || !kernel.windows.is_empty();
        if (is_open || own.iter().any(|told| !told.is_settled()))
            && let Some(rehearsal) = requests::rehearse(kernel, module, &oracle, &values)
        {
            let has_sizes = kernel.captures.iter().all(|capture| {
                !unit.types.is_integer(unit.symbol(capture.symbol).ty.ty)
                    || capture.passing != Passing::Value
                    || values(capture.symbol).is_some()
            });
            refine(&mut own, number, kernel, &rehearsal, has_sizes, unit);
        }
        for told in own {
            diagnostics.push(tell(told).data("kernel", number));
        }
    }
}

/// What a launch that was followed adds to what polynomials say.
fn refine(
    own: &mut Vec<Told>,
    number: usize,
    kernel: &Kernel,
    rehearsal: &Rehearsal,
    has_sizes: bool,
    unit: &Unit,
) {
    for told in own.iter_mut() {
        let found = match (told.window, told.kind) {
            (Some(window), Kind::Fetch) => rehearsal.fetches.get(window),
            (Some(window), _) => rehearsal.write_backs.get(window),
            (None, kind) => {
                let mut accesses = rehearsal.accesses.iter();
                let same = |access: &&Rehearsed| {
                    access.expression.span == told.span && Kind::of(access.touch) == kind
                };
                accesses.find(same).map(|access| &access.prediction)
            }
        };
        if let Some(found) = found {
            told.learn(found, has_sizes);
        }
    }
    own.retain(|told| !told.is_call);
    // What functions access, and threads that write their own slots back.
    let known: Vec<(Span, Kind)> = own.iter().map(|told| (told.span, told.kind)).collect();
    for access in &rehearsal.accesses {
        let span = access.expression.span;
        if known.contains(&(span, Kind::of(access.touch))) {
            continue;
        }
        let is_written_back = |window: &SharedWindow| {
            access.touch == Touch::Write && window.array == access.root && window.policy.write_back
        };
        let kind = match kernel.windows.iter().any(is_written_back) {
            true => Kind::WriteBack,
            false => Kind::of(access.touch),
        };
        let text = Printer::text(unit, &C, access.expression);
        let mut told = Told::new(kind, text, span, None);
        told.learn(&access.prediction, has_sizes);
        own.push(Told {
            kernel: number,
            ..told
        });
    }
}

/// What a warp does with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    /// Its block fills a window.
    Fetch,
    /// Its block writes a window back.
    WriteBack,
}

impl Kind {
    fn of(touch: Touch) -> Self {
        match touch {
            Touch::Read => Self::Read,
            Touch::Write => Self::Write,
        }
    }

    /// As data, and in sentences: of one, of several.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Read => ("reads", "read"),
            Self::Write => ("writes", "write"),
            Self::Fetch => ("fetches", "fetch"),
            Self::WriteBack => ("writes back", "write back"),
        }
    }
}

/// The note on an access.
fn tell(told: Told) -> Diagnostic {
    let Told {
        kind,
        text,
        prediction,
        span,
        ..
    } = told;
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
    .data("assumes_rows", prediction.map(|p| p.assumed))
    .data("why", told.why);
    if let Some(why) = told.why {
        note = note.note(why);
    }
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
