//! One region: its windows, and the order of fetch, body and write-back.
//!
//! ```text
//! open windows
//! barrier            what was fetched is there
//! body
//! barrier            all writes are done
//! write back
//! barrier            all reads are done
//! ```

use super::layout::row_padding;
use super::shape::Side;
use super::{Optional, Pass};
use crate::analysis::block_affine::Defeat;
use crate::analysis::effects::Place;
use crate::analysis::exits::{Exits, Jump};
use crate::analysis::polynomial::Polynomial;
use crate::diagnostic::Severity;
use crate::ir::{
    Barrier, SharedDimension, SharedWindow, Statement, StatementKind, Window, WindowMarks,
    WindowProof, WindowRegion, WrittenPart, limits, visit,
};
use crate::source::Span;
use crate::typed::{
    ArrayLength, Expression, ExpressionKind, IntegerKind, QualType, SymbolId, Type, TypeId, Unit,
};

/// Which indices of a dimension are fetched of those that slots stand for.
#[derive(Clone, Default)]
pub(super) struct Limits {
    /// From this one on.
    pub begin: Option<Expression>,
    /// Below this one.
    pub end: Option<Expression>,
}

/// A window while its region's body is rewritten.
pub(super) struct Held {
    /// As it was asked for.
    pub window: Window,
    /// Where it lies.
    pub sides: Vec<Side>,
    /// The variables of the bases.
    pub bases: Vec<SymbolId>,
    /// The array in shared memory.
    pub storage: SymbolId,
    /// The marks of slots that are written, if it is written back.
    pub marks: Option<SymbolId>,
    /// What is written is each thread's own pivot.
    pub writes_own: bool,
    /// Each thread writes its pivot whatever happens.
    pub writes_always: bool,
    /// What the fetch takes in each dimension, if that is known.
    pub limits: Option<Vec<Limits>>,
    /// The variable for each thread's own slot.
    pub own_value: Option<SymbolId>,
}

/// Threads of a warp.
const WARP: i128 = limits::WARP as i128;

/// The type of a window's elements.
pub fn element_type(unit: &Unit, window: &Window) -> QualType {
    let mut ty = unit.symbol(window.array).ty;
    for _ in &window.dimensions {
        ty = unit.types.pointee(ty.ty).unwrap_or(ty);
    }
    QualType::plain(ty.ty)
}

/// Adds a region's statements, as a block if what they declare is gone behind it.
fn place(list: Vec<Statement>, is_block: bool, span: Span, out: &mut Vec<Statement>) {
    match is_block {
        true => out.push(StatementKind::Block(list).at(span)),
        false => out.extend(list),
    }
}

impl Pass<'_> {
    /// Puts in place of a region what it means.
    pub(super) fn region(
        &mut self,
        mut region: WindowRegion,
        span: Span,
        repeats: bool,
        out: &mut Vec<Statement>,
    ) {
        let is_scope = region.is_scope;
        let prologue = self.prologue(&mut region);
        if !prologue.is_empty() {
            let list = self.inside(self.frame.clone(), |pass| {
                let mut list = pass.list(prologue, repeats);
                pass.region(region, span, repeats, &mut list);
                list
            });
            return place(list, is_scope, span, out);
        }
        let before = self.diagnostics.len();
        let mut held = self.hold(&region);
        let failed = self.diagnostics.iter().skip(before);
        if failed.into_iter().any(|d| d.severity == Severity::Error) {
            return;
        }
        if held.is_empty() {
            let body = self.list(region.body, repeats);
            let declares = !visit::declared(&body).is_empty();
            return place(body, is_scope && declares, span, out);
        }
        self.note_pivots(&held);
        let number = self.regions;
        self.regions += 1;
        self.open.push(number);
        let inside = self.frame.clone();
        let body = std::mem::take(&mut region.body);
        let mut body = self.inside(inside, |pass| pass.list(body, repeats));
        self.open.pop();
        if self.keeps_values {
            self.keep_reads(&mut body, &held, region.explicit);
        }
        let may_skip = skips(&body);
        let parts: Vec<Option<WrittenPart>> = (held.iter())
            .map(|window| self.written_part(window, &region, &body))
            .collect();
        let mut body = self.rewritten(body, &mut held, region.explicit);
        if self.keeps_values && !region.explicit {
            self.keep_own_values(&mut body, &mut held);
        }
        for window in &mut held {
            window.writes_always &= !may_skip;
        }
        let marks = self.settle_marks(&held, &parts, &mut body);
        let barrier = |why: &str| {
            let barrier = Barrier {
                is_silent: region.explicit,
                ..Barrier::new(why)
            };
            StatementKind::Barrier(barrier).at(span)
        };
        let first = self.windows.len();
        let fetches = held.iter().any(|h| h.window.policy.fetch);
        let is_together =
            |marks: &WindowMarks| matches!(marks, WindowMarks::Slots(_) | WindowMarks::Part);
        let has_slots = marks.iter().any(is_together);
        let clears = marks.iter().any(|m| matches!(m, WindowMarks::Slots(_)));
        let is_quiet = region.explicit || held.iter().any(|h| is_written_quietly(&h.window));
        let own = self.own_write_backs(&held, &marks, span);
        out.extend(self.flags(&marks, span));
        for ((window, marks), part) in held.iter().zip(&marks).zip(parts) {
            let mut shared = self.shared_window(window, *marks, number);
            shared.part = part.filter(|_| *marks == WindowMarks::Part);
            self.windows.push(shared);
        }
        let indices: Vec<usize> = (first..self.windows.len()).collect();
        let is_written = |index: &usize| self.windows[*index].is_written_together();
        let slots: Vec<usize> = indices.iter().copied().filter(is_written).collect();
        let stale = |h: &&Held| h.window.policy.fetch && self.is_stale(h);
        let stale: Vec<&Held> = held.iter().filter(stale).collect();
        if !stale.is_empty() {
            let barrier = Barrier::of_memory(self.before_fetch(&stale, repeats));
            out.push(StatementKind::Barrier(barrier).at(span));
        }
        out.push(StatementKind::OpenWindows(indices).at(span));
        if fetches || clears && is_quiet {
            let fetched = held.iter().filter(|h| h.window.policy.fetch);
            out.push(barrier(&match fetches {
                true => self.tiles(fetched, "loaded"),
                false => format!("marks of {} cleared", self.names(held.iter()).join(", ")),
            }));
        }
        let declares = !visit::declared(&body).is_empty();
        place(body, is_scope && declares, span, out);
        if has_slots {
            let marked = held.iter().zip(&marks).filter(|(_, m)| is_together(m));
            out.push(barrier(&self.tiles(marked.map(|(h, _)| h), "written")));
            let windows = slots;
            let mask = None;
            out.push(StatementKind::WriteBack { windows, mask }.at(span));
        }
        out.extend(own);
        let is_followed = repeats && (fetches || has_slots || is_quiet);
        if is_followed || self.may_share {
            out.push(barrier(&self.tiles(held.iter(), "read")));
        }
    }

    /// What a barrier before the fetch of arrays that the kernel writes waits for: statements before
    /// it, or earlier iterations of loops around it.
    fn before_fetch(&self, stale: &[&Held], repeats: bool) -> String {
        let written = stale.iter().copied().filter(|h| self.is_written_before(h));
        let written = self.names(written).join(", ");
        let tiles = || self.tiles(stale.iter().copied(), "read");
        match (written.is_empty(), repeats) {
            (false, false) => format!("earlier writes of {written} visible to the fetch"),
            (false, true) => format!("earlier {}, writes of {written} visible", tiles()),
            (true, true) => format!("earlier {}", tiles()),
            (true, false) => {
                let names = self.names(stale.iter().copied()).join(", ");
                format!("earlier iterations may write {names}")
            }
        }
    }

    /// What has happened to the tiles of windows, as a barrier says it.
    fn tiles<'h>(&self, windows: impl Iterator<Item = &'h Held>, what: &str) -> String {
        match self.names(windows).as_slice() {
            [one] => format!("tile of {one} {what}"),
            several => format!("tiles of {} {what}", several.join(", ")),
        }
    }

    /// The arrays of windows, each once.
    fn names<'h>(&self, windows: impl Iterator<Item = &'h Held>) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for window in windows {
            let name = format!("`{}`", self.unit.symbol(window.window.array).name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Takes the numbers out of a region that it computes first, from variables
    /// alone: what is fetched may depend on them.
    fn prologue(&self, region: &mut WindowRegion) -> Vec<Statement> {
        let is_read_only = |w: &Window| w.policy.fetch && !w.policy.channel && !w.policy.write_back;
        if !region.windows.iter().all(is_read_only) {
            return Vec::new();
        }
        let is_value = |e: &Expression| {
            let effects = self.oracle.expression(e);
            let is_own = |place: &Place| matches!(place, Place::Variable(symbol) if self.unit.symbol(*symbol).is_automatic());
            !effects.impure
                && !effects.volatile
                && effects.writes.is_empty()
                && effects.reads.iter().all(is_own)
                && !region
                    .windows
                    .iter()
                    .any(|w| effects.escapes.contains(&w.array))
        };
        let is_declared_value = |statement: &Statement| match &statement.kind {
            StatementKind::Declaration(list) => list.iter().all(|one| {
                let ty = self.unit.symbol(one.symbol).ty.ty;
                self.unit.types.is_arithmetic(ty) && one.value().is_some_and(is_value)
            }),
            _ => false,
        };
        let first = region
            .body
            .iter()
            .take_while(|s| is_declared_value(s))
            .count();
        region.body.drain(..first).collect()
    }

    /// Places the windows of a region. What cannot be placed is reported.
    fn hold(&mut self, region: &WindowRegion) -> Vec<Held> {
        let mut held: Vec<Held> = Vec::new();
        let mut bases: Vec<(Polynomial, TypeId, SymbolId)> = Vec::new();
        for window in &region.windows {
            let is_selected = window.proof != WindowProof::Trusted;
            if self.is_idle(window, &region.body) {
                let reason = "nothing in its region reads it".to_string();
                let span = window.span;
                self.give_up(window, Defeat { span, reason });
                continue;
            }
            if is_selected && let Some(defeat) = self.obstacle(window, &region.body) {
                self.give_up(window, defeat);
                continue;
            }
            let sides = match self.shape(window) {
                Ok(sides) => sides,
                Err(_) if is_selected => {
                    let reason = "its place or size is not known".to_string();
                    let span = window.span;
                    self.give_up(window, Defeat { span, reason });
                    continue;
                }
                Err(diagnostic) => {
                    self.diagnostics.push(*diagnostic);
                    continue;
                }
            };
            if is_selected && let Some(reason) = self.lack_of_room(window, &sides, &held) {
                let span = window.span;
                self.give_up(window, Defeat { span, reason });
                continue;
            }
            let storage = self.storage(window, &sides);
            let bases = sides
                .iter()
                .map(|side| self.base_variable(side, &mut bases))
                .collect();
            let marks = window.policy.write_back.then(|| self.marks(window, &sides));
            held.push(Held {
                window: window.clone(),
                sides,
                bases,
                storage,
                marks,
                writes_own: true,
                writes_always: false,
                limits: None,
                own_value: None,
            });
        }
        for window in &mut held {
            window.limits = match window.window.bounds {
                Some(_) => self.within_bounds(window),
                None => self.ends(region, window),
            };
        }
        held
    }

    /// Whether a window is filled for nothing: its array is not in the body, or all that is done with
    /// it there are writes that go to memory as well.
    fn is_idle(&self, window: &Window, body: &[Statement]) -> bool {
        if window.policy.write_back {
            return false;
        }
        if window.proof == WindowProof::Trusted {
            return !visit::mentions(body, window.array);
        }
        let effects = self.oracle.list(body);
        let array = self.place(window.array);
        let is_it = |place: &Place| place.symbol().is_none() || *place == array;
        !effects.reads.iter().any(is_it) && !effects.escapes.contains(&window.array)
    }

    /// Windows that begin at the same index share the variable for it.
    fn base_variable(
        &mut self,
        side: &Side,
        known: &mut Vec<(Polynomial, TypeId, SymbolId)>,
    ) -> SymbolId {
        let found = known
            .iter()
            .find(|(base, ty, _)| *base == side.base && *ty == side.ty);
        if let Some((_, _, symbol)) = found {
            return *symbol;
        }
        // A base that is a variable already needs no other.
        let symbol = match side.first.kind {
            ExpressionKind::Symbol(symbol) if self.unit.symbol(symbol).ty.ty == side.ty => symbol,
            _ => self.variable(&side.name, side.ty),
        };
        known.push((side.base.clone(), side.ty, symbol));
        symbol
    }

    /// That there is no room for a window beside those of its region and of the regions around it. Of
    /// sizes that only the launch knows it is the launch that decides, where there is one.
    fn lack_of_room(&mut self, window: &Window, sides: &[Side], held: &[Held]) -> Option<String> {
        let element = element_type(self.unit, window);
        let ty = self.array_type(element, sides, self.padding(element, sides));
        let Some(bytes) = self.unit.types.size(ty) else {
            let is_left_out = self.optional == Optional::Sized;
            return is_left_out.then(|| "its size is known at the launch only".to_string());
        };
        let around = self
            .windows
            .iter()
            .filter(|w| self.open.contains(&w.region));
        let storages = held.iter().map(|h| h.storage);
        let storages = around.map(|w| w.storage).chain(storages);
        let sizes = storages.filter_map(|s| self.unit.types.size(self.unit.symbol(s).ty.ty));
        let taken = sizes.fold(bytes, u64::saturating_add);
        (taken > self.room).then(|| {
            let room = self.room;
            format!("it does not fit: {taken} bytes with those beside it, and a block has {room}")
        })
    }

    /// The array in shared memory.
    fn storage(&mut self, window: &Window, sides: &[Side]) -> SymbolId {
        let element = element_type(self.unit, window);
        let ty = self.array_type(element, sides, self.padding(element, sides));
        let name = format!("{}_window", self.unit.symbol(window.array).name);
        self.variable(&name, ty)
    }

    /// Rows are one element longer where neighbouring threads stand in different rows, so that they
    /// are in different banks, and longer by a load where parts of a warp do.
    fn padding(&self, element: QualType, sides: &[Side]) -> u32 {
        if sides.iter().any(|side| side.extent.known().is_none()) {
            return 0;
        }
        let Some((last, outer)) = sides.split_last().filter(|(_, outer)| !outer.is_empty()) else {
            return 0;
        };
        if last.is_along_x || outer.iter().any(|side| side.is_along_x) {
            return u32::from(!last.is_along_x);
        }
        let is_alone = matches!(outer, [row] if row.lone_axis == Some(1));
        let row = (self.frame.block(0)).filter(|x| is_alone && (1..WARP).contains(x));
        let element = self.unit.types.size(element.ty);
        let padding = (row.zip(last.extent.known()).zip(element))
            .map(|((x, slots), element)| row_padding(slots.into(), element.into(), WARP / x));
        padding.map_or(0, |slots| u32::try_from(slots).unwrap_or(0))
    }

    fn marks(&mut self, window: &Window, sides: &[Side]) -> SymbolId {
        let byte = self
            .unit
            .types
            .intern(Type::Integer(IntegerKind::UnsignedChar));
        let ty = self.array_type(QualType::plain(byte), sides, 0);
        let name = format!("{}_written", self.unit.symbol(window.array).name);
        self.variable(&name, ty)
    }

    fn array_type(&mut self, element: QualType, sides: &[Side], padding: u32) -> TypeId {
        let mut ty = element;
        if sides.iter().any(|side| side.extent.known().is_none()) {
            let length = ArrayLength::Incomplete;
            return self.unit.types.intern(Type::Array { element, length });
        }
        for (distance, side) in sides.iter().rev().enumerate() {
            let padding = if distance == 0 { u64::from(padding) } else { 0 };
            let slots = side.extent.known().unwrap_or(0);
            let length = ArrayLength::Constant(slots.saturating_add(padding));
            let element = ty;
            ty = QualType::plain(self.unit.types.intern(Type::Array { element, length }));
        }
        ty.ty
    }

    fn shared_window(&mut self, held: &Held, marks: WindowMarks, region: usize) -> SharedWindow {
        let last = held.sides.len() - 1;
        let indices = self.slot_indices(&held.sides);
        let dimensions = (held.sides.iter().zip(&held.bases).enumerate())
            .map(|(depth, (side, base))| SharedDimension {
                base: *base,
                first: side.first.clone(),
                has_base: true,
                index: indices[depth],
                own: side.own.clone(),
                reaches: side.reaches.clone(),
                begin: (held.limits.as_ref()).and_then(|limits| limits[depth].begin.clone()),
                end: (held.limits.as_ref()).and_then(|limits| limits[depth].end.clone()),
                extent: side.extent.clone(),
                padding: if depth == last {
                    self.padding(element_type(self.unit, &held.window), &held.sides)
                } else {
                    0
                },
            })
            .collect();
        let span = held.window.span;
        let subscripts = (indices.iter())
            .map(|&index| crate::typed::synthesis::symbol(self.unit, index, span))
            .collect();
        let element = self.subscripted(held.window.array, subscripts, span);
        SharedWindow {
            region,
            around: self.open.clone(),
            array: held.window.array,
            storage: held.storage,
            dimensions,
            element,
            policy: held.window.policy,
            is_dynamic: false,
            is_register: false,
            is_optional: held.window.proof != WindowProof::Trusted,
            is_read_whole: held.limits.is_some(),
            ranges: match held.limits {
                Some(_) => Vec::new(),
                None => self.ranges(&held.window),
            },
            rows: match held.limits {
                Some(_) => None,
                None => self.rows(&held.window, indices[0]),
            },
            own_value: held.own_value,
            marks,
            part: None,
            text: held.window.text.clone(),
            span: held.window.span,
        }
    }

    /// The variables of an array's indices where slots are copied; one set
    /// serves all windows of a shape.
    pub(super) fn slot_indices(&mut self, sides: &[Side]) -> Vec<SymbolId> {
        let mut indices = Vec::new();
        for (depth, side) in sides.iter().enumerate() {
            let key = (index_name(depth, sides.len()), self.signed(side.ty));
            let known = self.indices.get(&key).copied();
            let symbol = known.unwrap_or_else(|| self.variable(&key.0, key.1));
            self.indices.insert(key, symbol);
            indices.push(symbol);
        }
        indices
    }

    /// The type in which indices are compared with what is present: wide
    /// unsigned ones that wrapped are negative.
    fn signed(&mut self, ty: TypeId) -> TypeId {
        match self.unit.types.get(ty) {
            Type::Integer(kind) if kind.size() >= 8 && !kind.is_signed() => {
                self.unit.types.intern(Type::Integer(IntegerKind::Long))
            }
            _ => ty,
        }
    }

    /// What says which part of an array is present, if that matters.
    fn ranges(&mut self, window: &Window) -> Vec<SymbolId> {
        if !window.policy.fetch {
            return Vec::new();
        }
        let array = window.array;
        if let Some(known) = self.ranges.get(&array) {
            return known.clone();
        }
        let depth = window.dimensions.len();
        let pieces = pieces(self.unit, array, depth);
        let words: Vec<String> = match pieces.as_slice() {
            [_] => vec!["present".to_string()],
            several => (several.iter())
                .map(|&first| format!("{}s", index_name(first, depth)))
                .collect(),
        };
        let int = crate::typed::synthesis::int(self.unit);
        let name = self.unit.symbol(array).name.clone();
        let symbols: Vec<SymbolId> = (words.iter())
            .map(|word| self.variable(&format!("{name}_{word}"), int))
            .collect();
        self.ranges.insert(array, symbols.clone());
        symbols
    }
}

/// What the index of a dimension is called.
fn index_name(dimension: usize, depth: usize) -> String {
    let names: &[&str] = match depth {
        1 => &["index"],
        2 => &["row", "column"],
        3 => &["plane", "row", "column"],
        _ => &[],
    };
    let name = names.get(dimension).map(ToString::to_string);
    name.unwrap_or_else(|| format!("index{dimension}"))
}

/// The first dimensions of the pieces of memory that an array is made of: one
/// piece, and behind pointers in it others.
pub fn pieces(unit: &Unit, array: SymbolId, depth: usize) -> Vec<usize> {
    let mut pieces = vec![0];
    let mut ty = unit.symbol(array).ty.ty;
    for dimension in 1..depth {
        let Some(element) = unit.types.pointee(ty) else {
            break;
        };
        ty = element.ty;
        if matches!(unit.types.get(ty), Type::Pointer(_)) {
            pieces.push(dimension);
        }
    }
    pieces
}

/// Writes without barriers: what is done with the window afterwards must
/// wait.
fn is_written_quietly(window: &Window) -> bool {
    window.policy.write_back && !window.policy.channel
}

/// Whether a thread may leave a region before its end.
pub(super) fn skips(body: &[Statement]) -> bool {
    Exits::of(body).any(Jump::ends_iteration)
}
