//! Kernels and their launchers.

use std::collections::HashSet;

use super::Input;
use super::body::Body;
use super::language::{Cuda, declared};
use super::launcher::{Launcher, Present};
use super::loops::{checked_trips, trips_text};
use super::measured::Measured;
use super::reduction::{GridEnd, elements, is_variable, operator_name};
use super::row_lengths;
use super::worker::Rows;
use super::{shadows, window_memory};
use crate::back::layout::{COLUMNS, of_line, wrap};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::limits::PARAMETERS;
use crate::ir::usage::Usage;
use crate::ir::{
    Assumptions, Axis, BlockExtent, Capture, IndexTest, Kernel, Loop, Passing, PrivateArray,
    PrivateArrayOwner, Reduction, Scheme, TripCount, visit,
};
use crate::source::tokens_of;
use crate::typed::print::{Language, precedence};
use crate::typed::{
    ArrayLength, BinaryOperator, Expression, ExpressionKind, IntegerKind, QualType, SymbolId, Type,
    TypeId, Unit, VlaId,
};

/// A kernel's text, and what its launcher needs to know.
pub struct Emitted {
    /// Its definition.
    pub text: String,
    /// What it reads in constant memory.
    pub tables: Vec<String>,
    /// How it is launched.
    pub launcher: Launcher,
}

/// Where a kernel comes from, and what it is called.
pub struct Identity<'a> {
    /// `heat_kernel2`.
    pub name: &'a str,
    /// The variable that all tables of the file share, if they do.
    pub table_union: Option<&'a str>,
    /// `heat.c:40: parallel loop collapse(2)`.
    pub comment: String,
}

/// Prints one kernel.
///
/// # Errors
/// A template that lacks a key.
pub fn emit(
    input: Input<'_>,
    cuda: &Cuda,
    kernel: &Kernel,
    identity: &Identity<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Emitted, Diagnostic> {
    let unit = input.unit;
    check_parameters(unit, kernel)?;
    let mut cuda = cuda.within();
    let mut parameters = Vec::new();
    let mut launcher = Launcher::new(identity.name, cuda.macros());
    choose_index(&mut cuda, kernel, &mut launcher);
    let (mut tables, mut constants) = (Vec::new(), Vec::new());
    for capture in &kernel.captures {
        if cuda.constants.is_of_file(unit, capture.symbol) {
            continue;
        }
        if cuda.constants.has(capture.symbol) {
            let name = cuda.symbol(unit, capture.symbol);
            constants.push((name, capture.symbol));
        }
        if let Some(table) = kernel.tables.iter().find(|t| t.symbol == capture.symbol) {
            tables.push(super::constant_array::emit(
                input,
                &mut cuda,
                table,
                (identity, identity.table_union),
                &mut launcher,
            ));
            continue;
        }
        capture_parameter(
            unit,
            &mut cuda,
            kernel,
            capture,
            &mut parameters,
            &mut launcher,
        );
    }
    shadows::rename(unit, kernel, &mut cuda);
    cuda.measured = Measured::of_kernel(unit, kernel);
    count_in_index(unit, &mut cuda, kernel, &mut launcher);
    let mut reductions = Vec::new();
    let is_ordered = !kernel.combines_in_any_order;
    for (reduction, is_of_block) in all_reductions(kernel).filter(|(r, _)| r.part.is_none()) {
        let variable = unit.symbol(reduction.symbol).name.clone();
        let (element, count) = elements(unit, reduction);
        let ty = cuda.declare_as(unit, reduction.symbol, QualType::plain(element), "");
        let result = if is_variable(unit, reduction) {
            let result = cuda.fresh(&format!("{variable}_result"));
            parameters.push(match is_ordered {
                true => format!("accrs::GridResult<{ty}> {result}"),
                false => format!("{ty} *{result}"),
            });
            result
        } else {
            let partials = cuda.fresh(&format!("{variable}_partials"));
            parameters.push(format!("{ty} *{partials}"));
            partials
        };
        let operator = operator_name(unit, reduction);
        let variable = cuda.symbol(unit, reduction.symbol);
        let operator = (operator, is_ordered);
        launcher.reduction(variable, reduction, (&ty, count), &result, operator);
        reductions.push(GridEnd {
            reduction,
            result,
            is_of_block,
        });
    }
    let mut private_arrays = Vec::new();
    for array in &kernel.private_arrays {
        let name = cuda.fresh(&format!("{}_copies", unit.symbol(array.symbol).name));
        let original = (kernel, array);
        row_lengths::of_scratch(unit, &mut cuda, original, &mut parameters, &mut launcher);
        parameters.push(super::private_array::parameter(&name));
        launcher.private_arrays(&mut cuda, &name, array, owner_name(array));
        private_arrays.push((array.symbol, name));
    }
    for (reduction, is_of_block) in all_reductions(kernel).filter(|(r, _)| r.part.is_some()) {
        let variable = unit.symbol(reduction.symbol).name.clone();
        let name = cuda.fresh(&format!("{variable}_partials"));
        let ty = QualType::plain(reduction.ty);
        let ty = cuda.declare_as(unit, reduction.symbol, ty, "");
        parameters.push(format!("{ty} *{name}"));
        let of = private_arrays
            .iter()
            .find(|(symbol, _)| *symbol == reduction.symbol);
        let copies = of.map(|(_, copies)| copies.as_str()).unwrap_or_default();
        let end = (name.as_str(), operator_name(unit, reduction));
        let variable = cuda.symbol(unit, reduction.symbol);
        launcher.part_reduction(variable, reduction, &ty, copies, end);
        reductions.push(GridEnd {
            reduction,
            result: name,
            is_of_block,
        });
    }
    for (array, list) in ranges(kernel) {
        let pointer = cuda.symbol(unit, array);
        for (level, range) in list.iter().enumerate() {
            let name = cuda.symbol(unit, *range);
            let windows = &kernel.windows;
            parameters.push(super::window::parameter(unit, &cuda, windows, *range));
            launcher.range(Present {
                pointer: pointer.clone(),
                text: unit.symbol(array).name.clone(),
                level: (list.len() > 1).then_some(level),
                rows: match super::window::are_rows(&cuda.index, windows, *range) {
                    true => row_lengths::in_launcher(unit, &cuda, kernel, array).join(", "),
                    false => String::new(),
                },
                counts: super::window::row_counts(unit, &cuda, windows, *range),
                name,
            });
        }
    }
    launcher.has_windows = !kernel.windows.is_empty();
    for window in &kernel.windows {
        let name = cuda.symbol(unit, window.array);
        for reach in window.dimensions.iter().flat_map(|d| &d.reaches) {
            let is_optional = window.may_lack_room(unit);
            launcher.reach(&mut cuda, &name, reach, (&window.text, is_optional));
        }
    }
    for (extent, e) in super::window::launch_extents(&kernel.windows) {
        let name = cuda.symbol(unit, extent);
        parameters.push(format!("int {name}"));
        launcher.launch_value(&name, &e);
    }
    launcher.shared = window_memory::layout(unit, &cuda, &kernel.windows).bytes;
    let mut body = Body::new(unit, &mut cuda, diagnostics);
    body.tell_lines(input);
    let line = input.recorded_line(kernel.directive);
    body.lines.origin = line;
    // Behind a loop without a block around it is what the host has, too.
    let end = match input.source.begins_block(kernel.directive) {
        true => u32::MAX,
        false => kernel.span.end,
    };
    body.tell_notes(input.source, kernel.directive.end..end);
    body.usage = Usage::of(&kernel.body, unit);
    if !kernel.windows.is_empty() {
        body.tell_origins(kernel.function);
    }
    for capture in &kernel.captures {
        body.declare_parameter(capture.symbol);
    }
    body.workers = worker_count(kernel);
    body.folds_y = kernel.folds_y;
    body.skips_empty = kernel.skips_empty;
    if let Some(block) = &kernel.block {
        body.block.clone_from(block);
        // Where one extent is known at the launch only, that cuts the others as well.
        let is_constant = |extent: &BlockExtent| matches!(extent, BlockExtent::Constant(_));
        body.is_fixed = !kernel.may_shrink && block.iter().all(is_constant);
        body.rows = Rows::of(block);
    }
    for (symbol, name) in &private_arrays {
        body.private_array(kernel, *symbol, name);
    }
    for &variable in &kernel.shared {
        body.shared_variable(variable);
    }
    body.declare_windows(&kernel.windows);
    for end in &reductions {
        body.accumulator(end.reduction);
    }
    for &symbol in &kernel.privates {
        let is_reduction = reductions.iter().any(|end| end.reduction.symbol == symbol);
        if !is_reduction && !body.is_shared(symbol) {
            body.private(symbol);
        }
    }
    body.function_body(&kernel.body);
    if !reductions.is_empty() {
        body.mark(kernel.directive);
        body.end_grid(&reductions);
    }
    let body = body.finish();
    let body = with_constants(unit, &cuda, &constants, (body, line));
    drop_unused_index(&mut cuda, &mut launcher, (&parameters, &body));
    configure(unit, &mut cuda, kernel, &mut launcher);
    assume(unit, &cuda, &kernel.assumed, &mut launcher);
    launcher.drop_unused(
        &constants
            .iter()
            .map(|(name, _)| name.as_str())
            .collect::<Vec<_>>(),
    );
    let bounds = launcher
        .bounds
        .filter(|threads| needs_bounds(&launcher, *threads));
    let bounds = bounds.map(|threads| format!(" __launch_bounds__({threads})"));
    let template = match cuda.index.name.as_str() {
        "" => String::new(),
        index => format!("template <typename {index}>\n"),
    };
    let head = format!(
        "{}\n{template}__global__ void{}\n{}\n{{",
        comment(&identity.comment),
        bounds.unwrap_or_default(),
        signature(0, identity.name, &parameters),
    );
    let text = [of_line(head, line), body + &of_line("}".into(), line)].join("\n");
    Ok(Emitted {
        text,
        tables,
        launcher,
    })
}

/// Whether nvcc should know how many threads a block has. Where it knows of 64 or more (CUDA 13), it computes
/// positions anew for each slot of a window whose rows are tested; 256 threads run with whatever registers it
/// takes, which are more where a block goes through several tiles.
fn needs_bounds(launcher: &Launcher, threads: u32) -> bool {
    !launcher.covers || !launcher.tests_rows() || !(64..=256).contains(&threads)
}

/// A kernel's body with the constants of its function that it names.
fn with_constants(
    unit: &Unit,
    cuda: &Cuda,
    constants: &[(String, SymbolId)],
    (body, line): (String, u32),
) -> String {
    let words: HashSet<&str> = tokens_of(&body).into_iter().collect();
    let named = constants
        .iter()
        .filter(|(name, _)| words.contains(name.as_str()));
    let texts = named.filter_map(|(_, symbol)| cuda.constants.declaration(unit, cuda, *symbol));
    let texts = texts.map(|text| of_line(format!("    const {text};"), line) + "\n");
    texts.collect::<String>() + &body
}

/// Makes the kernel a template over the type of its indices where it has any that the launch may
/// choose the type of.
fn choose_index(cuda: &mut Cuda, kernel: &Kernel, launcher: &mut Launcher) {
    if !(kernel.index.arrays.is_empty() && kernel.index.loops.chosen.is_empty()) {
        cuda.index.name = cuda.fresh("Index");
        cuda.index.arrays = kernel.index.arrays.iter().copied().collect();
        launcher.fits_int = cuda.fresh("fits_int");
    }
}

/// Makes it none where nothing of it has that type.
fn drop_unused_index(
    cuda: &mut Cuda,
    launcher: &mut Launcher,
    (parameters, body): (&[String], &str),
) {
    let mut texts = parameters.iter().map(String::as_str).chain([body]);
    if !texts.any(|text| tokens_of(text).contains(&cuda.index.name.as_str())) {
        cuda.index.name.clear();
        launcher.has_one_index();
    }
}

/// Has the launcher look at what the kernel takes for granted.
fn assume(unit: &Unit, cuda: &Cuda, assumed: &Assumptions, launcher: &mut Launcher) {
    let name = |id| cuda.symbol(unit, id);
    let pairs = assumed.disjoint.iter().map(|(p, q)| (name(*p), name(*q)));
    let language = launcher.language(cuda);
    let conditions = (assumed.conditions.iter())
        .map(|e| language.operand(unit, e, BinaryOperator::LogicalAnd.precedence()));
    let (pairs, conditions) = (pairs.collect(), conditions.collect());
    launcher.assume(pairs, conditions);
}

/// Lets loops count in the type of indices where the launch can tell that `int` serves.
fn count_in_index(unit: &Unit, cuda: &mut Cuda, kernel: &Kernel, launcher: &mut Launcher) {
    let language = launcher.language(cuda);
    let text = |e: &Expression| language.operand(unit, e, super::language::ADDEND);
    let times = |trips: &TripCount, factor: &i128| match factor {
        1 => trips_text(&language, unit, trips, &text),
        _ => format!("{factor} * {}", trips_text(&language, unit, trips, &text)),
    };
    let loops = &kernel.index.loops;
    for (bounds, is_over_grid) in [(&loops.bounds, false), (&loops.grid_bounds, true)] {
        let texts = bounds.iter().map(|e| {
            let bare = e.without_parentheses();
            language.operand(unit, bare, precedence::ASSIGNMENT)
        });
        texts.for_each(|bound| launcher.bound(bound, is_over_grid));
    }
    for test in &loops.tests {
        match test {
            IndexTest::Trips(trips, factor) => launcher.index_trips(&times(trips, factor)),
            IndexTest::Values(trips, factor) => {
                launcher.index_range(&text(&trips.lower), &times(trips, factor));
            }
            IndexTest::Together(nest) => {
                let trips = nest.iter().map(|(trips, factor)| times(trips, factor));
                launcher.index_trips(&trips.collect::<Vec<_>>().join(", "));
            }
            IndexTest::Number(e) => launcher.index_trips(&text(e)),
        }
    }
    cuda.index.loops.extend(&loops.chosen);
    cuda.index.narrow.extend(&loops.narrow);
    cuda.index.kept.extend(&loops.kept);
    cuda.index.tested.extend(&loops.tested);
}

/// The arrays of which windows are fetched, with the parameters that say what
/// of them is present.
fn ranges(kernel: &Kernel) -> Vec<(SymbolId, Vec<SymbolId>)> {
    let mut found = Vec::new();
    for window in &kernel.windows {
        let entry = (window.array, window.ranges.clone());
        if !found.contains(&entry) {
            found.push(entry);
        }
    }
    found
}

/// Grid-wide reductions, with whether the block's value is what counts.
fn all_reductions(kernel: &Kernel) -> impl Iterator<Item = (&Reduction, bool)> {
    let grid = kernel.grid_reductions.iter().map(|r| (r, false));
    grid.chain(kernel.block_reductions.iter().map(|r| (r, true)))
}

/// Comment lines above a kernel.
pub fn comment(text: &str) -> String {
    let mut out = String::new();
    wrap(&mut out, &format!("// {text}"), 0);
    out.trim_end().to_string()
}

/// `name(parameters)`, broken after commas where it is too long; `before`
/// columns of the line are taken already.
pub fn signature(before: usize, name: &str, parameters: &[String]) -> String {
    let indent = " ".repeat((before + name.len()).min(40) + 1);
    let mut out = format!("{name}(");
    let mut column = before + out.len();
    for (i, parameter) in parameters.iter().enumerate() {
        let last = i + 1 == parameters.len();
        let width = parameter.len() + 2;
        if column + width > COLUMNS && i > 0 {
            out = out.trim_end().to_string();
            out.push('\n');
            out.push_str(&indent);
            column = indent.len();
        }
        out.push_str(parameter);
        out.push_str(if last { "" } else { ", " });
        column += width;
    }
    out.push(')');
    out
}

/// Refuses a kernel whose parameters have more bytes than a launch takes.
fn check_parameters(unit: &Unit, kernel: &Kernel) -> Result<(), Diagnostic> {
    let values = kernel.captures.iter().filter(|capture| {
        matches!(capture.passing, Passing::Value) && !is_reduced(kernel, capture)
    });
    let size = |capture: &&Capture| {
        unit.types
            .size(unit.symbol(capture.symbol).ty.ty)
            .unwrap_or(0)
    };
    let largest = values.clone().max_by_key(size);
    let bytes = values.fold(0, |sum: u64, capture| sum.saturating_add(size(&capture)));
    let Some(largest) = largest.filter(|_| bytes > PARAMETERS) else {
        return Ok(());
    };
    let name = &unit.symbol(largest.symbol).name;
    let message = format!(
        "the kernel would take {bytes} bytes of variables by value, and CUDA hands over {PARAMETERS}"
    );
    Err(Diagnostic::error(codes::NOT_CUDA, message, kernel.directive)
        .note(format!("`{name}` alone has {}", size(&largest)))
        .help(format!(
            "put `{name}` into `copyin` where the construct only reads it, or copy what it needs"
        )))
}

/// One captured variable: its parameter, and the launcher's part in it.
fn capture_parameter(
    unit: &Unit,
    cuda: &mut Cuda,
    kernel: &Kernel,
    capture: &Capture,
    parameters: &mut Vec<String>,
    launcher: &mut Launcher,
) {
    let symbol = unit.symbol(capture.symbol);
    if is_reduced(kernel, capture) {
        return;
    }
    let name = cuda.symbol(unit, capture.symbol);
    match capture.passing {
        Passing::Value => {
            let ty = QualType::plain(symbol.ty.ty);
            let text = cuda.declare_as(unit, capture.symbol, ty, &name);
            if cuda.constants.has(capture.symbol) {
                return launcher.constant(&name, &text, capture.symbol);
            }
            parameters.push(text.clone());
            let is_record = matches!(unit.types.get(symbol.ty.ty), Type::Record(_));
            launcher.value(
                &name,
                &text,
                capture.symbol,
                is_record || is_complex(unit, symbol.ty.ty),
            );
        }
        Passing::Reference => {
            let ty = QualType::plain(symbol.ty.ty);
            let text = cuda.declare_as(unit, capture.symbol, ty, &format!("*{name}"));
            parameters.push(text.clone());
            cuda.references.insert(capture.symbol);
            launcher.device(cuda, (&name, &text), capture.symbol, &symbol.name);
        }
        Passing::Array | Passing::Pointer | Passing::DevicePointer => {
            let (_, element) = pointer_parts(unit, symbol.ty.ty);
            let rows = match &capture.section_of {
                None => {
                    row_lengths::of_array(unit, cuda, kernel, capture.symbol, parameters, launcher);
                    None
                }
                Some(section) => {
                    let lengths =
                        row_lengths::of_section(unit, cuda, capture.symbol, parameters, launcher);
                    let lowers = section.lowers.iter().map(|lower| match is_number(lower) {
                        true => cuda.text(unit, lower),
                        false => format!("long({})", cuda.text(unit, lower)),
                    });
                    let rows = lowers.zip(lengths);
                    let rows = rows.map(|(lower, length)| format!("{{{lower}, {length}}}"));
                    Some(rows.collect::<Vec<_>>().join(", "))
                }
            };
            let is_read_only = kernel.read_only.contains(&capture.symbol);
            let is_restrict = symbol.ty.qualifiers.is_restrict
                && !kernel.shared_targets.contains(&capture.symbol);
            let is_unwritten = kernel.unwritten.contains(&capture.symbol);
            let is_const = is_read_only || is_unwritten && !is_by_array_name(unit, capture.symbol);
            let to = (capture.symbol, element);
            let text = pointer_text(unit, cuda, to, &name, is_const, is_read_only || is_restrict);
            let plain = pointer_text(unit, cuda, to, &name, false, false);
            parameters.push(text.clone());
            if capture.passing == Passing::Array {
                cuda.arrays.insert(capture.symbol);
            }
            let is_device = capture.passing == Passing::DevicePointer;
            launcher.pointer(
                cuda,
                (&name, &plain),
                (capture.section_of.as_ref()).map_or(capture.symbol, |section| section.array),
                &symbol.name,
                is_device,
            );
            if let Some(rows) = rows {
                let ty = pointer_text(unit, cuda, to, "", false, false);
                launcher.section(&ty, rows);
            }
        }
    }
}

/// Whether a variable is declared by a name of the file's for an array, which goes with `const`.
fn is_by_array_name(unit: &Unit, symbol: SymbolId) -> bool {
    let by = unit.typedefs.of_symbol(unit.symbol(symbol));
    let named = by.map(|by| unit.typedefs.get(by));
    named.is_some_and(|named| matches!(unit.types.get(named.ty), Type::Array { .. }))
}

fn is_number(e: &Expression) -> bool {
    matches!(e.inner().kind, ExpressionKind::Integer { .. })
}

/// Who has a copy, as the runtime calls it.
fn owner_name(array: &PrivateArray) -> &'static str {
    match array.owner {
        Some(PrivateArrayOwner::Grid) => "grid",
        Some(PrivateArrayOwner::Row) => "worker",
        Some(PrivateArrayOwner::Thread) => "thread",
        Some(PrivateArrayOwner::Block) | None => "gang",
    }
}

fn is_reduced(kernel: &Kernel, capture: &Capture) -> bool {
    all_reductions(kernel).any(|(reduction, _)| reduction.symbol == capture.symbol)
}

fn is_complex(unit: &Unit, ty: TypeId) -> bool {
    matches!(unit.types.get(ty), Type::Complex(_))
}

/// The run-time lengths below the outermost dimension (with their depth), and
/// the type that the kernel's pointer points to.
pub(super) fn pointer_parts(unit: &Unit, ty: TypeId) -> (Vec<(usize, VlaId)>, QualType) {
    let mut lengths = Vec::new();
    let mut element = unit.types.pointee(ty).unwrap_or(QualType::plain(ty));
    let mut depth = 1;
    while unit.types.is_variable_length(element.ty) {
        let Type::Array {
            element: next,
            length,
        } = unit.types.get(element.ty)
        else {
            break;
        };
        if let ArrayLength::Variable(id) = length {
            lengths.push((depth, *id));
        }
        element = *next;
        depth += 1;
    }
    (lengths, element)
}

/// `const float *__restrict__ name`, or `float (*name)[100]`.
pub(super) fn pointer_text(
    unit: &Unit,
    cuda: &Cuda,
    (like, element): (SymbolId, QualType),
    name: &str,
    is_const: bool,
    is_restrict: bool,
) -> String {
    let mut element = element;
    let mut declarator = format!("*{name}");
    if is_const {
        element.qualifiers.is_const = true;
    }
    if is_restrict {
        declarator = format!("*{} {name}", crate::typed::print::Language::restrict(cuda));
    }
    let has_suffix = matches!(
        unit.types.get(element.ty),
        Type::Array { .. } | Type::Function(_)
    );
    let grouped = match has_suffix {
        true => format!("({declarator})"),
        false => declarator.clone(),
    };
    let (specifiers, mut written) = cuda.target_as(unit, like, element, &grouped);
    // A name of the file's says all of an array.
    if written == grouped {
        written = declarator;
    }
    declared(specifiers, &written)
}

/// Rows of shared variables that each row has.
fn worker_count(kernel: &Kernel) -> u32 {
    match &kernel.block {
        Some([_, BlockExtent::Constant(workers), _]) => *workers,
        _ => 32,
    }
}

/// Extents along x, y and z, as few as say the same.
pub(super) fn without_ones(mut extents: Vec<String>) -> Vec<String> {
    while extents.len() > 1 && extents.last().is_some_and(|n| n == "1") {
        extents.pop();
    }
    extents
}

/// Block and grid of the launch.
fn configure(unit: &Unit, cuda: &mut Cuda, kernel: &Kernel, launcher: &mut Launcher) {
    let one = [
        BlockExtent::Constant(1),
        BlockExtent::Constant(1),
        BlockExtent::Constant(1),
    ];
    let block = kernel.block.as_ref().unwrap_or(&one);
    let sizes = kernel.words.sizes;
    let names = [sizes.lane, sizes.row, "depth"];
    let mut extents: Vec<String> = Vec::new();
    let mut product = Some(1u32);
    for (extent, name) in block.iter().zip(names) {
        match extent {
            BlockExtent::Constant(n) => {
                product = product.and_then(|p| p.checked_mul(*n));
                extents.push(n.to_string());
            }
            BlockExtent::Expression(e) => {
                product = None;
                extents.push(launcher.host_argument(cuda, name, e));
            }
        }
    }
    let extents = without_ones(extents);
    launcher.bounds = product;
    launcher.is_worker_block = kernel.scheme == Some(Scheme::Hierarchical) && product.is_none();
    launcher.is_limited = product.is_none();
    launcher.block = extents.join(", ");
    launcher.may_shrink = kernel.may_shrink;
    launcher.exact_grid = kernel.exact_grid.as_ref().map(|grid| {
        let along = grid.iter().zip(["grid_x", "grid_y", "grid_z"]);
        let texts = along.map(|(extent, name)| match extent {
            BlockExtent::Constant(n) => n.to_string(),
            BlockExtent::Expression(e) => launcher.host_argument(cuda, name, e),
        });
        without_ones(texts.collect()).join(", ")
    });
    launcher.is_flat =
        matches!(kernel.scheme, Some(Scheme::Flat | Scheme::Threads)) && !kernel.counts_blocks();
    launcher.counts_threads = launcher.is_flat || kernel.covers[0] && kernel.counts_threads(unit);
    launcher.gangs = kernel
        .sizes
        .block
        .as_ref()
        .map(|e| launcher.host_argument(cuda, sizes.block, e));
    let language = launcher.language(cuda);
    // As arguments, they need no parentheses.
    let text = |e: &Expression| match language.has_calls(e) {
        true => language.operand(unit, e, super::language::ADDEND),
        false => language.operand(unit, e.without_parentheses(), super::language::ADDEND),
    };
    let (mut are_checked, mut may_be_empty) = ([false; 3], [false; 3]);
    let (mut uses_x, mut are_of_rows) = (false, true);
    let mut narrow = Vec::new();
    let is_kept = |l: &Loop| kernel.index.loops.kept.contains(&l.induction);
    visit::loops(&kernel.body, &mut |l| {
        let distribution = l.distribution.unwrap_or_default();
        if let Some(axis) = distribution.blocks {
            are_checked[axis as usize] |= l.strides_by_step || is_kept(l);
            let has_some = l.constant_trip_count(unit).is_some_and(|count| count > 0);
            let is_skipped = kernel.skips_empty && axis == Axis::X && !has_some;
            may_be_empty[axis as usize] |= is_kept(l) || is_skipped;
            uses_x |= axis == Axis::X;
            narrow.extend(l.narrow_stride(unit));
            narrow.extend(is_kept(l).then_some(IntegerKind::Int));
            are_of_rows &= axis == Axis::X && distribution.threads == [false, true, false];
        }
    });
    launcher.may_be_empty = may_be_empty;
    launcher.covers = kernel.covers[0];
    launcher.narrowest = narrow.into_iter().min();
    // The grid is made for loops in `int`, beside which longer ones stride, or have an axis of their own.
    let is_wide = |count: &TripCount| count.is_wide(unit);
    let is_mixed =
        launcher.narrowest == Some(IntegerKind::Int) && kernel.grid.iter().flatten().any(is_wide);
    if is_mixed && launcher.covers {
        launcher.narrowest = None;
    }
    let extents = kernel
        .grid
        .iter()
        .zip(are_checked)
        .map(|(counts, is_checked)| {
            let texts = counts.iter().map(|count| match is_wide(count) {
                is_wide if is_checked || !is_wide && is_mixed && launcher.covers => {
                    checked_trips(count, &text)
                }
                true if is_mixed && !launcher.covers => {
                    format!(
                        "accrs::striding({})",
                        trips_text(&language, unit, count, &text)
                    )
                }
                _ => trips_text(&language, unit, count, &text),
            });
            texts.collect()
        });
    launcher.extents = extents.collect();
    while launcher.extents.len() > 1 && launcher.extents.last().is_some_and(Vec::is_empty) {
        launcher.extents.pop();
    }
    // Rows that stride have no blocks along z, which would repeat them.
    if kernel.covers[0] && !kernel.covers[1] && launcher.extents.len() == 2 {
        launcher.extents.push(vec!["1".to_owned()]);
    }
    launcher.counts_rows = uses_x && are_of_rows && !launcher.counts_threads;
    launcher.strides = kernel.scheme != Some(Scheme::Threads);
    // Blocks along an axis that no loop has would repeat each other.
    launcher.has_unknown_extent = uses_x && launcher.extents[0].is_empty();
}
