//! Place and size of a window, from its pivots.
//!
//! With the pivot `Σ c·t + u` of a thread, the block's window goes from the
//! least pivot less `before` to the greatest plus `after`: its base is `u`
//! plus the negative `c·(threads - 1)`, less `before`; its extent is
//! `Σ |c|·(threads - 1) + before + after + 1`.

use super::region::pieces;
use super::{Pass, refusal};
use crate::analysis::block_affine::{Atom, Piece};
use crate::analysis::polynomial::{Polynomial, Term};
use crate::diagnostic::Diagnostic;
use crate::ir::{BlockExtent, OwnSlots, Window, WindowExtent, WindowReach};
use crate::passes::launch_configuration::host_value;
use crate::typed::synthesis;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, IntegerKind, SymbolId, Type, TypeId, Unit, constant,
};

/// One dimension of a window, placed.
#[derive(Clone, Debug)]
pub struct Side {
    /// The pivot of each thread.
    pub pivot: Polynomial,
    /// The index of slot 0.
    pub base: Polynomial,
    /// As an expression that all threads can evaluate.
    pub first: Expression,
    /// The type of the base.
    pub ty: TypeId,
    /// Slots.
    pub extent: WindowExtent,
    /// How many these are.
    pub size: Polynomial,
    /// How far it reaches, where only the launch knows.
    pub reaches: Vec<WindowReach>,
    /// What the base is called.
    pub name: String,
    /// What each thread asks for, if all of that is known.
    pub own: Option<OwnSlots>,
    /// Whether threads with consecutive x have consecutive pivots.
    pub is_along_x: bool,
    /// The axis of the block that alone decides the pivot, one slot a thread.
    pub lone_axis: Option<usize>,
}

/// How far a window reaches from its pivot on one side.
enum Bound {
    Constant(i128),
    /// What the host and all threads can compute.
    Launch(Expression, Polynomial),
}

impl Bound {
    /// What the launcher checks, if only it knows the bound.
    fn at_launch(&self, side: &'static str) -> Option<WindowReach> {
        match self {
            Self::Constant(_) => None,
            Self::Launch(expression, _) => Some(WindowReach {
                side,
                expression: expression.clone(),
            }),
        }
    }
}

/// How the pivots of a block's threads are distributed.
#[derive(Default)]
struct Reach {
    /// From the least pivot to the greatest, as far as it is a number.
    known: i128,
    /// The least pivot, from that of the first thread.
    lowest: i128,
    /// Axes of which the number of threads is not known, each with the
    /// pivot's coefficient without its sign.
    open: Vec<(usize, i128)>,
    /// The only such axis runs backwards.
    open_backwards: bool,
    /// Axis, whether it is the thread's whole number, and coefficient.
    axes: Vec<(usize, bool, i128)>,
}

impl Reach {
    /// Takes one part of the pivot in; `None` if its reach cannot be
    /// expressed.
    fn add(&mut self, atom: Atom, coefficient: i128, highest: Option<i128>) -> Option<()> {
        if self.open_backwards {
            return None;
        }
        let Atom::Thread(axis, piece) = atom else {
            return None;
        };
        match (highest, piece) {
            (Some(highest), _) => {
                let far = coefficient.checked_mul(highest)?;
                self.known = self.known.checked_add(far.abs())?;
                self.lowest = self.lowest.checked_add(far.min(0))?;
            }
            (None, Piece::Whole) => {
                self.open_backwards = coefficient < 0;
                if self.open_backwards && !self.axes.is_empty() {
                    return None;
                }
                self.open.push((axis, coefficient.abs()));
            }
            (None, _) => return None,
        }
        self.axes.push((axis, piece == Piece::Whole, coefficient));
        Some(())
    }
}

impl Pass<'_> {
    /// The dimensions of a window, outermost first.
    ///
    /// # Errors
    /// A pivot or bound that is not known; rows of unknown number
    /// there are.
    pub(super) fn shape(&mut self, window: &Window) -> Result<Vec<Side>, Box<Diagnostic>> {
        let behind_pointers = pieces(self.unit, window.array, window.dimensions.len()).len() > 1;
        if window.policy.fetch && behind_pointers && !window.has_sections {
            return Err(Box::new(refusal::rows_unknown(self.unit, window)));
        }
        let dimensions = 0..window.dimensions.len();
        dimensions.map(|number| self.side(window, number)).collect()
    }

    fn side(&mut self, window: &Window, number: usize) -> Result<Side, Box<Diagnostic>> {
        let dimension = &window.dimensions[number];
        let pivot = (self.frame.whole_block())
            .value(&dimension.pivot)
            .map_err(|defeat| refusal::pivot(window, defeat))?;
        let before = self.bound(window, &dimension.before)?;
        let after = self.bound(window, &dimension.after)?;
        let kernel = self.kernel;
        let unknown = || Box::new(refusal::unknown_reach(kernel, window, dimension.pivot.span));
        let mut reach = Reach::default();
        let frame = &mut self.frame;
        for number in pivot.iterations() {
            let atom = frame.atom(number).expect("the frame made this polynomial");
            let coefficient = pivot.coefficient(Term::Iteration(number));
            reach
                .add(atom, coefficient.ok_or_else(unknown)?, frame.highest(atom))
                .ok_or_else(unknown)?;
        }
        let ty = self.index_type(dimension.pivot.ty.ty);
        let extent = self.extent(window, &reach, &before, &after);
        let size = size(&extent, &reach, [&before, &after]).ok_or_else(unknown)?;
        for bound in [&before, &after] {
            if let Bound::Launch(_, value) = bound {
                // The launcher checks it.
                self.frame.assume_natural(value);
            }
        }
        let reaches = [("before", &before), ("after", &after)]
            .into_iter()
            .filter_map(|(side, bound)| bound.at_launch(side))
            .collect();
        let mut base = pivot.invariant_part();
        let mut first = self.frame.origin(&dimension.pivot);
        // A constant that another variable was converted to is a base already.
        if let (Some(symbol), ExpressionKind::Cast(_)) = (dimension.pivot.as_symbol(), &first.kind)
            && self.unit.symbol(symbol).ty.qualifiers.is_const
            && first.without_conversions().as_symbol().is_some()
            && base == pivot
        {
            first = dimension.pivot.clone();
        }
        let mut offset = reach.lowest;
        let (operator, bound) = if reach.open_backwards {
            // The last thread has the least pivot, `extent - 1 - before -
            // after` below the first's.
            let WindowExtent::Launch(symbol, _) = &extent else {
                return Err(unknown());
            };
            let slots = synthesis::symbol(self.unit, *symbol, first.span);
            first = synthesis::binary(BinaryOperator::Subtract, first, slots, ty);
            base = base
                .minus(&Polynomial::variable(Term::Invariant(*symbol)))
                .ok_or_else(unknown)?;
            offset = 1;
            (BinaryOperator::Add, &after)
        } else {
            (BinaryOperator::Subtract, &before)
        };
        let is_sum = operator == BinaryOperator::Add;
        match bound {
            Bound::Constant(number) if is_sum => offset += number,
            Bound::Constant(number) => offset -= number,
            Bound::Launch(e, value) => {
                first = synthesis::binary(operator, first, e.clone(), ty);
                let moved = match is_sum {
                    true => base.plus(value),
                    false => base.minus(value),
                };
                base = moved.ok_or_else(unknown)?;
            }
        }
        base = base.moved(offset).ok_or_else(unknown)?;
        Ok(Side {
            name: self.base_name(window, number),
            first: self.base(first, offset, &base, ty),
            pivot,
            base,
            ty,
            extent,
            size,
            reaches,
            own: own_slots(&reach, [&before, &after]),
            is_along_x: reach.axes.contains(&(0, true, 1)),
            lone_axis: match reach.axes.as_slice() {
                [(axis, true, 1 | -1)] => Some(*axis),
                _ => None,
            },
        })
    }

    /// How far a window reaches from its pivot on one side.
    fn bound(&mut self, window: &Window, e: &Expression) -> Result<Bound, Box<Diagnostic>> {
        let value = (self.frame.value(e)).map_err(|defeat| refusal::bound(window, defeat))?;
        if let Some(number) = value.as_constant() {
            return match number {
                ..0 => Err(Box::new(refusal::negative(window, number, e.span))),
                0..=MOST => Ok(Bound::Constant(number)),
                _ => Err(Box::new(refusal::bound_at_launch(window, e.span))),
            };
        }
        (self.frame.check_uniform(e)).map_err(|defeat| refusal::bound(window, defeat))?;
        let e = self.frame.origin(e);
        if !host_value(self.kernel, self.unit, &e) {
            return Err(Box::new(refusal::bound_at_launch(window, e.span)));
        }
        Ok(Bound::Launch(e, value))
    }

    /// How many slots a window has in one dimension. What the launch computes
    /// has 64 bits, so that it can be found too large.
    fn extent(
        &mut self,
        window: &Window,
        reach: &Reach,
        before: &Bound,
        after: &Bound,
    ) -> WindowExtent {
        let int = synthesis::int(self.unit);
        let long = self.unit.types.intern(Type::Integer(IntegerKind::Long));
        let mut known = reach.known.saturating_add(1);
        let mut parts = Vec::new();
        for bound in [before, after] {
            match bound {
                Bound::Constant(number) => known = known.saturating_add(*number),
                Bound::Launch(e, _) => parts.push(synthesis::cast(e.clone(), long)),
            }
        }
        for (axis, coefficient) in &reach.open {
            let block = self.kernel.block.as_ref().map(|block| &block[*axis]);
            let Some(BlockExtent::Expression(threads)) = block else {
                continue;
            };
            let threads = synthesis::cast(threads.clone(), long);
            parts.push(match coefficient {
                1 => threads,
                _ => {
                    let factor = synthesis::integer(*coefficient, long, threads.span);
                    synthesis::binary(BinaryOperator::Multiply, factor, threads, long)
                }
            });
            known = known.saturating_sub(*coefficient);
        }
        let Some(sum) = parts
            .into_iter()
            .reduce(|sum, part| synthesis::binary(BinaryOperator::Add, sum, part, long))
        else {
            return WindowExtent::Constant(u64::try_from(known).unwrap_or(u64::MAX));
        };
        let sum = plus(self.unit, sum, known, long);
        let name = format!("{}_extent", self.unit.symbol(window.array).name);
        WindowExtent::Launch(self.variable(&name, int), sum)
    }

    /// The type of an index computed from another: as C promotes it.
    fn index_type(&mut self, ty: TypeId) -> TypeId {
        match self.unit.types.get(ty) {
            Type::Integer(kind) if kind.size() >= 4 => ty,
            _ => self.unit.types.intern(Type::Integer(IntegerKind::Int)),
        }
    }

    /// `origin + offset`, in as few words as possible.
    fn base(
        &mut self,
        origin: Expression,
        offset: i128,
        base: &Polynomial,
        ty: TypeId,
    ) -> Expression {
        let span = origin.span;
        if let Some(number) = base.as_constant() {
            return synthesis::integer(number, ty, span);
        }
        if let Some((symbol, offset)) = lone_variable(base)
            && self.unit.symbol(symbol).ty.ty == ty
        {
            let origin = synthesis::symbol(self.unit, symbol, span);
            return plus(self.unit, origin, offset, ty);
        }
        let (origin, offset) = self.without_constant(origin, offset);
        plus(self.unit, origin, offset, ty)
    }

    /// Takes constants off the end of a sum.
    fn without_constant(&self, e: Expression, offset: i128) -> (Expression, i128) {
        if let ExpressionKind::Binary(operator, left, right) = &e.kind
            && let Some(number) = constant::evaluate(self.unit, right)
        {
            match operator {
                BinaryOperator::Add => {
                    return self.without_constant((**left).clone(), offset + number);
                }
                BinaryOperator::Subtract => {
                    return self.without_constant((**left).clone(), offset - number);
                }
                _ => {}
            }
        }
        match e.kind {
            ExpressionKind::Parenthesized(inner) => self.without_constant(*inner, offset),
            _ => (e, offset),
        }
    }

    /// `a_base`; of several dimensions `a_base_y` and `a_base_x`, as slots are counted.
    fn base_name(&self, window: &Window, number: usize) -> String {
        let array = &self.unit.symbol(window.array).name;
        let axis = match (window.dimensions.len(), window.dimensions.len() - number) {
            (1, _) => return format!("{array}_base"),
            (_, 1) => "x",
            (_, 2) => "y",
            (_, 3) => "z",
            _ => return format!("{array}_base_{number}"),
        };
        format!("{array}_base_{axis}")
    }
}

/// `e + offset`.
pub(super) fn plus(unit: &Unit, e: Expression, offset: i128, ty: TypeId) -> Expression {
    let int = synthesis::int(unit);
    let fits = i32::try_from(offset).is_ok();
    let number = synthesis::integer(offset.abs(), if fits { int } else { ty }, e.span);
    match offset {
        0 => e,
        1.. => synthesis::binary(BinaryOperator::Add, e, number, ty),
        _ => synthesis::binary(BinaryOperator::Subtract, e, number, ty),
    }
}

/// How many slots a window has, from what its bounds are made of where the
/// block's size is known.
fn size(extent: &WindowExtent, reach: &Reach, bounds: [&Bound; 2]) -> Option<Polynomial> {
    match extent {
        WindowExtent::Constant(number) => Some(Polynomial::constant(i128::from(*number))),
        WindowExtent::Launch(symbol, _) if !reach.open.is_empty() => {
            Some(Polynomial::variable(Term::Invariant(*symbol)))
        }
        WindowExtent::Launch(..) => {
            let known = Polynomial::constant(reach.known.checked_add(1)?);
            bounds
                .into_iter()
                .try_fold(known, |sum, bound| match bound {
                    Bound::Constant(number) => sum.moved(*number),
                    Bound::Launch(_, value) => sum.plus(value),
                })
        }
    }
}

/// What each thread asks for, where block and bounds are known.
fn own_slots(reach: &Reach, bounds: [&Bound; 2]) -> Option<OwnSlots> {
    let [Bound::Constant(before), Bound::Constant(after)] = bounds else {
        return None;
    };
    let axes = reach.axes.iter();
    let axes = axes.map(|&(axis, is_whole, coefficient)| is_whole.then_some((axis, coefficient)));
    Some(OwnSlots {
        first: reach.lowest.checked_neg()?,
        before: *before,
        after: *after,
        axes: axes.collect::<Option<_>>()?,
    })
    .filter(|_| reach.open.is_empty())
}

/// The variable and the constant that a sum of just these is.
fn lone_variable(sum: &Polynomial) -> Option<(SymbolId, i128)> {
    let mut found = None;
    let mut constant = 0;
    for (product, coefficient) in sum.terms() {
        match (product, coefficient) {
            ([], number) => constant = number,
            ([Term::Invariant(symbol)], 1) if found.is_none() => found = Some(*symbol),
            _ => return None,
        }
    }
    found.map(|symbol| (symbol, constant))
}

/// No window reaches further.
const MOST: i128 = 1 << 32;
