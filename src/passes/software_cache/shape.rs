//! Place and size of a window, from its pivots.
//!
//! With the pivot `Σ c·t + u` of a thread, the block's window goes from the
//! least pivot less `before` to the greatest plus `after`: its base is `u`
//! plus the negative `c·(threads - 1)`, less `before`; its extent is
//! `Σ |c|·(threads - 1) + before + after + 1`.

use super::{Pass, refusal};
use crate::analysis::affine::{Affine, Term};
use crate::analysis::block_affine::{Atom, Frame, Piece};
use crate::diagnostic::Diagnostic;
use crate::ir::{Window, WindowDimension};
use crate::passes::synthesis;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, IntegerKind, SymbolId, Type, TypeId, constant,
};

/// One dimension of a window, placed.
#[derive(Clone, Debug)]
pub struct Side {
    /// The pivot of each thread.
    pub pivot: Affine,
    /// The index of slot 0.
    pub base: Affine,
    /// As an expression that all threads can evaluate.
    pub first: Expression,
    /// The type of the base.
    pub ty: TypeId,
    /// Slots.
    pub extent: u64,
    /// What the base is called.
    pub name: String,
    /// Whether threads with consecutive x have consecutive pivots.
    pub is_along_x: bool,
    /// The axis of the block that alone decides the pivot, one slot a thread.
    pub lone_axis: Option<usize>,
}

impl Pass<'_> {
    /// The dimensions of a window, outermost first.
    ///
    /// # Errors
    /// A pivot or bound that is not known.
    pub(super) fn shape(
        &mut self,
        window: &Window,
        frame: &mut Frame,
    ) -> Result<Vec<Side>, Box<Diagnostic>> {
        let mut sides = Vec::new();
        for dimension in &window.dimensions {
            sides.push(self.side(window, dimension, frame)?);
        }
        Ok(sides)
    }

    fn side(
        &mut self,
        window: &Window,
        dimension: &WindowDimension,
        frame: &mut Frame,
    ) -> Result<Side, Box<Diagnostic>> {
        let pivot = frame
            .value(&dimension.pivot, self.unit)
            .map_err(|defeat| refusal::pivot(window, defeat))?;
        let before = self.bound(window, &dimension.before, frame)?;
        let after = self.bound(window, &dimension.after, frame)?;
        let mut reach = 0i128;
        let mut lowest = 0i128;
        let mut axes = Vec::new();
        for number in pivot.iterations() {
            let atom = frame.atom(number).expect("the frame made this polynomial");
            let coefficient = pivot.coefficient(Term::Iteration(number));
            let (Some(coefficient), Some(highest)) = (coefficient, frame.highest(atom)) else {
                return Err(Box::new(refusal::unknown_reach(
                    window,
                    dimension.pivot.span,
                )));
            };
            let far = coefficient.saturating_mul(highest);
            reach = reach.saturating_add(far.abs());
            lowest += far.min(0);
            if let Atom::Thread(axis, piece) = atom {
                axes.push((axis, piece == Piece::Whole, coefficient));
            }
        }
        let extent = reach.saturating_add(before + after + 1);
        let offset = lowest - before;
        let base = pivot
            .invariant_part()
            .plus(&Affine::constant(offset))
            .ok_or_else(|| refusal::unknown_reach(window, dimension.pivot.span))?;
        let ty = self.index_type(dimension.pivot.ty.ty);
        let first = self.base(frame.origin(&dimension.pivot, self.unit), offset, &base, ty);
        Ok(Side {
            name: self.base_name(window, &dimension.pivot),
            pivot,
            base,
            first,
            ty,
            extent: u64::try_from(extent).unwrap_or(u64::MAX),
            is_along_x: axes.contains(&(0, true, 1)),
            lone_axis: match axes.as_slice() {
                [(axis, true, 1 | -1)] => Some(*axis),
                _ => None,
            },
        })
    }

    /// A bound that is a constant.
    fn bound(
        &mut self,
        window: &Window,
        e: &Expression,
        frame: &mut Frame,
    ) -> Result<i128, Box<Diagnostic>> {
        let value = frame
            .value(e, self.unit)
            .map_err(|defeat| refusal::bound(window, defeat))?;
        match value.as_constant() {
            Some(number) if number < 0 => Err(Box::new(refusal::negative(window, number, e.span))),
            Some(number) if number <= MOST => Ok(number),
            _ => Err(Box::new(refusal::bound_at_launch(window, e.span))),
        }
    }

    /// The type of an index computed from another: as C promotes it.
    fn index_type(&mut self, ty: TypeId) -> TypeId {
        match self.unit.types.get(ty) {
            Type::Integer(kind) if kind.size() >= 4 => ty,
            _ => self.unit.types.intern(Type::Integer(IntegerKind::Int)),
        }
    }

    /// `origin + offset`, in as few words as possible.
    fn base(&mut self, origin: Expression, offset: i128, base: &Affine, ty: TypeId) -> Expression {
        let span = origin.span;
        if let Some(number) = base.as_constant() {
            return synthesis::integer(number, ty, span);
        }
        if let Some((symbol, offset)) = lone_variable(base)
            && self.unit.symbol(symbol).ty.ty == ty
        {
            let origin = synthesis::symbol(self.unit, symbol, span);
            return self.plus(origin, offset, ty);
        }
        let (origin, offset) = self.without_constant(origin, offset);
        self.plus(origin, offset, ty)
    }

    /// `e + offset`.
    fn plus(&mut self, e: Expression, offset: i128, ty: TypeId) -> Expression {
        let int = synthesis::int(self.unit);
        let fits = i32::try_from(offset).is_ok();
        let number = synthesis::integer(offset.abs(), if fits { int } else { ty }, e.span);
        match offset {
            0 => e,
            1.. => synthesis::binary(BinaryOperator::Add, e, number, ty),
            _ => synthesis::binary(BinaryOperator::Subtract, e, number, ty),
        }
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

    /// `i_base` where the pivot is `i`, else `a_base`.
    fn base_name(&self, window: &Window, pivot: &Expression) -> String {
        let named = pivot.as_symbol().filter(|_| window.dimensions.len() > 1);
        let symbol = named.unwrap_or(window.array);
        format!("{}_base", self.unit.symbol(symbol).name)
    }
}

/// The variable and the constant that a sum of just these is.
fn lone_variable(sum: &Affine) -> Option<(SymbolId, i128)> {
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
