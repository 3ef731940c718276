//! Windows: their arrays in shared memory, and the loops in which the threads
//! of a block fill them and write them back.
//!
//! ```text
//! __shared__ float a_window[258];
//! ...
//! const int a_base = i_first - 1;
//! for (int slot = threadIdx.x; slot < 258; slot += 256) {
//!     const int index = a_base + slot;
//!     if (index >= a_present.begin && index < a_present.end)
//!         a_window[slot] = a[index];
//! }
//! ```

use indexmap::IndexSet;

use super::body::Body;
use super::index::factor;
use super::language::{COMPARED, Cuda, Index};
use super::rows::Lengths;
use super::slots::{Slots, Walk, known};
use super::window_memory;
use crate::ir::{
    SharedDimension, SharedWindow, WindowExtent, WindowMarks, WrittenPart, is_literal,
};
use crate::typed::print::Language;
use crate::typed::{
    ArrayLength, Expression, ExpressionKind, IntegerKind, QualType, SymbolId, Type, TypeId, Unit,
};

/// One slot's copy.
struct Copy {
    conditions: Vec<String>,
    target: String,
    source: String,
}

/// What is done with the slots of windows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Motion {
    Fetch,
    WriteBack,
}

impl Body<'_> {
    /// Declares the windows of a kernel at its top.
    pub fn declare_windows(&mut self, windows: &[SharedWindow]) {
        self.windows = windows.to_vec();
        for window in windows.iter().filter(|window| window.is_register) {
            self.declare_register(window);
        }
        if windows.iter().any(|window| window.is_dynamic) {
            self.declare_dynamic(windows);
        } else {
            for window in windows.iter().filter(|window| !window.is_register) {
                let mut same = windows.iter().filter(|w| w.storage == window.storage);
                let is_channel = same.any(|w| w.policy.channel);
                self.declare_static(window.storage, window.array, is_channel);
                if let WindowMarks::Slots(marks) = window.marks {
                    self.declare_static(marks, marks, true);
                }
            }
        }
        let mut copied = windows
            .iter()
            .filter(|w| w.policy.fetch || w.is_written_together());
        let is_linear = copied.any(|w| self.counts_slots(w));
        self.declare_thread(is_linear);
    }

    /// The slot of a window that is each thread's own.
    fn declare_register(&mut self, window: &SharedWindow) {
        self.declared.insert(window.storage);
        let array = &self.unit.symbol(window.array).name;
        let name = self.cuda.fresh(&format!("{array}_own"));
        let mut ty = self.unit.symbol(window.storage).ty.ty;
        while let Type::Array { element, .. } = self.unit.types.get(ty) {
            ty = element.ty;
        }
        let ty = QualType::plain(ty);
        let declaration = (self.cuda).declare_as(self.unit, window.array, ty, &name);
        self.lines.line(&format!("{declaration}{{}};"));
        self.cuda.names.insert(window.storage, name);
        self.cuda.registers.insert(window.storage);
    }

    /// Declares an array once, also if several windows have it; its elements are those of another.
    fn declare_static(&mut self, symbol: SymbolId, like: SymbolId, is_channel: bool) {
        if !self.declared.insert(symbol) {
            return;
        }
        self.shared.insert(symbol);
        let name = self.name(symbol);
        let mut ty = self.unit.symbol(symbol).ty;
        ty.qualifiers = crate::typed::Qualifiers::default();
        let declaration = self.cuda.declare_as(self.unit, like, ty, &name);
        self.lines.line(&format!("__shared__ {declaration};"));
        if is_channel {
            self.declare_channel(&name, &format!("sizeof {name}"));
        }
    }

    /// Tells the checks of the emulation that threads write to each other there.
    fn declare_channel(&mut self, name: &str, bytes: &str) {
        self.lines.line(&format!("ACCRS_CHANNEL({name}, {bytes});"));
    }

    /// Windows in the launch's shared memory.
    fn declare_dynamic(&mut self, windows: &[SharedWindow]) {
        let memory = self.cuda.fresh("window_memory");
        self.lines
            .line(&format!("ACCRS_DYNAMIC_SHARED(unsigned char, {memory});"));
        let layout = window_memory::layout(self.unit, self.cuda, windows);
        for part in layout.parts {
            self.declared.insert(part.symbol);
            self.shared.insert(part.symbol);
            let name = self.name(part.symbol);
            let mut ty = part.element.clone();
            if let Some(row) = &part.row {
                let alias = self.cuda.fresh(&format!("{name}_row"));
                self.lines.line(&format!("using {alias} = {row};"));
                ty = alias;
            }
            let address = match part.start.as_str() {
                "0" => memory.clone(),
                start => format!("{memory} + {start}"),
            };
            let turns = part.in_turn_with.map(|s| self.name(s));
            let turns = turns.map_or(String::new(), |other| format!("in turn with {other}"));
            let elements = part.elements;
            self.call(
                &format!("ACCRS_WINDOW({ty}, {name}, {elements}, {address})"),
                &turns,
            );
            if part.is_channel {
                self.declare_channel(&name, &part.bytes);
            }
        }
    }

    /// Declares the bases of windows, and fills those that are fetched.
    pub(super) fn open_windows(&mut self, indices: &[usize]) {
        let windows: Vec<SharedWindow> = (indices.iter())
            .filter_map(|&index| self.windows.get(index).cloned())
            .collect();
        let mut bases: Vec<SymbolId> = Vec::new();
        for dimension in windows.iter().flat_map(|window| &window.dimensions) {
            if !bases.contains(&dimension.base) && !needs_none(dimension) {
                bases.push(dimension.base);
                self.declare_base(dimension);
            }
        }
        for window in &windows {
            if let WindowMarks::Slots(marks) = window.marks {
                self.clear(window, marks);
            }
        }
        let fetched: Vec<&SharedWindow> = windows.iter().filter(|w| w.policy.fetch).collect();
        self.copy_slots(&fetched, Motion::Fetch);
    }

    /// Writes the marked slots of windows to their arrays.
    pub(super) fn write_back(&mut self, indices: &[usize]) {
        let windows: Vec<SharedWindow> = (indices.iter())
            .filter_map(|&index| self.windows.get(index).cloned())
            .collect();
        let marked: Vec<&SharedWindow> = windows.iter().collect();
        self.copy_slots(&marked, Motion::WriteBack);
    }

    fn declare_base(&mut self, dimension: &SharedDimension) {
        self.declared.insert(dimension.base);
        let name = self.name(dimension.base);
        let ty = self.unit.symbol(dimension.base).ty;
        let declaration = self.cuda.declare(self.unit, ty, &name);
        let value = self.operand(&dimension.first, 0);
        self.lines.line(&format!("const {declaration} = {value};"));
    }

    fn clear(&mut self, window: &SharedWindow, marks: SymbolId) {
        for walk in self.walks(&self.whole(&window.dimensions)) {
            let slot = self.slot(&window.dimensions, &walk.numbers);
            let statement = format!("{}{slot} = 0", self.name(marks));
            let condition = condition(&walk.guards);
            if walk.declarations.is_empty() {
                let heads: Vec<String> = walk.heads.into_iter().chain(condition).collect();
                self.guarded(&heads, &statement);
                continue;
            }
            let depth = self.open_walk(&walk);
            self.guarded(&condition.into_iter().collect::<Vec<_>>(), &statement);
            self.close_walk(depth);
        }
    }

    /// Opens the loops over slots, the innermost with braces.
    fn open_walk(&mut self, walk: &Walk) -> usize {
        let (last, outer) = match walk.heads.split_last() {
            Some((last, outer)) => (format!("{last} {{"), outer),
            None => ("{".to_string(), walk.heads.as_slice()),
        };
        for head in outer {
            self.lines.line(head);
            self.lines.indent(true);
        }
        self.lines.open(&last);
        for declaration in &walk.declarations {
            self.lines.line(declaration);
        }
        outer.len()
    }

    fn close_walk(&mut self, outer: usize) {
        self.lines.close("}");
        (0..outer).for_each(|_| self.lines.indent(false));
    }

    /// A statement behind heads; alone if there are none.
    fn guarded(&mut self, heads: &[String], statement: &str) {
        for head in heads {
            self.lines.line(head);
            self.lines.indent(true);
        }
        self.lines.line(&format!("{statement};"));
        heads.iter().for_each(|_| self.lines.indent(false));
    }

    /// The parts of a window that are copied.
    fn copied_parts(&self, window: &SharedWindow, motion: Motion) -> Vec<Vec<Slots>> {
        let parts = match motion {
            Motion::Fetch => window.fetched_parts(),
            Motion::WriteBack => window.part.as_ref().map(|part| vec![part.slots.clone()]),
        };
        match parts {
            Some(parts) => parts.into_iter().map(known).collect(),
            None => vec![self.whole(&window.dimensions)],
        }
    }

    /// Copies slots; windows of the same shape and place, all of which is copied, share a loop.
    fn copy_slots(&mut self, windows: &[&SharedWindow], motion: Motion) {
        let mut rest = windows.to_vec();
        while let Some(first) = rest.first().copied() {
            let is_alike = |window: &&SharedWindow| {
                let are_whole = first.part.is_none() && window.part.is_none();
                std::ptr::eq(*window, first)
                    || are_whole && self.place_key(window) == self.place_key(first)
            };
            let (alike, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(is_alike);
            for part in self.copied_parts(first, motion) {
                for walk in self.walks(&part) {
                    self.copy_part(&alike, &walk, motion);
                }
            }
            rest = others;
        }
    }

    /// Copies the slots of a walk, of windows of the same shape and place.
    fn copy_part(&mut self, windows: &[&SharedWindow], walk: &Walk, motion: Motion) {
        let Some(first) = windows.first() else { return };
        // A fetch of what iterations read, and no more, needs no mark.
        let may_be_idle = windows.iter().any(|window| !window.is_read_whole);
        let named = self.name_indices(windows, walk);
        let mut indices = self.index_declarations(first, walk);
        let mut copies = Vec::new();
        for window in windows {
            let slot = match window.is_register {
                true => String::new(),
                false => self.slot(&window.dimensions, &walk.numbers),
            };
            let copy = match motion {
                Motion::Fetch => self.fetch_of_slot(window, &slot, &mut indices),
                Motion::WriteBack => self.write_back_of_slot(window, &slot, &walk.numbers),
            };
            copies.push(copy);
        }
        let is_alone = walk.heads.is_empty() && walk.declarations.is_empty() && indices.is_empty();
        let depth = (!is_alone).then(|| self.open_walk(walk));
        if motion == Motion::Fetch && may_be_idle && self.has_marks() {
            self.lines.line("ACCRS_FETCH();");
        }
        indices.iter().for_each(|index| self.lines.line(index));
        for copy in copies {
            let conditions: Vec<String> = (walk.guards.iter().cloned())
                .chain(copy.conditions)
                .collect();
            let condition: Vec<String> = condition(&conditions).into_iter().collect();
            self.guarded(&condition, &format!("{} = {}", copy.target, copy.source));
        }
        if let Some(depth) = depth {
            self.close_walk(depth);
        }
        for (index, name) in named {
            match name {
                Some(name) => self.cuda.names.insert(index, name),
                None => self.cuda.names.remove(&index),
            };
        }
    }

    /// Calls indices that need no variable by what they are: the base, or the slot's number. Gives
    /// what they were called before.
    fn name_indices(
        &mut self,
        windows: &[&SharedWindow],
        walk: &Walk,
    ) -> Vec<(SymbolId, Option<String>)> {
        let mut before = Vec::new();
        let Some(first) = windows.first() else {
            return before;
        };
        // What has no sign may only be added to what is as wide as addresses.
        let mut all = windows.iter();
        let adds = all.all(|window| {
            !window.is_read_whole && !self.is_indexed(window) && window.part.is_none()
        });
        for (depth, (dimension, number)) in first.dimensions.iter().zip(&walk.numbers).enumerate() {
            let begins_at_0 = is_literal(&dimension.first, 0);
            let is_thread = depth > 0 && adds && number.starts_with("threadIdx.");
            let name = match number.as_str() {
                "0" if self.is_base(dimension) => self.name(dimension.base),
                number
                    if begins_at_0 && (is_name(number) || is_thread && !number.contains(' ')) =>
                {
                    number.to_owned()
                }
                _ => continue,
            };
            let old = self.cuda.names.insert(dimension.index, name);
            before.push((dimension.index, old));
        }
        before
    }

    /// Whether a dimension has a base that is a variable of the type of its indices.
    fn is_base(&self, dimension: &SharedDimension) -> bool {
        let ty = |symbol| self.unit.symbol(symbol).ty.ty;
        !is_literal(&dimension.first, 0) && ty(dimension.base) == ty(dimension.index)
    }

    /// Where and how large a window is, as text.
    fn place_key(&self, window: &SharedWindow) -> Vec<(SymbolId, SymbolId, String)> {
        let sides = window.dimensions.iter();
        sides.map(|d| (d.base, d.index, self.extent(d))).collect()
    }

    /// `const int row = r_base + slot / 18;` for each dimension.
    fn index_declarations(&mut self, window: &SharedWindow, walk: &Walk) -> Vec<String> {
        (window.dimensions.iter().zip(&walk.numbers))
            .filter_map(|(dimension, number)| {
                let name = self.name(dimension.index);
                if name == *number || name == self.name(dimension.base) {
                    return None;
                }
                let ty = self.unit.symbol(dimension.index).ty;
                let declaration = self.cuda.declare(self.unit, ty, &name);
                if is_literal(&dimension.first, 0) {
                    return Some(format!("const {declaration} = {number};"));
                }
                let base = self.name(dimension.base);
                Some(match number.as_str() {
                    "0" => format!("const {declaration} = {base};"),
                    number => format!("const {declaration} = {base} + {number};"),
                })
            })
            .collect()
    }

    fn write_back_of_slot(
        &mut self,
        window: &SharedWindow,
        slot: &str,
        numbers: &[String],
    ) -> Copy {
        let conditions = match (window.marks, &window.part) {
            (WindowMarks::Slots(marks), _) => vec![format!("{}{slot}", self.name(marks))],
            (_, Some(part)) => self.is_written(part, numbers),
            _ => Vec::new(),
        };
        Copy {
            conditions,
            target: self.text(&window.element),
            source: format!("{}{slot}", self.name(window.storage)),
        }
    }

    /// The conditions under which a slot is written. Indices of threads have no sign.
    fn is_written(&mut self, part: &WrittenPart, numbers: &[String]) -> Vec<String> {
        for (symbol, number) in part.numbers.iter().zip(numbers) {
            let is_int = !number.contains([' ', '.']);
            let text = if is_int {
                number.clone()
            } else {
                format!("int({number})")
            };
            self.cuda.names.insert(*symbol, text);
        }
        let conditions = part.conditions.iter().map(|e| self.text(e)).collect();
        part.numbers.iter().for_each(|symbol| {
            self.cuda.names.remove(symbol);
        });
        conditions
    }

    /// What it computes beforehand goes to `declarations`.
    fn fetch_of_slot(
        &mut self,
        window: &SharedWindow,
        slot: &str,
        declarations: &mut Vec<String>,
    ) -> Copy {
        let target = format!("{}{slot}", self.name(window.storage));
        let mut source = self.text(&window.element);
        let conditions = match window.is_read_whole {
            true => self.is_read(window),
            false => self.is_present(window, &mut source, declarations),
        };
        Copy {
            conditions,
            target,
            source,
        }
    }

    /// The conditions under which an element is there to be fetched: each index within its
    /// dimension, and its row, or the place of the element, counted in elements, within what is present. A
    /// place that has to be computed gets a variable, so that conditions are comparisons alone, which cost
    /// no branch.
    fn is_present(
        &mut self,
        window: &SharedWindow,
        element: &mut String,
        declarations: &mut Vec<String>,
    ) -> Vec<String> {
        let mut conditions = Vec::new();
        let mut place = String::new();
        // The same where slots beyond the array have places that no index type has.
        let mut wrapping = String::new();
        let mut row = String::new();
        let is_indexed = self.is_indexed(window);
        let mut ranges = window.ranges.iter();
        let mut ty = self.unit.symbol(window.array).ty.ty;
        for (depth, dimension) in window.dimensions.iter().enumerate() {
            let index = self.name(dimension.index);
            let extent = self.length(ty, is_indexed);
            match extent {
                Some(extent) if depth > 0 => {
                    let begins_at_0 = is_literal(&dimension.first, 0);
                    if !begins_at_0 && self.is_signed(self.unit.symbol(dimension.index).ty.ty) {
                        conditions.push(format!("{index} >= 0"));
                    }
                    let slots = dimension.extent.known().filter(|_| begins_at_0);
                    let is_inside = |length: u64| slots.is_some_and(|slots| slots <= length);
                    if !self.constant_length(ty).is_some_and(is_inside) {
                        let end = self.compared_length(ty, dimension);
                        conditions.push(format!("{index} < {}", end.as_ref().unwrap_or(&extent)));
                    }
                    place = format!("{} * {extent} + {index}", factor(&place));
                    wrapping = format!("accrs::place({wrapping}, {extent}, {index})");
                }
                _ => {
                    // Behind a pointer the elements are counted anew.
                    if depth > 0
                        && let Some(&range) = ranges.next()
                    {
                        conditions.extend(self.within(&place, range));
                    }
                    wrapping.clone_from(&index);
                    row.clone_from(&index);
                    place = index;
                }
            }
            ty = self.unit.types.pointee(ty).map_or(ty, |to| to.ty);
        }
        let Some(&range) = ranges.next() else {
            return conditions;
        };
        let is_computed = place.contains(' ');
        if is_computed {
            let array = self.name(window.array);
            let own = &self.unit.symbol(window.array).name;
            let name = self.cuda.fresh(&format!("{own}_place"));
            declarations.push(match is_indexed {
                true => format!("const {} {name} = {wrapping};", self.cuda.index.name),
                false => format!("const long {name} = {place};"),
            });
            // Rows of constant length at the end are subscripted by themselves.
            let is_linear = is_indexed && !element.contains("][");
            if is_linear || *element == format!("{array}[{place}]") {
                *element = format!("{array}[{name}]");
            }
            place = name;
        }
        if !(is_indexed && is_computed) {
            conditions.extend(self.within(&place, range));
            return conditions;
        }
        let name = self.name(range);
        match &window.rows {
            // First, as in conditions that people write: compilers see that they are the same.
            Some(rows) => {
                let rows = self.text(rows);
                conditions.insert(0, format!("{name}.has({row}, {rows}, {place})"));
            }
            None => conditions.push(format!("{name}.has({row}, {place})")),
        }
        conditions
    }

    /// The conditions under which iterations read an element. No index without a sign is below 0.
    fn is_read(&self, window: &SharedWindow) -> Vec<String> {
        let limits = window.dimensions.iter().flat_map(|dimension| {
            let index = self.name(dimension.index);
            let operand = |e: &Expression| self.operand(e, COMPARED + 1);
            let is_signed = self.is_signed(self.unit.symbol(dimension.index).ty.ty);
            let begin = dimension.begin.as_ref();
            let begin = begin.filter(|begin| is_signed || !is_literal(begin, 0));
            let begin = begin.map(|begin| format!("{index} >= {}", operand(begin)));
            let end = dimension.end.as_ref();
            let end = end.map(|end| format!("{index} < {}", operand(end)));
            [begin, end]
        });
        limits.flatten().collect()
    }

    fn within(&self, place: &str, range: SymbolId) -> [String; 2] {
        let name = self.name(range);
        match range_index(self.unit, &self.cuda.index, &self.windows, range) {
            Some(_) => [
                format!("{place} >= {name}.first"),
                format!("{place} <= {name}.last"),
            ],
            None => [
                format!("{place} >= {name}.begin"),
                format!("{place} < {name}.end"),
            ],
        }
    }

    fn is_signed(&self, ty: TypeId) -> bool {
        match self.unit.types.get(ty) {
            Type::Integer(kind) => kind.is_signed() || *kind == IntegerKind::Char,
            _ => true,
        }
    }

    /// Whether places in a window's array, counted in elements, are of the kernel's index type.
    fn is_indexed(&self, window: &SharedWindow) -> bool {
        is_indexed(&self.cuda.index, window)
    }

    /// The length of an array type as text, of a type such that no product with it overflows:
    /// `long`, or the index type.
    fn length(&mut self, ty: TypeId, is_indexed: bool) -> Option<String> {
        let index = &self.cuda.index;
        let lengths = match is_indexed {
            true => Lengths::Index,
            false => Lengths::Long,
        };
        match self.unit.types.get(ty) {
            Type::Array {
                length: ArrayLength::Constant(n),
                ..
            } => Some(match is_indexed {
                true => format!("{}({n})", index.name),
                false => format!("{n}L"),
            }),
            Type::Array {
                length: ArrayLength::Variable(id),
                ..
            } => Some(
                match (self.cuda).variable_length_text(self.unit, *id, lengths) {
                    Some(extent) => extent,
                    // Behind a pointer in memory, where no parameter says it.
                    None => {
                        let length = self.unit.length(*id);
                        format!("(long){}", factor(&self.text(length)))
                    }
                },
            ),
            _ => None,
        }
    }

    fn constant_length(&self, ty: TypeId) -> Option<u64> {
        match self.unit.types.get(ty) {
            Type::Array {
                length: ArrayLength::Constant(n),
                ..
            } => Some(*n),
            _ => None,
        }
    }

    /// The length of an array type as an index of this dimension is compared with it, where that
    /// is not as [`Self::length`] has it: with an `int`, an unsigned index would wrap.
    fn compared_length(&mut self, ty: TypeId, dimension: &SharedDimension) -> Option<String> {
        let is_int = |n: &u64| i32::try_from(*n).is_ok();
        if let Some(n) = self.constant_length(ty).filter(is_int) {
            return Some(n.to_string());
        }
        let index = self.unit.symbol(dimension.index).ty.ty;
        match self.is_signed(index) {
            true => None,
            false => self.length(ty, false),
        }
    }
}

/// Whether a number is a variable's name.
fn is_name(number: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !number.starts_with(|c: char| c.is_ascii_digit()) && number.chars().all(is_of_name)
}

/// Whether a base needs no variable: it is one anyway, or nothing.
fn needs_none(dimension: &SharedDimension) -> bool {
    let is_its_own =
        matches!(dimension.first.kind, ExpressionKind::Symbol(s) if s == dimension.base);
    !dimension.has_base || is_its_own || is_literal(&dimension.first, 0)
}

/// The extents of windows that the launcher passes on, with the expressions
/// that the host evaluates.
pub fn launch_extents(windows: &[SharedWindow]) -> Vec<(SymbolId, Expression)> {
    let mut found: Vec<(SymbolId, Expression)> = Vec::new();
    for dimension in windows.iter().flat_map(|window| &window.dimensions) {
        if let WindowExtent::Launch(symbol, e) = &dimension.extent {
            found.push((*symbol, e.clone()));
        }
    }
    found
}

/// The declaration of a kernel's parameter for what of an array is present.
pub fn parameter(unit: &Unit, cuda: &Cuda, windows: &[SharedWindow], range: SymbolId) -> String {
    let name = cuda.symbol(unit, range);
    match range_index(unit, &cuda.index, windows, range) {
        Some(index) if are_rows(&cuda.index, windows, range) => {
            format!("accrs::RowsOf<{index}> {name}")
        }
        Some(index) => format!("accrs::RangeOf<{index}> {name}"),
        None => format!("accrs::Range {name}"),
    }
}

/// Whether what is present of an array is counted in rows: its places are of the kernel's index type.
pub fn are_rows(index: &Index, windows: &[SharedWindow], range: SymbolId) -> bool {
    let has_rows = |w: &SharedWindow| is_indexed(index, w) && w.dimensions.len() > 1;
    let mut own = windows.iter().filter(|w| w.ranges.contains(&range));
    own.all(has_rows)
}

/// How many rows of an array kernels say that there are: in each of its windows, if they do.
pub fn row_counts(
    unit: &Unit,
    cuda: &Cuda,
    windows: &[SharedWindow],
    range: SymbolId,
) -> Vec<Option<String>> {
    let own = windows.iter().filter(|w| w.ranges.contains(&range));
    let counts = own.map(|w| w.rows.as_ref().map(|rows| cuda.text(unit, rows)));
    let counts: IndexSet<Option<String>> = counts.collect();
    counts.into_iter().collect()
}

/// The type of the places that are compared with what is present, where that is no wider than they:
/// the kernel's index type, or the `int` of an index that is a place itself.
fn range_index<'i>(
    unit: &Unit,
    index: &'i Index,
    windows: &[SharedWindow],
    range: SymbolId,
) -> Option<&'i str> {
    let mut own = windows.iter().filter(|w| w.ranges.contains(&range));
    if own.clone().all(|window| is_indexed(index, window)) {
        return Some(&index.name);
    }
    let is_int = own.all(|window| match window.dimensions.as_slice() {
        [only] => matches!(
            unit.types.get(unit.symbol(only.index).ty.ty),
            Type::Integer(IntegerKind::Int)
        ),
        _ => false,
    });
    is_int.then_some("int")
}

fn is_indexed(index: &Index, window: &SharedWindow) -> bool {
    window.ranges.len() == 1 && index.arrays.contains(&window.array)
}

/// `if (a && b)`, if there are any.
fn condition(conditions: &[String]) -> Option<String> {
    (!conditions.is_empty()).then(|| format!("if ({})", conditions.join(" && ")))
}
