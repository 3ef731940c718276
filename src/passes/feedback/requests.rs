//! What `--feedback` says of each access to device memory.
//!
//! Input: kernels whose loops are distributed and whose blocks have a shape.
//! Output: a note per access with what a request of a whole warp comes to,
//! such as `reads b[k][j] in 1 transaction and 4 sectors`. Accesses to arrays
//! with windows are left out: their windows' fetches stand for them
//! ([`super::windows`]).
//!
//! Predicted are accesses that are affine in the loops' iterations, at affine
//! conditions. Of all others a note says why they are not, and that a run
//! counts them.

use super::rows;
use crate::analysis::effects::{Access, Oracle, Place as Location, Touch};
use crate::analysis::polynomial::Term;
use crate::analysis::requests::{
    self, Gap, LINE, Nest, Prediction, Reference, Tally, Threads, Unpredictable, Values, WARP,
    rounded,
};
use crate::diagnostic::{Diagnostic, Diagnostics, MINOR, RANK, codes};
use crate::ir::{
    Distribution, Kernel, KernelId, Module, Scheme, StatementKind, WindowMarks, visit,
};
use crate::passes::Options;
use crate::source::Span;
use crate::typed::print::spelled;
use crate::typed::{Expression, ExpressionKind, SymbolId, Type, Unit};
use indexmap::IndexSet;

/// Requests of so many times the transactions that their bytes fill cost time.
const SCATTERED: f64 = 4.0;

/// Sectors of a transaction.
const SECTORS: f64 = 4.0;

/// So many requests are taken for those of a launch whose size is not known.
const MANY: f64 = 1_048_576.0;

/// What is said of an access.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    kernel: usize,
    kind: Kind,
    text: String,
    span: Span,
    prediction: Result<Prediction, Unpredicted>,
    /// The transactions of a whole warp that are full of what it asks for.
    least: f64,
    /// The bytes of a structure in an array whose member it is.
    structure: Option<u64>,
    /// What has the lanes side by side where they are in different rows.
    row: Option<String>,
    /// It is of an array that a line holds.
    is_in_a_line: bool,
}

/// Why an access is not predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unpredicted {
    /// Where it goes is not affine.
    Index,
    /// A function that is called accesses memory.
    Call,
    /// It is in no loop that threads share, so that those of a warp have one address.
    Outside,
    /// It is behind a pointer that memory holds.
    Behind,
    /// It is beside windows of its array.
    Window,
    /// What a block writes back depends on what its threads have written.
    WriteBack,
    /// How far apart the lanes are depends on a variable.
    Step(SymbolId),
    /// How threads lie in blocks is not known here, as in functions that kernels call.
    Shape,
    /// Not all of it is known.
    Gap(Gap),
}

impl From<Unpredictable> for Unpredicted {
    fn from(why: Unpredictable) -> Self {
        match why {
            Unpredictable::Index => Self::Index,
            Unpredictable::Step(symbol) => Self::Step(symbol),
        }
    }
}

impl Unpredicted {
    /// The reason, and what helps.
    fn words(self, unit: &Unit) -> (String, String) {
        const COUNTED: &str = "`accrs run --counts` counts it";
        let (why, remedy) = match self {
            Self::Step(symbol) => {
                let name = &unit.symbol(symbol).name;
                let why = format!("it depends on `{name}`");
                return (why, format!("`--assume {name}=VALUE` gives its value"));
            }
            Self::Shape => (
                "how threads lie in blocks depends on the kernel or its launch",
                COUNTED,
            ),
            Self::Index => (
                "where it goes is not affine in the loops' iterations",
                COUNTED,
            ),
            Self::Call => ("a function accesses it", COUNTED),
            Self::Outside => ("no loop over threads is around it", COUNTED),
            Self::Behind => ("it is behind a pointer that memory holds", COUNTED),
            Self::Window => ("windows hold some of its array", COUNTED),
            Self::WriteBack => (
                "which slots are written back depends on what threads have written",
                COUNTED,
            ),
            Self::Gap(Gap::Condition) => (
                "which threads take part, or how often, is not affine in the loops' iterations",
                COUNTED,
            ),
            Self::Gap(Gap::Size) => (UNSIZED, ASSUME),
        };
        (why.to_owned(), remedy.to_owned())
    }
}

const UNSIZED: &str = "not all sizes are known";
const ASSUME: &str = "`--assume NAME=VALUE` gives sizes";

/// Both of them.
const SIZES: &str = "not all sizes are known: `--assume NAME=VALUE` gives sizes";

/// What is said of the accesses of all kernels.
pub fn of_accesses(module: &Module, unit: &Unit, options: &Options) -> Vec<Told> {
    let oracle = Oracle::new(unit, &module.functions);
    let values = options.known(unit);
    let mut told = Vec::new();
    for (number, kernel) in module.kernels.iter().enumerate() {
        let private = requests::private(kernel);
        for mut nest in requests::of_kernel(kernel, &oracle) {
            // Each thread has its own: they lie side by side, whatever the subscripts are.
            nest.references
                .retain(|reference| !private.contains(&reference.symbol));
            let own = describe_all(&nest, kernel, &oracle, &values).into_iter();
            told.extend(own.map(|told| Told {
                kernel: number,
                ..told
            }));
        }
    }
    told
}

fn describe_all(nest: &Nest, kernel: &Kernel, oracle: &Oracle, values: &Values) -> Vec<Told> {
    let unit = oracle.unit();
    let distributions = requests::distributions(nest);
    let block = kernel.block_shape();
    let is_shared = |number: &usize| distributions[*number].threads.contains(&true);
    let predict = |reference: &Reference| {
        let threads = Threads {
            distributions: &distributions,
            block: block.ok_or(Unpredicted::Shape)?,
        };
        if is_call(reference.expression) {
            return Err(Unpredicted::Call);
        }
        if !reference.within.iter().any(is_shared) {
            return Err(Unpredicted::Outside);
        }
        requests::predict(reference, nest, &threads, values).map_err(Unpredicted::from)
    };
    let stores = stores(nest, kernel);
    let references = nest.references.iter();
    references
        .map(|reference| {
            let is_led = stores.iter().any(|span| contains(*span, reference))
                && !reference
                    .within
                    .iter()
                    .any(|n| distributions[*n].threads[0]);
            let prediction = predict(reference);
            let told = Told::new(
                Kind::of(reference.touch),
                spelled(unit, reference.expression),
                reference.expression.span,
                match block.filter(|_| is_led) {
                    Some([lanes, ..]) => prediction.and_then(|p| of_first_lanes(p, lanes)),
                    None => prediction,
                },
            )
            .of_element(unit, reference, step(reference, &distributions));
            let row = rows::remedy(reference, nest, &distributions, kernel, oracle);
            Told { row, ..told }
        })
        .collect()
}

/// How many bytes are between what lanes next to each other access, where one loop tells.
fn step(reference: &Reference, distributions: &[Distribution]) -> Option<i128> {
    let mut over_lanes = reference
        .within
        .iter()
        .filter(|n| distributions[**n].threads[0]);
    let (number, None) = (over_lanes.next()?, over_lanes.next()) else {
        return None;
    };
    let mut terms = reference.offset.as_ref()?.terms();
    let own = terms.find(|(product, _)| **product == [Term::Iteration(*number)])?;
    Some(own.1)
}

/// Statements that store to device memory, where the first lane of a row alone runs those that no
/// loop shares among lanes.
fn stores(nest: &Nest, kernel: &Kernel) -> Vec<Span> {
    let mut found = Vec::new();
    if kernel.scheme == Some(Scheme::Hierarchical) {
        let writes = nest.references.iter().filter(|r| r.touch == Touch::Write);
        let written: Vec<&Reference> = writes.collect();
        visit::walk(&kernel.body, &mut |statement| {
            let is_plain = matches!(
                statement.kind,
                StatementKind::Expression(_) | StatementKind::Atomic(_)
            );
            if is_plain && written.iter().any(|r| contains(statement.span, r)) {
                found.push(statement.span);
            }
        });
    }
    found
}

fn contains(span: Span, reference: &Reference) -> bool {
    let at = reference.expression.span;
    span.start <= at.start && at.end <= span.end
}

/// The prediction for all lanes of rows, where the first one of each makes the access.
fn of_first_lanes(all: Prediction, lanes: u32) -> Result<Prediction, Unpredicted> {
    if !lanes.is_multiple_of(WARP) {
        // Those of several rows go together.
        return Err(Unpredicted::Gap(Gap::Condition));
    }
    let requests = (all.full.requests + all.partial.requests) / f64::from(lanes / WARP);
    let one_each = Tally {
        requests,
        transactions: requests,
        sectors: requests,
    };
    Ok(Prediction {
        full: Tally::default(),
        partial: one_each,
        ..all
    })
}

impl Told {
    pub(super) fn new(
        kind: Kind,
        text: String,
        span: Span,
        prediction: Result<Prediction, Unpredicted>,
    ) -> Self {
        Self {
            kernel: 0,
            kind,
            text,
            span,
            prediction,
            least: 1.0,
            structure: None,
            row: None,
            is_in_a_line: false,
        }
    }

    /// Of an element; `step` is how many bytes the lanes of a warp are apart, if that is known.
    fn of_element(self, unit: &Unit, reference: &Reference, step: Option<i128>) -> Self {
        let e = reference.expression;
        let is_apart = |bytes: &u64| {
            let bytes = i128::from(*bytes);
            step.is_some_and(|step| step != 0 && step.checked_rem(bytes) == Some(0))
        };
        let whole = unit.symbol(reference.symbol).ty.ty;
        let bytes = unit
            .types
            .size(whole)
            .filter(|_| unit.is_array(reference.symbol));
        Self {
            least: full_transactions(unit.types.size(e.ty.ty).unwrap_or(1)),
            structure: structure(e, unit).filter(is_apart),
            is_in_a_line: bytes.is_some_and(|bytes| bytes <= LINE),
            ..self
        }
    }

    /// The distance between elements that makes the transactions of an access what they are.
    fn stride(&self) -> Option<u64> {
        let (transactions, _) = self.prediction.ok()?.full.of_a_request()?;
        let bytes = self.structure?;
        let is_spread = transactions > self.least && transactions <= full_transactions(bytes) + 1.0;
        is_spread.then_some(bytes)
    }

    /// Why not all of it is known.
    fn unpredicted(&self) -> Option<Unpredicted> {
        match self.prediction {
            Ok(prediction) => prediction.gap.map(Unpredicted::Gap),
            Err(unpredicted) => Some(unpredicted),
        }
    }

    /// Whether nothing is known of it that would tell it from others.
    fn is_alike_all(&self) -> bool {
        let is_own = matches!(self.kind, Kind::Read | Kind::Write);
        match self.prediction {
            Err(Unpredicted::Behind) => true,
            Err(Unpredicted::Index) => is_own && !self.is_in_a_line,
            _ => false,
        }
    }

    /// Of a kernel.
    pub(super) fn of_kernel(self, kernel: usize) -> Self {
        Self { kernel, ..self }
    }
}

/// Those of a warp for elements of so many bytes that lie side by side: it has 32 threads, and a
/// transaction 128 bytes.
fn full_transactions(bytes: u64) -> f64 {
    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
    (f64::from(bytes) / 4.0).ceil().max(1.0)
}

/// The bytes of the structure in an array of which an access is a member.
fn structure(e: &Expression, unit: &Unit) -> Option<u64> {
    let (base, arrow) = match &e.inner().kind {
        ExpressionKind::Member { base, arrow, .. } => (base, arrow),
        // An element of an array that is a member.
        ExpressionKind::Index(base, _) => {
            let is_array = matches!(unit.types.get(base.inner().ty.ty), Type::Array { .. });
            return structure(base, unit).filter(|_| is_array);
        }
        _ => return None,
    };
    let inner = base.inner();
    let is_element = *arrow || matches!(inner.kind, ExpressionKind::Index(..));
    let whole = match unit.types.pointee(inner.ty.ty).filter(|_| *arrow) {
        Some(target) => target.ty,
        None => inner.ty.ty,
    };
    match is_element {
        true => unit.types.size(whole),
        false => structure(inner, unit),
    }
}

/// Adds the notes, also of what the decided kernels access beside it. A kernel that came with the
/// windows which it does without was not there to be predicted.
pub fn run(mut told: Vec<Told>, module: &Module, unit: &Unit, diagnostics: &mut Diagnostics) {
    let oracle = Oracle::new(unit, &module.functions);
    // How sizes are given is said once.
    let mut is_said = false;
    let late: Vec<KernelId> = (module.launches())
        .filter_map(|launch| launch.without_windows)
        .collect();
    for (number, kernel) in module.kernels.iter().enumerate() {
        if late.iter().any(|id| id.0 as usize == number) {
            continue;
        }
        let mut own: Vec<Told> = told.extract_if(.., |told| told.kernel == number).collect();
        add_others(&mut own, kernel, &oracle);
        for (index, told) in own.iter().enumerate() {
            let mut note = tell(told.clone(), unit).data("kernel", number);
            // What is known of none of them is said of the first.
            let is_alike =
                |other: &&Told| told.is_alike_all() && other.prediction == told.prediction;
            let others = own.iter().filter(is_alike).count();
            if others > 1 {
                note = note.note(match others - 1 {
                    1 => "so is one other access of the kernel".to_owned(),
                    others => format!("so are {others} other accesses of the kernel"),
                });
            }
            if told.unpredicted() == Some(Unpredicted::Gap(Gap::Size))
                && !note.data.contains_key(MINOR)
            {
                if is_said {
                    note.notes.retain(|text| *text != SIZES);
                }
                is_said = true;
            }
            let is_repeated = own[..index].iter().any(|other| is_alike(&other));
            // An update reads and writes one element in the same way.
            let is_update = told.kind == Kind::Write
                && own[..index].iter().any(|other| {
                    (other.kind, other.span, &other.text) == (Kind::Read, told.span, &told.text)
                });
            // Nor does it matter how often the code has an access.
            let is_again = own[..index].iter().any(|other| {
                Told {
                    span: told.span,
                    ..other.clone()
                } == *told
            });
            diagnostics.push(match is_update || is_repeated || is_again {
                true => note.data(MINOR, true),
                false => note,
            });
        }
    }
}

/// Adds what is in no nest: write-backs of threads' own slots, and accesses
/// outside of loops.
fn add_others(own: &mut Vec<Told>, kernel: &Kernel, oracle: &Oracle) {
    let unit = oracle.unit();
    let elsewhere = not_in_device_memory(kernel);
    let mut add = |e| {
        oracle.accesses(e, &mut |access: Access| {
            let array = accessed_array(&access, unit);
            let is_behind = access.place == Location::Unknown && !is_call(access.expression);
            if array.is_none() && !is_behind || array.is_some_and(|own| elsewhere.contains(&own)) {
                return;
            }
            let mut windows = kernel
                .windows
                .iter()
                .filter(|window| Some(window.array) == array);
            let kind = Kind::of(access.touch);
            let (kind, why) = match windows.next() {
                None if is_behind => (kind, Unpredicted::Behind),
                _ if is_call(access.expression) => (kind, Unpredicted::Call),
                Some(window) if kind == Kind::Write && window.policy.write_back => {
                    (Kind::WriteBack, Unpredicted::WriteBack)
                }
                Some(_) => (kind, Unpredicted::Window),
                None => (kind, Unpredicted::Outside),
            };
            let span = access.expression.span;
            let is_told = |told: &Told| {
                told.span == span && (told.kind == kind || told.kind == Kind::of(access.touch))
            };
            if !own.iter().any(is_told) {
                let text = spelled(unit, access.expression);
                own.push(Told::new(kind, text, span, Err(why)));
            }
        });
    };
    visit::walk(&kernel.body, &mut |statement| {
        visit::own_expressions(statement, &mut add);
    });
}

fn is_call(e: &Expression) -> bool {
    matches!(e.kind, ExpressionKind::Call { .. })
}

/// The array, or the pointer to memory, of an access; none of a variable.
fn accessed_array(access: &Access, unit: &Unit) -> Option<SymbolId> {
    match access.place {
        Location::Target(pointer) => Some(pointer),
        Location::Variable(array) => {
            let is_variable = access.expression.as_symbol() == Some(array);
            let is_known = unit.symbol(array).is_variable();
            (is_known && !is_variable).then_some(array)
        }
        Location::Unknown => None,
    }
}

/// Variables of the threads, and what is in shared or constant memory.
fn not_in_device_memory(kernel: &Kernel) -> IndexSet<SymbolId> {
    let mut own = requests::private(kernel);
    own.extend(kernel.shared.iter().map(|variable| variable.symbol));
    own.extend(kernel.tables.iter().map(|table| table.symbol));
    for window in &kernel.windows {
        own.insert(window.storage);
        if let WindowMarks::Slots(marks) = window.marks {
            own.insert(marks);
        }
    }
    own
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
fn tell(told: Told, unit: &Unit) -> Diagnostic {
    let unpredicted = told.unpredicted();
    let stride = told.stride();
    let Told {
        kind,
        text,
        prediction,
        span,
        least,
        row,
        is_in_a_line,
        ..
    } = told;
    let (reads, read) = kind.words();
    let known = prediction.ok();
    let full = known.and_then(|p| p.full.of_a_request());
    let partial = known.and_then(|p| p.partial.of_a_request());
    let message = match (full, partial) {
        (Some(full), _) => format!("a warp {reads} `{text}` in {}", figures(full)),
        (None, Some(partial)) => {
            format!("parts of warps {read} `{text}` in {}", figures(partial))
        }
        (None, None) if unpredicted == Some(Unpredicted::Call) => {
            format!("what `{text}` accesses in memory is not known")
        }
        (None, None) => format!("how a warp {reads} `{text}` is not known"),
    };
    let assumes_start = known.is_some_and(|p| p.assumes_start);
    let message = match assumes_start {
        true => format!("{message}, if it starts aligned"),
        false => message,
    };
    let (why, tells) = unpredicted.map(|why| why.words(unit)).unzip();
    let apart = stride.map(|bytes| {
        format!("elements lie {bytes} bytes apart: a structure of arrays has them side by side")
    });
    let (transactions, sectors) = full.or(partial).unwrap_or_default();
    let is_scattered = transactions >= SCATTERED * least;
    // A warp that begins within a sector has one more.
    let is_dense = transactions <= least || sectors <= SECTORS * least + 1.0;
    let row = row.filter(|_| is_scattered && apart.is_none());
    // What an access is like needs no sizes.
    let told_by = tells.as_deref().filter(|_| full.or(partial).is_none());
    let complete = known.filter(|p| p.gap.is_none());
    let mut note = Diagnostic::remark(codes::MEMORY_REQUESTS, message, span)
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
        .data("assumes_rows", known.map(|p| p.assumed))
        .data("assumes_start", known.map(|p| p.assumes_start))
        .data("why", why.as_deref())
        .data("stride", stride)
        .data("remedy", apart.as_deref().or(row.as_deref()).or(told_by));
    if is_scattered {
        let all = complete.map(|p| p.full.transactions + p.partial.transactions);
        let all = all.unwrap_or(MANY * transactions);
        note = note.data(RANK, 200.0 + 3.0 * all.max(1.0).log2());
    } else if known.is_some() && is_dense
        || known.is_none() && matches!(kind, Kind::Fetch | Kind::WriteBack)
        || unpredicted == Some(Unpredicted::Outside)
        || unpredicted == Some(Unpredicted::Index) && is_in_a_line
    {
        note = note.data(MINOR, true);
    }
    if let Some(apart) = apart {
        note = note.note(apart);
    }
    if let Some((why, tells)) = why.zip(tells) {
        note = note.note(format!("{why}: {tells}"));
    }
    if let Some(row) = row {
        note = note.help(row);
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
    if assumes_start {
        note = note.note(
            "where it starts is not known, and taken to be a multiple of 128 bytes: others take more",
        );
    }
    match known {
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
