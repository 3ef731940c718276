//! `NAME.acc.cu`: types, functions, kernels and launchers in CUDA C++.
//!
//! Input: decided IR. Output: the file's text, and for each compute construct
//! what the host calls. Establishes: definitions come before uses, every
//! record's layout is asserted, lines stay within 100 columns.

mod assertion;
mod atomic;
mod body;
mod bool_steps;
mod builtin;
mod case_range;
mod constant_array;
mod conversions;
mod declarations;
mod function;
mod global;
mod heads;
mod hoisted;
mod index;
mod initializer;
mod jumps;
mod kept;
mod kernel;
mod language;
mod launcher;
mod linkage;
mod locals;
mod loops;
mod macro_statements;
mod measured;
mod named_constants;
mod named_types;
mod notes;
mod once;
mod origin;
mod plain_for;
mod private_array;
mod record;
mod reduction;
mod row_lengths;
mod rows;
mod shadows;
mod slots;
#[cfg(test)]
mod tests;
mod tiles;
mod unroll;
mod used;
mod window;
mod window_memory;
mod worker;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;

use serde::Serialize;

pub use global::Reached;
pub use launcher::{Argument, Parameter};
pub use linkage::{Linkage, defines_main};

use super::layout::{leaves_open, of_line, take_origins, wrap};
use super::namer::Namer;
use super::template::Templates;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::ir::{Kernel, KernelId, Launch, Module, RegionKind, StatementKind, visit};
use crate::source::{Alignment, Span, TranslationUnit, tokens_of};
use crate::typed::print::Language;
use crate::typed::{SymbolId, Unit};
use constant_array::Tables;
use kept::Kept;
use language::Cuda;
use launcher::{Definition, Launcher};
use named_constants::NamedConstants;
use named_types::NamedTypes;
use record::Records;
use used::Used;

/// What the host program calls for one launch.
#[derive(Clone, Debug)]
pub struct Call {
    /// The launcher.
    pub name: String,
    /// Its parameters in order.
    pub parameters: Vec<Parameter>,
}

/// The kernel file, and the calls of each region (by index) in order.
pub struct KernelFile {
    /// The text of `NAME.acc.cu`.
    pub text: String,
    /// Of each line of the text, the user's line that it is of, from 1, or 0; empty
    /// where that is not recorded.
    pub origins: Vec<u32>,
    /// Calls by region.
    pub calls: HashMap<usize, Vec<Call>>,
    /// Global variables that device functions name.
    pub reached: Vec<Reached>,
    /// What the kernels are called, in order.
    pub names: Vec<(KernelId, String)>,
    /// It has neither kernels nor device functions, nor variables for them.
    pub is_empty: bool,
}

#[derive(Serialize)]
struct Context {
    header: String,
    /// Nothing runs on the device.
    is_empty: bool,
    /// Lines that define the user's macros, and that end them.
    macros: Vec<String>,
    ended_macros: Vec<String>,
    namespace: String,
    /// A type of the kernels that GPUs do not have.
    emulation_only: Option<&'static str>,
    uses_heap: bool,
    enumerators: Vec<String>,
    typedefs: Vec<String>,
    declared: Vec<String>,
    records: Vec<String>,
    constants: Vec<String>,
    globals: Vec<String>,
    prototypes: Vec<String>,
    functions: Vec<String>,
    /// The variable that all tables share, if they do.
    table_union: Option<String>,
    tables: Vec<Tables>,
    kernels: Vec<String>,
    reaches: Vec<String>,
    launchers: Vec<String>,
    #[serde(skip)]
    names: Vec<(KernelId, String)>,
    /// The numbers that launches of a function have up to now.
    #[serde(skip)]
    launches: HashMap<SymbolId, u32>,
}

/// What the printer reads.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// Decided IR.
    pub module: &'a Module,
    /// Types and symbols.
    pub unit: &'a Unit,
    /// The file, for places.
    pub source: &'a TranslationUnit,
    /// What its names have to do with those of other units.
    pub linkage: &'a Linkage,
    /// All fixed text.
    pub templates: &'a Templates,
    /// How statements tell their lines of the user's file.
    pub line_marks: LineMarks,
}

/// How generated lines tell the lines of the user's file that they are of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineMarks {
    /// They do not.
    #[default]
    None,
    /// By `#line`, for compilers.
    Printed,
    /// Beside the text, which is as without.
    Recorded,
}

impl Input<'_> {
    /// The line of a place in the user's file, from 1, where lines are recorded; else 0.
    fn recorded_line(&self, span: Span) -> u32 {
        match self.line_marks {
            LineMarks::Recorded => own_line(self.source, span),
            LineMarks::None | LineMarks::Printed => 0,
        }
    }
}

/// The line of a place, from 1; 0 where that is in no line of the user's file itself.
pub fn own_line(source: &TranslationUnit, span: Span) -> u32 {
    let location = source.location(span);
    let is_own = source.in_main_file(span) && Path::new(location.file) == source.file.path;
    if is_own { location.line } else { 0 }
}

/// Prints the kernel file.
///
/// # Errors
/// A template that lacks a key; what has no counterpart in CUDA goes to
/// `diagnostics`.
pub fn emit(
    input: Input<'_>,
    header: &str,
    diagnostics: &mut Diagnostics,
) -> Result<KernelFile, Diagnostic> {
    let alignment = input.source.alignment(own_code(input));
    let text = UserText {
        alignment: Rc::new(alignment),
        kept: None,
    };
    let mut file = emit_file(input, header, &text, diagnostics)?;
    if !text.alignment.has_no_calls() {
        // What stands elsewhere than where it is printed may need the definition of another place.
        for redefines in [true, false] {
            let kept = Rc::new(Kept::new(Rc::clone(&text.alignment), &file.text, redefines));
            let text = UserText {
                kept: Some(Rc::clone(&kept)),
                alignment: Rc::clone(&text.alignment),
            };
            // What is wrong has been said.
            let with_calls = emit_file(input, header, &text, &mut Diagnostics::new())?;
            if kept.is_same(&with_calls.text, &file.text) {
                file = with_calls;
                break;
            }
        }
    }
    let stem = linkage::stem(input.source);
    (file.text, file.origins) = limit_columns(&file.text, &file.origins, &stem);
    if input.line_marks != LineMarks::Recorded {
        file.origins.clear();
    }
    Ok(file)
}

/// What is known of the user's text.
struct UserText {
    alignment: Rc<Alignment>,
    /// The calls of macros that are kept, if any are.
    kept: Option<Rc<Kept>>,
}

/// Where the code of kernels and device functions is in the text, also that of calls which were
/// inlined; and where parameters, globals and members say their types.
fn own_code(input: Input<'_>) -> Vec<Span> {
    let Input { module, unit, .. } = input;
    let mut spans: Vec<Span> = module.kernels.iter().map(|kernel| kernel.span).collect();
    let bodies = module.kernels.iter().map(|kernel| &kernel.body);
    for body in bodies.chain(module.functions.iter().map(|function| &function.body)) {
        visit::walk(body, &mut |statement| {
            let span = statement.span;
            let is_in = |known: &Span| known.start <= span.start && span.end <= known.end;
            // A statement comes before those in it.
            if !spans.last().is_some_and(is_in) {
                spans.push(span);
            }
        });
    }
    let functions = module.functions.iter().map(|function| function.symbol);
    let parameters = functions.clone().filter_map(|id| unit.function(id));
    spans.extend(parameters.clone().map(|function| function.header));
    let parameters = parameters.flat_map(|function| function.parameters.iter().copied());
    let captures = module.kernels.iter().flat_map(|kernel| &kernel.captures);
    let mut privates: Vec<SymbolId> = Vec::new();
    for kernel in &module.kernels {
        privates.extend(&kernel.privates);
        privates.extend(kernel.windows.iter().map(|window| window.array));
        visit::loops(&kernel.body, &mut |l| privates.extend(&l.privates));
    }
    let captured = captures.map(|capture| capture.symbol);
    let symbols = captured.chain(functions).chain(privates.iter().copied());
    let constants = NamedConstants::of(module, unit);
    let used = Used::collect(module, unit, &constants);
    let captured = module.kernels.iter().flat_map(|kernel| &kernel.captures);
    spans.extend(captured.filter_map(|one| Some(constants.value(one.symbol)?.span)));
    let globals = module.device_globals.iter().chain(&used.globals).copied();
    let values = used.globals.iter().filter_map(|id| unit.global(*id));
    for value in values.filter_map(|global| global.initializer.as_ref()) {
        crate::typed::visit::initializer_values(value, &mut |e| spans.push(e.span));
    }
    let values = used
        .constants
        .iter()
        .filter_map(|id| unit.typedefs.value(*id));
    spans.extend(values.map(|value| value.span));
    let symbols = symbols.chain(parameters).chain(globals);
    let by_symbols = symbols
        .clone()
        .filter_map(|id| unit.typedefs.of_symbol(unit.symbol(id)));
    let records = unit.types.records.iter();
    let members = records.flat_map(|record| record.members.iter().flatten());
    let bases = unit.typedefs.all().filter_map(|(_, typedef)| typedef.base);
    let declared = by_symbols.chain(members.filter_map(|member| member.typedef));
    let declared = declared.chain(bases);
    let members = unit.types.records.iter();
    let members = members.flat_map(|record| record.members.iter().flatten());
    let lengths = members.clone().flat_map(|member| &member.lengths);
    let members = members.map(|member| member.span);
    let of_types = unit
        .typedefs
        .all()
        .flat_map(|(_, typedef)| &typedef.lengths);
    let lengths = lengths
        .chain(of_types)
        .chain(symbols.flat_map(|id| unit.typedefs.lengths(unit.symbol(id))));
    let places = declared
        .map(|by| unit.typedefs.get(by).span)
        .chain(lengths.copied())
        .chain(members);
    spans.extend(places.filter(|span| !input.source.is_in_system_header(*span)));
    spans
}

/// Prints the kernel file, its lines as long as they may be.
fn emit_file(
    input: Input<'_>,
    header: &str,
    own: &UserText,
    diagnostics: &mut Diagnostics,
) -> Result<KernelFile, Diagnostic> {
    let Input {
        module,
        unit,
        templates,
        ..
    } = input;
    let macros = own.alignment.macros().filter(|found| !found.is_system);
    let macros = macros.map(|found| found.name.as_str());
    let is_of_system = |span| input.source.is_in_system_header(span);
    let mut cuda = Cuda::new(Namer::new(unit, macros, is_of_system));
    cuda.alignment = Some(Rc::clone(&own.alignment));
    cuda.kept.clone_from(&own.kept);
    for import in &module.imports {
        cuda.names.insert(import.symbol, shared_name(&import.name));
    }
    for device in module.functions.iter().filter(|f| f.exported) {
        let name = shared_name(&unit.symbol(device.symbol).name);
        cuda.names.insert(device.symbol, name);
    }
    for &(function, bound) in &module.bindings {
        let name = cuda.symbol(unit, bound);
        cuda.names.insert(function, name);
    }
    let named_types = NamedTypes::take(unit, input.source, &mut cuda);
    cuda.named_types = Rc::new(named_types);
    cuda.constants = Rc::new(NamedConstants::of(module, unit));
    let used = Used::collect(module, unit, &cuda.constants);
    let mut records = Records::new(unit);
    for ty in &used.types {
        records.add(unit, *ty);
    }
    let all_records = records.declared.iter().chain(&records.defined);
    record::name(unit, &mut cuda, all_records);
    let hoisted = used.constants.iter().chain(&used.globals);
    hoisted::name(unit, module, &mut cuda, hoisted);
    let namespace = cuda.fresh(&format!("{}_acc", input.linkage.unit()));
    cuda.namespace.clone_from(&namespace);
    let mut context = Context {
        header: header.to_string(),
        is_empty: false,
        macros: Vec::new(),
        ended_macros: Vec::new(),
        namespace,
        emulation_only: used
            .types
            .iter()
            .find_map(|ty| Some(unit.types.beyond_gpu(*ty)?.spelling())),
        uses_heap: private_array::uses_heap(unit, module),
        enumerators: Vec::new(),
        typedefs: Vec::new(),
        declared: Vec::new(),
        records: Vec::new(),
        constants: function::constants(input, &cuda, &used.globals, diagnostics),
        globals: Vec::new(),
        prototypes: Vec::new(),
        functions: Vec::new(),
        table_union: module.overlaid_tables.then(|| cuda.fresh("constants")),
        tables: Vec::new(),
        kernels: Vec::new(),
        reaches: Vec::new(),
        launchers: Vec::new(),
        names: Vec::new(),
        launches: HashMap::new(),
    };
    for id in &records.forward(unit) {
        let keyword = unit.types.record(*id).keyword();
        context
            .declared
            .push(format!("{keyword} {};", cuda.tag(unit, *id)));
    }
    let reduced = record::reduced(unit, module);
    for id in &records.defined {
        context.records.push(record::emit(input, &cuda, *id)?);
        if reduced.contains(id) {
            let text = record::emit_reduction(unit, &cuda, templates, *id)?;
            context.records.push(text);
        }
    }
    let mut reached = Vec::new();
    for &id in &module.device_globals {
        let text = global::emit(input, &mut cuda, id);
        context.globals.push(text.declaration);
        context.reaches.push(text.reach);
        reached.push(text.reached);
    }
    for import in &module.imports {
        context
            .prototypes
            .push(function::import(input, &cuda, import)?);
    }
    // A prototype is for what names the function before its definition does.
    let before = [&context.records, &context.constants, &context.globals];
    let mut named: HashSet<String> = HashSet::new();
    let mut name_all = |text: &String| {
        named.extend(tokens_of(text).into_iter().map(str::to_string));
    };
    before.into_iter().flatten().for_each(&mut name_all);
    let mut texts = Vec::new();
    for device in &module.functions {
        let kept = own.kept.as_deref();
        kept.iter().for_each(|kept| kept.begin());
        let mut text = function::emit(input, &cuda, device, diagnostics)?;
        text.definition = redefining(kept, text.definition, input.source);
        texts.push((cuda.symbol(unit, device.symbol), text));
    }
    for (name, text) in texts {
        if named.contains(&name) {
            context.prototypes.push(text.prototype);
        }
        named.extend(tokens_of(&text.definition).into_iter().map(str::to_string));
        context.functions.push(text.definition);
    }
    let mut calls = HashMap::new();
    for (index, region) in module.regions.iter().enumerate() {
        let RegionKind::Compute { launches, .. } = &region.kind else {
            continue;
        };
        let mut list = Vec::new();
        for launch in launches {
            list.push(emit_launch(
                input,
                launch,
                &mut cuda,
                &mut context,
                diagnostics,
            )?);
        }
        calls.insert(index, list);
    }
    context.typedefs = cuda.named_types.definitions(unit, &cuda);
    context.enumerators = function::enumerators(unit, &cuda);
    if let Some(kept) = &own.kept {
        (context.macros, context.ended_macros) = kept.definitions(input.source);
    }
    let parts = [&context.functions, &context.kernels, &context.reaches];
    context.is_empty = parts.iter().all(|part| part.is_empty());
    let text = templates.render("kernel_file", &context)?;
    let (text, origins) = take_origins(&text);
    Ok(KernelFile {
        text,
        origins,
        calls,
        reached,
        names: context.names,
        is_empty: context.is_empty,
    })
}

/// What a routine that files share is called on the device: the host's own
/// function has the plain name.
fn shared_name(name: &str) -> String {
    format!("accrs_routine_{name}")
}

/// `file.c:12`, with the file's name alone.
fn place(source: &TranslationUnit, span: crate::source::Span) -> String {
    let location = source.location(span);
    let file = location.file.rsplit('/').next().unwrap_or(location.file);
    format!("{file}:{}", location.line)
}

/// The kernels of one launch, and the launcher.
fn emit_launch(
    input: Input<'_>,
    launch: &Launch,
    cuda: &mut Cuda,
    context: &mut Context,
    diagnostics: &mut Diagnostics,
) -> Result<Call, Diagnostic> {
    let kernel = input.module.kernel(launch.kernel);
    let names = launch_names(input, kernel, cuda, context);
    let main = (launch.kernel, names.kernel);
    let mut launcher = emit_kernel(input, main, cuda, context, diagnostics)?;
    let mut other = |id: Option<KernelId>, name| match id {
        Some(id) => emit_kernel(input, (id, name), cuda, context, diagnostics).map(Some),
        None => Ok(None),
    };
    let alternative = other(launch.alternative, names.alternative)?;
    let without_windows = other(launch.without_windows, names.without_windows)?;
    let alternative = alternative.as_ref();
    let line = input.recorded_line(kernel.directive);
    if let Some(other) = &without_windows {
        let definition = Definition {
            name: &names.launcher_without_windows,
            is_of_host: false,
            launcher: other,
            alternative,
        };
        launcher.without_windows(&definition);
        let text = of_line(definition.render(input.templates)?, line);
        context.launchers.push(text);
    }
    let definition = Definition {
        name: &names.launcher,
        is_of_host: true,
        launcher: &launcher,
        alternative,
    };
    let text = of_line(definition.render(input.templates)?, line);
    let parameters = definition.parameters();
    context.launchers.push(text);
    Ok(Call {
        name: names.launcher,
        parameters,
    })
}

/// What one launch of a function and its kernels are called.
struct LaunchNames {
    /// In the whole program.
    launcher: String,
    /// In the namespace of the unit's kernels.
    kernel: String,
    /// The kernel for what the other one takes for granted, such as arrays that overlap.
    alternative: String,
    /// The kernel for windows that have no room.
    without_windows: String,
    /// Its launcher.
    launcher_without_windows: String,
}

impl LaunchNames {
    /// That nothing else has the names.
    fn take(&self, cuda: &mut Cuda) -> bool {
        cuda.take(&[
            &self.launcher,
            &self.kernel,
            &self.alternative,
            &self.without_windows,
            &self.launcher_without_windows,
        ])
    }
}

/// The names of a function's next launch: `advance_launch` and `advance_kernel`,
/// then `advance_launch2` and `advance_kernel2`. Lines are no part of them, so
/// that a line more above changes none. A kernel with a name has `advance_launch_NAME`.
fn launch_names(
    input: Input<'_>,
    kernel: &Kernel,
    cuda: &mut Cuda,
    context: &mut Context,
) -> LaunchNames {
    let function = kernel.function;
    let is_of_arrays = kernel.assumed.conditions.is_empty();
    let otherwise = if is_of_arrays {
        "overlapping"
    } else {
        "general"
    };
    if let Some(name) = &kernel.name {
        let number = format!("_{name}");
        // Something else in the file may have the name.
        for kernel in [name.clone(), format!("{name}_kernel")] {
            let names = LaunchNames {
                launcher: input.linkage.launcher(input.unit, function, &number),
                alternative: format!("{kernel}_{otherwise}"),
                without_windows: format!("{kernel}_uncached"),
                launcher_without_windows: format!("{kernel}_uncached_launch"),
                kernel,
            };
            if names.take(cuda) {
                return names;
            }
        }
    }
    let of = &input.unit.symbol(function).name;
    let count = context.launches.entry(function).or_default();
    loop {
        *count += 1;
        let number = match *count {
            1 => String::new(),
            n => n.to_string(),
        };
        let names = LaunchNames {
            launcher: input.linkage.launcher(input.unit, function, &number),
            kernel: format!("{of}_kernel{number}"),
            alternative: format!("{of}_{otherwise}_kernel{number}"),
            without_windows: format!("{of}_uncached_kernel{number}"),
            launcher_without_windows: format!("{of}_uncached_launch{number}"),
        };
        if names.take(cuda) {
            return names;
        }
    }
}

/// One kernel.
fn emit_kernel(
    input: Input<'_>,
    (id, name): (KernelId, String),
    cuda: &mut Cuda,
    context: &mut Context,
    diagnostics: &mut Diagnostics,
) -> Result<Launcher, Diagnostic> {
    let kernel = input.module.kernel(id);
    let mut comment = format!(
        "{}: {}{}",
        place(input.source, kernel.directive),
        kernel.title,
        own_place(input, kernel)
    );
    if let Some(said) = input.source.directive_comment(kernel.directive) {
        comment.push_str(&format!(" // {said}"));
    }
    let identity = kernel::Identity {
        name: &name,
        table_union: context.table_union.as_deref(),
        comment,
    };
    let kept = cuda.kept.clone();
    kept.iter().for_each(|kept| kept.begin());
    let emitted = kernel::emit(input, cuda, kernel, &identity, diagnostics)?;
    if !emitted.tables.is_empty() {
        context.tables.push(Tables {
            kernel: name.clone(),
            declarations: emitted.tables,
        });
    }
    let text = redefining(kept.as_deref(), emitted.text, input.source);
    context.kernels.push(text);
    context.names.push((id, name));
    Ok(emitted.launcher)
}

/// A kernel or function behind the definitions of macros that it has otherwise than the text before.
fn redefining(kept: Option<&Kept>, text: String, source: &TranslationUnit) -> String {
    let lines = kept.map_or_else(Vec::new, |kept| kept.redefinitions(source));
    match lines.is_empty() {
        true => text,
        false => format!("{}\n\n{text}", lines.join("\n")),
    }
}

/// Which line of its construct a kernel is of, where the construct has others.
fn own_place(input: Input<'_>, kernel: &Kernel) -> String {
    let (what, own) = first_line(input, kernel);
    let is_alike = |k: &&Kernel| k.directive == kernel.directive && k.title == kernel.title;
    let mut alike = input.module.kernels.iter().filter(is_alike);
    let has_others = alike.any(|other| first_line(input, other).1 != own);
    match has_others && own > 0 {
        true => format!(", {what} at line {own}"),
        false => String::new(),
    }
}

/// What a kernel begins with, and where.
fn first_line(input: Input<'_>, kernel: &Kernel) -> (&'static str, u32) {
    let mut first = None;
    visit::walk(&kernel.body, &mut |statement| {
        if let StatementKind::Loop(l) = &statement.kind {
            first = first.or(Some(l.header));
        }
    });
    let what = if first.is_some() { "loop" } else { "code" };
    (what, own_line(input.source, first.unwrap_or(kernel.span)))
}

/// Breaks what templates made too long, and numbers lines where marks ask for
/// it. With the origins of lines.
fn limit_columns(text: &str, origins: &[u32], stem: &str) -> (String, Vec<u32>) {
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    // The user's line that generated ones belong to: each of several has its
    // own mark, since a compiler counts on after it.
    let mut marked = None;
    let mut counted = false;
    // Lines of the first so many bytes.
    let (mut lines, mut known) = (0, 0);
    let mut kept = Vec::new();
    let mut told = 0;
    let mut in_comment = false;
    for (line, &origin) in text.lines().zip(origins) {
        let trimmed = line.trim_start();
        let was_in_comment = in_comment;
        in_comment = leaves_open(line, in_comment);
        if trimmed.is_empty() {
            blank = true;
            continue;
        }
        // One empty line between parts, none after an opening brace.
        if blank && !out.is_empty() {
            out.push('\n');
            kept.push(0);
        }
        blank = false;
        told = out.len().max(told);
        let is_macro = trimmed.starts_with("#define ") || out.ends_with("\\\n");
        if was_in_comment || in_comment || is_macro {
            // A macro's line is broken already, a comment of several lines is as the user has it.
            out.push_str(line);
            out.push('\n');
        } else if let Some(number) = trimmed.strip_prefix(body::MARK) {
            out.push_str(&format!("#line {number}\n"));
            marked = Some(number);
            counted = false;
        } else if trimmed == body::END_MARK {
            marked = None;
            lines += out[known..].lines().count();
            known = out.len();
            let next = lines + 2;
            out.push_str(&format!("#line {next} \"{stem}.acc.cu\"\n"));
        } else {
            if let Some(number) = marked.filter(|_| counted && trimmed != "}") {
                out.push_str(&format!("#line {number}\n"));
            }
            counted = true;
            wrap(&mut out, trimmed.trim_end(), line.len() - trimmed.len());
        }
        let added = memchr::memchr_iter(b'\n', &out.as_bytes()[told..]).count();
        kept.resize(kept.len() + added, origin);
    }
    (out, kept)
}
