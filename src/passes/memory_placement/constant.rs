//! Small tables in constant memory.
//!
//! ```c
//! for (int k = 0; k < 9; k++)        // all lanes of a warp have the same k
//!     sum += w[k] * in[i + k - 4];   // after: `w` is a table of 36 bytes
//! ```
//!
//! The data that a kernel finds in device memory is the truth, so each launch
//! copies the table on its own stream first. What that costs, and what it
//! saves, is counted in requests of warps: one to constant memory that all
//! lanes make at one index is an operand of the instruction that needs it; one
//! to global memory takes a turn at the first-level cache.
//!
//! A copy between two kernels of a stream keeps a device busy for about two
//! microseconds. The 132 multiprocessors of a large GPU of today serve 450,000
//! requests in that time, one a cycle each at 1.7 GHz. A table is copied by
//! itself only where a launch is known to save four times as many.

use std::cell::LazyCell;

use indexmap::IndexMap;

use super::Reason;
use super::read_only::Facts;
use super::request::{Answers, Space, asked};
use crate::analysis::constants::{constants, kept};
use crate::analysis::effects::{Oracle, Touch};
use crate::analysis::polynomial::{Polynomial, Term};
use crate::analysis::requests::{self, Nest, Reference, Values, WARP};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::limits;
use crate::ir::{ConstantArray, Kernel, Module, Passing, Shape, visit};
use crate::passes::Options;
use crate::typed::constant::evaluate;
use crate::typed::{QualType, SymbolId, Type, Unit};

/// What a global variable of device functions takes of it: its address.
const POINTER: u64 = 8;
/// What the beginning of any table is a multiple of.
const ALIGNMENT: u64 = 16;
/// Requests that a device serves while a table is copied.
const COPY: f64 = 450_000.0;
/// How many times the copy a table must save.
const GAIN: f64 = 4.0;

/// Fills in the tables of every kernel. Requests come first, then what pays,
/// in order.
pub fn run(
    module: &mut Module,
    unit: &Unit,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Vec<IndexMap<SymbolId, Reason>> {
    let mut memory = Memory {
        limit: limits::CONSTANT.saturating_sub(POINTER * module.device_globals.len() as u64),
        used: vec![0; module.kernels.len()],
        is_overlaid: false,
        is_shared: !module.imports.is_empty() || module.functions.iter().any(|f| f.exported),
    };
    let found = candidates(module, unit, options);
    let mut answers = Answers::default();
    let mut reasons = vec![IndexMap::new(); module.kernels.len()];
    let is_requested = |array| asked(&options.places, array, unit) == Some(Space::Constant);
    for wanted in [true, false] {
        for (number, (array, candidate)) in found.iter().map(|(number, c)| (*number, c)) {
            let kernel = &mut module.kernels[number];
            let is_of_program = wants(kernel, *array).is_some();
            let is_wanted = is_requested(*array) || is_of_program;
            if is_wanted != wanted {
                continue;
            }
            let decision = match candidate {
                Ok(candidate) if wanted => memory.take(number, candidate),
                Ok(candidate) if asked(&options.places, *array, unit).is_none() => {
                    memory.take_if_it_pays(number, candidate)
                }
                Ok(_) => continue,
                Err(refusal) => Err(refusal.clone()),
            };
            match decision {
                Ok(table) => {
                    kernel.tables.push(table);
                    answers.follow(*array);
                }
                Err(Refusal::No(ref reason)) if is_of_program => {
                    let name = &unit.symbol(*array).name;
                    let message = format!("`{name}` is not read from constant memory: {reason}");
                    let code = codes::PLACEMENT_REFUSED;
                    diagnostics.push(Diagnostic::warning(code, message, kernel.directive));
                }
                Err(Refusal::No(ref reason)) if wanted => {
                    answers.refuse(*array, kernel.directive, reason);
                }
                Err(_) => {}
            }
            let asker = match is_of_program {
                true => "a directive",
                false => "`--place`",
            };
            let asker = wanted.then_some(asker);
            if let Some(reason) = told(candidate.as_ref().ok(), &decision, asker) {
                reasons[number].insert(*array, reason);
            }
        }
    }
    module.overlaid_tables = memory.is_overlaid;
    answers.report(Space::Constant, unit, diagnostics);
    reasons
}

/// The table that the program wants for an array.
fn wants(kernel: &Kernel, array: SymbolId) -> Option<ConstantArray> {
    let mut wanted = kernel.wanted_tables.iter();
    wanted.find(|table| table.symbol == array).copied()
}

/// The feedback on a table that is or might be in constant memory.
fn told(
    candidate: Option<&Candidate>,
    decision: &Result<ConstantArray, Refusal>,
    asker: Option<&str>,
) -> Option<Reason> {
    let text = match (candidate, decision) {
        (Some(candidate), Ok(table)) => {
            let why = asker.map_or("it pays".to_owned(), |asker| format!("{asker} asks for it"));
            let bytes = table.bytes;
            let how = candidate.use_text();
            format!("{why}: {how}; each launch copies {bytes} bytes first")
        }
        (_, Err(Refusal::NotWorthIt(reason))) => reason.clone(),
        (_, Err(Refusal::No(reason))) if asker.is_some() => reason.clone(),
        _ => return None,
    };
    Some(Reason {
        text,
        bytes: candidate.map(|c| c.table.bytes),
        reads: candidate.and_then(|c| i64::try_from(c.reads).ok()),
        least_threads: candidate.and_then(|c| i64::try_from(c.least_threads()).ok()),
    })
}

/// Why an array is not copied to constant memory.
#[derive(Clone, Debug)]
enum Refusal {
    /// It cannot be.
    No(String),
    /// It does not pay, as far as is known.
    NotWorthIt(String),
}

/// An array that could be a table.
struct Candidate {
    table: ConstantArray,
    /// All lanes of a warp have one index.
    is_uniform: bool,
    /// Reads of one thread, where loops of unknown length run as is typical.
    reads: i128,
    /// Threads of a launch, if that is known.
    threads: Option<i128>,
    /// Threads that the program asks for.
    asked: Option<i128>,
}

impl Candidate {
    /// How it is read.
    fn use_text(&self) -> String {
        let how = if self.is_uniform {
            "the lanes of a warp read it in step"
        } else {
            "the lanes of a warp do not read it in step, and wait for each other"
        };
        format!("{how}, about {} times each", self.reads)
    }

    /// How many threads a launch needs for the table to pay: one warp at least.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "an estimate"
    )]
    fn least_threads(&self) -> i128 {
        let threads = (GAIN * COPY * f64::from(WARP) / self.reads.max(1) as f64).ceil() as i128;
        threads.max(WARP.into())
    }
}

/// The constant memory of a file. An array lives there while its kernel runs, so that
/// two kernels can have the same bytes, if they take turns.
struct Memory {
    limit: u64,
    /// By each kernel.
    used: Vec<u64>,
    /// There is no room for all of them beside each other.
    is_overlaid: bool,
    /// Other files have their tables in it, too: device code is linked.
    is_shared: bool,
}

impl Memory {
    fn take(&mut self, kernel: usize, candidate: &Candidate) -> Result<ConstantArray, Refusal> {
        let table = candidate.table;
        let bytes = table.bytes.next_multiple_of(ALIGNMENT);
        let left = self.limit.saturating_sub(self.used[kernel]);
        if bytes > left {
            return Err(Refusal::No(format!(
                "it takes {} bytes of constant memory, of which this kernel has {left} left",
                table.bytes
            )));
        }
        self.is_overlaid |= !self.has_room(candidate);
        self.used[kernel] += bytes;
        Ok(table)
    }

    /// Whether a table has bytes of its own beside all others.
    fn has_room(&self, candidate: &Candidate) -> bool {
        let used: u64 = self.used.iter().sum();
        used + candidate.table.bytes.next_multiple_of(ALIGNMENT) <= self.limit
    }

    fn take_if_it_pays(
        &mut self,
        kernel: usize,
        candidate: &Candidate,
    ) -> Result<ConstantArray, Refusal> {
        if !candidate.is_uniform {
            return Err(Refusal::No(candidate.use_text()));
        }
        let least = candidate.least_threads();
        let reason = match candidate.threads {
            Some(threads) if threads >= least && !self.is_shared && self.has_room(candidate) => {
                return self.take(kernel, candidate);
            }
            Some(threads) if threads >= least && !self.is_shared => {
                "other tables leave it no room".to_owned()
            }
            Some(threads) if threads >= least => {
                "device code of several files shares it".to_owned()
            }
            Some(threads) => format!("a launch has {threads}"),
            None => match candidate.asked.filter(|threads| *threads < least) {
                Some(threads) => format!("a launch has {threads}"),
                None => "how many a launch has is not known".to_owned(),
            },
        };
        let text = format!(
            "{}: copying {} bytes at each launch would pay from {least} threads on, and {reason}",
            candidate.use_text(),
            candidate.table.bytes
        );
        Err(Refusal::NotWorthIt(text))
    }
}

type Found = (SymbolId, Result<Candidate, Refusal>);

/// The arrays of all kernels, by the kernel's number.
fn candidates(module: &Module, unit: &Unit, options: &Options) -> Vec<(usize, Found)> {
    let oracle = Oracle::new(unit, &module.functions);
    let values = [constants(unit), kept(unit)];
    let known = |symbol| {
        let assumed = options.assumed(unit, symbol);
        assumed.or_else(|| values.iter().find_map(|own| own.get(&symbol).copied()))
    };
    let of_kernels = Facts::of_module(module, unit, |kernel, facts| {
        // Most kernels write all that could be a table, or have none.
        let nests = LazyCell::new(|| requests::of_kernel(kernel, &oracle));
        let variables = kernel.wanted_tables.iter().map(|table| table.symbol);
        let variables = variables.filter(|symbol| super::arrays(kernel).all(|a| a != *symbol));
        let found = super::arrays(kernel).chain(variables).map(|array| {
            let wanted = wants(kernel, array);
            let written = || facts.find(array).err().map(Refusal::No);
            let candidate = match wanted {
                Some(table) => of_program((kernel, table), &nests, unit, &known),
                None => match written() {
                    Some(refusal) => Err(refusal),
                    None => candidate(kernel, array, &nests, unit, &known),
                },
            };
            (array, candidate)
        });
        found.collect::<Vec<Found>>()
    });
    let numbered = of_kernels.into_iter().enumerate();
    numbered
        .flat_map(|(number, found)| found.into_iter().map(move |one| (number, one)))
        .collect()
}

/// A table that the program asks for.
fn of_program(
    (kernel, table): (&Kernel, ConstantArray),
    nests: &[Nest],
    unit: &Unit,
    known: &Values,
) -> Result<Candidate, Refusal> {
    fits(table)?;
    let own = |nest| references(nest, table.symbol).map(move |reference| (nest, reference));
    let uses = Uses {
        list: nests.iter().flat_map(own).collect(),
    };
    Ok(Candidate {
        table,
        is_uniform: uses.are_uniform(),
        reads: uses.reads(known),
        threads: uses.threads(known),
        asked: asked_for(kernel, unit, known),
    })
}

fn references<'n, 'a>(
    nest: &'n Nest<'a>,
    array: SymbolId,
) -> impl Iterator<Item = &'n Reference<'a>> {
    nest.references.iter().filter(move |r| r.symbol == array)
}

fn fits(table: ConstantArray) -> Result<(), Refusal> {
    let (bytes, limit) = (table.bytes, limits::CONSTANT);
    match bytes > limit {
        true => Err(Refusal::No(format!(
            "it has {bytes} bytes, constant memory has {limit}"
        ))),
        false => Ok(()),
    }
}

/// Whether and how an array that is only read could be a table.
fn candidate(
    kernel: &Kernel,
    array: SymbolId,
    nests: &[Nest],
    unit: &Unit,
    known: &Values,
) -> Result<Candidate, Refusal> {
    let no = |reason: &str| Refusal::No(reason.to_owned());
    if !has_plain_numbers(unit, unit.symbol(array).ty) {
        return Err(no(
            "its elements are not numbers, or its rows have no fixed length",
        ));
    }
    let capture = kernel.capture(array);
    if capture.is_some_and(|c| c.passing == Passing::DevicePointer) {
        return Err(no("how much lies at an address of the device is not known"));
    }
    let uses = Uses::of(kernel, array, nests)?;
    let bytes = match unit.types.get(unit.symbol(array).ty.ty) {
        Type::Array { .. } => unit.types.size(unit.symbol(array).ty.ty),
        _ => uses.footprint(),
    };
    let unknown = || no("how much of it the kernel reads is not known when it is compiled");
    let bytes = bytes.ok_or_else(unknown)?;
    let row = unit.types.pointee(unit.symbol(array).ty.ty);
    let row = row
        .and_then(|row| unit.types.size(row.ty))
        .filter(|n| *n > 0);
    let row = row.ok_or_else(unknown)?;
    let rows = bytes.div_ceil(row).max(1);
    let table = ConstantArray {
        symbol: array,
        rows,
        bytes: rows.saturating_mul(row),
    };
    fits(table)?;
    Ok(Candidate {
        table,
        is_uniform: uses.are_uniform(),
        reads: uses.reads(known),
        threads: uses.threads(known),
        asked: asked_for(kernel, unit, known),
    })
}

/// Whether a type leads to integers or floating-point numbers, of rows with
/// fixed lengths, that do not change behind the compiler's back.
fn has_plain_numbers(unit: &Unit, ty: QualType) -> bool {
    let Some(mut element) = unit.types.pointee(ty.ty) else {
        return false;
    };
    loop {
        if element.qualifiers.is_volatile || element.qualifiers.is_atomic {
            return false;
        }
        match unit.types.get(element.ty) {
            Type::Array { element: inner, .. } if unit.types.size(element.ty).is_some() => {
                element = *inner;
            }
            Type::Floating(_) => return true,
            _ => return unit.types.is_integer(element.ty),
        }
    }
}

/// All accesses of a kernel to one array.
struct Uses<'n, 'a> {
    list: Vec<(&'n Nest<'a>, &'n Reference<'a>)>,
}

impl<'n, 'a> Uses<'n, 'a> {
    /// Collects them.
    ///
    /// # Errors
    /// The array is used in another way than by reading its elements.
    fn of(kernel: &Kernel, array: SymbolId, nests: &'n [Nest<'a>]) -> Result<Self, Refusal> {
        let mut list = Vec::new();
        for nest in nests {
            let own = references(nest, array);
            list.extend(own.map(|reference| (nest, reference)));
        }
        let mut mentions = 0;
        visit::symbols(&kernel.body, &mut |symbol| {
            mentions += usize::from(symbol == array)
        });
        // Through another pointer it is reached where it is not named.
        let are_named = list.iter().all(|(_, reference)| {
            reference.touch == Touch::Read && reference.expression.mentions(array)
        });
        if list.is_empty() || mentions != list.len() || !are_named {
            let reason = "it is not only read by its elements, in loops of the kernel itself";
            return Err(Refusal::No(reason.to_owned()));
        }
        Ok(Self { list })
    }

    /// Whether no index differs between the threads of a warp.
    fn are_uniform(&self) -> bool {
        self.list.iter().all(|(nest, reference)| {
            let distributions = requests::distributions(nest);
            let is_of_threads = |number: usize| distributions[number].threads.contains(&true);
            let offset = reference.offset.as_ref();
            offset.is_some_and(|o| !o.iterations().into_iter().any(is_of_threads))
        })
    }

    /// Bytes from the array's start up to the last that is read.
    fn footprint(&self) -> Option<u64> {
        let mut end = 0;
        for (nest, reference) in &self.list {
            let (first, last) = range(reference.offset.as_ref()?, nest)?;
            if first < 0 {
                return None;
            }
            end = end.max(u64::try_from(last).ok()?.checked_add(reference.bytes)?);
        }
        Some(end)
    }

    /// How often one thread reads the array.
    fn reads(&self, known: &Values) -> i128 {
        let reads = self.list.iter().map(|(nest, reference)| {
            let distributions = requests::distributions(nest);
            let within = reference.within.iter();
            let sequential = within.filter(|number| distributions[**number].is_sequential());
            let trips = sequential.map(|&number| {
                let known = nest.trips_given(number, known);
                known.unwrap_or_else(|| nest.typical_trips(number)).max(0)
            });
            trips.fold(1, i128::saturating_mul)
        });
        reads.fold(0, i128::saturating_add)
    }

    /// How many threads have an iteration of the nest, if that is known.
    fn threads(&self, known: &Values) -> Option<i128> {
        let counts = self.list.iter().map(|(nest, reference)| {
            let distributions = requests::distributions(nest);
            let within = reference.within.iter();
            let shared = within.filter(|number| !distributions[**number].is_sequential());
            let mut trips = shared.map(|&number| nest.trips_given(number, known));
            trips.try_fold(1, |product: i128, trips| product.checked_mul(trips?.max(0)))
        });
        counts.flatten().max()
    }
}

/// The threads of a kernel's grid, where the program says how many.
fn asked_for(kernel: &Kernel, unit: &Unit, known: &Values) -> Option<i128> {
    let Some(Shape::Grid { grid, block }) = &kernel.shape else {
        return None;
    };
    grid.iter().chain(block).try_fold(1, |product: i128, size| {
        let variable = || size.inner().as_symbol().and_then(known);
        product.checked_mul(evaluate(unit, size).or_else(variable)?)
    })
}

/// The least and the greatest value of an offset over all iterations.
fn range(offset: &Polynomial, nest: &Nest) -> Option<(i128, i128)> {
    let mut range = (0_i128, 0_i128);
    for (product, factor) in offset.terms() {
        let most = match product {
            [] => {
                range = (range.0.checked_add(factor)?, range.1.checked_add(factor)?);
                continue;
            }
            [Term::Iteration(number)] => (nest.constant_trips(*number)? - 1).max(0),
            _ => return None,
        };
        let far = factor.checked_mul(most)?;
        range = (
            range.0.checked_add(far.min(0))?,
            range.1.checked_add(far.max(0))?,
        );
    }
    Some(range)
}
