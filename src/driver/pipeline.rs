//! The stages in their order, one function each.
//!
//! Input: a file and the options. Output: the text of the two generated
//! files, or the errors of all stages that could still be run.

use std::ffi::OsString;
use std::path::Path;
use std::thread;

use super::arch::{self, Arch};
use super::device::Device;
use super::failure::Failure;
use super::memory::Memory;
use super::other_language::OtherLanguage;
use super::render::{self, Reporter};
use super::resources;
use super::runtime_library;
use super::session::Session;
use super::shown::Shown;
use super::sources::UnitSources;
use super::toolchain::Tool;
use crate::analysis::flow;
use crate::diagnostic::{Diagnostic, Diagnostics, Place, Severity, codes};
use crate::front::openacc::LongDouble;
pub use crate::passes::memory_placement::PlacementRequest;
use crate::source::{Preprocessor, SourceFile, Span, Spellings, TranslationUnit};
use crate::stopwatch::Stopwatch;
use crate::{ast, back, front, ir, passes, sema, syntax, typed};

/// The stack of the thread that parses: nested C is parsed by recursion.
const STACK: usize = 512 << 20;

/// What the command line says about a translation.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `-I`, `-D` and the like, for the preprocessor and the C compiler.
    pub preprocessor: Vec<OsString>,
    /// `#line` marks in the generated files.
    pub line_marks: bool,
    /// `--feedback`.
    pub feedback: bool,
    /// `--feedback=resources`: nvcc counts registers and shared memory.
    pub resources: bool,
    /// `--strict`.
    pub strict: bool,
    /// `--cache=trust`.
    pub trust_cache: bool,
    /// `--long-double=host`.
    pub long_double_on_host: bool,
    /// What is built for; `None` where both may be.
    pub target: Option<Device>,
    /// `--assume`.
    pub assumptions: Vec<(String, i128)>,
    /// `--along-x`.
    pub along_x: Vec<String>,
    /// `--windows=automatic`.
    pub automatic_windows: bool,
    /// `--place`.
    pub places: Vec<PlacementRequest>,
    /// `--arch`.
    pub archs: Vec<Arch>,
    /// For `check --dynamic`.
    pub for_checks: bool,
    /// For `check --compare`.
    pub compares: bool,
    /// `--multicore`: the host's cores share constructs that the host runs.
    pub multicore: bool,
    /// `--memory`.
    pub memory: Memory,
    /// `--time-passes`.
    pub time_passes: bool,
    /// `-Werror`: warnings are errors.
    pub denies_warnings: bool,
    /// `-acc=verystrict`: directives of others are errors.
    pub denies_others: bool,
    /// For `report`: gather what a page shows, notes in place of feedback among it.
    pub shows: bool,
}

/// A variable and its value, of `--assume`.
///
/// # Errors
/// When the text has another form.
pub fn assumption(text: &str) -> Result<(String, i128), String> {
    let form = || format!("`{text}` is not of the form NAME=VALUE with a whole number");
    let (name, value) = text.split_once('=').ok_or_else(form)?;
    let value = value.parse().map_err(|_| form())?;
    Ok((name.to_owned(), value))
}

/// The two generated files.
#[derive(Clone, Debug)]
pub struct Translation {
    /// `NAME.acc.c`, in the encoding of the original.
    pub host: Vec<u8>,
    /// `NAME.acc.cu`.
    pub kernels: String,
    /// It has code or variables of the device.
    pub has_device_code: bool,
    /// What its device code has to do with that of other files.
    pub sharing: back::Sharing,
    /// Its kernels, in order.
    pub own_kernels: Vec<OwnKernel>,
    /// It has the function that the program begins with.
    pub defines_main: bool,
    /// What the checks look at more closely.
    pub unassigned: Vec<Unassigned>,
    /// If [`Options::shows`]: what a report shows.
    pub shown: Option<Box<Shown>>,
}

/// A kernel of a translated file.
#[derive(Clone, Debug)]
pub struct OwnKernel {
    /// As the generated file calls it.
    pub name: String,
    /// Threads of a block, where they are known; the most where the launch may take fewer.
    pub threads: Option<u32>,
}

/// A kernel's variables that may be read before they have a value.
#[derive(Clone, Debug)]
pub struct Unassigned {
    /// As the generated file calls it.
    pub kernel: String,
    /// By their names in the program.
    pub variables: Vec<String>,
}

/// What `--emit` prints instead of writing files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Emit {
    /// The typed tree, as C.
    Ast,
    /// The intermediate representation after all passes.
    Ir,
}

/// How a file is to be translated.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The user's C compiler; `None` where the text is preprocessed already.
    pub c: Option<&'a Tool>,
    /// What the command line says.
    pub options: &'a Options,
    /// The stage whose text is wanted, if it is not both files.
    pub stage: Option<Emit>,
    /// Shows what there is to say.
    pub reporter: Reporter,
}

/// What came out.
#[derive(Clone, Debug)]
pub enum Product {
    /// Both files.
    Files(Translation),
    /// A stage's text.
    Text(String),
    /// `NAME.acc.cu` of a CUDA file, in the encoding of the original.
    Cuda(Vec<u8>),
}

impl Product {
    /// Both files.
    ///
    /// # Errors
    /// When a stage's text was asked for.
    pub fn files(self) -> Result<Translation, Failure> {
        match self {
            Self::Files(translation) => Ok(translation),
            Self::Text(_) | Self::Cuda(_) => {
                let message = "no files came out of the translation";
                Err(Failure::environment(codes::INTERNAL, message))
            }
        }
    }
}

/// Reads and translates a file and shows what there is to say about it.
///
/// # Errors
/// When it cannot be read or has errors, which have been shown.
pub fn translate(path: &Path, task: Task) -> Result<Product, Failure> {
    if let Some(language) = OtherLanguage::of_file(path) {
        return Err(Failure::input(language.refuse(path)));
    }
    let file = SourceFile::read(path).map_err(Failure::input)?;
    translate_file(file, task)
}

/// Translates a file that was read and shows what there is to say about it.
///
/// # Errors
/// When the input has errors, which have been shown.
pub fn translate_file(file: SourceFile, task: Task) -> Result<Product, Failure> {
    let path = file.path.clone();
    thread::scope(|scope| {
        let work = || stages(file, task);
        let thread = thread::Builder::new()
            .name("translation".into())
            .stack_size(STACK);
        let running = thread
            .spawn_scoped(scope, work)
            .map_err(|error| internal(&path).note(error.to_string()))?;
        // No input may panic; if one does, it is said with the file's name.
        running
            .join()
            .unwrap_or_else(|_| Err(internal(&path).into()))
    })
}

fn internal(path: &Path) -> Diagnostic {
    let message = format!("accrs failed while translating `{}`", path.display());
    Diagnostic::global(codes::INTERNAL, message).help("please report this with the file")
}

/// Runs the stages on one thread, and says how long each took if that was asked for.
fn stages(file: SourceFile, task: Task) -> Result<Product, Failure> {
    let mut watch = Stopwatch::default();
    let path = file.path.clone();
    let product = timed_stages(file, task, &mut watch);
    if task.options.time_passes {
        task.reporter.times(&path, &watch);
    }
    product
}

fn timed_stages(file: SourceFile, task: Task, watch: &mut Stopwatch) -> Result<Product, Failure> {
    let Task { c, options, .. } = task;
    let is_rewritten = task.stage != Some(Emit::Ast);
    let preprocessor = preprocessor(c, options);
    let mut diagnostics = Diagnostics::new();
    let mut unit = watch.time("source", |_| {
        TranslationUnit::preprocess(
            file,
            &preprocessor,
            &ast::Dialect::PREFIXES,
            &mut diagnostics,
        )
    });
    let mut program = lower(&unit, options, &mut diagnostics, watch);
    let outside = match &program {
        _ if !is_rewritten => Vec::new(),
        Some(program) => back::outside(&program.module, &unit),
        None => wrong_in_included(&unit, &diagnostics),
    };
    if !outside.is_empty() {
        // The text of included files has to be at hand: to be changed, or to be
        // pointed into.
        let mut found = Diagnostics::new();
        let read = watch.time("source", |_| {
            unit.read_in_place(&outside, &preprocessor, &ast::Dialect::PREFIXES, &mut found)
        });
        unit = match read {
            Ok(unit) => {
                diagnostics = found;
                program = lower(&unit, options, &mut diagnostics, watch);
                unit
            }
            Err(refused) => {
                let (unit, why) = *refused;
                if program.take().is_some() {
                    diagnostics.push(why);
                }
                unit
            }
        };
    }
    let hidden = match &program {
        Some(program) if is_rewritten => back::hidden(&program.module, &unit),
        _ => Vec::new(),
    };
    if !hidden.is_empty() {
        // What cannot be expanded is reported where it is to be replaced.
        let mut found = Diagnostics::new();
        let written = watch.time("source", |_| {
            unit.write_out(&hidden, &preprocessor, &ast::Dialect::PREFIXES, &mut found)
        });
        if let Some(written) = written {
            diagnostics = found;
            program = lower(&written, options, &mut diagnostics, watch);
            unit = written;
        }
    }
    let mut product = program.and_then(|p| finish(p, &unit, task, &mut diagnostics, watch));
    deny(&mut diagnostics, options);
    let places = UnitSources::new(&unit);
    let is_told = |d: &&Diagnostic| !(options.shows && d.severity == Severity::Note);
    task.reporter
        .emit(diagnostics.iter().filter(is_told), &places);
    if let Some(Product::Files(translation)) = &mut product
        && let Some(shown) = &mut translation.shown
    {
        shown.told = render::told(diagnostics.iter(), &places);
    }
    match product {
        Some(product) if !diagnostics.has_errors() => Ok(product),
        _ => Err(Failure::Reported),
    }
}

/// Makes errors of the warnings that are not wanted.
fn deny(diagnostics: &mut Diagnostics, options: &Options) {
    let of_others = [codes::FOREIGN_PRAGMA, codes::MISSPELT_PREFIX];
    let is_denied = |one: &&mut Diagnostic| {
        one.severity == Severity::Warning
            && (options.denies_warnings || options.denies_others && of_others.contains(&one.code))
    };
    let denied = diagnostics.iter_mut().filter(is_denied);
    denied.for_each(|warning| warning.severity = Severity::Error);
}

/// The user's preprocessor, if one is needed.
fn preprocessor(c: Option<&Tool>, options: &Options) -> Preprocessor {
    let own = c.map_or(&[][..], |c| &c.arguments);
    let mut arguments = [own, &options.preprocessor].concat();
    // The compiler may have an older `openacc.h` of its own. Where there is no
    // cache to write ours into, that one has to do.
    if let Ok([own, cuda]) = runtime_library::headers(&Session::variable) {
        arguments.extend(["-isystem".into(), own.into_os_string()]);
        arguments.extend(["-idirafter".into(), cuda.into_os_string()]);
    }
    Preprocessor {
        compiler: c.map(|c| c.path.clone()),
        arguments,
    }
}

/// Places of errors that are in included files.
fn wrong_in_included(unit: &TranslationUnit, diagnostics: &Diagnostics) -> Vec<Span> {
    let labels = diagnostics.iter().flat_map(|d| &d.labels);
    let spans = labels.filter_map(|label| match label.place {
        Place::Span(span) => Some(span),
        Place::Source(_) => None,
    });
    spans.filter(|span| unit.is_included(*span)).collect()
}

/// What a file says, before any decision.
struct Program {
    tree: ast::TranslationUnit,
    unit: typed::Unit,
    module: ir::Module,
}

/// The stages that only need the text. Each goes on after the errors of the
/// one before where it can, so that one run reports them all.
fn lower(
    source: &TranslationUnit,
    options: &Options,
    diagnostics: &mut Diagnostics,
    watch: &mut Stopwatch,
) -> Option<Program> {
    // A directive whose brackets do not match is empty for the stages after;
    // any other error leaves a text that means nothing.
    let is_fatal =
        |d: &Diagnostic| d.severity == Severity::Error && d.code != codes::UNBALANCED_DIRECTIVE;
    if diagnostics.iter().any(is_fatal) {
        return None;
    }
    let tree = watch.time("syntax", |_| {
        syntax::parse_with(&source.text, front::openacc::takes_in, diagnostics)
    })?;
    let mut unit = watch.time("sema", |_| {
        let given = sema::Given {
            pragmas: source.foreign_pragmas(),
            is_clang: source.is_clangs(),
        };
        sema::analyse_for(&tree, &given, diagnostics)
    });
    unit.directive_words = source.directive_words(&ast::Dialect::PREFIXES);
    unit.spellings = spellings(source, &unit);
    let lowering = front::openacc::LoweringOptions {
        strict: options.strict,
        feedback: options.feedback,
        long_double: long_double(options),
        unified_memory: options.memory.is_unified(),
    };
    front::check_prefixes(source.foreign_pragmas(), &unit, diagnostics);
    let module = watch.time("front", |_| front::lower(&mut unit, lowering, diagnostics))?;
    (!diagnostics.has_errors()).then_some(Program { tree, unit, module })
}

/// How the user wrote directives, and the accesses and calls of functions with directives, that macros
/// made some of.
fn spellings(source: &TranslationUnit, unit: &typed::Unit) -> Spellings {
    let with_directives = || {
        let functions = unit.functions.iter();
        functions.filter(|one| typed::visit::has_directives(&one.body))
    };
    let known = source.alignment(with_directives().map(|one| one.body.span).collect());
    let mut found = Spellings::of_directives(source, &ast::Dialect::PREFIXES);
    if known.has_no_calls() {
        return found;
    }
    for function in with_directives() {
        typed::visit::expressions(&function.body, &mut |e| {
            let is_told = matches!(
                e.kind,
                typed::ExpressionKind::Index(..)
                    | typed::ExpressionKind::Call { .. }
                    | typed::ExpressionKind::Member { .. }
                    | typed::ExpressionKind::Unary(typed::UnaryOperator::Indirection, _)
            );
            if is_told
                && known.has_calls(e.span)
                && let Some(text) = source.spelling(&known, e.span)
            {
                found.add(e.span, text);
            }
        });
    }
    found
}

/// The decisions, and the files.
fn finish(
    program: Program,
    source: &TranslationUnit,
    Task { options, stage, .. }: Task,
    diagnostics: &mut Diagnostics,
    watch: &mut Stopwatch,
) -> Option<Product> {
    let Program {
        tree,
        mut unit,
        mut module,
    } = program;
    if stage == Some(Emit::Ast) {
        return Some(Product::Text(tree_text(&tree, source)));
    }
    let chosen = passes::Options {
        feedback: options.feedback,
        trust_cache: options.trust_cache,
        assumptions: options.assumptions.clone(),
        along_x: options.along_x.clone(),
        automatic_windows: options.automatic_windows,
        places: options.places.clone(),
        archs: options.archs.iter().map(|arch| arch.0).collect(),
        multicore: options.multicore,
        cores_alone: options.target == Some(Device::Multicore),
        unified_memory: options.memory.is_unified(),
        for_checks: options.for_checks,
    };
    watch.time("passes", |watch| {
        passes::run_timed(&mut module, &mut unit, &chosen, diagnostics, watch);
    });
    if diagnostics.has_errors() {
        return None;
    }
    if stage == Some(Emit::Ir) {
        return Some(Product::Text(ir::print::print(&unit, &module)));
    }
    watch.time("back", |_| {
        emit(&module, &unit, source, options, diagnostics)
    })
}

/// The emulation has the type; files that are written may be for either.
fn long_double(options: &Options) -> LongDouble {
    match options.target {
        Some(Device::Emulated | Device::Multicore) => LongDouble::Device,
        _ if options.long_double_on_host => LongDouble::Host,
        Some(Device::Gpu) => LongDouble::Refused,
        None => LongDouble::Warned,
    }
}

/// The syntax tree of the main file; its headers are left out.
fn tree_text(tree: &ast::TranslationUnit, source: &TranslationUnit) -> String {
    let own = tree
        .items
        .iter()
        .filter(|item| source.in_main_file(item_span(item)));
    ast::print::print(&ast::TranslationUnit {
        items: own.cloned().collect(),
    })
}

fn item_span(item: &ast::ExternalItem) -> Span {
    match item {
        ast::ExternalItem::Function(function) => function.span,
        ast::ExternalItem::Declaration(declaration) => declaration.span,
        ast::ExternalItem::StaticAssert(assertion) => assertion.span,
        ast::ExternalItem::Assembly(span) => *span,
        ast::ExternalItem::Directive(directive) => directive.span,
    }
}

/// Says how the kernels fill a multiprocessor; asks nvcc first if it is to.
fn describe_launches(
    module: &ir::Module,
    unit: &typed::Unit,
    translation: &Translation,
    names: &[(ir::KernelId, String)],
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let archs: &[Arch] = match options.archs.as_slice() {
        [] => &arch::DEFAULT,
        asked => asked,
    };
    let counted = options.resources.then(|| {
        resources::count(
            &translation.kernels,
            &translation.sharing,
            archs,
            &Session::variable,
        )
    });
    let counted = match counted.transpose() {
        Ok(counted) => counted,
        Err(failure) => {
            diagnostics.push(failure.unreported()?.clone());
            return None;
        }
    };
    let archs: Vec<u16> = archs.iter().map(|arch| arch.0).collect();
    let printed = passes::feedback::launch::Printed {
        names,
        archs: &archs,
        resources: counted.as_deref(),
    };
    passes::feedback::launch::run(module, unit, printed, diagnostics);
    passes::feedback::mark_alternatives(module, diagnostics);
    Some(())
}

fn own_kernels(module: &ir::Module, names: &[(ir::KernelId, String)]) -> Vec<OwnKernel> {
    let of_kernel = |(id, name): &(ir::KernelId, String)| OwnKernel {
        name: name.clone(),
        threads: (module.kernel(*id).block_shape()).map(|threads| threads.iter().product()),
    };
    names.iter().map(of_kernel).collect()
}

/// The kernels that have any such variable. Structures may have padding, which no program gives a
/// value: kernels that may copy some are left out.
fn unassigned(
    module: &ir::Module,
    unit: &typed::Unit,
    names: &[(ir::KernelId, String)],
) -> Vec<Unassigned> {
    let has_padding = |id: &typed::SymbolId| {
        let element = unit.types.innermost(unit.symbol(*id).ty);
        !unit.types.is_scalar(element.ty)
    };
    let of_functions = |function: &ir::DeviceFunction| {
        let found = flow::unassigned(unit, &[], &function.body);
        found.iter().any(has_padding)
    };
    if module.functions.iter().any(of_functions) {
        return Vec::new();
    }
    let of_kernel = |(id, kernel): &(ir::KernelId, String)| {
        let ir = module.kernel(*id);
        let symbols = flow::unassigned(unit, &ir.privates, &ir.body);
        if symbols.is_empty() || symbols.iter().any(has_padding) {
            return None;
        }
        let variables = symbols.iter().map(|id| unit.symbol(*id).name.clone());
        Some(Unassigned {
            kernel: kernel.clone(),
            variables: variables.collect(),
        })
    };
    names.iter().filter_map(of_kernel).collect()
}

/// Prints both files.
fn emit(
    module: &ir::Module,
    unit: &typed::Unit,
    source: &TranslationUnit,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<Product> {
    let chosen = back::Options {
        line_marks: options.line_marks,
        records_lines: options.shows,
        compares: options.compares,
        multicore: options.multicore,
        unified_memory: options.memory.is_unified(),
    };
    let output = match back::emit(module, unit, source, &chosen) {
        Ok(output) => output,
        Err(found) => {
            found.iter().for_each(|d| diagnostics.push(d.clone()));
            return None;
        }
    };
    output
        .notes
        .iter()
        .for_each(|d| diagnostics.push(d.clone()));
    let shown = options
        .shows
        .then(|| Box::new(Shown::of(module, unit, source, &output)));
    let translation = Translation {
        shown,
        host: output.host,
        kernels: output.kernels,
        has_device_code: output.has_device_code,
        sharing: output.sharing,
        own_kernels: own_kernels(module, &output.names),
        defines_main: output.defines_main,
        unassigned: unassigned(module, unit, &output.names),
    };
    if options.feedback && options.target != Some(Device::Multicore) {
        let names = &output.names;
        describe_launches(module, unit, &translation, names, options, diagnostics)?;
    }
    Some(Product::Files(translation))
}
