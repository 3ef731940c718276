//! What `--feedback` says of the fetches of windows.
//!
//! Input: kernels whose windows are placed. Output: a note for each window that
//! is filled from its array, such as `a warp fetches a[i:1:1] in 2 transactions
//! and 5 sectors`.
//!
//! The fetch takes no more than the array has. How many elements that is in
//! the outermost dimension a data clause of the construct says, or `--assume
//! ARRAY=NUMBER`; the others are of the array's type.

use super::requests::{Kind, Told};
use crate::analysis::affine::{self, Affine, Term};
use crate::analysis::requests::{self, Fetch, Values, WindowLoop, WindowSide};
use crate::ir::{
    Extent, Kernel, Length, Loop, Module, Relation, SharedWindow, Statement, StatementKind,
    WindowExtent, WindowMarks, visit,
};
use crate::passes::Options;
use crate::typed::{ArrayLength, Expression, SymbolId, Type, TypeId, Unit};

/// What is said of the windows of all kernels.
pub fn of_windows(module: &Module, unit: &Unit, options: &Options) -> Vec<Told> {
    let values = |symbol| options.assumed(unit, symbol);
    let mut told = Vec::new();
    for (number, kernel) in module.kernels.iter().enumerate() {
        let mut opened = Vec::new();
        find(&kernel.body, &mut Vec::new(), &mut opened);
        for (loops, index) in opened {
            let Some(window) = kernel.windows.get(index) else {
                continue;
            };
            let around = Around {
                module,
                unit,
                values: &values,
                loops,
            };
            let of = |kind, prediction| {
                let text = window.text.clone();
                Told::new(kind, text, window.span, prediction).of_window(number, index)
            };
            if window.policy.fetch {
                let prediction = around.fetch(kernel, window).and_then(|f| f.predict());
                told.push(of(Kind::Fetch, prediction));
            }
            // Which slots it takes only following the launch tells.
            if let WindowMarks::Slots(_) = window.marks {
                told.push(of(Kind::WriteBack, None));
            }
        }
    }
    told
}

/// Finds where windows are opened, with the loops around.
fn find<'k>(
    list: &'k [Statement],
    loops: &mut Vec<&'k Loop>,
    found: &mut Vec<(Vec<&'k Loop>, usize)>,
) {
    for statement in list {
        match &statement.kind {
            StatementKind::OpenWindows(indices) => {
                found.extend(indices.iter().map(|index| (loops.clone(), *index)));
            }
            StatementKind::Loop(l) => {
                loops.push(l);
                find(&l.body, loops, found);
                loops.pop();
            }
            _ => visit::blocks(statement, &mut |inner| find(inner, loops, found)),
        }
    }
}

/// Where a window is opened.
struct Around<'a> {
    module: &'a Module,
    unit: &'a Unit,
    values: &'a Values<'a>,
    /// Outermost first.
    loops: Vec<&'a Loop>,
}

impl Around<'_> {
    fn fetch(&self, kernel: &Kernel, window: &SharedWindow) -> Option<Fetch> {
        let block = requests::block_shape(kernel)?;
        let mut ty = self.unit.symbol(window.array).ty.ty;
        let mut sides = Vec::new();
        for (depth, dimension) in window.dimensions.iter().enumerate() {
            let (constant, factors) = self.numbers(&dimension.first)?;
            let WindowExtent::Constant(extent) = dimension.extent else {
                return None;
            };
            let length = match (window.is_read_whole, &dimension.end) {
                (true, Some(end)) => Some(self.value(&self.polynomial(end, self.loops.len())?)?),
                (true, None) => Some(i128::MAX / 2),
                (false, _) if depth == 0 => self.outermost_length(window.array),
                (false, _) => self.length(ty),
            };
            ty = self.element(ty, depth)?;
            sides.push(WindowSide {
                first: constant,
                factors,
                extent: extent.into(),
                stride: requests::size(ty, self.unit).and_then(|size| self.value(&size)),
                length,
            });
        }
        let threads = block.iter().product();
        Some(Fetch {
            loops: (self.loops.iter().enumerate())
                .map(|(number, l)| self.window_loop(number, l, block))
                .collect(),
            sides,
            bytes: self.unit.types.size(ty)?,
            threads,
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
        let spread = l.spread.unwrap_or_default();
        let shared = block.iter().zip(spread.threads).filter(|(_, used)| *used);
        WindowLoop {
            trips: self.trips(number, l),
            sharing: shared.map(|(threads, _)| i128::from(*threads)).product(),
        }
    }

    /// How often a loop runs its body.
    fn trips(&self, number: usize, l: &Loop) -> Option<i128> {
        let outer = |e: &Expression| self.polynomial(e, number).and_then(|p| self.value(&p));
        let (lower, bound, step) = (outer(&l.lower)?, outer(&l.bound)?, outer(&l.step)?);
        let distance = if l.downward {
            lower - bound
        } else {
            bound - lower
        };
        let inclusive = matches!(l.relation, Relation::LessEqual | Relation::GreaterEqual);
        let trips = distance + i128::from(inclusive);
        (step > 0).then(|| ((trips + step - 1) / step).max(0))
    }

    fn numbers(&self, e: &Expression) -> Option<(i128, Vec<(usize, i128)>)> {
        requests::numbers(&self.polynomial(e, self.loops.len())?, self.values)
    }

    fn value(&self, polynomial: &Affine) -> Option<i128> {
        let (constant, factors) = requests::numbers(polynomial, self.values)?;
        factors.is_empty().then_some(constant)
    }

    /// An expression over the iterations of the first so many loops.
    fn polynomial(&self, e: &Expression, loops: usize) -> Option<Affine> {
        affine::of(e, self.unit, &|symbol| {
            for (number, l) in self.loops[..loops].iter().enumerate() {
                // Of a tile, its first iteration.
                let first = l.tile.map(|tile| tile.first);
                if symbol == l.induction && first.is_none() || first == Some(symbol) {
                    return self.induction(number, l);
                }
            }
            Some(Affine::variable(Term::Invariant(symbol)))
        })
    }

    fn induction(&self, number: usize, l: &Loop) -> Option<Affine> {
        let step = self.value(&self.polynomial(&l.step, number)?)?;
        let step = if l.downward { -step } else { step };
        let moved = Affine::variable(Term::Iteration(number)).times(&Affine::constant(step))?;
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
                    if lower.is_some_and(|e| self.polynomial(e, 0) != Some(Affine::default())) {
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
            ArrayLength::Variable(id) => {
                let length = self.unit.vla_lengths.get(id.0 as usize)?;
                self.value(&self.polynomial(&length.expression, 0)?)
            }
            _ => None,
        }
    }
}
