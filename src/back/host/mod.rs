//! `NAME.acc.c`: the user's program with its directives carried out.
//!
//! The text is the original bytes; only directives, compute regions and the
//! ends of data regions are replaced, each at the exact place that the source
//! map gives. Before:
//!
//! ```text
//! #pragma acc parallel loop copy(x[0:n])
//!     for (int i = 0; i < n; i++) x[i] *= 2;
//! ```
//! After:
//!
//! ```text
//!     /* parallel loop copy(x[0:n]) */
//!     if (!accrs_on_host()) {
//!         accrs_begin("scale.c", 3, "parallel loop");
//!         accrs_copy("x[0:n]", x, 0, n * sizeof(float));
//!         scale_launch(n, x);
//!         accrs_end();
//!     } else {
//!         for (int i = 0; i < n; i++) x[i] *= 2;
//!     }
//! ```
//!
//! Where this would not be one statement of a block's list, it stands in braces.

mod addresses;
mod compared;
mod conditional;
mod cores;
mod data;
mod declared;
mod edit;
mod fallback;
mod frame;
mod indentation;
mod macro_names;
mod mention;
mod order;
mod steps;
mod written;

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use frame::Frame;
use indexmap::IndexSet;
use serde::Serialize;

use super::Options;
use super::cuda::{Argument, Call, KernelFile, Reached};
use super::layout::wrap;
use super::template::Templates;
use crate::diagnostic::{Diagnostic, Diagnostics, Place, codes};
use crate::ir::{Extent, HostCopy, HostRole, Module, Region, RegionKind, RegionLocal};
use crate::source::{Alignment, DirectivePlace, Joint, Macros, Span, TranslationUnit};
use crate::typed::print::{C, Language, Printer, precedence};
use crate::typed::{BinaryOperator, Function, QualType, SymbolId, Type, Unit};
use addresses::Address;
use compared::Compared;
use data::{Clause, ProgramData, ReachedGlobal};
use edit::{Edits, Insertion};
use mention::Mentions;
use order::RuntimeCall;
use steps::StepText;
use written::Written;

/// Everything that the host program is made from.
pub struct Host<'a> {
    pub(super) module: &'a Module,
    pub(super) unit: &'a Unit,
    pub(super) source: &'a TranslationUnit,
    /// The macros of the source.
    pub(super) macros: Macros<'a>,
    /// Those whose calls stand in generated lines.
    pub(super) kept_macros: RefCell<HashSet<String>>,
    /// Code that may have such calls, once that has been asked.
    pub(super) code: OnceCell<Alignment>,
    pub(super) templates: &'a Templates,
    pub(super) options: &'a Options,
    pub(super) name: &'a str,
}

#[derive(Serialize)]
struct Header {
    header: String,
    /// Directives stay in headers and macros, which the C compiler does not know.
    keeps_directives: bool,
    /// The host's cores share constructs: where the compiler has OpenMP.
    shares: bool,
    /// Kernels use the host's memory where it is.
    unified_memory: bool,
    /// Reductions that OpenMP lacks.
    reductions: Vec<String>,
    prototypes: Vec<String>,
}

#[derive(Serialize)]
struct Program {
    reached: Vec<ReachedGlobal>,
    items: Vec<ProgramData>,
}

#[derive(Serialize)]
struct Included {
    included: String,
    begins: bool,
}

#[derive(Serialize)]
struct RegionText {
    /// Where the directive stands in the preprocessed text.
    #[serde(skip)]
    at: u32,
    file: String,
    line: u32,
    title: String,
    /// The directive as the user wrote it.
    comment: String,
    /// It needs braces, to be one statement or for what it declares.
    is_block: bool,
    condition: Option<String>,
    clauses: Vec<Clause>,
    /// Declarations of what several launches use.
    locals: Vec<Local>,
    /// Declarations of what the host reads from the device.
    reads: Vec<String>,
    steps: Vec<StepText>,
    /// The statement, for a run on the host.
    fallback: String,
    /// The statement is left where it is, behind the template's text.
    stays: bool,
    /// It runs on the host only.
    on_host: bool,
    /// The host never runs it.
    stays_on_device: bool,
    /// The host goes on meanwhile.
    goes_on: bool,
    /// What the kernels write may stay in windows: they are what runs on the
    /// host as well.
    keeps_windows: bool,
    mentions: Option<String>,
    /// What stands between the place and the clauses.
    modifiers: Vec<RuntimeCall>,
    /// Those of them that hold for the host as well.
    waits: Vec<RuntimeCall>,
    /// Variables of which the statement has copies on the host.
    copies: Vec<Copied>,
    /// Compilers say nothing of these, which hide the variables: what is read by people goes without
    /// the pragmas for that.
    is_quiet: bool,
    /// Variables that stand for device addresses inside.
    addresses: Vec<Address>,
    /// Its results are compared with the host's.
    compares: bool,
    compared: Vec<Compared>,
}

/// What a region's text is made of besides itself.
struct Given<'a> {
    /// The calls of launchers.
    calls: &'a [Call],
    /// Directives of what the host runs.
    insertions: Vec<Insertion>,
}

/// A variable of which a construct has a copy of its own on the host.
#[derive(Serialize)]
struct Copied {
    name: String,
    /// Holds the variable, or where it is, until the copy hides its name.
    holder: String,
    /// Has the variable's value.
    initialised: bool,
    is_array: bool,
    /// The variable is not on the stack, which its copy may be too large for.
    is_static: bool,
}

/// A variable that several launches of a region use.
#[derive(Serialize)]
struct Local {
    declaration: String,
    /// Empty if it is in device memory.
    value: String,
}

impl Host<'_> {
    /// The file.
    ///
    /// # Errors
    /// A template that lacks a key; places that are not exact go to
    /// `diagnostics`.
    pub fn emit(
        &self,
        header: &str,
        kernels: &KernelFile,
        diagnostics: &mut Diagnostics,
    ) -> Result<Vec<u8>, Diagnostic> {
        let calls = &kernels.calls;
        let line_marks = self.options.line_marks;
        let mut edits = Edits::new(&self.source.file, self.joints()?, line_marks);
        let empty = Vec::new();
        let mut mentions = Mentions::new(self.module, self.unit);
        self.check_names(diagnostics);
        let directives = self.share_functions(&mut edits);
        for (index, region) in self.module.regions.iter().enumerate() {
            let calls = calls.get(&index).unwrap_or(&empty);
            let shared = self.share_region(index, region, &directives, &edits);
            let insertions = shared.unwrap_or_else(|note| {
                diagnostics.push(note);
                Vec::new()
            });
            let given = Given { calls, insertions };
            if let Err(diagnostic) =
                self.region(region, given, &mut mentions, &mut edits, diagnostics)
            {
                self.report(diagnostic, diagnostics);
            }
        }
        for function in self.unsettled() {
            if let Err(diagnostic) = self.settle(function, &mut edits) {
                self.report(diagnostic, diagnostics);
            }
        }
        self.replace_consumed(&mut edits);
        let launchers = calls_in_order(calls).map(|call| self.prototype(call));
        let reached = kernels.reached.iter().map(announcement);
        let prototypes: Vec<String> = launchers.chain(reached).collect();
        // Of the command line.
        let prototypes = self.literal_text(&prototypes.join("\n"), 0).into_iter();
        let indented = |(depth, line): (usize, String)| format!("{}{line}", " ".repeat(depth));
        let mut consumed = self.module.consumed.iter();
        let context = Header {
            header: header.to_string(),
            keeps_directives: consumed.any(|span| !self.source.in_main_file(*span))
                || self.source.has_directives_in_macros()
                || self.options.multicore,
            shares: self.options.multicore,
            unified_memory: self.options.unified_memory,
            reductions: self.declared_reductions(),
            prototypes: prototypes.map(indented).collect(),
        };
        let mut out = self.templates.render("host_header", &context)?.into_bytes();
        edits.apply(&mut out);
        let items = self.program_data();
        let reached = self.reached(&kernels.reached);
        if !items.is_empty() || !reached.is_empty() {
            let text = self
                .templates
                .render("host_program_data", &Program { reached, items })?;
            let mut wrapped = String::new();
            let end = u32::try_from(self.source.text.len()).unwrap_or(u32::MAX);
            for (depth, line) in self.literal_text(&text, end) {
                wrap(&mut wrapped, &line, depth);
            }
            out.extend_from_slice(wrapped.as_bytes());
        }
        Ok(edit::with_ends_of(&self.source.file.bytes, out))
    }

    /// Leaves comments in place of directives that the host does nothing for. A directive in a
    /// header leaves nothing to replace here, and one that a macro makes with other code says
    /// nothing to the host's compiler.
    fn replace_consumed(&self, edits: &mut Edits<'_>) {
        for &span in &self.module.consumed {
            let range = self.source.directive_range(span).ok();
            let Some(range) = range.filter(|_| self.source.in_main_file(span)) else {
                continue;
            };
            let comment = self.as_comments(range.clone(), &[(range.clone(), span)], 0, edits);
            edits.replace(range, comment);
        }
    }

    /// The functions with kernels that the host does not wait for.
    fn unsettled(&self) -> impl Iterator<Item = &Function> {
        let goes_on = |region: &&Region| {
            matches!(
                region.kind,
                RegionKind::Compute {
                    host: HostRole::GoesOn,
                    ..
                }
            )
        };
        let regions = self.module.regions.iter().filter(goes_on);
        let functions: IndexSet<SymbolId> = regions.map(|region| region.function).collect();
        functions.into_iter().filter_map(|f| self.unit.function(f))
    }

    /// At the latest, the host waits as a function returns.
    fn settle(&self, function: &Function, edits: &mut Edits<'_>) -> Result<(), Diagnostic> {
        let body = function.body.span;
        let whole = self.source.statement_range(body);
        let whole = whole.filter(|whole| edits.bytes(whole.clone()).starts_with(b"{"));
        let start = whole.ok_or_else(|| self.inexact(body))?.start;
        let indent = edits.indent(start);
        let indent = format!("{indent}{}", edits.step(&indent));
        let text = self.templates.render("host_settle", &())?;
        let lines: Vec<String> = text.lines().map(|line| format!("{indent}{line}")).collect();
        edits.insert(start + 1, lines.join("\n"));
        Ok(())
    }

    /// What is said where the text of an included file begins or ends.
    fn joints(&self) -> Result<Vec<(usize, String)>, Diagnostic> {
        let text = |joint: &Joint| {
            let context = Included {
                // It stands in a comment.
                included: joint.included.replace("*/", "* /"),
                begins: joint.begins,
            };
            let text = self.templates.render("host_included", &context)?;
            Ok((joint.at, text.trim_end().to_string()))
        };
        self.source.file.joints().iter().map(text).collect()
    }

    /// A macro may make several directives: its call is reported once.
    fn report(&self, found: Diagnostic, diagnostics: &mut Diagnostics) {
        let place = |diagnostic: &Diagnostic| {
            let is_place = [codes::INEXACT_PLACE, codes::NO_EXACT_PLACE].contains(&diagnostic.code);
            match diagnostic.labels.first()?.place {
                Place::Span(span) if is_place => Some(self.source.location(span)),
                _ => None,
            }
        };
        let at = place(&found);
        if at.is_none() || diagnostics.iter().all(|other| place(other) != at) {
            diagnostics.push(found);
        }
    }

    fn region(
        &self,
        region: &Region,
        Given { calls, insertions }: Given<'_>,
        mentions: &mut Mentions,
        edits: &mut Edits<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), Diagnostic> {
        let mut text = self.region_text(region, calls)?;
        if let RegionKind::Compute { launches, host, .. } = &region.kind {
            text.stays_on_device = *host != HostRole::MayRun;
            text.goes_on = *host == HostRole::GoesOn;
            text.on_host = launches.is_empty();
            text.keeps_windows = launches
                .iter()
                .flat_map(|launch| &self.module.kernel(launch.kernel).windows)
                .any(|window| window.policy.channel || window.policy.write_back);
            if text.stays_on_device {
                text.mentions = self.mentions(region, calls, mentions);
            } else if text.keeps_windows {
                text.mentions = self.mentions(region, calls, mentions);
                self.note_writes(region, launches, &mut text.clauses);
            }
            return self.compute(region, text, insertions, edits, diagnostics);
        }
        let (begin, end, frame) = match region.kind {
            RegionKind::Data => ("host_data_begin", Some("host_data_end"), Frame::Begin),
            RegionKind::HostData { .. } => {
                text.addresses = self.addresses(region)?;
                let end = Some("host_addresses_end");
                ("host_addresses_begin", end, Frame::Begin)
            }
            RegionKind::Scope => ("host_scope", None, Frame::None),
            _ => ("host_standalone", None, Frame::Whole),
        };
        let place = self.source.directive_place(region.directive)?;
        if let DirectivePlace::Exact(directive) = &place
            && !matches!(region.kind, RegionKind::HostData { .. })
        {
            text.is_block = !self.follows_statement(directive.start, region);
        }
        let (indent, missing) = match place {
            DirectivePlace::Exact(Range { start: at, .. }) => {
                edits.depth(at, self.source.beside(at))
            }
            DirectivePlace::Before(at) | DirectivePlace::Behind(at) => {
                (edits.indent(at), String::new())
            }
        };
        let begin = self.render(begin, &text, &indent, frame, edits)?;
        match place {
            DirectivePlace::Exact(directive) => {
                edits.replace(directive, format!("{missing}{begin}"));
            }
            DirectivePlace::Before(at) => edits.insert_before(at, begin),
            DirectivePlace::Behind(at) if end.is_none() => {
                edits.insert(at, format!("{indent}{begin}"));
            }
            DirectivePlace::Behind(_) => return Err(self.inexact(region.directive)),
        }
        if let Some(end) = end {
            let body = region.body.ok_or_else(|| self.inexact(region.directive))?;
            let at = edits.behind_comment(self.source.region_end(body.end)?);
            let close = self.render(end, &text, &indent, Frame::End, edits)?;
            edits.insert(at, format!("{indent}{close}"));
            let declares = matches!(region.kind, RegionKind::HostData { .. });
            if declares || text.is_block {
                let levels = usize::from(declares) + usize::from(text.is_block);
                self.indent_body(region, at, &indent, levels, edits);
            }
        }
        Ok(())
    }

    /// Whether a region that begins at a place of the file is one of a block's list for sure.
    fn follows_statement(&self, at: usize, region: &Region) -> bool {
        self.source.follows_statement(at, region.directive)
    }

    /// Moves the body of a construct into the blocks around it.
    fn indent_body(
        &self,
        region: &Region,
        end: usize,
        indent: &str,
        levels: usize,
        edits: &mut Edits<'_>,
    ) {
        let body = region
            .body
            .and_then(|body| self.source.statement_range(body));
        let directive = self.source.directive_range(region.directive);
        let (Some(body), Ok(directive)) = (body, directive) else {
            return;
        };
        let inside = indent.to_string() + &edits.step(indent).repeat(levels);
        if let Some(by) = inside.strip_prefix(&edits.indent(body.start)) {
            edits.shift(directive.end..end, by);
        }
    }

    fn copied(&self, copy: HostCopy) -> Copied {
        let name = self.symbol(copy.symbol);
        let symbol = self.unit.symbol(copy.symbol);
        let is_array = matches!(self.unit.types.get(symbol.ty.ty), Type::Array { .. });
        Copied {
            holder: format!("accrs_host_{name}"),
            name,
            initialised: copy.initialised,
            is_array,
            is_static: is_array && !symbol.is_automatic(),
        }
    }

    /// A compute region: the launch, and for a run on the host the statement
    /// as it was. Where writes stay in windows, the statement means something
    /// else, and the host runs the kernels too.
    fn compute(
        &self,
        region: &Region,
        mut text: RegionText,
        insertions: Vec<Insertion>,
        edits: &mut Edits<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), Diagnostic> {
        let body = region.body.ok_or_else(|| self.inexact(region.directive))?;
        self.check_externs(body)?;
        let whole = self.source.statement_range(region.directive.to(body));
        let mut whole = whole.ok_or_else(|| self.inexact(region.directive))?;
        let directive = self.source.directive_range(region.directive);
        let beside = self.source.beside(whole.start);
        let (indent, missing) = edits.depth(whole.start, beside);
        let is_balanced = conditional::is_balanced(edits.bytes(whole.clone()));
        // Preprocessor lines in the statement may belong to others around it:
        // it then stays where it is.
        text.stays = !is_balanced && (text.keeps_windows || text.condition.is_none());
        let declares = text.on_host || text.keeps_windows || text.stays_on_device;
        text.is_block = declares || text.stays || !self.follows_statement(whole.start, region);
        if self.options.compares {
            self.compare(region, &mut text, diagnostics)?;
        }
        if !text.keeps_windows && !text.stays_on_device && !text.stays {
            // A macro may make directive and statement: to the host's compiler
            // it is the statement.
            let start = directive.as_ref().map_or(whole.start, |d| d.end);
            let levels = usize::from(text.is_block) + usize::from(!text.on_host);
            let inside = format!("{indent}{}", edits.step(&indent).repeat(levels));
            let is_scope = text.copies.is_empty() && levels > 0;
            if !edits.bytes(whole.clone()).ends_with(b"}") {
                whole.end = edits.behind_comment(whole.end);
            }
            let range = start..whole.end;
            text.fallback = self.host_text(range, &inside, &insertions, is_scope, edits);
        }
        if text.stays {
            for insertion in insertions {
                edits.put_in(insertion);
            }
        }
        let mut launch = self.render("host_compute", &text, &indent, Frame::Whole, edits)?;
        if text.stays && !text.on_host {
            let head = self.templates.render("host_stays", &text)?;
            launch.push_str(&format!("\n{indent}{}", head.trim_end()));
        }
        let range = if text.stays { directive? } else { whole };
        edits.replace(range, format!("{missing}{launch}"));
        Ok(())
    }

    /// Has a construct compared that the host can run, and says why another one is not.
    fn compare(
        &self,
        region: &Region,
        text: &mut RegionText,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), Diagnostic> {
        let why = if text.keeps_windows {
            "what runs on the host are its kernels, since windows keep what they write"
        } else if text.stays_on_device {
            "it means something else on the host"
        } else if text.on_host {
            "it runs on the host in any case"
        } else if text.stays {
            "preprocessor lines in it belong to others around it"
        } else {
            text.compares = true;
            text.compared = self.compared(region)?;
            return Ok(());
        };
        let message = "the results of this construct are not compared with the host's";
        let note = Diagnostic::remark(codes::COMPARED, message, region.directive);
        diagnostics.push(note.note(why));
        Ok(())
    }

    /// What would be unused without the statement: `(void)i, (void)f; /* of kernels alone */`.
    fn mentions(&self, region: &Region, calls: &[Call], mentions: &mut Mentions) -> Option<String> {
        let mut passed: Vec<SymbolId> = region.data.iter().filter_map(|item| item.symbol).collect();
        for parameter in calls.iter().flat_map(|call| &call.parameters) {
            match &parameter.argument {
                Argument::Value(id)
                | Argument::Address(id)
                | Argument::Pointer(id)
                | Argument::Extent(id, _) => passed.push(*id),
                Argument::Bytes(part) if matches!(part.extent, Extent::Whole) => {
                    passed.extend(part.symbol);
                }
                _ => {}
            }
        }
        let list = mentions.of_region(self.module, self.unit, region, &passed);
        let list: Vec<String> = list
            .iter()
            .map(|id| format!("(void){}", self.symbol(*id)))
            .collect();
        (!list.is_empty()).then(|| format!("{}; /* of kernels alone */", list.join(", ")))
    }

    fn inexact(&self, span: Span) -> Diagnostic {
        Diagnostic::error(
            codes::INEXACT_PLACE,
            "the text of this construct is not in the file as it stands",
            span,
        )
        .help("write the directive and the statement that it governs outside of macros")
    }

    fn region_text(&self, region: &Region, calls: &[Call]) -> Result<RegionText, Diagnostic> {
        let mut clauses = Vec::new();
        for item in &region.data {
            clauses.extend(self.clauses(region, item)?);
        }
        let least = match region.kind {
            RegionKind::Compute { .. } => {
                precedence::BINARY_BASE + BinaryOperator::LogicalAnd.precedence()
            }
            _ => precedence::COMMA,
        };
        let (file, line) = self.place(region.directive);
        Ok(RegionText {
            at: region.directive.start,
            file,
            line,
            title: region.title.clone(),
            comment: self.comment(region),
            is_block: true,
            condition: region.condition.as_ref().map(|e| self.text(e, least)),
            clauses,
            locals: self.locals(region),
            reads: self.holders(region),
            steps: self.steps_of(region, calls),
            fallback: String::new(),
            stays: false,
            on_host: false,
            stays_on_device: false,
            goes_on: false,
            keeps_windows: false,
            mentions: None,
            modifiers: self.modifiers(region),
            waits: self.waits(region),
            copies: region.host_copies.iter().map(|c| self.copied(*c)).collect(),
            is_quiet: self.options.line_marks && !region.host_copies.is_empty(),
            addresses: Vec::new(),
            compares: false,
            compared: Vec::new(),
        })
    }

    /// The name, without its folder, of the file that a span is in, and the line.
    pub(super) fn place(&self, span: Span) -> (String, u32) {
        let location = self.source.location(span);
        let file = location.file.rsplit('/').next().unwrap_or_default();
        let file = if file.is_empty() { self.name } else { file };
        (
            file.replace('\\', "\\\\").replace('"', "\\\""),
            location.line,
        )
    }

    fn locals(&self, region: &Region) -> Vec<Local> {
        let of = |local: &RegionLocal| {
            let symbol = self.unit.symbol(local.symbol);
            let value = local.value.as_ref();
            let declaration = self.basic(QualType::plain(symbol.ty.ty), &symbol.name);
            Local {
                declaration: match value {
                    Some(_) => format!("const {declaration}"),
                    None => declaration,
                },
                value: value.map_or(String::new(), |e| self.text(e, precedence::ASSIGNMENT)),
            }
        };
        region.locals.iter().map(of).collect()
    }

    /// `name(n, x, &sum);`
    fn call(&self, call: &Call) -> String {
        let arguments: Vec<String> = call
            .parameters
            .iter()
            .map(|parameter| match &parameter.argument {
                Argument::Value(id) | Argument::Pointer(id) => self.symbol(*id),
                Argument::Address(id) => format!("&{}", self.symbol(*id)),
                Argument::Extent(id, depth) => {
                    let row = format!("{}{}", self.symbol(*id), "[0]".repeat(*depth));
                    format!("sizeof {row} / sizeof {row}[0]")
                }
                Argument::Expression(e) => self.text(e, precedence::ASSIGNMENT),
                Argument::Offset(part) => self.part(part).0,
                Argument::Bytes(part) => self.part(part).1,
                Argument::TypeBytes(id) => self.type_bytes(*id),
            })
            .collect();
        format!("{}({});", call.name, arguments.join(", "))
    }

    fn symbol(&self, id: SymbolId) -> String {
        Language::symbol(&C, self.unit, id)
    }

    pub(super) fn text(&self, e: &crate::typed::Expression, least: u8) -> String {
        Printer::text_at(self.unit, &Written(self), e, least)
    }

    /// The same without calls of macros, to compare with others.
    pub(super) fn expanded(&self, e: &crate::typed::Expression, least: u8) -> String {
        Printer::text_at(self.unit, &C, e, least)
    }

    /// A launcher's declaration, with types that need no declaration of the
    /// user's: other pointers are `void *`.
    fn prototype(&self, call: &Call) -> String {
        let parameters: Vec<String> = call
            .parameters
            .iter()
            .map(|parameter| {
                let name = &parameter.name;
                match &parameter.argument {
                    Argument::Value(id) => {
                        let ty = QualType::plain(self.unit.symbol(*id).ty.ty);
                        self.basic(ty, name)
                    }
                    Argument::Address(id) => {
                        let ty = self.unit.symbol(*id).ty;
                        self.pointer(ty, name)
                    }
                    Argument::Pointer(id) => {
                        let ty = self.unit.types.pointee(self.unit.symbol(*id).ty.ty);
                        match ty {
                            Some(ty) => self.pointer(ty, name),
                            None => format!("void *{name}"),
                        }
                    }
                    Argument::Extent(..) => format!("long {name}"),
                    Argument::Expression(_)
                    | Argument::Offset(_)
                    | Argument::Bytes(_)
                    | Argument::TypeBytes(_) => parameter.text.clone(),
                }
            })
            .collect();
        let list = if parameters.is_empty() {
            "void".to_string()
        } else {
            parameters.join(", ")
        };
        let mut out = String::new();
        wrap(&mut out, &format!("extern void {}({list});", call.name), 0);
        out.trim_end().to_string()
    }

    fn basic(&self, ty: QualType, name: &str) -> String {
        match self.unit.types.get(ty.ty) {
            // An enumeration's tag may not be declared yet.
            Type::Enum(id) => {
                format!(
                    "{} {name}",
                    self.unit.types.enumeration(*id).underlying.spelling()
                )
            }
            Type::Pointer(to) => self.pointer(*to, name),
            _ => Printer::new(self.unit, &C).declaration(ty, name),
        }
    }

    fn pointer(&self, to: QualType, name: &str) -> String {
        // Those of an array are its elements'.
        let all = to
            .qualifiers
            .union(self.unit.types.innermost(to).qualifiers);
        let mut qualifiers = String::new();
        if all.is_const {
            qualifiers.push_str("const ");
        }
        if all.is_volatile {
            qualifiers.push_str("volatile ");
        }
        match self.unit.types.get(to.ty) {
            Type::Bool | Type::Integer(_) | Type::Floating(_) => {
                Printer::new(self.unit, &C).declaration(to, &format!("*{name}"))
            }
            _ => format!("{qualifiers}void *{name}"),
        }
    }
}

/// The declaration of what ties a global variable to device functions.
fn announcement(reached: &Reached) -> String {
    format!("extern void {}(const volatile void *host);", reached.call)
}

/// Calls in the order of their regions.
fn calls_in_order(calls: &HashMap<usize, Vec<Call>>) -> impl Iterator<Item = &Call> {
    let mut regions: Vec<&usize> = calls.keys().collect();
    regions.sort_unstable();
    regions.into_iter().flat_map(|region| &calls[region])
}
