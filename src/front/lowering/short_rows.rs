//! Arrays of which the device has a section with shorter rows (the paper's section 5.2).
//!
//! ```text
//! int A[8][7];  global alloc A[2:7][1:6]         int (*A)[6]
//! A[i][j]                                   ->   A[i][j - 1]
//! ```
//!
//! The launcher moves the pointer, so that rows are counted as on the host.

use crate::front::lowering::launch_values::known_at_launch;
use crate::front::lowering::usage::Use;
use crate::ir::{
    Capture, Length, Passing, Range, RegionLocal, SectionOf, Statement, StatementKind, visit,
};
use crate::source::Span;
use crate::typed::constant::evaluate;
use crate::typed::{
    ArrayLength, BinaryOperator as Op, Conversion, Expression, ExpressionKind, IntegerKind,
    QualType, SymbolId, Type, TypeId, UnaryOperator, Unit, synthesis, visit as typed_visit,
};

/// How a kernel gets such an array: one of its own in the place of `symbol`, of `host`'s memory.
///
/// # Errors
/// Where the array is used otherwise than by its elements.
pub fn capture(
    unit: &Unit,
    list: &mut [Statement],
    (symbol, host): (SymbolId, SymbolId),
    place: Use,
    (ranges, element): (&[Range], QualType),
    locals: &mut Vec<RegionLocal>,
) -> Result<Capture, Span> {
    let own = stand_in(unit, symbol, ranges, element);
    let name = format!("{}_first", unit.symbol(symbol).name);
    let zero = || synthesis::integer(0, synthesis::int(unit), place.span);
    let lowers = ranges.iter().skip(1).map(|range| {
        let lower = range.lower.clone().unwrap_or_else(zero);
        known_at_launch(unit, &lower, &name, locals)
    });
    let lowers: Vec<Expression> = lowers.collect();
    replace(unit, list, (symbol, own), &lowers)?;
    Ok(Capture {
        symbol: own,
        passing: Passing::Array,
        written: place.written,
        known: true,
        section_of: Some(SectionOf {
            array: host,
            lowers,
        }),
    })
}

/// All that the host has of what sections are of.
pub fn whole(ranges: &[Range]) -> Vec<Range> {
    let whole = |range: &Range| Range {
        lower: None,
        length: range.extent.clone().unwrap_or(range.length.clone()),
        ..range.clone()
    };
    ranges.iter().map(whole).collect()
}

/// An array like the host's, with rows as long as the section's.
pub fn stand_in(unit: &Unit, symbol: SymbolId, ranges: &[Range], element: QualType) -> SymbolId {
    let size = unit.types.intern(Type::Integer(IntegerKind::UnsignedLong));
    let mut ty = element;
    for (depth, range) in ranges.iter().enumerate().rev() {
        let length = match &range.length {
            // How many rows there are does not matter to an address.
            _ if depth == 0 => match &range.extent {
                Some(Length::Constant(n)) => ArrayLength::Constant(*n),
                _ => ArrayLength::Incomplete,
            },
            Length::Constant(n) => ArrayLength::Constant(*n),
            Length::Expression(e) => ArrayLength::Variable(unit.add_length(e.clone())),
            Length::Variable { .. } => {
                let object = synthesis::symbol(unit, symbol, Span::default());
                ArrayLength::Variable(unit.add_length(row_length(unit, object, depth, size)))
            }
        };
        ty = QualType::plain(unit.types.intern(Type::Array {
            element: ty,
            length,
        }));
    }
    let own = synthesis::hiding_variable(unit, symbol);
    let mut stand_in = unit.symbol(own).clone();
    stand_in.ty = ty;
    unit.add_symbol(stand_in)
}

/// `sizeof a[0] / sizeof a[0][0]`, of the dimension at a depth.
fn row_length(unit: &Unit, object: Expression, depth: usize, size: TypeId) -> Expression {
    let mut ty = object.ty;
    for _ in 0..depth {
        ty = unit.types.pointee(ty.ty).unwrap_or(ty);
    }
    let inner = unit.types.pointee(ty.ty).unwrap_or(ty);
    let bytes = |ty: QualType| Expression {
        kind: ExpressionKind::SizeofVariable(ty),
        ty: QualType::plain(size),
        span: object.span,
    };
    synthesis::binary(Op::Divide, bytes(ty), bytes(inner), size)
}

/// Puts one array in the place of another.
///
/// # Errors
/// Where that is used otherwise than by its elements.
pub fn replace(
    unit: &Unit,
    list: &mut [Statement],
    (old, new): (SymbolId, SymbolId),
    lowers: &[Expression],
) -> Result<(), Span> {
    visit::expressions_mut(list, &mut |e| match &mut e.kind {
        ExpressionKind::Symbol(symbol) if *symbol == old => *symbol = new,
        _ => {}
    });
    visit::walk_mut(list, &mut |statement| {
        if let StatementKind::Windows(region) = &mut statement.kind {
            let windows = region.windows.iter_mut();
            windows
                .filter(|window| window.array == old)
                .for_each(|window| window.array = new);
        }
    });
    visit::expressions_mut(list, &mut |e| {
        let depth = subscripts(e, new).and_then(|depth| depth.checked_sub(1));
        if let (Some(depth), ExpressionKind::Index(_, index)) = (depth, &mut e.kind)
            && let Some(lower) = depth.checked_sub(1).and_then(|at| lowers.get(at))
            && evaluate(unit, lower) != Some(0)
        {
            let ty = index.ty.ty;
            let operand = synthesis::parenthesized(lower.clone());
            **index = synthesis::binary(Op::Subtract, (**index).clone(), operand, ty);
        }
    });
    let mut refused = None;
    visit::expressions_mut(list, &mut |e| match part(unit, e, new) {
        Some(ty) => e.ty = ty,
        // Something else is done with a part: it has to be an element.
        None => typed_visit::operands(e, &mut |inner| {
            let is_row = |ty: QualType| unit.types.is_array(ty.ty) || unit.types.is_pointer(ty.ty);
            if part(unit, inner, new).is_some_and(is_row) {
                refused = refused.or(Some(inner.span));
            }
        }),
    });
    refused.map_or(Ok(()), Err)
}

/// How many subscripts lead from an array to an expression.
fn subscripts(e: &Expression, array: SymbolId) -> Option<usize> {
    match &e.kind {
        ExpressionKind::Symbol(symbol) => (*symbol == array).then_some(0),
        ExpressionKind::Index(base, _)
        | ExpressionKind::Unary(UnaryOperator::Indirection, base) => {
            Some(subscripts(base, array)? + 1)
        }
        ExpressionKind::Parenthesized(base)
        | ExpressionKind::Convert(Conversion::ArrayToPointer, base) => subscripts(base, array),
        _ => None,
    }
}

/// The type of an array, or of a part of it that subscripts lead to.
fn part(unit: &Unit, e: &Expression, array: SymbolId) -> Option<QualType> {
    let types = &unit.types;
    match &e.kind {
        ExpressionKind::Symbol(symbol) if *symbol == array => Some(unit.symbol(array).ty),
        ExpressionKind::Parenthesized(base) => part(unit, base, array),
        ExpressionKind::Index(base, _)
        | ExpressionKind::Unary(UnaryOperator::Indirection, base) => {
            types.pointee(part(unit, base, array)?.ty)
        }
        ExpressionKind::Convert(Conversion::ArrayToPointer, base) => {
            let to = types.pointee(part(unit, base, array)?.ty)?;
            Some(QualType::plain(types.intern(Type::Pointer(to))))
        }
        _ => None,
    }
}
