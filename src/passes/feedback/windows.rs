//! What `--feedback` says of the fetches of windows.
//!
//! Input: kernels whose windows are placed. Output: a note for each window that
//! is filled from its array, such as `a warp fetches a[i:1:1] in 2 transactions
//! and 5 sectors`.
//!
//! The fetch takes no more than the array has. How many elements that is in
//! the outermost dimension a data clause of the construct says, or `--assume
//! ARRAY=NUMBER`; the others are of the array's type.

use indexmap::IndexSet;

use super::requests::{Kind, Told, Unpredicted};
use crate::analysis::polynomial::{self, Polynomial, Term};
use crate::analysis::requests::{self, Fetch, Gap, Prediction, Values, WindowLoop, WindowSide};
use crate::ir::{
    Extent, Kernel, Length, Loop, Module, SharedWindow, StatementKind, WindowExtent, slot_order,
    visit,
};
use crate::passes::Options;
use crate::typed::{ArrayLength, Expression, SymbolId, Type, TypeId, Unit};

/// What is said of the windows of all kernels.
pub fn of_windows(module: &Module, unit: &Unit, options: &Options) -> Vec<Told> {
    let values = options.known(unit);
    let mut told = Vec::new();
    for (number, kernel) in module.kernels.iter().enumerate() {
        let mut opened = Vec::new();
        visit::walk_around(&kernel.body, &mut |statement, around| {
            if let StatementKind::OpenWindows(indices) = &statement.kind {
                opened.extend(indices.iter().map(|index| (around.clone(), *index)));
            }
        });
        let private = requests::private(kernel);
        for (visit::Around { loops, is_bare }, index) in opened {
            let Some(window) = kernel.windows.get(index) else {
                continue;
            };
            let around = Around {
                module,
                unit,
                values: &values,
                loops,
                private: &private,
            };
            let of = |kind, prediction| {
                let text = window.text.clone();
                Told::new(kind, text, window.span, prediction).of_kernel(number)
            };
            if window.policy.fetch {
                let fetch = around.fetch(kernel, window);
                let prediction = fetch.and_then(|f| predict(&f, window).ok_or(Unpredicted::Index));
                let gap = |p: Prediction| (!is_bare).then_some(Gap::Condition).or(p.gap);
                let prediction = prediction.map(|p| Prediction { gap: gap(p), ..p });
                told.push(of(Kind::Fetch, prediction));
            }
            if window.is_written_together() {
                told.push(of(Kind::WriteBack, Err(Unpredicted::WriteBack)));
            }
        }
    }
    told
}

/// What it comes to that a block fills a window, or the parts of it that are fetched.
fn predict(fetch: &Fetch, window: &SharedWindow) -> Option<Prediction> {
    let Some(parts) = window.fetched_parts() else {
        return fetch.predict();
    };
    let mut all = Prediction::default();
    for part in parts {
        let slots: Vec<Option<u64>> = part.iter().map(|s| Some(s.end - s.start)).collect();
        let mut fetch = Fetch {
            order: slot_order(&slots, &fetch.block.map(|threads| Some(threads.into()))),
            ..fetch.clone()
        };
        for (side, slots) in fetch.sides.iter_mut().zip(&part) {
            side.first += i128::from(slots.start);
            side.extent = i128::from(slots.end - slots.start);
        }
        all.add(&fetch.predict()?);
    }
    Some(all)
}

/// Where a window is opened.
struct Around<'a> {
    module: &'a Module,
    unit: &'a Unit,
    values: &'a Values<'a>,
    /// Outermost first.
    loops: Vec<&'a Loop>,
    /// Variables that differ between threads, or change.
    private: &'a IndexSet<SymbolId>,
}

impl Around<'_> {
    fn fetch(&self, kernel: &Kernel, window: &SharedWindow) -> Result<Fetch, Unpredicted> {
        let size = Unpredicted::Gap(Gap::Size);
        let block = kernel.block_shape().ok_or(size)?;
        let mut ty = self.unit.symbol(window.array).ty.ty;
        let mut sides = Vec::new();
        for (depth, dimension) in window.dimensions.iter().enumerate() {
            let (constant, factors) = self.numbers(&dimension.first)?;
            let extent = match &dimension.extent {
                WindowExtent::Constant(extent) => i128::from(*extent),
                WindowExtent::Launch(_, extent) => {
                    let extent = self.polynomial(extent, 0).and_then(|e| self.value(&e));
                    extent.ok_or(size)?
                }
            };
            let length = match (window.is_read_whole, &dimension.end) {
                (true, Some(end)) => match self.numbers(end)? {
                    (end, factors) if factors.is_empty() => Some(end),
                    _ => return Err(Unpredicted::Index),
                },
                (true, None) => Some(i128::MAX / 2),
                (false, _) if depth == 0 => self.outermost_length(window.array),
                (false, _) => self.length(ty),
            };
            ty = self.element(ty, depth).ok_or(Unpredicted::Index)?;
            sides.push(WindowSide {
                first: constant,
                factors,
                extent,
                stride: requests::size(ty, self.unit).and_then(|size| self.value(&size)),
                length,
            });
        }
        let slots: Vec<Option<u64>> = window.dimensions.iter().map(|d| d.extent.known()).collect();
        let order = slot_order(&slots, &block.map(|threads| Some(threads.into())));
        Ok(Fetch {
            loops: (self.loops.iter().enumerate())
                .map(|(number, l)| self.window_loop(number, l, block))
                .collect(),
            sides,
            bytes: self.unit.types.size(ty).ok_or(size)?,
            block,
            order,
        })
    }

    /// The type of an array's elements; rows behind pointers of their own are
    /// not followed.
    fn element(&self, ty: TypeId, depth: usize) -> Option<TypeId> {
        match self.unit.types.get(ty) {
            Type::Array { element, .. } => Some(element.ty),
            Type::Pointer(_) if depth == 0 => Some(self.unit.types.pointee(ty)?.ty),
            _ => None,
        }
    }

    fn window_loop(&self, number: usize, l: &Loop, block: [u32; 3]) -> WindowLoop {
        let distribution = l.distribution.unwrap_or_default();
        WindowLoop {
            trips: self.trips(number, l),
            sharing: requests::sharing(distribution, block).into(),
        }
    }

    /// How often a loop runs its body.
    fn trips(&self, number: usize, l: &Loop) -> Result<i128, Gap> {
        let outer = |e: &Expression| {
            let polynomial = self.polynomial(e, number).ok_or(Gap::Condition)?;
            let value = self.value(&polynomial);
            value.ok_or_else(|| requests::gap(&polynomial, self.values))
        };
        for part in l.limits() {
            outer(part)?;
        }
        l.trip_count(&|e| outer(e).ok()).ok_or(Gap::Condition)
    }

    /// An index as a number and factors of the loops' iterations.
    fn numbers(&self, e: &Expression) -> Result<(i128, Vec<(usize, i128)>), Unpredicted> {
        let polynomial = self.polynomial(e, self.loops.len());
        let polynomial = polynomial.ok_or(Unpredicted::Index)?;
        let found = requests::numbers(&polynomial, self.values);
        found.ok_or_else(|| match requests::gap(&polynomial, self.values) {
            Gap::Size => Unpredicted::Gap(Gap::Size),
            Gap::Condition => Unpredicted::Index,
        })
    }

    fn value(&self, polynomial: &Polynomial) -> Option<i128> {
        let (constant, factors) = requests::numbers(polynomial, self.values)?;
        factors.is_empty().then_some(constant)
    }

    /// An expression over the iterations of the first so many loops.
    fn polynomial(&self, e: &Expression, loops: usize) -> Option<Polynomial> {
        polynomial::of(e, self.unit, &|symbol| {
            for (number, l) in self.loops[..loops].iter().enumerate() {
                // Of a tile, its first iteration.
                let first = l.tile.map(|tile| tile.first);
                if symbol == l.induction && first.is_none() || first == Some(symbol) {
                    return self.induction(number, l);
                }
            }
            (!self.private.contains(&symbol)).then(|| Polynomial::variable(Term::Invariant(symbol)))
        })
    }

    fn induction(&self, number: usize, l: &Loop) -> Option<Polynomial> {
        let step = self.value(&self.polynomial(&l.step, number)?)?;
        let step = if l.downward { -step } else { step };
        let moved = Polynomial::variable(Term::Iteration(number)).scaled(step)?;
        self.polynomial(&l.lower, number)?.plus(&moved)
    }

    /// How many elements an array has in its outermost dimension.
    fn outermost_length(&self, array: SymbolId) -> Option<i128> {
        let own = self.length(self.unit.symbol(array).ty.ty);
        let of_clause = || {
            let mut items = self.module.regions.iter().flat_map(|region| &region.data);
            items.find_map(|item| match &item.extent {
                Extent::Section { ranges, .. } if item.symbol == Some(array) => {
                    let range = ranges.first()?;
                    let lower = range.lower.as_ref();
                    if lower.is_some_and(|e| self.polynomial(e, 0) != Some(Polynomial::default())) {
                        return None;
                    }
                    match &range.length {
                        Length::Constant(n) => Some(i128::from(*n)),
                        Length::Expression(e) => self.value(&self.polynomial(e, 0)?),
                        Length::Variable { .. } => None,
                    }
                }
                _ => None,
            })
        };
        own.or_else(|| (self.values)(array)).or_else(of_clause)
    }

    /// The length of an array's type.
    fn length(&self, ty: TypeId) -> Option<i128> {
        let Type::Array { length, .. } = self.unit.types.get(ty) else {
            return None;
        };
        match length {
            ArrayLength::Constant(n) => Some(i128::from(*n)),
            ArrayLength::Variable(id) => self.value(&self.polynomial(self.unit.length(*id), 0)?),
            _ => None,
        }
    }
}
