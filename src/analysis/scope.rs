//! Which variables of a kernel are memory and which are a thread's own.

use indexmap::{IndexMap, IndexSet};

use super::effects::Place;
use crate::ir::{
    Assumptions, Kernel, Passing, PrivateArrayOwner, StatementKind, Tile, Vocabulary, WindowExtent,
    WindowMarks, visit,
};
use crate::typed::address::addressed;
use crate::typed::{self, Expression, ExpressionKind, SymbolId, UnaryOperator, Unit};

/// The variables of one kernel by where they live.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// What the kernel's dialect calls the levels.
    pub words: Vocabulary,
    /// Captured variables in device memory.
    pub memory: IndexSet<SymbolId>,
    /// Captured pointers whose targets no other name reaches.
    pub restricted: IndexSet<SymbolId>,
    /// Captured pointers, each with a restricted one that it may be based on:
    /// both may reach the same memory (C11, 6.7.3.1).
    pub based: Vec<(SymbolId, SymbolId)>,
    /// Captured pointers.
    pub pointers: IndexSet<SymbolId>,
    /// Captured scalars and structs.
    pub captured: IndexSet<SymbolId>,
    /// Captured whole arrays.
    pub arrays: IndexSet<SymbolId>,
    /// Variables declared in the body, private copies, induction variables
    /// and values: each thread has its own unless a pass shares them.
    pub private: IndexSet<SymbolId>,
    /// Private variables that the threads of a block or row share: in
    /// shared memory, or arrays in device memory and pointers to such.
    pub shared: IndexSet<SymbolId>,
    /// Pointers to arrays in device memory of which each thread has its own.
    pub own_targets: IndexSet<SymbolId>,
    /// Shared arrays of windows and their marks: no other name reaches them.
    pub windows: IndexSet<SymbolId>,
    /// What every launch looks at.
    assumed: Assumptions,
    /// Pointers that the body declares as addresses in what a captured array or pointer stands
    /// for, and never changes: `double *row = a + i * n`.
    rows: IndexMap<SymbolId, Place>,
}

impl Scope {
    /// Sorts the variables of a kernel.
    pub fn of(kernel: &Kernel, unit: &Unit) -> Self {
        let mut scope = Self {
            words: kernel.words,
            assumed: kernel.assumed.clone(),
            ..Self::default()
        };
        for capture in &kernel.captures {
            let symbol = capture.symbol;
            match capture.passing {
                Passing::Value => {
                    scope.captured.insert(symbol);
                    scope.private.insert(symbol);
                }
                Passing::Reference => {
                    scope.captured.insert(symbol);
                    scope.memory.insert(symbol);
                }
                Passing::Array => {
                    scope.memory.insert(symbol);
                    scope.arrays.insert(symbol);
                }
                Passing::Pointer | Passing::DevicePointer => {
                    scope.private.insert(symbol);
                    scope.pointers.insert(symbol);
                    let is_restrict = unit.symbol(symbol).ty.qualifiers.is_restrict;
                    if is_restrict || kernel.fresh.contains(&symbol) {
                        scope.restricted.insert(symbol);
                    }
                }
            }
        }
        // What the launcher computes of windows reaches all threads alike.
        for dimension in kernel.windows.iter().flat_map(|w| &w.dimensions) {
            if let WindowExtent::Launch(extent, _) = dimension.extent {
                scope.captured.insert(extent);
                scope.private.insert(extent);
            }
        }
        scope.private.extend(&kernel.privates);
        scope.private.extend(visit::declared(&kernel.body));
        visit::loops(&kernel.body, &mut |l| {
            scope.private.extend(&l.privates);
            scope
                .private
                .extend(l.tile.iter().flat_map(Tile::variables));
            if l.declared_inside || !scope.memory.contains(&l.induction) {
                scope.private.insert(l.induction);
            }
        });
        // A private copy hides the captured variable.
        let hidden: IndexSet<SymbolId> = kernel
            .privates
            .iter()
            .chain(kernel.grid_reductions.iter().map(|r| &r.symbol))
            .chain(kernel.block_reductions.iter().map(|r| &r.symbol))
            .copied()
            .collect();
        scope.add_based(kernel, unit);
        scope.add_rows(kernel, unit);
        scope.shared = kernel.shared.iter().map(|s| s.symbol).collect();
        scope.add_scratch(kernel);
        scope.add_windows(kernel);
        scope.captured.retain(|symbol| !hidden.contains(symbol));
        scope.memory.retain(|symbol| !hidden.contains(symbol));
        scope.private.extend(hidden);
        scope
    }

    /// Follows what the kernel's function assigns to pointers.
    fn add_based(&mut self, kernel: &Kernel, unit: &Unit) {
        let all_restricted = self.pointers.len() == self.restricted.len();
        let Some(function) = unit.function(kernel.function) else {
            return;
        };
        if self.restricted.is_empty() || all_restricted {
            return;
        }
        let assigned = assignments(&function.body, unit);
        for &restricted in &self.restricted {
            let mut based = IndexSet::from([restricted]);
            let mut known = 0;
            while known < based.len() {
                known = based.len();
                for (target, sources) in &assigned {
                    if sources.iter().any(|source| based.contains(source)) {
                        based.insert(*target);
                    }
                }
            }
            let others = self.pointers.iter().filter(|&&p| p != restricted);
            let found = others.filter(|p| based.contains(*p));
            self.based.extend(found.map(|&p| (p, restricted)));
        }
    }

    /// Follows pointers that the body declares.
    fn add_rows(&mut self, kernel: &Kernel, unit: &Unit) {
        let is_pointer = |symbol: SymbolId| unit.types.is_pointer(unit.symbol(symbol).ty.ty);
        let mut declared: Vec<(SymbolId, &Expression)> = Vec::new();
        visit::walk(&kernel.body, &mut |statement| {
            let StatementKind::Declaration(list) = &statement.kind else {
                return;
            };
            let pointers = list.iter().filter(|one| is_pointer(one.symbol));
            declared.extend(pointers.filter_map(|one| Some((one.symbol, one.value()?))));
        });
        if declared.is_empty() {
            return;
        }
        let mut changed: IndexSet<SymbolId> = IndexSet::new();
        visit::expressions(&kernel.body, &mut |e| {
            let target = match &e.kind {
                ExpressionKind::Unary(UnaryOperator::AddressOf, operand) => Some(&**operand),
                _ => e.assigned(),
            };
            changed.extend(target.and_then(|target| target.without_conversions().as_symbol()));
        });
        for (index, (symbol, value)) in declared.iter().enumerate() {
            if declared[..index].iter().any(|(other, _)| other == symbol) {
                changed.insert(*symbol);
                self.rows.shift_remove(symbol);
            }
            let base = addressed(unit, value).filter(|base| !changed.contains(base));
            let place = base.and_then(|base| match self.rows.get(&base) {
                Some(place) => Some(*place),
                None if self.pointers.contains(&base) => Some(Place::Target(base)),
                None if self.arrays.contains(&base) => Some(Place::Variable(base)),
                None => None,
            });
            if let (Some(place), false) = (place, changed.contains(symbol)) {
                self.rows.insert(*symbol, place);
            }
        }
    }

    /// Copies of private arrays: no other name reaches them.
    fn add_scratch(&mut self, kernel: &Kernel) {
        for array in &kernel.private_arrays {
            self.pointers.insert(array.symbol);
            self.restricted.insert(array.symbol);
            if array.owner.is_some_and(PrivateArrayOwner::is_of_block) {
                self.shared.insert(array.symbol);
            } else {
                self.own_targets.insert(array.symbol);
            }
        }
    }

    /// Windows, whose storage is chosen.
    fn add_windows(&mut self, kernel: &Kernel) {
        for window in &kernel.windows {
            self.windows.insert(window.storage);
            if let WindowMarks::Slots(marks) = window.marks {
                self.windows.insert(marks);
            }
        }
    }

    /// Whether a place is a variable that each thread has for itself, or
    /// behind a pointer to memory that it has for itself.
    pub fn is_private(&self, place: Place) -> bool {
        match place {
            Place::Variable(symbol) => {
                self.private.contains(&symbol)
                    && !self.memory.contains(&symbol)
                    && !self.shared.contains(&symbol)
            }
            Place::Target(symbol) => self.own_targets.contains(&symbol),
            Place::Unknown => false,
        }
    }

    /// Whether a place is out of reach of other blocks: a shared variable.
    pub fn is_of_block(&self, place: Place) -> bool {
        match place {
            Place::Variable(symbol) => self.shared.contains(&symbol),
            Place::Target(symbol) => {
                self.shared.contains(&symbol) && self.restricted.contains(&symbol)
            }
            Place::Unknown => false,
        }
    }

    /// Whether every launch found two arrays not to overlap.
    pub fn are_disjoint(&self, a: Place, b: Place) -> bool {
        let pair = a.symbol().zip(b.symbol());
        pair.is_some_and(|(a, b)| self.assumed.are_disjoint(a, b))
    }

    /// What a place is part of, if that is known.
    pub fn whole(&self, place: Place) -> Place {
        match place {
            Place::Target(pointer) => self.rows.get(&pointer).copied().unwrap_or(place),
            _ => place,
        }
    }

    /// Whether two places may be the same memory. Distinct variables never
    /// are; a pointer reaches any memory but what another `restrict` pointer
    /// stands for and private variables.
    pub fn may_alias(&self, a: Place, b: Place) -> bool {
        let (a, b) = (self.whole(a), self.whole(b));
        if a == b {
            return true;
        }
        if self.are_disjoint(a, b) {
            return false;
        }
        if let (Some(a), Some(b)) = (a.symbol(), b.symbol())
            && (self.windows.contains(&a) || self.windows.contains(&b))
        {
            return a == b;
        }
        match (a, b) {
            (Place::Variable(_), Place::Variable(_)) => false,
            (Place::Variable(v), Place::Target(p)) | (Place::Target(p), Place::Variable(v)) => {
                let is_local = self.private.contains(&v) || self.shared.contains(&v);
                !(self.restricted.contains(&p) || is_local && self.pointers.contains(&p))
            }
            (Place::Target(p), Place::Target(q)) => {
                // A local pointer may be based on a `restrict` one.
                let known = self.pointers.contains(&p) && self.pointers.contains(&q);
                let alone =
                    |r, other| self.restricted.contains(&r) && !self.based.contains(&(other, r));
                !known || !(alone(p, q) || alone(q, p))
            }
            _ => true,
        }
    }
}

/// The variables that a function assigns pointers to, or values that hold
/// pointers, each with all variables in the value.
fn assignments(body: &typed::Statement, unit: &Unit) -> Vec<(SymbolId, Vec<SymbolId>)> {
    let mut found = Vec::new();
    let holds = |e: &Expression| unit.types.holds_pointers(e.ty.ty);
    let mut note = |target: Option<SymbolId>, value: &Expression| {
        if let Some(target) = target
            && holds(value)
        {
            found.push((target, symbols(value)));
        }
    };
    typed::visit::declarations(body, &mut |declaration| {
        declaration.values(&mut |value| note(Some(declaration.symbol), value));
    });
    typed::visit::expressions(body, &mut |e| {
        if let ExpressionKind::Assign(target, value) = &e.kind {
            note(symbols(target).first().copied(), value);
        }
    });
    found
}

fn symbols(e: &Expression) -> Vec<SymbolId> {
    let mut found = Vec::new();
    typed::visit::symbols(e, &mut |symbol| found.push(symbol));
    found
}
