//! Compute constructs (OpenACC 3.3, section 2.5).
//!
//! Input: a `parallel`, `kernels` or `serial` directive with its statement.
//! Output: a region with its launches, each a kernel with captures.
//!
//! `parallel` and `serial` are one kernel. `kernels` is a sequence: each loop
//! nest at its top is a kernel, and what stands between is one for a single
//! thread ([`launches`]).

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::attributes::{Attribute, Context};
use super::body::Body;
use super::check::{self, Checked, not_yet};
use super::clauses::{self, ComputeClauses};
use super::levels;
use super::lost_scalars;
use super::table::DirectiveKind;
use super::{Lowering, LoweringOptions, data, program, queues, reductions};
use crate::analysis::definitions;
use crate::analysis::flow::{Order, Rest};
use crate::diagnostic::{Diagnostic, Severity, codes};
use crate::front::lowering::launches::{self, Sequence};
use crate::front::lowering::statements::Statements;
use crate::front::lowering::usage::{Usage, Use};
use crate::front::lowering::{
    copies, extents, host_copies, jumps, unwritten_reductions, usage, windows,
};
use crate::ir::{
    Capture, DataAction, DataItem, Execution, Extent, HostCopy, HostRole, Kernel, KernelId, Launch,
    Length, Passing, PrivateArraySize, Reduction, Region, RegionKind, RegionLocal, Statement,
    StatementKind, in_order, visit,
};
use crate::source::Span;
use crate::typed::{self, Storage, SymbolId, SymbolKind, Type};

/// The statements of one kernel, and what they use.
struct Piece {
    body: Vec<Statement>,
    usage: Usage,
    /// Its own variables: written before they are read, not needed after.
    own: Vec<SymbolId>,
    /// One thread runs it, whatever the construct.
    alone: bool,
}

/// What a region is made of.
struct Parts<'c> {
    checked: &'c Checked,
    body: &'c typed::Statement,
    construct: Execution,
    clauses: ComputeClauses,
    pieces: Vec<Piece>,
    locals: Vec<RegionLocal>,
    /// What the host does after it.
    rest: Rest<'c>,
    /// The host runs it.
    on_host: bool,
}

impl<'u> Lowering<'u, '_> {
    /// Lowers a compute construct. `whole` is the directive's statement.
    pub(super) fn compute(
        &mut self,
        checked: &Checked,
        body: Option<&typed::Statement>,
        whole: &typed::Statement,
    ) {
        let Some(body) = body else {
            return self.expected_statement(checked);
        };
        let construct = match checked.kind {
            DirectiveKind::Serial | DirectiveKind::SerialLoop => Execution::Serial,
            DirectiveKind::Kernels | DirectiveKind::KernelsLoop => Execution::Automatic,
            _ => Execution::Redundant,
        };
        self.check_jumps(checked, body);
        let mut clauses =
            clauses::of_compute(self.given.unit, checked, self.given.size, self.diagnostics);
        reductions::check_first_values(
            self.given.unit,
            checked,
            &clauses.data,
            &self.visible,
            self.diagnostics,
        );
        let mut lowering = Body::new(
            self.given.unit,
            self.given.directives,
            Some(construct),
            self.diagnostics,
        );
        lowering.options = self.given.options;
        lowering.several_gangs = clauses::several_gangs(checked);
        let mut list = if checked.kind.is_loop() {
            lowering.directed(checked, Some(body)).into_iter().collect()
        } else {
            lowering.list(body)
        };
        let members = self.given.reduced.get(&checked.directive.id);
        let reduced = members.map(|members| {
            let mut lowered = |statements: Vec<&typed::Statement>| {
                let all = statements.into_iter().flat_map(|s| lowering.list(s));
                all.collect::<Vec<Statement>>()
            };
            let before = lowered(members.iter().map(|m| &m.before).collect());
            let after = lowered(members.iter().map(|m| &m.after).collect());
            (members.as_slice(), before, after)
        });
        let own = std::mem::take(&mut lowering.private_arrays);
        clauses.private_arrays.extend(own);
        if construct != Execution::Automatic {
            let severity = match self.given.options {
                LoweringOptions { strict: true, .. } => Some(Severity::Warning),
                LoweringOptions { feedback: true, .. } => Some(Severity::Note),
                _ => None,
            };
            let in_memory = clauses.data.iter().filter_map(|item| item.symbol);
            unwritten_reductions::complete(
                self.given.unit,
                &mut list,
                in_memory.collect(),
                &|symbol| clauses.has_copies(symbol),
                severity,
                self.diagnostics,
            );
        }
        let around: Vec<&DataItem> = clauses.data.iter().chain(&self.visible).collect();
        windows::rows::resolve(self.given.unit, &mut list, &around);
        windows::check::construct(
            self.given.unit,
            &list,
            self.given.refusals,
            self.given.options.strictness(),
            self.diagnostics,
        );
        let mut reserved = self.reserved(&clauses);
        let mut sequence = match construct {
            Execution::Automatic => {
                let mut fixed = |symbol| {
                    let of_program = &self.module.program_data;
                    !reserved.contains(&symbol)
                        && of_program.iter().all(|item| item.symbol != Some(symbol))
                };
                launches::split(self.given.unit, list, &mut fixed)
            }
            Execution::Redundant | Execution::Serial => Sequence::one(list),
        };
        let is_surrounded = reduced.is_some();
        if let Some((members, before, after)) = reduced {
            reserved.extend(members.iter().map(|m| m.own));
            sequence.surround(members.iter().map(|m| m.own), before, after);
        }
        let Sequence { bodies, locals } = sequence;
        let mut pieces = self.pieces(construct, bodies, &reserved, whole);
        if let (true, [first, .., last]) = (is_surrounded, pieces.as_mut_slice()) {
            first.alone = true;
            last.alone = true;
        }
        let on_host = self.runs_on_host(checked, body);
        for piece in pieces.iter().filter(|_| !on_host) {
            self.report(&piece.usage);
        }
        let parts = Parts {
            checked,
            body,
            construct,
            clauses,
            pieces,
            locals,
            rest: self.after(whole),
            on_host,
        };
        self.finish(parts);
    }

    /// Variables with clauses of their own on the construct, on a `data`
    /// construct around it or of `declare`.
    fn reserved(&self, clauses: &ComputeClauses) -> Vec<SymbolId> {
        let data = clauses.data.iter().chain(&self.visible);
        data.filter_map(|item| item.symbol)
            .chain(self.declared.iter().copied())
            .chain(clauses.privates.iter().copied())
            .chain(clauses.firstprivates.iter().copied())
            .chain(clauses.reductions.iter().map(|r| r.symbol))
            .collect()
    }

    /// Finds the own variables of loops and kernels, last piece first, since
    /// that asks what comes after.
    fn pieces(
        &self,
        construct: Execution,
        bodies: Vec<Vec<Statement>>,
        reserved: &[SymbolId],
        whole: &typed::Statement,
    ) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        let rest = self.after(whole);
        for mut body in bodies.into_iter().rev() {
            let later: Vec<Order> = pieces.iter().map(|p| Order::device(&p.body)).collect();
            let live = |symbol: SymbolId| {
                (construct == Execution::Automatic || self.is_record(symbol))
                    && self.needed_after(&later, symbol, &rest)
            };
            copies::of_loops(self.given.unit, construct, &mut body, reserved, &live);
            let usage = usage::of(self.given.unit, &body);
            let reduced = open_reductions(&body);
            let owned = copies::Owned::of(&body);
            let candidates: Vec<SymbolId> = usage
                .outside()
                .filter(|(symbol, place)| {
                    place.assigned
                        && !reserved.contains(symbol)
                        && !reduced.contains(symbol)
                        && !owned.is_only_theirs(*symbol)
                        && !self
                            .given
                            .unit
                            .types
                            .is_array(self.given.unit.symbol(*symbol).ty.ty)
                        && !live(*symbol)
                })
                .map(|(symbol, _)| symbol)
                .collect();
            let own = copies::of_kernel(self.given.unit, &body, &candidates);
            drop(later);
            pieces.push(Piece {
                body,
                usage,
                own,
                alone: false,
            });
        }
        pieces.reverse();
        pieces
    }

    /// Whether a variable's value reaches a later launch of the region
    /// (`later`, last first) or the code after it.
    fn needed_after(&self, later: &[Order], symbol: SymbolId, rest: &Rest<'_>) -> bool {
        let construct = rest.after;
        for order in later.iter().rev() {
            let next = order.flow(self.given.unit, symbol);
            if next.exposed || next.is_overwritten() {
                return next.exposed;
            }
        }
        let variable = self.given.unit.symbol(symbol);
        if !variable.is_automatic() || self.addresses.contains(&symbol) {
            return true;
        }
        // One that is declared in the construct ends with it.
        !construct.contains(variable.span) && rest.may_read(symbol)
    }

    /// The host code after a construct.
    fn after(&self, whole: &typed::Statement) -> Rest<'u> {
        Rest::of(self.given.unit, &self.function.body, whole.span)
    }

    /// Structs come back from every construct.
    fn is_record(&self, symbol: SymbolId) -> bool {
        let ty = self.given.unit.symbol(symbol).ty.ty;
        matches!(self.given.unit.types.get(ty), Type::Record(_))
    }

    /// What the objects are called for which a construct has variables.
    fn reduced_kinds(&self, checked: &Checked) -> String {
        let all = self.given.reduced.get(&checked.directive.id);
        let kinds: BTreeSet<&str> = all.into_iter().flatten().map(|one| one.kind).collect();
        Vec::from_iter(kinds).join(" and ")
    }

    pub(super) fn check_jumps(&mut self, checked: &Checked, body: &typed::Statement) {
        let construct = jumps::Construct {
            name: checked.kind.name(),
            directive: checked.directive.span,
        };
        jumps::out_of(body, construct, false, self.diagnostics);
        jumps::into(&self.function.body, body, construct, self.diagnostics);
    }

    /// Reports what a device cannot do, and remembers the calls.
    pub(super) fn report(&mut self, usage: &Usage) {
        usage
            .problems()
            .for_each(|problem| self.diagnostics.push(problem));
        for (&symbol, &span) in &usage.calls {
            self.called.entry(symbol).or_insert(span);
        }
    }

    /// Builds the region and its kernels; those are left out where the host
    /// runs it.
    fn finish(&mut self, mut parts: Parts<'_>) {
        let (checked, body) = (parts.checked, parts.body.span);
        let uses = merged(&parts.pieces);
        self.check_statics(&uses, body);
        let (mut data, attributes) = self.data_of(&mut parts, &uses);
        let own = self.module.kernels.len();
        let mut launches = self.launches(&mut parts, &attributes);
        let mut host_copies = host_copies::of_kernels(
            self.given.unit,
            &self.module.kernels[own..],
            &uses,
            &parts.clauses.privates,
            &|symbol| self.needed_after(&[], symbol, &parts.rest),
        );
        // What says that a variable comes back may be what cannot be read.
        if !parts.on_host && parts.construct != Execution::Automatic && !self.given.has_unknown {
            let (body, rest) = (parts.body, &parts.rest);
            let addresses = &self.addresses;
            lost_scalars::find(
                self.given.unit,
                checked,
                body,
                &host_copies,
                addresses,
                rest,
            )
            .into_iter()
            .for_each(|lost| self.diagnostics.push(lost));
        }
        if !parts.on_host {
            let code = &self.function.body;
            let (addresses, rest) = (&self.addresses, &parts.rest);
            let unit = self.given.unit;
            lost_scalars::find_copied_in(unit, checked, parts.body, code, addresses, rest)
                .into_iter()
                .for_each(|lost| self.diagnostics.push(lost));
        }
        host_copies.extend(self.copied_pointers(checked, &parts.rest));
        if parts.on_host {
            self.module.kernels.truncate(own);
            launches.clear();
            data.clear();
            parts.locals.clear();
        }
        let queue = queues::queue(self.given.unit, checked, self.diagnostics);
        let waits = queues::waits(self.given.unit, checked, self.diagnostics);
        self.add_region(Region {
            kind: RegionKind::Compute {
                steps: in_order(launches.len()),
                launches,
                host: HostRole::MayRun,
            },
            title: checked.kind.name().to_string(),
            function: self.function.symbol,
            directive: checked.directive.span,
            body: Some(body),
            parent: self.regions.last().copied(),
            condition: parts.clauses.condition,
            queue,
            waits,
            data,
            host_copies,
            locals: parts.locals,
        });
    }

    /// The data of a region, with what its clauses and the code imply, and how each
    /// variable reaches the kernels. Locals that each launch has for its own go.
    fn data_of(
        &mut self,
        parts: &mut Parts<'_>,
        uses: &IndexMap<SymbolId, Use>,
    ) -> (Vec<DataItem>, IndexMap<SymbolId, Attribute>) {
        let (clauses, pieces) = (&parts.clauses, &parts.pieces);
        let mut reduced: Vec<SymbolId> = clauses.reductions.iter().map(|r| r.symbol).collect();
        for piece in pieces {
            reduced.extend(open_reductions(&piece.body));
        }
        reduced.extend(self.reduced_structs(pieces));
        let default = clauses.default.or(self.defaults.last().copied().flatten());
        let context = Context {
            unit: self.given.unit,
            construct: parts.construct,
            clauses,
            visible: &self.visible,
            default,
            declared: self.declared,
            reduced: &reduced,
        };
        let mut attributes: IndexMap<SymbolId, Attribute> = IndexMap::new();
        for (&symbol, &place) in uses {
            if let Some(local) = parts.locals.iter().find(|local| local.symbol == symbol) {
                attributes.insert(symbol, context.local(local, place));
            } else if !clauses.privates.contains(&symbol) {
                attributes.insert(symbol, context.attribute(symbol, place));
            }
        }
        launches::retain_used(&mut parts.locals, &|symbol| {
            attributes.contains_key(&symbol)
        });
        let mut data: Vec<DataItem> = clauses.data.clone();
        program::attach(self.given.unit, &self.module.program_data, &mut data);
        for attribute in attributes.values_mut() {
            if let Some(problem) = attribute.problem.take() {
                self.diagnostics.push(problem);
            }
            data.extend(attribute.item.take());
        }
        let notes = self.measure(&mut data, pieces, &parts.locals, uses, &context);
        for note in notes.into_iter().filter(|_| self.given.options.feedback) {
            self.diagnostics.push(note);
        }
        let copied = reduced_parts(clauses, pieces);
        let arrays = clauses.private_arrays.iter();
        let private = arrays.filter_map(|array| match &array.size {
            PrivateArraySize::Part(part) => Some(&**part),
            PrivateArraySize::Declared => None,
        });
        for part in copied.iter().chain(private) {
            self.check_bounds(part, parts.body.span);
        }
        copy_reduced(&mut data, &copied);
        data::order(&mut data, false);
        (data, attributes)
    }

    /// Adds the kernels of a region.
    fn launches(
        &mut self,
        parts: &mut Parts<'_>,
        attributes: &IndexMap<SymbolId, Attribute>,
    ) -> Vec<Launch> {
        let mut launches = Vec::new();
        for piece in std::mem::take(&mut parts.pieces) {
            let id = KernelId::at(self.module.kernels.len());
            let mut kernel = self.kernel(parts, piece, attributes);
            for capture in &mut kernel.captures {
                let mut own = parts.locals.iter().filter(|local| local.value.is_none());
                capture.known = own.all(|local| local.symbol != capture.symbol);
            }
            self.module.kernels.push(kernel);
            launches.push(Launch::of(id));
        }
        launches
    }

    /// The structs of which a construct uses nothing but members that it reduces.
    fn reduced_structs(&self, pieces: &[Piece]) -> Vec<SymbolId> {
        let uses = |piece: &Piece, symbol| piece.usage.outside().any(|(s, _)| s == symbol);
        let (alone, others): (Vec<&Piece>, _) = pieces.iter().partition(|piece| piece.alone);
        let others: Vec<&Piece> = others;
        let touched = alone.iter().flat_map(|piece| piece.usage.outside());
        touched
            .map(|(symbol, _)| symbol)
            .filter(|&symbol| self.is_record(symbol))
            .filter(|&symbol| !others.iter().any(|piece| uses(piece, symbol)))
            .collect()
    }

    /// The pointers that the construct moves, and the program reads afterwards.
    fn copied_pointers(&self, checked: &Checked, rest: &Rest<'_>) -> Vec<HostCopy> {
        let moved = self
            .given
            .moved
            .get(&checked.directive.id)
            .into_iter()
            .flatten();
        let needed = moved.filter(|&&symbol| self.needed_after(&[], symbol, rest));
        needed
            .map(|&symbol| HostCopy {
                symbol,
                initialised: true,
            })
            .collect()
    }

    /// Says how much to copy of what pointers without clauses point to, where
    /// the region tells.
    fn measure(
        &self,
        data: &mut [DataItem],
        pieces: &[Piece],
        locals: &[RegionLocal],
        uses: &IndexMap<SymbolId, Use>,
        context: &Context<'_>,
    ) -> Vec<Diagnostic> {
        if context.default.is_some() {
            return Vec::new();
        }
        let has_clause = |symbol: SymbolId| {
            let items = context.clauses.data.iter().chain(context.visible);
            items.clone().any(|item| item.symbol == Some(symbol))
                || context.reduced.contains(&symbol)
        };
        let in_memory: Vec<SymbolId> = data.iter().filter_map(|item| item.symbol).collect();
        let stable = |symbol| {
            !has_clause(symbol)
                && !in_memory.contains(&symbol)
                && !context.clauses.privates.contains(&symbol)
        };
        let fixed = |symbol: SymbolId| {
            let unit = self.given.unit;
            let compute = || definitions::changed_anywhere(unit);
            let changed = self.given.changed.get_or_init(compute);
            unit.symbol(symbol).is_automatic() && !changed.contains(&symbol)
        };
        let region = extents::Region {
            unit: self.given.unit,
            bodies: pieces.iter().map(|piece| piece.body.as_slice()).collect(),
            uses,
            locals,
            stable: &stable,
            fixed: &fixed,
        };
        let mut notes = Vec::new();
        for item in data.iter_mut().filter(|item| item.implicit) {
            let Some(symbol) = item.symbol else { continue };
            if item.action != DataAction::Find || has_clause(symbol) {
                continue;
            }
            let is_pointer = self.given.unit.types.is_pointer(item.object.ty.ty);
            match extents::of(&region, symbol) {
                Ok(found) => {
                    notes.push(extents::feedback::measured(item, &found));
                    item.action = found.action;
                    item.extent = found.extent;
                    item.text = found.text;
                }
                Err(obstacle) if is_pointer => {
                    notes.push(extents::feedback::unknown(item, &obstacle));
                    item.extent = Extent::Unmeasured(obstacle.text);
                }
                Err(_) => {}
            }
        }
        if self.given.options.unified_memory {
            notes.clear(); // the extents serve launches alone
        }
        notes
    }

    /// The host makes room for copies before the region begins, and has to know
    /// their bounds.
    fn check_bounds(&mut self, part: &DataItem, body: Span) {
        let Extent::Section { ranges, .. } = &part.extent else {
            return;
        };
        for range in ranges {
            let length = match &range.length {
                Length::Expression(e) => Some(e),
                _ => None,
            };
            for bound in range.lower.iter().chain(length) {
                let mut inside = None;
                typed::visit::walk(bound, &mut |e| {
                    let Some(symbol) = e.as_symbol() else { return };
                    let variable = self.given.unit.symbol(symbol);
                    if body.contains(variable.span) {
                        inside = Some(variable);
                    }
                });
                if let Some(variable) = inside {
                    let message = format!(
                        "the size of `{}` is not known when its kernel is launched",
                        part.text
                    );
                    self.diagnostics.push(
                        Diagnostic::error(codes::RUN_TIME_SIZE, message, part.span)
                            .also(variable.span, "a bound is declared in the construct")
                            .help("compute the bound before the construct"),
                    );
                    return;
                }
            }
        }
    }

    /// A `static` variable declared in the region itself is not built, but for
    /// constants ([`static_constants`](crate::front::lowering::static_constants)).
    fn check_statics(&mut self, uses: &IndexMap<SymbolId, Use>, body: Span) {
        for &symbol in uses.keys() {
            let variable = self.given.unit.symbol(symbol);
            if body.contains(variable.span)
                && variable.kind == SymbolKind::Variable(Storage::LocalStatic)
            {
                let message = "a `static` variable declared in a region".into();
                self.diagnostics.push(
                    not_yet(message, variable.span)
                    .help("make it `const` with a value, or declare it before the region, and use a data clause"),
                );
            }
        }
    }

    fn kernel(
        &self,
        parts: &Parts<'_>,
        piece: Piece,
        attributes: &IndexMap<SymbolId, Attribute>,
    ) -> Kernel {
        let (checked, clauses) = (parts.checked, &parts.clauses);
        let mut captures = Vec::new();
        let owned = copies::Owned::of(&piece.body);
        for (symbol, place) in piece.usage.outside() {
            let private = piece.own.contains(&symbol) || clauses.privates.contains(&symbol);
            let Some(attribute) = attributes.get(&symbol) else {
                continue;
            };
            if private || owned.is_only_theirs(symbol) {
                continue;
            }
            let written = match attribute.passing {
                Passing::Value | Passing::Reference => place.assigned || place.written,
                Passing::Array | Passing::Pointer | Passing::DevicePointer => place.written,
            };
            captures.push(Capture {
                symbol,
                passing: attribute.passing,
                written,
                known: true,
                section_of: None,
            });
        }
        if piece.alone {
            return Kernel {
                words: levels::WORDS,
                title: format!(
                    "the {} that `{}` reduces",
                    self.reduced_kinds(checked),
                    checked.kind.name()
                ),
                directive: checked.directive.span,
                span: parts.body.span,
                captures,
                privates: piece.own,
                body: piece.body,
                ..Kernel::empty(Execution::Serial, self.function.symbol)
            };
        }
        let mut privates = clauses.privates.clone();
        privates.extend(piece.own);
        let mut private_arrays = clauses.private_arrays.clone();
        private_arrays.retain(|array| privates.contains(&array.symbol) || owned.has(array.symbol));
        Kernel {
            words: levels::WORDS,
            title: clauses::title(self.given.unit, &checked.directive),
            directive: checked.directive.span,
            span: extent(&piece.body).unwrap_or(parts.body.span),
            sizes: clauses.sizes.clone(),
            captures,
            privates,
            private_arrays,
            reductions: clauses.reductions.clone(),
            body: piece.body,
            ..Kernel::empty(parts.construct, self.function.symbol)
        }
    }

    pub(super) fn expected_statement(&mut self, checked: &Checked) {
        self.diagnostics.push(
            Diagnostic::error(
                codes::EXPECTED_STATEMENT,
                format!("`{}` must be followed by a statement", checked.kind.name()),
                check::name_span(&checked.directive),
            )
            .help("put the directive right before the statement or block that it governs"),
        );
    }
}

/// What all kernels of a region use that no kernel has for its own.
fn merged(pieces: &[Piece]) -> IndexMap<SymbolId, Use> {
    let mut uses: IndexMap<SymbolId, Use> = IndexMap::new();
    for piece in pieces {
        let owned = copies::Owned::of(&piece.body);
        for (symbol, place) in piece.usage.outside() {
            if piece.own.contains(&symbol) || owned.is_only_theirs(symbol) {
                continue;
            }
            let known = uses.entry(symbol).or_insert(place);
            known.assigned |= place.assigned;
            known.written |= place.written;
            known.followed |= place.followed;
            known.windowed |= place.windowed;
            known.deep |= place.deep;
        }
    }
    uses
}

/// The sections that a construct and its loops reduce.
fn reduced_parts(clauses: &ComputeClauses, pieces: &[Piece]) -> Vec<DataItem> {
    let part = |r: &Reduction| r.part.as_deref().cloned();
    let mut parts: Vec<DataItem> = clauses.reductions.iter().filter_map(part).collect();
    for piece in pieces {
        visit::loops(&piece.body, &mut |l| {
            parts.extend(l.reductions.iter().filter_map(part));
        });
    }
    let mut known: Vec<(Option<SymbolId>, String)> = Vec::new();
    parts.retain(|part| {
        let key = (part.symbol, part.text.clone());
        let is_new = !known.contains(&key);
        known.push(key);
        is_new
    });
    parts
}

/// What is reduced behind pointers is copied unless a clause says otherwise.
fn copy_reduced(data: &mut [DataItem], parts: &[DataItem]) {
    for item in data.iter_mut().filter(|item| item.implicit) {
        let part = parts.iter().find(|part| part.symbol == item.symbol);
        if let (DataAction::Find, Some(part)) = (item.action, part) {
            item.action = DataAction::Copy;
            item.extent.clone_from(&part.extent);
            item.text.clone_from(&part.text);
        }
    }
}

/// Reduction variables that no loop around the reduction owns.
fn open_reductions(list: &[Statement]) -> BTreeSet<SymbolId> {
    let mut found = BTreeSet::new();
    for statement in list {
        let mut inside = BTreeSet::new();
        visit::blocks(statement, &mut |inner| {
            inside.extend(open_reductions(inner))
        });
        if let StatementKind::Loop(inner) = &statement.kind {
            for own in &inner.privates {
                inside.remove(own);
            }
            inside.extend(inner.reductions.iter().map(|r| r.symbol));
        }
        found.extend(inside);
    }
    if !found.is_empty() {
        for own in visit::declared(list) {
            found.remove(&own);
        }
    }
    found
}

fn extent(list: &[Statement]) -> Option<Span> {
    let first = list.first()?.span;
    Some(list.iter().fold(first, |all, next| all.to(next.span)))
}
