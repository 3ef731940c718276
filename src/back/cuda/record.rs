//! Structs and unions that kernels use, with proof of their layout.
//!
//! C++ lays out C's structs as C does; `static_assert`s say so for the
//! compiler at hand, with the numbers that `sema` computed.

use std::collections::HashSet;

use serde::Serialize;

use super::Input;
use super::language::Cuda;
use crate::back::template::Templates;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{Module, StatementKind, visit};
use crate::source::{Note, tokens_of};
use crate::typed::print::Language;
use crate::typed::{Member, Record, RecordId, Type, TypeId, Unit};

#[derive(Serialize)]
struct Context {
    /// What the user says of it, above and behind it.
    comments: Vec<String>,
    behind: String,
    keyword: &'static str,
    name: String,
    /// The name as declarations have it.
    ty: String,
    attributes: String,
    members: Vec<String>,
    size: u64,
    alignment: u64,
    offsets: Vec<Offset>,
}

#[derive(Serialize)]
struct Offset {
    member: String,
    offset: u64,
}

/// The name that a person would give: the one that declarations have, the tag or the typedef;
/// and whether it is the tag.
pub fn wanted_name(unit: &Unit, id: RecordId) -> (String, bool) {
    let record = unit.types.record(id);
    match (&record.tag, &record.typedef_name) {
        (Some(_), Some(name)) if !record.is_called_by_tag => (name.clone(), false),
        (Some(name), _) => (name.clone(), true),
        (None, Some(name)) => (name.clone(), false),
        (None, None) => (format!("record_{}", id.0), false),
    }
}

/// The names of these records that have none yet; those without any are numbered.
pub fn name<'r>(unit: &Unit, cuda: &mut Cuda, records: impl Iterator<Item = &'r RecordId>) {
    let mut unnamed = 0;
    for id in records {
        if cuda.records.contains_key(id) {
            continue;
        }
        let record = unit.types.record(*id);
        let (mut wanted, by_tag) = wanted_name(unit, *id);
        if record.tag.is_none() && record.typedef_name.is_none() {
            unnamed += 1;
            wanted = format!("record_{unnamed}");
        }
        cuda.name_record(*id, &wanted, by_tag);
    }
}

/// Collects records so that each comes after those that it contains.
#[derive(Default)]
pub struct Records {
    /// In the order in which they can be defined.
    pub defined: Vec<RecordId>,
    /// Only pointed to: declared first.
    pub declared: Vec<RecordId>,
    seen: HashSet<RecordId>,
}

impl Records {
    /// None yet. Anonymous ones are defined where they stand.
    pub fn new(unit: &Unit) -> Self {
        let members = unit
            .types
            .records
            .iter()
            .flat_map(|record| record.members.iter().flatten());
        let unnamed = members.filter(|member| member.name.is_none());
        let records = unnamed.filter_map(|member| match unit.types.get(member.ty.ty) {
            Type::Record(id) => Some(*id),
            _ => None,
        });
        Self {
            seen: records.collect(),
            ..Self::default()
        }
    }

    /// Adds what a type needs.
    pub fn add(&mut self, unit: &Unit, ty: TypeId) {
        match unit.types.get(ty) {
            Type::Pointer(to) => self.add_pointee(unit, to.ty),
            Type::Array { element, .. } => self.add(unit, element.ty),
            Type::Record(id) => self.add_record(unit, *id),
            Type::Function(function) => {
                for ty in function.parameters.iter().chain([&function.result]) {
                    self.add(unit, ty.ty);
                }
            }
            _ => {}
        }
    }

    fn add_pointee(&mut self, unit: &Unit, ty: TypeId) {
        match unit.types.get(ty) {
            Type::Record(id) => {
                if !self.declared.contains(id) {
                    self.declared.push(*id);
                }
                self.add_record(unit, *id);
            }
            _ => self.add(unit, ty),
        }
    }

    /// Those that have to be declared before all definitions: the others are defined
    /// before they are pointed to, or where they point to themselves.
    pub fn forward(&self, unit: &Unit) -> Vec<RecordId> {
        let mut known = HashSet::new();
        let mut early = HashSet::new();
        for id in &self.defined {
            known.insert(*id);
            for member in own_members(unit, *id) {
                early.extend(pointed_to(unit, member.ty.ty).filter(|to| !known.contains(to)));
            }
        }
        let is_needed = |id: &RecordId| early.contains(id) || !known.contains(id);
        self.declared.iter().copied().filter(is_needed).collect()
    }

    fn add_record(&mut self, unit: &Unit, id: RecordId) {
        if !self.seen.insert(id) {
            return;
        }
        if unit.types.record(id).members.is_none() {
            self.declared.push(id);
            return;
        }
        for member in own_members(unit, id) {
            self.add(unit, member.ty.ty);
        }
        self.defined.push(id);
    }
}

/// The members of a record, those of anonymous ones in it in their place.
fn own_members(unit: &Unit, id: RecordId) -> Vec<&Member> {
    let mut found = Vec::new();
    for member in unit.types.record(id).members.iter().flatten() {
        match unit.types.get(member.ty.ty) {
            Type::Record(inner) if member.name.is_none() => found.extend(own_members(unit, *inner)),
            _ => found.push(member),
        }
    }
    found
}

/// The records that a type leads to, through pointers or not.
fn pointed_to(unit: &Unit, ty: TypeId) -> Box<dyn Iterator<Item = RecordId> + '_> {
    match unit.types.get(ty) {
        Type::Pointer(to) => pointed_to(unit, to.ty),
        Type::Array { element, .. } => pointed_to(unit, element.ty),
        Type::Function(function) => {
            let types = function.parameters.iter().chain([&function.result]);
            Box::new(types.flat_map(|ty| pointed_to(unit, ty.ty)))
        }
        Type::Record(id) => Box::new(std::iter::once(*id)),
        _ => Box::new(std::iter::empty()),
    }
}

/// The records that kernels reduce, and those that lie in them.
pub fn reduced(unit: &Unit, module: &Module) -> HashSet<RecordId> {
    let mut found = HashSet::new();
    for kernel in &module.kernels {
        let grid = kernel
            .grid_reductions
            .iter()
            .chain(&kernel.block_reductions);
        grid.for_each(|reduction| add_reduced(unit, reduction.ty, &mut found));
        visit::walk(&kernel.body, &mut |statement| {
            if let StatementKind::ReductionBegin(reduction, _) = &statement.kind {
                add_reduced(unit, reduction.ty, &mut found);
            }
        });
    }
    found
}

fn add_reduced(unit: &Unit, ty: TypeId, found: &mut HashSet<RecordId>) {
    match unit.types.get(ty) {
        Type::Array { element, .. } => add_reduced(unit, element.ty, found),
        Type::Record(id) if found.insert(*id) => {
            let members = unit.types.record(*id).members.iter().flatten();
            members.for_each(|member| add_reduced(unit, member.ty.ty, found));
        }
        _ => {}
    }
}

#[derive(Serialize)]
struct Reduction {
    name: String,
    members: Vec<String>,
}

/// What the reduction of a record does to its members.
///
/// # Errors
/// A template that lacks a key.
pub fn emit_reduction(
    unit: &Unit,
    cuda: &Cuda,
    templates: &Templates,
    id: RecordId,
) -> Result<String, Diagnostic> {
    let mut members = Vec::new();
    named_members(unit, cuda, id, &mut members);
    let name = cuda.record(unit, id);
    templates.render("record_reduction", &Reduction { name, members })
}

/// The names of members, those of anonymous structs included.
fn named_members(unit: &Unit, cuda: &Cuda, id: RecordId, names: &mut Vec<String>) {
    for member in unit.types.record(id).members.iter().flatten() {
        match (&member.name, unit.types.get(member.ty.ty)) {
            (Some(name), _) => names.push(member_name(cuda, name)),
            (None, Type::Record(inner)) => named_members(unit, cuda, *inner, names),
            (None, _) => {}
        }
    }
}

/// The definition of a record.
///
/// # Errors
/// A template that lacks a key.
pub fn emit(input: Input<'_>, cuda: &Cuda, id: RecordId) -> Result<String, Diagnostic> {
    let Input {
        unit, templates, ..
    } = input;
    let record = unit.types.record(id);
    let members = record.members.as_deref().unwrap_or_default();
    if record.size == 0 {
        let name = cuda.record(unit, id);
        let message = format!("`{name}` has no bytes in C, and one in C++");
        let error = Diagnostic::error(codes::NOT_CUDA, message, record.span);
        return Err(error.help("give it a member, or leave it out of what kernels use"));
    }
    let Attributes { text, of_members } = attributes(unit, record);
    let mut lines = Vec::new();
    let mut written = HashSet::new();
    let mut own = |notes: Vec<Note>| -> Vec<String> {
        let comments = notes.into_iter().filter_map(|note| match note {
            Note::Comment(at, lines) => written.insert(at).then_some(lines),
            Note::Blank => None,
        });
        comments.flatten().collect()
    };
    for run in members.chunk_by(|one, next| is_declared_with(input, one, next)) {
        let mut texts = run_texts(unit, cuda, run, of_members);
        let span = run.iter().fold(run[0].span, |all, next| all.to(next.span));
        let known = cuda.alignment.as_ref();
        let said = known.map(|known| input.source.notes_of_members(known, span));
        let said = said.unwrap_or_default();
        lines.extend(own(said.before));
        let within = own(said.within.notes);
        match tokens_of(&said.within.lines.join("\n")) == tokens_of(&texts.join("\n")) {
            true => texts = said.within.lines,
            false => lines.extend(within),
        }
        let text = texts.pop().unwrap_or_default();
        lines.append(&mut texts);
        match own(said.behind).as_slice() {
            [comment] => lines.push(format!("{text} {comment}")),
            comments => {
                lines.push(text);
                lines.extend_from_slice(comments);
            }
        }
        lines.extend(own(said.last));
    }
    let known = cuda.alignment.as_ref().zip(members.first());
    let said = known.map(|(known, first)| input.source.notes_of_record(known, first.span));
    let behind = cuda.alignment.as_ref().zip(members.last());
    let behind = behind.map(|(known, last)| input.source.notes_behind_record(known, last.span));
    let context = Context {
        behind: match own(behind.unwrap_or_default()).as_slice() {
            [comment] => format!(" {comment}"),
            _ => String::new(),
        },
        comments: said.unwrap_or_default(),
        keyword: record.keyword(),
        name: cuda.tag(unit, id),
        ty: cuda.record(unit, id),
        attributes: text,
        members: lines,
        size: record.size,
        alignment: record.alignment,
        offsets: offsets(cuda, members),
    };
    templates.render("record", &context)
}

/// What a definition says of alignments.
struct Attributes {
    /// Before the name of the record.
    text: String,
    /// Members have attributes of their own.
    of_members: bool,
}

/// A record is packed as a whole, or members say what their types do not.
fn attributes(unit: &Unit, record: &Record) -> Attributes {
    let members = record.members.as_deref().unwrap_or_default();
    let natural = |member: &Member| unit.types.alignment(member.ty.ty);
    let most = members.iter().map(natural).max().unwrap_or(1);
    let is_odd = |m: &Member| m.alignment < natural(m) || !m.offset.is_multiple_of(natural(m));
    let has_bit_fields = members.iter().any(|member| member.bit_field.is_some());
    let is_packed = members.iter().any(is_odd) || record.alignment < most;
    let is_whole = is_packed && (has_bit_fields || members.iter().all(|m| m.alignment == 1));
    let of_members = !is_whole && !has_bit_fields;
    let reached = match of_members {
        true => members
            .iter()
            .map(|member| member.alignment)
            .max()
            .unwrap_or(1),
        false => most,
    };
    let mut text = String::new();
    if is_whole {
        text.push_str("__attribute__((packed)) ");
    }
    if record.alignment > reached {
        text.push_str(&format!("alignas({}) ", record.alignment));
    }
    Attributes { text, of_members }
}

/// What a member's declaration says before and behind it.
fn alignment_of(unit: &Unit, member: &Member) -> (String, String) {
    let natural = unit.types.alignment(member.ty.ty);
    match member.alignment {
        more if more > natural => (format!("alignas({more}) "), String::new()),
        1 if natural > 1 => (String::new(), " __attribute__((packed))".into()),
        less if less < natural => (
            String::new(),
            format!(" __attribute__((packed, aligned({less})))"),
        ),
        _ => (String::new(), String::new()),
    }
}

/// Whether two members that follow each other are of one declaration.
fn is_declared_with(input: Input<'_>, member: &Member, next: &Member) -> bool {
    let (end, start) = (member.span.end as usize, next.span.start as usize);
    let between = input.source.text.get(end..start);
    between.is_some_and(|between| between.trim() == ",")
}

/// The declarations of members that the user declares in one, which is one where it can be.
fn run_texts(unit: &Unit, cuda: &Cuda, run: &[Member], has_attributes: bool) -> Vec<String> {
    let none = || (String::new(), String::new());
    let is_plain = |member: &Member| {
        let attributes = has_attributes.then(|| alignment_of(unit, member));
        member.bit_field.is_none() && attributes.unwrap_or_else(none) == none()
    };
    let declarator = |member: &Member| {
        let name = member_name(cuda, member.name.as_ref()?);
        Some(cuda.member_declarator(unit, member, &name))
    };
    let parts: Option<Vec<_>> = run.iter().map(declarator).collect();
    if let Some(parts) = parts
        && run.len() > 1
        && run.iter().all(is_plain)
        && parts
            .iter()
            .all(|(specifiers, _)| *specifiers == parts[0].0)
    {
        let specifiers = parts[0].0.clone();
        let names: Vec<String> = parts
            .into_iter()
            .map(|(_, declarator)| declarator)
            .collect();
        return vec![format!("{specifiers} {};", names.join(", "))];
    }
    let texts = run
        .iter()
        .map(|member| member_text(unit, cuda, member, has_attributes));
    texts.collect()
}

fn member_text(unit: &Unit, cuda: &Cuda, member: &Member, has_attributes: bool) -> String {
    let (before, behind) = match has_attributes {
        true => alignment_of(unit, member),
        false => (String::new(), String::new()),
    };
    let name = member
        .name
        .as_deref()
        .map(|name| member_name(cuda, name))
        .unwrap_or_default();
    match (member.bit_field, unit.types.get(member.ty.ty)) {
        (Some(field), _) => {
            let text = cuda.declare_by(unit, member.typedef, member.ty, &name);
            format!("{text} : {};", field.width)
        }
        // An anonymous struct or union stands in its place.
        (None, Type::Record(id)) if member.name.is_none() => {
            let behind = match before.is_empty() {
                true => behind,
                false => format!(" __attribute__((aligned({})))", member.alignment),
            };
            format!("{}{behind};", anonymous(unit, cuda, *id))
        }
        (None, _) => {
            let text = cuda.declare_member(unit, member, &name);
            format!("{before}{text}{behind};")
        }
    }
}

fn anonymous(unit: &Unit, cuda: &Cuda, id: RecordId) -> String {
    let record = unit.types.record(id);
    let Attributes { text, of_members } = attributes(unit, record);
    let members = record.members.iter().flatten();
    let members: Vec<String> = members
        .map(|member| member_text(unit, cuda, member, of_members))
        .collect();
    let keyword = record.keyword();
    format!("{keyword} {text}{{ {} }}", members.join(" "))
}

/// A member's name, which may be a keyword of C++ in the source.
pub fn member_name(cuda: &Cuda, name: &str) -> String {
    cuda.member(name)
}

fn offsets(cuda: &Cuda, members: &[Member]) -> Vec<Offset> {
    members
        .iter()
        .filter(|member| member.bit_field.is_none())
        .filter_map(|member| {
            let name = member.name.as_deref()?;
            Some(Offset {
                member: member_name(cuda, name),
                offset: member.offset,
            })
        })
        .collect()
}
