//! Data clauses as runtime calls: name, base, offset and length in bytes.

use serde::Serialize;

use super::Host;
use super::order::{RuntimeCall, runtime_call};
use crate::back::cuda::Reached;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{DataAction, DataItem, Extent, Launch, Length, Range, Region, RegionKind};
use crate::typed::print::{C, Printer, precedence};
use crate::typed::{ArrayLength, Expression, QualType, SymbolId, Type, constant};

/// One call.
#[derive(Serialize)]
pub struct Clause {
    /// Without the `accrs_`.
    pub call: &'static str,
    /// Everything between the parentheses.
    pub arguments: String,
    /// Calls before it that say more about it: dimensions of sections with
    /// gaps, rows behind pointers, modifiers.
    pub before: Vec<RuntimeCall>,
}

/// A global variable that is on every device while the program runs.
#[derive(Serialize)]
pub struct ProgramData {
    file: String,
    line: u32,
    text: String,
    base: String,
    size: String,
    /// 1 if the device gets the host's bytes.
    copied: i32,
}

/// A global variable that device functions name.
#[derive(Serialize)]
pub struct ReachedGlobal {
    call: String,
    base: String,
}

impl Clause {
    fn plain(call: &'static str, arguments: String) -> Self {
        Self {
            call,
            arguments,
            before: Vec::new(),
        }
    }
}

const FACTOR: u8 = precedence::BINARY_BASE + 10;

/// The highest value of `int`, and of counts that have no more bytes: times the size of any
/// object, it is a size.
const INT: i128 = i32::MAX as i128;
const COUNT: i128 = u32::MAX as i128;

impl Host<'_> {
    /// The calls of one data item: its own, and that which attaches the
    /// pointer that its section is of.
    ///
    /// # Errors
    /// A section whose size cannot be told.
    pub(super) fn clauses(
        &self,
        region: &Region,
        item: &DataItem,
    ) -> Result<Vec<Clause>, Diagnostic> {
        if matches!(region.kind, RegionKind::Placement) {
            return Ok(vec![self.placement(region, item)]);
        }
        let own = self.clause(region, item)?;
        if !item.attaches(&self.unit.types) {
            return Ok(vec![own]);
        }
        let pointer = format!(
            "{}, {}",
            c_string(&self.text(&item.object, precedence::ASSIGNMENT)),
            address(&self.text(&item.object, precedence::UNARY), item.object.ty)
        );
        Ok(match region.kind {
            RegionKind::Update { .. } => vec![own],
            RegionKind::EnterData => vec![own, Clause::plain("enter_attach", pointer)],
            RegionKind::ExitData { .. } => vec![Clause::plain("exit_detach", pointer), own],
            _ => vec![own, Clause::plain("attach", pointer)],
        })
    }

    /// What is done with a section that has device memory of its own.
    fn placement(&self, region: &Region, item: &DataItem) -> Clause {
        let call = call_name(region, item);
        let (name, base) = (c_string(&item.text), self.base(item));
        if item.action == DataAction::Delete {
            return Clause::plain(call, format!("{name}, {base}"));
        }
        let mut before = modifiers(item);
        let element = match &item.extent {
            Extent::Section { ranges, element } => {
                before.extend(self.dimensions(item, ranges));
                self.element_bytes(item, ranges, *element)
            }
            _ => self.whole(item),
        };
        Clause {
            call,
            arguments: format!("{name}, {base}, {element}"),
            before,
        }
    }

    /// Says of clauses whether the kernels write the data, where the clause
    /// itself tells something else: a run on the host's memory brings back
    /// just what was written.
    pub(super) fn note_writes(&self, region: &Region, launches: &[Launch], clauses: &mut [Clause]) {
        let captures = || {
            let kernels = launches.iter().map(|l| self.module.kernel(l.kernel));
            kernels.flat_map(|kernel| &kernel.captures)
        };
        for item in &region.data {
            let Some(symbol) = item.symbol else { continue };
            let mut of_symbol = captures().filter(|capture| capture.symbol == symbol);
            let written = of_symbol.any(|capture| capture.written);
            let told = match item.action {
                DataAction::CopyIn | DataAction::Constant | DataAction::FindOrCopyIn => false,
                DataAction::DevicePointer | DataAction::Attach => continue,
                _ => true,
            };
            let name = c_string(&item.text);
            let own = clauses.iter_mut().find(|clause| {
                clause.call == call_name(region, item)
                    && clause.arguments.starts_with(&format!("{name},"))
            });
            if let (Some(clause), true) = (own, written != told) {
                let argument = i32::from(written).to_string();
                clause.before.push(runtime_call("written", argument));
            }
        }
    }

    pub(super) fn clause(&self, region: &Region, item: &DataItem) -> Result<Clause, Diagnostic> {
        let name = c_string(&item.text);
        let base = self.base(item);
        let call = call_name(region, item);
        let is_pointer_alone = call == PRESENT_POINTER
            || matches!(
                item.action,
                DataAction::DevicePointer
                    | DataAction::Find
                    | DataAction::Attach
                    | DataAction::Detach
                    | DataAction::UseDevice
            );
        if is_pointer_alone {
            let mut clause = Clause::plain(call, format!("{name}, {base}"));
            if let Extent::Unmeasured(why) = &item.extent {
                clause.before = vec![runtime_call("extent_unknown", c_string(why))];
            }
            return Ok(clause);
        }
        let mut before = modifiers(item);
        let (offset, length) = match &item.extent {
            Extent::Whole => ("0".to_string(), self.whole(item)),
            Extent::Unknown | Extent::Unmeasured(_) => ("0".to_string(), "0".to_string()),
            Extent::Section { ranges, element } => {
                if self.has_gaps(item, ranges) {
                    return self.gapped(item, ranges, *element, call);
                }
                let last = ranges.iter().rposition(|range| range.pointers);
                let (outer, inner) = ranges.split_at(last.map_or(0, |at| at + 1));
                for pointers in outer.split_inclusive(|range| range.pointers) {
                    let (offset, length) = self.contiguous(item, pointers, POINTER)?;
                    before.push(runtime_call("rows", format!("{offset}, {length}")));
                }
                self.contiguous(item, inner, &self.element_bytes(item, ranges, *element))?
            }
        };
        Ok(Clause {
            call,
            arguments: format!("{name}, {base}, {offset}, {length}"),
            before,
        })
    }

    /// Variables that are on every device while the program runs.
    pub(super) fn program_data(&self) -> Vec<ProgramData> {
        let items = self.module.program_data.iter();
        let of = |item: &DataItem| {
            let (file, line) = self.place(item.span);
            ProgramData {
                file,
                line,
                text: c_string(&item.text),
                base: self.base(item),
                size: self.whole(item),
                copied: i32::from(item.action == DataAction::CopyIn),
            }
        };
        items.map(of).collect()
    }

    /// Global variables that device functions name.
    pub(super) fn reached(&self, list: &[Reached]) -> Vec<ReachedGlobal> {
        let of = |reached: &Reached| {
            let symbol = self.unit.symbol(reached.symbol);
            let name = &symbol.name;
            let is_array = matches!(self.unit.types.get(symbol.ty.ty), Type::Array { .. });
            ReachedGlobal {
                call: reached.call.clone(),
                base: if is_array {
                    name.clone()
                } else {
                    address(name, symbol.ty)
                },
            }
        };
        list.iter().map(of).collect()
    }

    /// The size of an element of a section. Types with names of the program are told by an
    /// element, as a name may be hidden where the clause stands, and some have none.
    fn element_bytes(&self, item: &DataItem, ranges: &[Range], element: QualType) -> String {
        let levels = self.levels(item.object.ty, element);
        let is_named = levels.is_some() && self.is_named(item);
        if let Some(name) = self.builtin(element).filter(|_| !is_named) {
            return format!("sizeof({name})");
        }
        self.inner_bytes(item, levels.unwrap_or(ranges.len()))
    }

    /// Whether the program names the type of a variable's elements, or that of the variable.
    fn is_named(&self, item: &DataItem) -> bool {
        let symbol = item.symbol.map(|symbol| self.unit.symbol(symbol));
        let by = symbol.and_then(|symbol| self.unit.typedefs.of_symbol(symbol));
        by.is_some_and(|by| self.unit.typedefs.get(by).name.is_some())
    }

    /// The size of what so many subscripts of an object make.
    fn inner_bytes(&self, item: &DataItem, levels: usize) -> String {
        let object = self.text(&item.object, precedence::POSTFIX);
        match levels {
            1 if !object.contains('[') => format!("sizeof *{object}"),
            levels => format!("sizeof {object}{}", "[0]".repeat(levels)),
        }
    }

    /// How many subscripts make an element of an object.
    fn levels(&self, object: QualType, element: QualType) -> Option<usize> {
        let mut ty = object.ty;
        let mut levels = 0;
        while ty != element.ty || levels == 0 {
            ty = match self.unit.types.get(ty) {
                Type::Pointer(to) => to.ty,
                Type::Array { element, .. } => element.ty,
                _ => return None,
            };
            levels += 1;
        }
        Some(levels)
    }

    /// The name of a type that C itself has.
    pub(super) fn builtin(&self, ty: QualType) -> Option<String> {
        let mut inner = ty;
        while let Type::Pointer(to) = self.unit.types.get(inner.ty) {
            inner = *to;
        }
        let is_builtin = matches!(
            self.unit.types.get(inner.ty),
            Type::Void | Type::Bool | Type::Integer(_) | Type::Floating(_) | Type::Complex(_)
        );
        let plain = QualType::plain(ty.ty);
        is_builtin.then(|| Printer::new(self.unit, &C).declaration(plain, ""))
    }

    /// Arrays and pointers as they are, other objects by address.
    fn base(&self, item: &DataItem) -> String {
        let ty = self.unit.types.get(item.object.ty.ty);
        let is_object = matches!(item.extent, Extent::Whole) && !matches!(ty, Type::Array { .. });
        let by_value = matches!(
            item.action,
            DataAction::Find | DataAction::DevicePointer | DataAction::UseDevice
        );
        if is_object && !by_value {
            address(&self.text(&item.object, precedence::UNARY), item.object.ty)
        } else {
            self.text(&item.object, precedence::ASSIGNMENT)
        }
    }

    fn whole(&self, item: &DataItem) -> String {
        format!("sizeof {}", self.text(&item.object, precedence::UNARY))
    }

    /// Where a part of a variable begins, and how large it is, in bytes.
    pub(super) fn part(&self, item: &DataItem) -> (String, String) {
        let contiguous = match &item.extent {
            Extent::Section { ranges, element } => {
                self.contiguous(item, ranges, &self.element_bytes(item, ranges, *element))
            }
            Extent::Whole | Extent::Unknown | Extent::Unmeasured(_) => {
                Ok(("0".to_string(), self.whole(item)))
            }
        };
        contiguous.unwrap_or_else(|_| ("0".to_string(), "0".to_string()))
    }

    /// The size of an object that the kernel declares, by its type.
    pub(super) fn type_bytes(&self, symbol: SymbolId) -> String {
        let mut factors = Vec::new();
        let mut ty = self.unit.symbol(symbol).ty;
        while let Type::Array { element, length } = self.unit.types.get(ty.ty) {
            factors.push(match length {
                ArrayLength::Variable(id) => {
                    let length = self.unit.length(*id);
                    self.text(length, FACTOR)
                }
                ArrayLength::Constant(n) => n.to_string(),
                ArrayLength::Incomplete | ArrayLength::Star => "0".to_string(),
            });
            ty = *element;
        }
        let size = self.unit.types.size(ty.ty).unwrap_or(0);
        factors.push(match self.builtin(ty) {
            Some(name) => format!("sizeof({name})"),
            // Its name may be of the kernel.
            None => format!("{size}ul"),
        });
        // The size first, so that all is computed in its type.
        factors.rotate_right(1);
        factors.join(" * ")
    }

    /// Offset and length in bytes of a section without gaps.
    fn contiguous(
        &self,
        item: &DataItem,
        ranges: &[Range],
        element: &str,
    ) -> Result<(String, String), Diagnostic> {
        // The first dimension whose length is not 1 counts; those after it
        // are whole, so that its elements are rows.
        let mut offset = Vec::new();
        let mut lead = ranges.len().saturating_sub(1);
        for (depth, range) in ranges.iter().enumerate() {
            if let Some(lower) = &range.lower
                && self.expanded(lower, FACTOR) != "0"
            {
                offset.push(self.rows(item, lower, &inside(ranges, depth), element));
            }
        }
        for (depth, range) in ranges.iter().enumerate() {
            if !is_one(&range.length) {
                lead = depth;
                break;
            }
        }
        let range = ranges.get(lead).ok_or_else(|| {
            Diagnostic::error(codes::NOT_CUDA, "the section has no dimension", item.span)
        })?;
        let mut lengths = inside(ranges, lead);
        if self.length(item, &range.length, FACTOR) != "1" {
            lengths.insert(0, &range.length);
        }
        let length = self.bytes(item, &lengths, element);
        let offset = if offset.is_empty() {
            "0".to_string()
        } else {
            offset.join(" + ")
        };
        Ok((offset, length))
    }

    /// The bytes of elements by dimensions, outermost first. C multiplies from the left, in the
    /// type of the counts: where that may wrap, the runtime multiplies, and refuses what does.
    fn bytes(&self, item: &DataItem, lengths: &[&Length], element: &str) -> String {
        let (whole, row) = self.whole_rows(item, lengths, element);
        let (lengths, element) = match row.as_deref() {
            Some(row) => (&lengths[..whole], row),
            None => (lengths, element),
        };
        let Some((first, inside)) = lengths.split_first() else {
            return element.to_owned();
        };
        if self.fits(lengths, if inside.is_empty() { COUNT } else { INT }) {
            let mut factors: Vec<String> = lengths
                .iter()
                .map(|length| self.length(item, length, FACTOR))
                .collect();
            factors.push(element.to_owned());
            return factors.join(" * ");
        }
        let count = self.length(item, first, precedence::ASSIGNMENT);
        let row = self.bytes(item, inside, element);
        format!("accrs_bytes({count}, {row})")
    }

    /// How many dimensions are outside of rows that are there, down to the elements, and the size
    /// of these rows, if there are any.
    fn whole_rows(
        &self,
        item: &DataItem,
        lengths: &[&Length],
        size: &str,
    ) -> (usize, Option<String>) {
        let none = (lengths.len(), None);
        let Extent::Section { element, .. } = &item.extent else {
            return none;
        };
        if size == POINTER {
            return none;
        }
        let Some(levels) = self.levels(item.object.ty, *element) else {
            return none;
        };
        let depths = (0..levels).rev().zip(lengths.iter().rev());
        let is_row = |(depth, length): &(usize, &&Length)| self.is_dimension(item, *depth, length);
        let rows = depths.take_while(is_row).count();
        match rows {
            0 => none,
            rows => {
                let row = self.inner_bytes(item, levels - rows);
                (lengths.len() - rows, Some(row))
            }
        }
    }

    /// Whether a length is that of the array that so many subscripts of an object make.
    fn is_dimension(&self, item: &DataItem, depth: usize, length: &Length) -> bool {
        let mut ty = item.object.ty;
        for _ in 0..depth {
            ty = match self.unit.types.get(ty.ty) {
                Type::Pointer(to) => *to,
                Type::Array { element, .. } => *element,
                _ => return false,
            };
        }
        let Type::Array { length: own, .. } = self.unit.types.get(ty.ty) else {
            return false;
        };
        match (length, own) {
            (Length::Variable { depth: of }, ArrayLength::Variable(_)) => *of == depth,
            (Length::Constant(n), ArrayLength::Constant(own)) => depth > 0 && n == own,
            (Length::Expression(e), ArrayLength::Constant(own)) => {
                depth > 0 && constant::evaluate(self.unit, e) == Some(i128::from(*own))
            }
            _ => false,
        }
    }

    /// The bytes of some rows, a negative number of them, too.
    fn rows(
        &self,
        item: &DataItem,
        count: &Expression,
        lengths: &[&Length],
        element: &str,
    ) -> String {
        let row = self.bytes(item, lengths, element);
        let own = Length::Expression(count.clone());
        let outside = self.whole_rows(item, lengths, element).0;
        let outside = lengths[..outside].iter().copied();
        let all: Vec<&Length> = outside.chain([&own]).collect();
        match all.len() == 1 || self.fits(&all, INT) {
            true => format!("{} * {row}", self.text(count, FACTOR)),
            // What is computed first has the type of sizes.
            false => format!("{row} * {}", self.text(count, precedence::UNARY)),
        }
    }

    /// Whether a product of counts is never more than this.
    fn fits(&self, lengths: &[&Length], most: i128) -> bool {
        let highest = |length: &Length| match length {
            Length::Constant(n) => i128::from(*n),
            Length::Expression(e) => constant::evaluate(self.unit, e).unwrap_or_else(|| {
                let bytes = self.unit.types.size(e.ty.ty).unwrap_or(u64::MAX);
                if bytes <= 4 {
                    COUNT
                } else {
                    i128::from(u64::MAX)
                }
            }),
            // Of an array that is there.
            Length::Variable { .. } => 1,
        };
        let mut lengths = lengths.iter();
        let product = lengths.try_fold(1_i128, |product, length| {
            product.checked_mul(highest(length).max(1))
        });
        product.is_some_and(|product| product <= most)
    }

    fn length(&self, item: &DataItem, length: &Length, least: u8) -> String {
        match length {
            Length::Constant(n) => n.to_string(),
            Length::Expression(e) => self.text(e, least),
            Length::Variable { depth } => {
                let object = self.text(&item.object, precedence::POSTFIX);
                let row = format!("{object}{}", "[0]".repeat(*depth));
                format!("(sizeof {row} / sizeof {row}[0])")
            }
        }
    }

    /// Whether a section of several dimensions is not one piece of memory.
    fn has_gaps(&self, item: &DataItem, ranges: &[Range]) -> bool {
        if !matches!(
            item.action,
            DataAction::UpdateHost | DataAction::UpdateDevice
        ) || ranges.iter().any(|range| range.pointers)
        {
            return false;
        }
        let lead = ranges
            .iter()
            .position(|range| !is_one(&range.length))
            .unwrap_or(ranges.len());
        ranges
            .iter()
            .skip(lead + 1)
            .any(|range| !self.is_whole(item, range))
    }

    fn is_whole(&self, item: &DataItem, range: &Range) -> bool {
        let starts_at_zero = match &range.lower {
            None => true,
            Some(lower) => self.expanded(lower, 0) == "0",
        };
        let text = |length: &Length| match length {
            Length::Expression(e) => self.expanded(e, 0),
            other => self.length(item, other, 0),
        };
        let extent = range.extent.as_ref().map(text);
        starts_at_zero && extent.is_some_and(|extent| extent == text(&range.length))
    }

    fn gapped(
        &self,
        item: &DataItem,
        ranges: &[Range],
        element: QualType,
        call: &'static str,
    ) -> Result<Clause, Diagnostic> {
        let before = self.dimensions(item, ranges);
        let size = self.element_bytes(item, ranges, element);
        let arguments = format!("{}, {}, {size}", c_string(&item.text), self.base(item));
        let call = if call == "update_host" {
            "update_host_section"
        } else {
            "update_device_section"
        };
        Ok(Clause {
            call,
            arguments,
            before,
        })
    }
}

impl Host<'_> {
    /// Lower bound, length and extent of each dimension.
    fn dimensions(&self, item: &DataItem, ranges: &[Range]) -> Vec<RuntimeCall> {
        let of = |range: &Range| {
            let least = precedence::ASSIGNMENT;
            let lower = range.lower.as_ref().map(|e| self.text(e, least));
            let lower = lower.unwrap_or_else(|| "0".to_string());
            let length = self.length(item, &range.length, least);
            let extent = range.extent.as_ref().map(|e| self.length(item, e, least));
            let extent = extent.unwrap_or_else(|| "0".to_string());
            runtime_call("dimension", format!("{lower}, {length}, {extent}"))
        };
        ranges.iter().map(of).collect()
    }
}

/// The extents of the dimensions inside of one.
fn inside(ranges: &[Range], depth: usize) -> Vec<&Length> {
    let inner = ranges.iter().skip(depth + 1);
    inner
        .map(|range| range.extent.as_ref().unwrap_or(&range.length))
        .collect()
}

/// The address of an object, as the runtime takes it: C has no conversion that
/// drops `restrict` unbidden.
fn address(object: &str, ty: QualType) -> String {
    match ty.qualifiers.is_restrict {
        true => format!("(const void *)&{object}"),
        false => format!("&{object}"),
    }
}

/// The size of the elements of a dimension that is followed.
const POINTER: &str = "sizeof(void *)";

/// A data clause's modifiers as calls before it.
fn modifiers(item: &DataItem) -> Vec<RuntimeCall> {
    let asked = [
        (item.modifiers.zero, "zero"),
        (item.modifiers.always_in, "always_in"),
        (item.modifiers.always_out, "always_out"),
    ];
    let given = asked.into_iter().filter(|(given, _)| *given);
    given
        .map(|(_, call)| runtime_call(call, String::new()))
        .collect()
}

fn is_one(length: &Length) -> bool {
    match length {
        Length::Constant(n) => *n == 1,
        Length::Expression(e) => {
            matches!(
                e.inner().kind,
                crate::typed::ExpressionKind::Integer { value: 1, .. }
            )
        }
        Length::Variable { .. } => false,
    }
}

/// `present` of a pointer without a length.
pub(super) const PRESENT_POINTER: &str = "present_pointer";

fn call_name(region: &Region, item: &DataItem) -> &'static str {
    match (&region.kind, item.action) {
        (RegionKind::EnterData, DataAction::CopyIn) => "enter_copyin",
        (RegionKind::EnterData, DataAction::Attach) => "enter_attach",
        (RegionKind::EnterData, _) => "enter_create",
        (RegionKind::ExitData { .. }, DataAction::CopyOut) => "exit_copyout",
        (RegionKind::ExitData { .. }, DataAction::Detach) => "exit_detach",
        (RegionKind::ExitData { .. }, _) => "exit_delete",
        (RegionKind::Placement, DataAction::Create) => "section_alloc",
        (RegionKind::Placement, DataAction::CopyIn) => "section_in",
        (RegionKind::Placement, DataAction::CopyOut) => "section_out",
        (RegionKind::Placement, _) => "section_free",
        (_, DataAction::Copy) => "copy",
        (_, DataAction::CopyIn) => "copyin",
        (_, DataAction::CopyOut) => "copyout",
        (_, DataAction::Create | DataAction::Delete) => "create",
        (_, DataAction::Present) if matches!(item.extent, Extent::Unknown) => PRESENT_POINTER,
        (_, DataAction::Present) => "present",
        (_, DataAction::NoCreate) => "no_create",
        (_, DataAction::DevicePointer) => "deviceptr",
        (_, DataAction::Find) => "implicit",
        (_, DataAction::Constant) => "constant",
        (_, DataAction::FindOrCopy) => "implicit_copy",
        (_, DataAction::FindOrCopyIn) => "implicit_copyin",
        (_, DataAction::UpdateHost) => "update_host",
        (_, DataAction::UpdateDevice) => "update_device",
        (_, DataAction::Attach | DataAction::Detach) => "attach",
        (_, DataAction::UseDevice) => "use_device",
    }
}

/// A string literal of C.
pub(super) fn c_string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' | '\t' | '\r' => out.push(' '),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}
